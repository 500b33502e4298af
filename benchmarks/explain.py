"""Explanations by clique pools: speed, what they find, and whether they depend on the weights.

Two ground truths: cliques of 4 or 5 nodes planted in random graphs, and the groups NO2 and NH2 of MUTAG. Each
method explains the same trained networks, one for each seed; beside ours are GNNExplainer of PyTorch
Geometric (100 epochs, a mask of nodes) and integrated gradients node by node. The level of the pools and the
baseline are those with the highest AUROC of Shapley values on other graphs than the reported ones
(`explain_cases.py`).

"Random" is the AUROC of the same method for networks with random weights: what the method finds by the form
of the graph alone. Every molecule of MUTAG has such a group, so a network may decide by others. Fidelity,
characterization score and unfaithfulness are those of PyTorch Geometric, of the mask of as many nodes of the
highest scores as the truth has (its threshold "topk_hard"). Times are CPU times on one thread.
"""

from __future__ import annotations

import copy
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from sklearn.model_selection import StratifiedKFold
from torch_geometric.explain import Explanation
from torch_geometric.explain.metric import characterization_score, fidelity, unfaithfulness

import cliquepool as cp
from benchmarks.explain_cases import (
    Case,
    chosen_level_and_baseline,
    gnn_explainer,
    methods_of,
    mutag_cases,
    ours,
    planted_cases,
    pyg_explainer,
)
from benchmarks.reporting import milliseconds, times
from cliquepool.data import GraphDataset, PooledDataset, load_dataset
from cliquepool.explain import auroc, explain, jaccard, sparsity, stability, vocabulary
from cliquepool.models import CliquePoolClassifier

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.reporting import Report

RANDOM_SEEDS = range(4)
FOLDS = 5


def seconds_of(call: Callable[[], Any], repeats: int = 1) -> float:
    """Return the CPU time of the fastest of some calls."""
    taken = []
    for _ in range(repeats):
        began = time.process_time()
        call()
        taken.append(time.process_time() - began)
    return min(taken)


# ---- the measurements ----


def with_random_weights(model: CliquePoolClassifier, seed: int) -> CliquePoolClassifier:
    """Return the model with its weights drawn anew; means and deviations of its input are kept."""
    torch.manual_seed(seed)
    other = copy.copy(model)
    network = copy.deepcopy(model.network_.network)
    fresh = model._build(model.network_.sizes).state_dict()
    kept = {name: value for name, value in network.state_dict().items() if name.startswith("composition")}
    network.load_state_dict(fresh | kept)
    other.network_ = copy.copy(model.network_)
    object.__setattr__(other.network_, "network", network.eval())
    return other


def correlation_with_random(case: Case) -> float:
    """Return the mean rank correlation of node scores with those of the network with random weights."""
    trained = ours(case, "shapley")
    found = []
    for index in range(min(8, len(case.graphs))):
        scores = trained(index)
        for seed in range(20):
            random = replace(case, model=with_random_weights(case.model, seed))
            found.append(stability([scores, ours(random, "shapley")(index)]))
    return float(np.mean(found))


def difference_when_relabelled(case: Case) -> float:
    """Return the largest change of a node's score when the nodes are numbered in another order."""
    largest = 0.0
    for index in range(min(10, len(case.graphs))):
        graph = case.graphs[index]
        order = np.random.default_rng(index).permutation(graph.num_nodes)
        moved = cp.Graph.from_edges(order[graph.graph(0).edges()], graph.num_nodes)
        back = np.argsort(order)
        labels = None if graph.node_labels is None else [graph.node_labels[back].tolist()]
        other = GraphDataset.from_graphs([moved], node_labels=labels)
        how: dict[str, Any] = {"level": case.level, "target": case.target}
        if case.baseline == "mean":
            how["baseline"] = case.training
        if len(explain(case.model, graph, "occlusion", **how).pools) > 16:
            continue  # sampled: the permutations of pools would differ too
        before, after = (explain(case.model, one, **how).node_scores for one in (graph, other))
        largest = max(largest, float(np.abs(after[order] - before).max()))
    return largest


def found_by(name: str, cases: list[Case]) -> tuple[list[Any], list[np.ndarray], list[float]]:
    """Return the scores of all graphs of all cases by a method, the truths, and the seconds of each graph."""
    scores, truths, seconds = [], [], []
    for case in cases:
        run = methods_of(case)[name]
        for index, truth in enumerate(case.truth):
            began = time.process_time()
            scores.append(run(index))
            seconds.append(time.process_time() - began)
            truths.append(truth)
    return scores, truths, seconds


def mean_of(measure: Callable[..., float], *columns: Any) -> float:
    return float(np.mean([measure(*row) for row in zip(*columns, strict=True)]))


def pyg_metrics(cases: list[Case], scores: list[np.ndarray]) -> dict[str, float]:
    """Return PyG's metrics of the masks of as many nodes of the highest scores as the truth has."""
    positive, negative, unfaithful = [], [], []
    graphs = [(case, index) for case in cases for index in range(len(case.truth))]
    for (case, index), values in zip(graphs, scores, strict=True):
        explainer, x, edges = pyg_explainer(case, index)
        prediction = explainer.get_prediction(x, edges)
        explanation = Explanation(
            node_mask=torch.from_numpy(np.asarray(values, dtype=np.float32))[:, None],
            x=x,
            edge_index=edges,
            prediction=prediction,
            target=explainer.get_target(prediction),
        )
        explanation._model_args = []
        explanation = explanation.threshold("topk_hard", int(case.truth[index].sum()))
        gained, lost = fidelity(explainer, explanation)
        positive.append(gained)
        negative.append(lost)
        unfaithful.append(unfaithfulness(explainer, explanation))
    means = {"fidelity+": float(np.mean(positive)), "fidelity-": float(np.mean(negative))}
    both = (torch.tensor(value) for value in means.values())
    return {
        **means,
        "character": float(characterization_score(*both)),
        "unfaithful": float(np.mean(unfaithful)),
    }


