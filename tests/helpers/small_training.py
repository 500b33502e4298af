"""A small data set of rings and chains to train on, with its settings and split; short trainings on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.nn import ClassifierSettings
from cliquepool.training.graphs import train
from tests.helpers.small_graphs import Sample, blow_up, cycle, path

if TYPE_CHECKING:
    from collections.abc import Callable

    from cliquepool.training.graphs import FittedNetwork
    from cliquepool.training.loop import Training
    from cliquepool.training.report import EpochReport

SMALL = ClassifierSettings(
    convolution="gcn",
    hidden=8,
    mlp=(6,),
    epochs=6,
    batch_size=4,
    learning_rate=0.01,
    dropout=0,
    patience=None,
    epoch_by="score",
)
TRAIN, VALIDATION = np.arange(16), np.arange(16, 24)


def rings_and_chains(levels: int = 2, shift: float = 0.0, *, labels_tell: bool = False) -> PooledDataset:
    """Return graphs of two classes with labels and attributes; some are stored by twin classes.

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


class Stopped(Exception):
    """Ends a training that is to be resumed."""


def stopping_after(epoch: int) -> Callable[[EpochReport], None]:
    """Return an `on_epoch` that ends the training after an epoch."""

    def stop(report: EpochReport) -> None:
        if report.epoch == epoch:
            raise Stopped

    return stop


def run(seed: int = 0, settings: ClassifierSettings = SMALL, **how: Any) -> Training[FittedNetwork]:
    """Train on the first graphs of `DATA`, and validate on the last."""
    return train(DATA, TRAIN, VALIDATION, settings, seed=seed, **how)


def best_by_hand(curves: dict[str, list[float]]) -> int:
    """The highest accuracy; of these the lowest loss; of these the earliest."""
    judged = zip(curves["validation_accuracy"], curves["validation_loss"], strict=True)
    ranks = [(-value, loss, epoch) for epoch, (value, loss) in enumerate(judged, 1)]
    return min(ranks)[2]
