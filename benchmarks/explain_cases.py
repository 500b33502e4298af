"""The networks, graphs and truths that explanations are measured on, and the methods that explain them.

Half of the graphs choose the level of the pools and the baseline, the other half is reported. Networks are of
fixed seeds. Those of MUTAG are trained on all molecules: an explanation is of the network, not of the data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch
from torch import nn
from torch_geometric.explain import Explainer, GNNExplainer

import cliquepool as cp
from cliquepool.data import GraphDataset, load_dataset
from cliquepool.explain import auroc, explain
from cliquepool.explain.masked_model import MaskedNetwork
from cliquepool.models import CliquePoolClassifier

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cliquepool.explain.explainer import Method

__all__ = [
    "EPOCHS",
    "Case",
    "chosen_level_and_baseline",
    "gnn_explainer",
    "methods_of",
    "mutag_cases",
    "ours",
    "planted_cases",
    "pyg_explainer",
]

EPOCHS = 100  # of GNNExplainer
EXPLAINED = 40  # graphs of each truth and half
SEEDS = (0, 1, 2)
LEVELS = (1, 2)
BASELINES: tuple[Literal["zero", "mean"], ...] = ("zero", "mean")
NITROGEN, OXYGEN, CARBON = 1, 2, 0


@dataclass(frozen=True)
class Case:
    """A fitted network, graphs with the nodes that should decide, and the class that they decide for."""

    name: str
    model: CliquePoolClassifier
    training: GraphDataset
    graphs: GraphDataset
    truth: list[np.ndarray]
    target: Any
    level: int = 1
    baseline: Literal["zero", "mean"] = "zero"


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


def planted_cases() -> tuple[list[Case], list[Case]]:
    """Return networks of all seeds with the graphs that choose, and with those that are reported."""
    training, _ = planted_cliques(400, seed=0)
    models = [CliquePoolClassifier(random_state=seed, epochs=100).fit(training) for seed in SEEDS]
    halves = []
    for seed in (2, 1):
        graphs, truth = planted_cliques(4 * EXPLAINED, seed)
        cases = []
        for model in models:
            predicted = model.predict(graphs)
            found = [i for i in range(len(graphs)) if truth[i].any() and predicted[i] == "clique"][:EXPLAINED]
            truths = [truth[i] for i in found]
            cases.append(Case("planted K4, K5", model, training, graphs[found], truths, "clique"))
        halves.append(cases)
    return halves[0], halves[1]


def mutag_cases() -> tuple[list[Case], list[Case]]:
    """Return the same for MUTAG: every other molecule of those that a network classifies right."""
    dataset = load_dataset("MUTAG")
    truth = [nitro_and_amino(dataset, index) for index in range(len(dataset))]
    halves: tuple[list[Case], list[Case]] = ([], [])
    for seed in SEEDS:
        model = CliquePoolClassifier(random_state=seed).fit(dataset)
        predicted = model.predict(dataset)
        right = (predicted == 1) & (dataset.classes[dataset.targets] == 1)
        usable = [i for i in range(len(dataset)) if truth[i].any() and not truth[i].all()]
        for parity, cases in enumerate(halves):
            # By the number of the molecule, so that no network chooses with what another one reports.
            found = [i for i in usable if right[i] and i % 2 == parity][:EXPLAINED]
            truths = [truth[i] for i in found]
            cases.append(Case("MUTAG NO2, NH2", model, dataset, dataset[found], truths, 1))
    return halves


def chosen_level_and_baseline(cases: Sequence[Case]) -> dict[tuple[int, str], float]:
    """Return the mean AUROC of Shapley values for every level and baseline, the highest first."""
    found = {}
    for level in LEVELS:
        for baseline in BASELINES:
            tried = [replace(case, level=level, baseline=baseline) for case in cases]
            scores = [
                auroc(run(index), truth)
                for case in tried
                for run in [ours(case, "shapley")]
                for index, truth in enumerate(case.truth)
            ]
            found[level, baseline] = float(np.mean(scores))
    return dict(sorted(found.items(), key=lambda item: -item[1]))


# ---- the methods ----


class _Network(nn.Module):
    """A network as PyG's Explainer calls it, for one graph."""

    def __init__(self, masked: MaskedNetwork) -> None:
        super().__init__()
        self.masked = masked

    def forward(self, x: Any, edge_index: Any) -> Any:  # noqa: ARG002 (PyG passes it)
        return self.masked.outputs(x[None])


def ours(case: Case, method: Method, level: int | None = None) -> Callable[[int], np.ndarray]:
    """Return the node scores of a graph as a function of its index; `level` instead of that of the case."""

    def run(index: int) -> np.ndarray:
        how: dict[str, Any] = {"level": case.level if level is None else level, "target": case.target}
        baseline = "zero" if case.baseline == "zero" else case.training
        return explain(
            case.model, case.graphs[index], method, baseline=baseline, samples=32, **how
        ).node_scores

    return run


def pyg_explainer(case: Case, index: int) -> tuple[Explainer, torch.Tensor, torch.Tensor]:
    """Return GNNExplainer for a graph, its features and its edges; PyG's masks multiply the features."""
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
    return explainer, masked.x, torch.from_numpy(graph.graph(0).edges().T.astype(np.int64))


def gnn_explainer(case: Case) -> Callable[[int], np.ndarray]:
    """Return the node mask of GNNExplainer as a function of the index of a graph."""

    def run(index: int) -> np.ndarray:
        explainer, x, edges = pyg_explainer(case, index)
        torch.manual_seed(0)
        return explainer(x, edges).node_mask[:, 0].numpy()

    return run


def methods_of(case: Case) -> dict[str, Callable[[int], np.ndarray]]:
    """Return all methods by their names."""
    return {
        f"Shapley values, level {case.level}": ours(case, "shapley"),
        f"occlusion, level {case.level}": ours(case, "occlusion"),
        f"deletion, level {case.level}": ours(case, "delete"),
        "integrated gradients": ours(case, "gradient", 0),
        f"GNNExplainer, {EPOCHS} epochs": gnn_explainer(case),
    }
