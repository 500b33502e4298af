"""Explanations by clique pools: speed, what they find, and whether they depend on the weights.

Two ground truths: cliques of 4 or 5 nodes planted in random graphs, and the groups NO2 and NH2 of MUTAG. Each
method explains the same trained networks, one for each seed; beside ours are GNNExplainer of PyTorch
Geometric (100 epochs, a mask of nodes) and integrated gradients node by node. "Random" is the AUROC of the
same method for networks with random weights: what the method finds by the form of the graph alone. Every
molecule of MUTAG has such a group, so a network may decide by others. Times are CPU times on one thread.
"""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from sklearn.model_selection import StratifiedKFold
from torch import nn
from torch_geometric.explain import Explainer, GNNExplainer

import cliquepool as cp
from benchmarks.reporting import milliseconds, times
from cliquepool.data import GraphDataset, PooledDataset, load_dataset
from cliquepool.explain import auroc, explain, jaccard, sparsity, stability, vocabulary
from cliquepool.explain.masked_model import MaskedNetwork
from cliquepool.models import CliquePoolClassifier

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.reporting import Report
    from cliquepool.explain.explainer import Method

EPOCHS = 100  # of GNNExplainer
EXPLAINED = 40  # graphs of each truth and seed
SEEDS = (0, 1, 2)
RANDOM_SEEDS = range(4)
NITROGEN, OXYGEN, CARBON = 1, 2, 0
FOLDS = 5


@dataclass(frozen=True)
class Case:
    """A fitted network, graphs with the nodes that should decide, and the class that they decide for."""

    name: str
    model: CliquePoolClassifier
    graphs: GraphDataset
    truth: list[np.ndarray]
    target: Any
    level: int


# ---- the truths ----


def planted_cliques(count: int, seed: int) -> tuple[GraphDataset, list[np.ndarray]]:
    """Return random graphs, every other one with a clique of 4 or 5 nodes, and the nodes of the cliques."""
    random = np.random.default_rng(seed)
    graphs, truth = [], []
    for index in range(count):
        nodes = int(random.integers(16, 26))
        edges = [(u, v) for u in range(nodes) for v in range(u) if random.random() < 2.2 / nodes]
        inside = np.zeros(nodes, dtype=bool)
        if index % 2:
            clique = random.choice(nodes, int(random.integers(4, 6)), replace=False).tolist()
            inside[clique] = True
            edges += [(u, v) for u in clique for v in clique if u < v]
        graphs.append(cp.Graph.from_edges(edges, nodes))
        truth.append(inside)
    classes = ["clique" if inside.any() else "none" for inside in truth]
    return GraphDataset.from_graphs(graphs, classes, name="planted cliques"), truth


def nitro_and_amino(dataset: GraphDataset, index: int) -> np.ndarray:
    """Return the atoms of the groups NO2 and NH2 of a molecule of MUTAG, which has no hydrogen atoms."""
    graph, labels = dataset.graph(index), dataset[index].node_labels
    degrees = np.diff(graph.indptr)
    inside = np.zeros(graph.num_nodes, dtype=bool)
    for atom in np.flatnonzero(labels == NITROGEN):
        around = graph.indices[graph.indptr[atom] : graph.indptr[atom + 1]]
        oxygens = around[(labels[around] == OXYGEN) & (degrees[around] == 1)]
        if len(around) == 3 and len(oxygens) == 2:
            inside[[atom, *oxygens]] = True
        elif len(around) == 1 and labels[around[0]] == CARBON:
            inside[atom] = True
    return inside


def planted_case(seed: int) -> Case:
    training, _ = planted_cliques(400, seed=0)
    model = CliquePoolClassifier(random_state=seed, epochs=100).fit(training)
    graphs, truth = planted_cliques(4 * EXPLAINED, seed=1)
    predicted = model.predict(graphs)
    chosen = [i for i in range(len(graphs)) if truth[i].any() and predicted[i] == "clique"][:EXPLAINED]
    return Case("planted K4, K5", model, graphs[chosen], [truth[i] for i in chosen], "clique", level=1)


