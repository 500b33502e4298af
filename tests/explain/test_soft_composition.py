from __future__ import annotations

import numpy as np
import pytest
import torch

from cliquepool.data import FeatureEncoder, GraphDataset, PooledDataset
from cliquepool.data.composition import graph_compositions
from cliquepool.explain.soft_composition import soft_compositions


@pytest.mark.parametrize("kind", ["labels", "degree", "attributes", "both"])
def test_of_unmasked_features_it_is_the_composition_of_the_graph(kind: str, graphs: GraphDataset) -> None:
    random = np.random.default_rng(1)
    attributes = random.normal(size=(graphs.num_nodes, 3)).astype(np.float32)
    data = GraphDataset.from_arrays(**graphs._arrays() | {"node_attributes": attributes})
    encoder = FeatureEncoder.fit(data, kind=kind)  # type: ignore[arg-type]
    pooled, features = PooledDataset(data, 2), encoder.encode(data)
    expected = graph_compositions(pooled, encoder, features, 3)
    starts = data.node_start
    for index in range(6):
        x = torch.from_numpy(features.to_dense()[starts[index] : starts[index + 1]])
        found = soft_compositions(pooled.sizes[index], encoder, x[None])
        assert np.allclose(found.numpy()[0], expected[index], atol=1e-5)


def test_a_share_of_a_label_counts_as_that_share(graphs: GraphDataset) -> None:
    encoder = FeatureEncoder.fit(graphs)
    x = torch.full((1, 4, encoder.width), 0.25)
    rows = soft_compositions(np.array([4, 2]), encoder, x)
    assert np.allclose(rows.exp().numpy(), [[4, 2, *[2.0] * encoder.width]])
