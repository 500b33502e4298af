"""Training of a graph classifier: epoch by epoch, reproducible, and resumed where it was stopped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import torch

from cliquepool.data.features import FeatureEncoder, NodeFeatures
from cliquepool.nn.adam import Adam
from cliquepool.nn.ahead import gather_ahead
from cliquepool.nn.checkpoint import run_identity
from cliquepool.nn.network import GraphClassifier
from cliquepool.nn.runs import CheckpointedRun, own_random_numbers, using_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    import numpy.typing as npt
    from torch import Tensor

    from cliquepool.data.batch import Batch
    from cliquepool.data.pooled import PooledDataset
    from cliquepool.nn.settings import ClassifierSettings

    Ids = npt.NDArray[np.int64]

__all__ = ["EpochReport", "FittedNetwork", "Training", "accuracy", "train"]

_VALIDATION_BATCH: Final = 128
_DEVICE: Final = torch.device("cpu")


@dataclass(frozen=True)
class EpochReport:
    """How an epoch went."""

    epoch: int
    epochs: int
    loss: float
    validation_loss: float
    validation_accuracy: float
    seconds: float


@dataclass(frozen=True)
class FittedNetwork:
    """A trained network together with how its input features are made."""

    network: GraphClassifier
    encoder: FeatureEncoder

    def scores(self, data: PooledDataset, chosen: npt.ArrayLike | None = None) -> Tensor:
        """The score of each class (columns) for each of the chosen graphs (rows)."""
        ids = np.arange(len(data)) if chosen is None else np.asarray(chosen, dtype=np.int64)
        features = self.encoder.encode(data.dataset)
        batches = data.batches(ids, features, batch_size=_VALIDATION_BATCH)
        return _scores(self.network, batches)


@dataclass
class Training:
    """What came of a training.

    Attributes
    ----------
    curves : dict
        One value an epoch of ``"loss"``, ``"validation_loss"`` and ``"validation_accuracy"``.
    best_epoch : int
        Counted from 1: that of the highest validation accuracy; of equals that of the lowest validation
        loss; of equals again the earliest.
    network : FittedNetwork
        With the weights after `best_epoch`.
    seconds : float
        How long it took, all parts together where it was resumed.
    resumed_from : int
        The number of epochs that a checkpoint had already.
    """

    curves: dict[str, list[float]]
    best_epoch: int
    network: FittedNetwork
    seconds: float
    resumed_from: int = 0


def train(
    data: PooledDataset,
    train: npt.ArrayLike,
    validation: npt.ArrayLike,
    settings: ClassifierSettings,
    *,
    seed: int,
    keep_last: bool = False,
    threads: int = 1,
    checkpoint: Path | None = None,
    on_epoch: Callable[[EpochReport], None] | None = None,
) -> Training:
    """Train the network of `settings` on the graphs `train`, and watch it on the graphs `validation`.

    The weights kept are those of the best epoch on `validation`, or with `keep_last` those of the last.
    The same arguments give the same weights, bit for bit, on the same machine. Mini-batches are too small
    for several threads to pay, so there is one unless `threads` says otherwise. With
    `checkpoint`, a file, the state is kept there now and then; a training that was killed goes on from it and
    ends with the weights of an unbroken one.
    """
    if data.num_pools < settings.pools:
        raise ValueError(
            f"expected a data set pooled {settings.pools} times, got one pooled {data.num_pools}"
        )
    train_ids, validation_ids = (np.asarray(ids, dtype=np.int64) for ids in (train, validation))
    with own_random_numbers(_DEVICE), using_threads(threads):
        run = _Run(data, train_ids, validation_ids, settings, seed, keep_last=keep_last)

        def tell(epoch: int, values: dict[str, float]) -> None:
            if on_epoch is not None:
                on_epoch(EpochReport(epoch, settings.epochs, **values, seconds=run.seconds))

        if checkpoint is not None:
            run.resume(checkpoint)
        run.to_end(checkpoint, tell)
    fitted = FittedNetwork(run.network, run.encoder)
    return Training(run.curves, run.best.epoch, fitted, run.seconds, run.resumed_from)


def accuracy(network: FittedNetwork, data: PooledDataset, chosen: npt.ArrayLike) -> float:
    """The share of the chosen graphs whose class the network gives the highest score."""
    ids = np.asarray(chosen, dtype=np.int64)
    right = network.scores(data, ids).argmax(dim=1).numpy() == data.dataset.targets[ids]
    return float(right.mean())


class _Run(CheckpointedRun):
    network: GraphClassifier

    def __init__(
        self,
        data: PooledDataset,
        train: Ids,
        validation: Ids,
        settings: ClassifierSettings,
        seed: int,
        *,
        keep_last: bool,
    ) -> None:
        dataset = data.dataset
        self.data = data
        self.train = train
        self.settings = settings
        self.seed = seed
        self.encoder = FeatureEncoder.fit(dataset, train, settings.features, standardise=settings.standardise)
        self.features: NodeFeatures = self.encoder.encode(dataset)
        torch.manual_seed(seed)
        network = GraphClassifier(settings, self.encoder.width, dataset.num_classes)
        self.features = gather_ahead(network.convolutions[0], data, self.features)
        self.adam = Adam(network.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay)
        # Validation batches are the same every epoch: they are cut once.
        self.watched = list(data.batches(validation, self.features, batch_size=_VALIDATION_BATCH))
        super().__init__(
            network,
            self.adam,
            run_identity(dataset.fingerprint, train, validation, settings, seed),
            epochs=settings.epochs,
            keep_last=keep_last,
            device=_DEVICE,
        )

    def run_epoch(self) -> dict[str, float]:
        loss = self._train_once()
        validation_loss, validation_accuracy = _watch(self.network, self.watched)
        return {"loss": loss, "validation_loss": validation_loss, "validation_accuracy": validation_accuracy}

    def _train_once(self) -> float:
        """One epoch; returns the mean loss over its graphs."""
        self.network.train()
        # Each epoch's order depends on the seed and the epoch alone, so that a resumed run has the same.
        order = np.random.default_rng((self.seed, self.epochs_done))
        total = torch.zeros((), dtype=torch.float64)
        for batch in self.data.batches(
            self.train, self.features, batch_size=self.settings.batch_size, shuffle=order
        ):
            self.adam.forget_gradients()
            loss = torch.nn.functional.cross_entropy(self.network(batch), batch.y)
            loss.backward()  # type: ignore[no-untyped-call]
            self.adam.take_step()
            total += loss.detach().double() * batch.num_graphs
        return float(total) / len(self.train)


@torch.no_grad()
def _watch(network: GraphClassifier, batches: list[Batch]) -> tuple[float, float]:
    """The mean loss and the accuracy over all graphs of the batches."""
    scores = _scores(network, batches)
    targets = torch.cat([batch.y for batch in batches])
    loss = torch.nn.functional.cross_entropy(scores, targets)
    return float(loss), float((scores.argmax(dim=1) == targets).double().mean())


@torch.no_grad()
def _scores(network: GraphClassifier, batches: Iterable[Batch] | Iterator[Batch]) -> Tensor:
    network.eval()
    return torch.cat([network(batch) for batch in batches])