def mutag_case(seed: int) -> Case:
    dataset = load_dataset("MUTAG")
    model = CliquePoolClassifier(random_state=seed).fit(dataset)
    truth = [nitro_and_amino(dataset, index) for index in range(len(dataset))]
    predicted = model.predict(dataset)
    right = (predicted == 1) & (dataset.classes[dataset.targets] == 1)
    chosen = [i for i in range(len(dataset)) if right[i] and truth[i].any() and not truth[i].all()]
    chosen = chosen[:EXPLAINED]
    return Case("MUTAG NO2, NH2", model, dataset[chosen], [truth[i] for i in chosen], 1, level=2)


# ---- the methods ----


class _Network(nn.Module):
    """A network as PyG's Explainer calls it, for one graph."""

    def __init__(self, masked: MaskedNetwork) -> None:
        super().__init__()
        self.masked = masked

    def forward(self, x: Any, edge_index: Any) -> Any:  # noqa: ARG002 (PyG passes it)
        return self.masked.outputs(x[None])


def ours(case: Case, method: Method, level: int) -> Callable[[int], np.ndarray]:
    def run(index: int) -> np.ndarray:
        graph = case.graphs[index]
        how: dict[str, Any] = {"level": level, "target": case.target, "samples": 32}
        return explain(case.model, graph, method, **how).node_scores

    return run


def gnn_explainer(case: Case) -> Callable[[int], np.ndarray]:
    def run(index: int) -> np.ndarray:
        graph = case.graphs[index]
        masked = MaskedNetwork(case.model, graph, "zero")
        explainer = Explainer(
            _Network(masked),
            GNNExplainer(epochs=EPOCHS),
            explanation_type="model",
            node_mask_type="object",
            model_config={
                "mode": "multiclass_classification",
                "task_level": "graph",
                "return_type": "raw",
            },
        )
        torch.manual_seed(0)
        edges = torch.from_numpy(graph.graph(0).edges().T.astype(np.int64))
        return explainer(masked.x, edges).node_mask[:, 0].numpy()

    return run


def methods_of(case: Case) -> dict[str, Callable[[int], np.ndarray]]:
    return {
        f"Shapley values, level {case.level}": ours(case, "shapley", case.level),
        f"occlusion, level {case.level}": ours(case, "occlusion", case.level),
        f"deletion, level {case.level}": ours(case, "delete", case.level),
        "integrated gradients": ours(case, "gradient", 0),
        f"GNNExplainer, {EPOCHS} epochs": gnn_explainer(case),
    }


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
    trained = ours(case, "shapley", case.level)
    found = []
    for index in range(min(8, len(case.graphs))):
        scores = trained(index)
        for seed in range(20):
            random = replace(case, model=with_random_weights(case.model, seed))
            found.append(stability([scores, ours(random, "shapley", case.level)(index)]))
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


def report_truths(report: Report, cases: list[Case]) -> dict[str, float]:
    """Print all methods beside each other; return the AUROC of each."""
    rows, found = [], {}
    for name in methods_of(cases[0]):
        scores, truths, seconds = found_by(name, cases)
        values = {
            "auroc": mean_of(auroc, scores, truths),
            "jaccard": mean_of(jaccard, scores, truths),
            "sparsity": mean_of(sparsity, scores),
        }
        if "GNNExplainer" not in name:  # it would take minutes
            random = [replace(cases[0], model=with_random_weights(cases[0].model, s)) for s in RANDOM_SEEDS]
            values["random"] = mean_of(auroc, *found_by(name, random)[:2])
        middle = float(np.median(seconds))
        found[name] = values["auroc"]
        shown = (
            f"{values[key]:.3f}" if key in values else "–"
            for key in ("auroc", "jaccard", "sparsity", "random")
        )
        rows.append((name, *shown, milliseconds(middle)))
        report.keep("explain", truth=cases[0].name, method=name, seconds=middle, **values)
    graphs = sum(len(case.truth) for case in cases)
    report.table(
        f"{cases[0].name}: {graphs} graphs, {len(cases)} networks",
        ("method", "AUROC", "Jaccard", "sparsity", "random", "CPU time of a graph"),
        rows,
    )
    return found


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
        planted, mutag = ([make(seed) for seed in SEEDS] for make in (planted_case, mutag_case))
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
