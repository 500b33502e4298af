"""Small batches to test layers with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from hypothesis import strategies as st
from torch import Tensor

from cliquepool.data import FeatureEncoder, GraphDataset, PooledDataset
from tests.helpers.small_graphs import Sample, blow_up, cycle, graphs, path

if TYPE_CHECKING:
    from cliquepool.nn.batch import Batch

NO_NODES, DOT = Sample(0, []), Sample(1, [])
CLIQUES_OF_TWINS = blow_up(path(4), [3, 2, 4, 3])
MIXED = [CLIQUES_OF_TWINS, path(5), NO_NODES, cycle(4), DOT, blow_up(path(3), [2, 1, 2]), NO_NODES]


def pooled(samples: list[Sample], levels: int = 2, seed: int = 0, classes: int = 3) -> PooledDataset:
    """Pool graphs that have labels, attributes and classes drawn from `seed`."""
    random = np.random.default_rng(seed)
    dataset = GraphDataset.from_graphs(
        [s.graph() for s in samples],
        [*random.integers(classes, size=len(samples))],
        node_labels=[random.choice([0, 1, 2], size=s.num_nodes).tolist() for s in samples],
        node_attributes=[random.standard_normal((s.num_nodes, 2)) for s in samples],
        name="drawn",
    )
    return PooledDataset(dataset, levels)


def kept(data: PooledDataset, *, by_classes: bool) -> PooledDataset:
    """Make all levels use twin classes, or none, regardless of the cost."""
    for level in data.levels:
        vars(level)["worth_factoring"] = by_classes
    return data


def small_batch(samples: list[Sample] = MIXED, *, by_classes: bool, levels: int = 2) -> Batch:
    data = kept(pooled(samples, levels), by_classes=by_classes)
    features = FeatureEncoder.fit(data.dataset, kind="both", standardise=False).encode(data.dataset)
    return data.batch(np.arange(len(data)), features)


def samples(most: int = 4) -> st.SearchStrategy[list[Sample]]:
    return st.lists(graphs(6), min_size=1, max_size=most)


def drawn(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)
