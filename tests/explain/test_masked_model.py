from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from cliquepool import Graph
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.errors import GraphError, InputError
from cliquepool.explain.masked_model import MaskedNetwork, baseline_row, expect_network, one_graph
from cliquepool.explain.soft_composition import soft_compositions
from cliquepool.models import CliquePoolClassifier, CliquePoolRegressor
from cliquepool.nn.precompute import precompute_gathered
from tests.explain.conftest import QUICK
from tests.helpers.model_cases import CASES

if TYPE_CHECKING:
    from tests.helpers.model_cases import Case

# One of each way in which a network reads the features of its nodes.
NETWORKS = [
    case
    for case in CASES
    if case.name in {"DiffPoolDetClassifier", "ECCClassifier", "GINClassifier", "NoStructureClassifier"}
    or case.name in {"PatchySANClassifier", "SAGPoolClassifier", "SortPoolClassifier"}
]


def attributed(number: int, seed: int) -> GraphDataset:
    """Return paths with two attributes for each node."""
    random = np.random.default_rng(seed)
    paths = [Graph.from_edges([(i, i + 1) for i in range(3 + n % 4)]) for n in range(number)]
    attributes = [random.normal(size=(path.num_nodes, 2)) for path in paths]
    return GraphDataset.from_graphs(paths, [n % 2 for n in range(number)], node_attributes=attributes)


def own_outputs(network: MaskedNetwork, copies: int = 1) -> Any:
    with torch.no_grad():
        return network.scores(network.x.expand(copies, *network.x.shape)).numpy()


@pytest.mark.parametrize("convolution", ["gcn", "sage", "gin"])
@pytest.mark.parametrize("kind", ["labels", "degree", "attributes"])
def test_unmasked_scores_are_those_of_the_model(convolution: str, kind: str, graphs: GraphDataset) -> None:
    data = attributed(12, 0) if kind == "attributes" else graphs[:12]
    model = CliquePoolClassifier(**QUICK | {"epochs": 2}, convolution=convolution, features=kind).fit(data)
    for index in range(4):
        network = MaskedNetwork(model, data[index], "zero")
        found = own_outputs(network, copies=3)
        assert np.allclose(found[:, 1], model.decision_function(data[index]), atol=1e-5)


@pytest.mark.parametrize("case", NETWORKS, ids=str)
def test_other_networks_of_the_table_can_be_masked(case: Case, graphs: GraphDataset) -> None:
    model = case(epochs=1).fit(graphs[:8])
    network = MaskedNetwork(model, graphs[0], "zero")
    outputs = torch.from_numpy(model._outputs(graphs[0]))
    assert np.allclose(own_outputs(network), network.scale.scores(outputs).numpy(), atol=1e-4)


def test_numbers_are_in_the_unit_of_y(graphs: GraphDataset) -> None:
    y = 100.0 + np.arange(len(graphs))
    model = CliquePoolRegressor(hidden=8, epochs=2, validation_fraction=0).fit(graphs, y)
    network = MaskedNetwork(model, graphs[3], "zero")
    assert np.allclose(own_outputs(network)[0], model.predict(graphs[3]), rtol=1e-5)


@pytest.mark.parametrize("convolution", ["gcn", "sage", "gin"])
def test_masks_reach_past_what_training_sums_ahead(convolution: str, graphs: GraphDataset) -> None:
    """Sums over neighbours that training precomputes are not those of masked features: none may be used."""
    model = CliquePoolClassifier(**QUICK | {"epochs": 2}, convolution=convolution, composition=False)
    model.fit(graphs)
    network = MaskedNetwork(model, graphs[0], "zero")
    data = PooledDataset(graphs[:1], 2)
    features = model.network_.encoder.encode(graphs[:1])
    ahead = precompute_gathered(model.network_.network.convolutions[0], data, features)
    assert ahead.precomputed is not None  # training does sum ahead for this network
    with torch.no_grad():
        masked = network.scores(torch.zeros(1, *network.x.shape))
        by_hand = data.batch([0])
        by_hand.nodes.dense = torch.zeros_like(network.x)
        expected = network.scale.scores(model.network_.network(by_hand))
    assert torch.allclose(masked, expected, atol=1e-6)
    assert np.abs(own_outputs(network) - masked.numpy()).max() > 1e-3


def test_the_composition_counts_what_the_masks_leave(graphs: GraphDataset, model: Any) -> None:
    encoder = model.network_.encoder
    network = MaskedNetwork(model, graphs[0], "zero")
    sizes = PooledDataset(graphs[:1], 2).sizes[0]
    kept = torch.zeros(1, len(network.x), 1)
    kept[:, 1:] = 1
    rows = np.exp(soft_compositions(sizes, encoder, kept * network.x).numpy()[0])
    labels = graphs[0].node_labels[1:]
    expected = [*sizes, *(1 + np.bincount(labels, minlength=encoder.num_codes))]
    assert np.allclose(rows, expected)
    with torch.no_grad():
        alone = network._composition(kept * network.x)
    assert alone is not None
    assert not torch.equal(alone, network._composition(network.x[None]))


def test_baselines(graphs: GraphDataset, model: Any) -> None:
    width = model.network_.encoder.width
    assert baseline_row(model, "zero").tolist() == [0.0] * width
    counts = np.bincount(graphs.node_labels, minlength=width)
    assert np.allclose(baseline_row(model, graphs), counts / counts.sum())
    assert baseline_row(model, np.full(width, 0.5)).tolist() == [0.5] * width
    for wrong in ("mean", np.zeros(width + 1), np.full(width, np.nan)):
        with pytest.raises(InputError, match="baseline: expected"):
            baseline_row(model, wrong)


def test_other_models_and_graphs_are_refused(graphs: GraphDataset, model: Any) -> None:
    with pytest.raises(InputError, match="model: expected a fitted network over graphs"):
        expect_network(torch.nn.Linear(1, 1))
    with pytest.raises(ValueError, match="call fit first"):
        expect_network(CliquePoolClassifier())
    with pytest.raises(GraphError, match="graph: expected one graph, got 30"):
        one_graph(graphs)
    with pytest.raises(GraphError, match="graph: expected a graph with nodes"):
        one_graph(Graph.from_edges([], num_nodes=0))
    with pytest.raises(GraphError, match="expected graphs with node labels"):
        MaskedNetwork(model, one_graph(Graph.from_edges([(0, 1)])), "zero")
