"""A small data set of rings and chains to train on, with its settings and split."""

from __future__ import annotations

import numpy as np

from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.nn import ClassifierSettings
from tests.helpers.small_graphs import Sample, blow_up, cycle, path

SMALL = ClassifierSettings(hidden=8, mlp=(6,), epochs=6, batch_size=4, learning_rate=0.01)
TRAIN, VALIDATION = np.arange(16), np.arange(16, 24)


def rings_and_chains(levels: int = 2, shift: float = 0.0, *, labels_tell: bool = False) -> PooledDataset:
    """Two classes, with labels and attributes; some graphs are kept by twin classes.

    With `labels_tell`, the label of every node is the class of its graph.
    """
    random = np.random.default_rng(1)
    samples: list[Sample] = []
    for i in range(24):
        base = cycle(4 + i % 5) if i % 2 else path(3 + i % 6)
        samples.append(blow_up(base, random.integers(1, 4, size=base.num_nodes).tolist()))
    dataset = GraphDataset.from_graphs(
        [s.graph() for s in samples],
        [i % 2 for i in range(24)],
        node_labels=[
            [i % 2] * s.num_nodes if labels_tell else random.integers(3, size=s.num_nodes).tolist()
            for i, s in enumerate(samples)
        ],
        node_attributes=[random.normal(shift, 1, size=(s.num_nodes, 2)) for s in samples],
        name="rings and chains",
    )
    return PooledDataset(dataset, levels)


DATA = rings_and_chains()