COLUMNS = ("auroc", "jaccard", "sparsity", "random", "fidelity+", "fidelity-", "character", "unfaithful")


def report_truths(report: Report, cases: list[Case]) -> dict[str, float]:
    """Print all methods beside each other; return the AUROC of each."""
    rows, found = [], {}
    for name in methods_of(cases[0]):
        scores, truths, seconds = found_by(name, cases)
        values = {
            "auroc": mean_of(auroc, scores, truths),
            "jaccard": mean_of(jaccard, scores, truths),
            "sparsity": mean_of(sparsity, scores),
            **pyg_metrics(cases, scores),
        }
        if "GNNExplainer" not in name:  # it would take minutes
            random = [replace(cases[0], model=with_random_weights(cases[0].model, s)) for s in RANDOM_SEEDS]
            values["random"] = mean_of(auroc, *found_by(name, random)[:2])
        middle = float(np.median(seconds))
        found[name] = values["auroc"]
        shown = (f"{values[key]:.3f}" if key in values else "–" for key in COLUMNS)
        rows.append((name, *shown, milliseconds(middle)))
        report.keep("explain", truth=cases[0].name, method=name, seconds=middle, **values)
    graphs = sum(len(case.truth) for case in cases)
    report.table(
        f"{cases[0].name}: {graphs} graphs, {len(cases)} networks, baseline {cases[0].baseline}",
        ("method", "AUROC", *COLUMNS[1:], "CPU time"),
        rows,
    )
    return found


def choose(report: Report, choosing: list[Case], reported: list[Case]) -> list[Case]:
    """Return the reported cases, with the level and the baseline that are best on the others."""
    tried = chosen_level_and_baseline(choosing)
    graphs = sum(len(case.truth) for case in choosing)
    report.table(
        f"{choosing[0].name}: AUROC of Shapley values on the {graphs} graphs that choose",
        ("level", "baseline", "AUROC"),
        [(str(level), baseline, f"{found:.3f}") for (level, baseline), found in tried.items()],
    )
    level, baseline = next(iter(tried))
    return [replace(case, level=level, baseline=baseline) for case in reported]


def report_speed(report: Report, case: Case) -> None:
    """Measure occlusion beside GNNExplainer, and exact Shapley values of 12 pools."""
    ratios, apart = [], 0.0
    occlude, theirs = ours(case, "occlusion", 2), gnn_explainer(case)
    for index in range(min(10, len(case.graphs))):
        quick = seconds_of(lambda index=index: occlude(index), repeats=5)
        ratios.append(seconds_of(lambda index=index: theirs(index)) / quick)
        why = explain(case.model, case.graphs[index], "occlusion")
        rest = [
            [whole - value for whole, value in zip(why.contributions.whole, row, strict=True)]
            for row in why.contributions.of_pools.tolist()
        ]
        one_by_one = [list(why.what_if([pool]).scores.values()) for pool in range(len(why.pools))]
        apart = max(apart, float(np.abs(np.array(rest) - np.array(one_by_one)).max()))
    print(f"occlusion of all pools: {times(float(np.median(ratios)))} faster than GNNExplainer (median)")
    report.at_least("occlusion of all pools, times faster than GNNExplainer", 50, float(np.median(ratios)))
    report.at_most("occlusion in one batch, difference to one by one", 1e-5, apart)
    dataset = load_dataset("MUTAG")
    twelve = np.flatnonzero(PooledDataset(dataset, 2).sizes[:, 2] == 12)[:5]
    seconds, missing = [], 0.0
    for index in twelve.tolist():
        graph = dataset[index]
        seconds.append(seconds_of(lambda graph=graph: explain(case.model, graph), repeats=3))
        values = explain(case.model, graph).contributions
        missing = max(missing, float(np.abs(values.of_pools.sum(0) - (values.whole - values.nothing)).max()))
    report.at_most("exact Shapley values of 12 pools, seconds", 0.3, max(seconds))
    report.at_most("exact Shapley values, difference of their sum", 1e-4, missing)


def report_vocabulary(report: Report) -> None:
    """Predict the predictions for held-out graphs from counts of words."""
    dataset = load_dataset("MUTAG")
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(dataset.targets, dataset.targets)
    agreed = 0.0
    for training, held_out in folds:
        model = CliquePoolClassifier(random_state=0).fit(dataset[training])
        words = vocabulary(model, dataset[training], method="delete")
        agreed += words.fidelity(dataset[held_out]) * len(held_out)
    report.at_least(
        "counts of words predict the model's held-out predictions (MUTAG)", 0.9, agreed / len(dataset)
    )


def run(report: Report) -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        planted, mutag = (choose(report, *make()) for make in (planted_cases, mutag_cases))
        for cases, bar in ((planted, 0.95), (mutag, 0.85)):
            first, found = cases[0], report_truths(report, cases)
            best = found[f"Shapley values, level {first.level}"]
            report.at_least(f"{first.name}: AUROC of Shapley values", bar, best)
            report.at_most(
                f"{first.name}: rank correlation with random weights", 0.3, correlation_with_random(first)
            )
            report.at_most(
                f"{first.name}: change by relabelled nodes", 1e-5, difference_when_relabelled(first)
            )
        report_speed(report, mutag[0])
        report_vocabulary(report)
    finally:
        torch.set_num_threads(threads)
