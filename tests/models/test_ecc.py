"""Edge-conditioned convolutions against their formula and PyG's layer; labels of edges across data sets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

import cliquepool as cp
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.models import ECCClassifier
from cliquepool.models.ecc import EdgeConditionedConvolution
from tests.helpers.shape_graphs import shapes

if TYPE_CHECKING:
    from pathlib import Path

QUICK: dict[str, Any] = {
    "hidden": 8,
    "dropout": 0.0,
    "learning_rate": 0.02,
    "epochs": 60,
    "patience": None,
    "validation_fraction": 0,
    "features": "constant",
}
RING = cp.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])
# The neighbours of each node of the ring, in the order of a data set.
ENDS = [(0, 1), (0, 3), (1, 0), (1, 2), (2, 1), (2, 3), (3, 0), (3, 2)]


def rings(labels: str) -> GraphDataset:
    """Return rings of four nodes, each with all its edges of one label, and the label as its class."""
    values, codes = np.unique(list(labels), return_inverse=True)
    data = GraphDataset.from_graphs([RING] * len(labels), list(labels))
    return replace(data, edge_labels=np.repeat(codes, len(ENDS)).astype(np.int32), edge_label_values=values)


def level_with(attribute: dict[frozenset[int], list[float]]) -> Any:
    """Return the ring as a level, with these attributes of its edges."""
    rows = np.array([attribute[frozenset(edge)] for edge in ENDS], dtype=np.float32)
    data = replace(GraphDataset.from_graphs([RING]), edge_attributes=rows)
    return PooledDataset(data, levels=0, edge_reduce="mean").batch([0]).levels[0]


def edges(*values: list[float]) -> dict[frozenset[int], list[float]]:
    return {frozenset((i, (i + 1) % 4)): value for i, value in enumerate(values)}


def theirs_like(ours: EdgeConditionedConvolution, edge_features: int) -> Any:
    from torch_geometric.nn import NNConv  # noqa: PLC0415 (slow to import)

    function = torch.nn.Sequential(ours.hidden, ours.matrix)
    theirs = NNConv(*ours.shape, function, aggr="mean")
    theirs.lin.weight.data = ours.own.weight.data
    theirs.bias.data = ours.own.bias.data
    assert ours.hidden[0].in_features == max(edge_features, 1)
    return theirs


@pytest.mark.parametrize(
    ("hidden", "one_hot", "values"),
    [
        (4, False, edges([0.0, 1.0], [2.0, -1.0], [0.5, 3.0], [1.0, 1.0])),
        (2, True, edges([0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [0.0, 0.0])),
        (8, True, edges([0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [0.0, 0.0])),
    ],
    ids=["attributes", "many labels", "few labels"],
)
def test_a_convolution_equals_that_of_pyg(hidden: int, one_hot: bool, values: Any) -> None:
    torch.manual_seed(0)
    ours = EdgeConditionedConvolution(3, 5, 2, hidden, one_hot=one_hot)
    assert ours.by_label == (hidden == 8)
    level = level_with(values)
    x = torch.randn(4, 3, requires_grad=True)
    expected = theirs_like(ours, 2)(x, level.edge_index, level.edge_attr)
    torch.testing.assert_close(ours(x, level), expected)
    shared = [x, *ours.hidden.parameters(), *ours.matrix.parameters()]
    for found, wanted in zip(
        torch.autograd.grad(ours(x, level).square().sum(), shared),
        torch.autograd.grad(expected.square().sum(), shared),
        strict=True,
    ):
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-4)


def test_edges_without_features_have_one_matrix() -> None:
    torch.manual_seed(0)
    ours = EdgeConditionedConvolution(3, 5, 0, 4)
    level = PooledDataset(GraphDataset.from_graphs([RING]), levels=0).batch([0]).levels[0]
    x = torch.randn(4, 3)
    expected = theirs_like(ours, 0)(x, level.edge_index, torch.ones(8, 1))
    torch.testing.assert_close(ours(x, level), expected)


def test_a_neighbour_is_multiplied_with_the_matrix_of_its_edge() -> None:
    """The matrix of an edge is one number here: three times its attribute."""
    ours = EdgeConditionedConvolution(1, 1, 1, 1)
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.zero_()
        ours.hidden[0].weight.fill_(1.0)
        ours.matrix.weight.fill_(3.0)
    x = torch.tensor([[1.0], [10.0], [100.0], [1000.0]])
    level = level_with(edges([1.0], [2.0], [3.0], [4.0]))
    expected = [3 * (10 + 4000) / 2, 3 * (1 + 200) / 2, 3 * (20 + 3000) / 2, 3 * (300 + 4) / 2]
    assert ours(x, level).flatten().tolist() == pytest.approx(expected)


def test_labels_of_edges_are_learned() -> None:
    data = rings("abab" * 3)
    assert ECCClassifier(**QUICK).fit(data).score(data) == 1


def test_labels_of_edges_keep_their_columns_in_other_data_sets(tmp_path: Path) -> None:
    model = ECCClassifier(**QUICK | {"epochs": 5}).fit(rings("abcabc"))
    of_a, of_b, of_c = model.predict_proba(rings("abc"))
    assert np.abs(of_b - of_c).max() > 1e-4 < np.abs(of_a - of_b).max()
    np.testing.assert_allclose(model.predict_proba(rings("bbc")), [of_b, of_b, of_c], rtol=1e-5)
    model.save(tmp_path / "ecc.safetensors")
    again = ECCClassifier.load(tmp_path / "ecc.safetensors")
    np.testing.assert_allclose(again.predict_proba(rings("cb")), [of_c, of_b], rtol=1e-5)


def test_unknown_labels_of_edges_are_refused_or_ignored() -> None:
    known = rings("abab")
    short = QUICK | {"epochs": 1}
    with pytest.raises(cp.GraphError, match="expected edge labels seen in training, got z"):
        ECCClassifier(**short).fit(known).predict(rings("az"))
    ignoring = ECCClassifier(**short, handle_unknown="ignore").fit(known)
    assert len(ignoring.predict(rings("az"))) == 2


def test_a_graph_without_edges_is_predicted_alone_as_among_others() -> None:
    model = ECCClassifier(**QUICK | {"epochs": 1}).fit(rings("abab"))
    single = replace(
        GraphDataset.from_graphs([cp.Graph.from_edges([], num_nodes=3)]),
        edge_labels=np.zeros(0, dtype=np.int32),
        edge_label_values=np.zeros(0, dtype="<U1"),
    )
    unlabelled = GraphDataset.from_graphs([cp.Graph.from_edges([], num_nodes=3)])
    among = GraphDataset.concatenate([rings("a"), single])
    expected = model.predict_proba(among)[1:]
    for alone in (single, unlabelled):
        np.testing.assert_allclose(model.predict_proba(alone), expected, rtol=1e-5)


def test_other_features_of_edges_are_refused() -> None:
    short = QUICK | {"epochs": 1}
    with pytest.raises(cp.GraphError, match="expected graphs with edge labels and no edge attributes"):
        ECCClassifier(**short).fit(rings("abab")).predict(shapes())
    with pytest.raises(cp.GraphError, match="expected graphs with no edge labels and no edge attributes"):
        ECCClassifier(**short).fit(shapes()).predict(rings("ab"))


def test_pools_without_features_of_edges_are_made_anew() -> None:
    data = rings("abab" * 3)
    model = ECCClassifier(**QUICK).fit(PooledDataset(data, levels=0))
    assert model.score(data) == 1
    assert model._can_use(model.prepare(data), model.settings)
