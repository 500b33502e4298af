"""Precomputed features are those that the convolution gathers, for this kind and precision alone."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch
from torch import nn

from cliquepool.data import FeatureEncoder, GraphDataset, PooledDataset
from cliquepool.nn import GCN, GIN, SAGE, precompute
from cliquepool.nn.precompute import precompute_gathered
from tests.helpers.small_batches import MIXED, pooled


@pytest.mark.parametrize("kind", [GCN, SAGE, GIN])
def test_precomputed_rows_are_those_of_any_batch(kind: type[GCN | SAGE | GIN]) -> None:
    data = pooled(MIXED)
    encoded = FeatureEncoder.fit(data.dataset).encode(data.dataset)
    layer = kind(encoded.width, 8)
    precomputed = precompute_gathered(layer, data, encoded)
    assert precomputed.precomputed is not None
    assert len(precomputed.precomputed) == data.dataset.num_nodes
    chosen = np.array([5, 0, 2, 5])
    plain, other = data.batch(chosen, encoded), data.batch(chosen, precomputed)
    torch.testing.assert_close(layer(other.nodes, other.levels[0]), layer(plain.nodes, plain.levels[0]))


def test_precomputed_features_are_for_one_kind_of_convolution_and_precision() -> None:
    data = PooledDataset(GraphDataset.from_graphs([nx.path_graph(4)], [0]), levels=1)
    encoded = FeatureEncoder.fit(data.dataset).encode(data.dataset)
    gcn, sage = GCN(encoded.width, 8), SAGE(encoded.width, 8)
    for_gcn = data.batch([0], precompute_gathered(gcn, data, encoded))
    plain = data.batch([0], encoded)
    assert for_gcn.nodes.precomputed is not None
    level = plain.levels[0]
    assert torch.equal(sage(for_gcn.nodes, level), sage(plain.nodes, level))
    for_gcn.nodes.precomputed = for_gcn.nodes.precomputed.half()
    assert torch.equal(gcn(for_gcn.nodes, level), gcn(plain.nodes, level))
    assert precompute_gathered(GCN(encoded.width, 1), data, encoded) is encoded
    assert precompute_gathered(GCN(encoded.width, 8).double(), data, encoded) is encoded
    assert precompute_gathered(nn.Linear(encoded.width, 8), data, encoded) is encoded


def test_nothing_is_precomputed_that_takes_too_much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    data = PooledDataset(GraphDataset.from_graphs([nx.path_graph(4)], [0]), levels=1)
    encoded = FeatureEncoder.fit(data.dataset).encode(data.dataset)
    needed = 4 * 4 * encoded.width
    monkeypatch.setattr(precompute, "_MAX_BYTES", needed)
    assert precompute_gathered(GCN(encoded.width, 8), data, encoded).precomputed is not None
    assert precompute_gathered(SAGE(encoded.width, 8), data, encoded).precomputed is None
