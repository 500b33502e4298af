"""Training of a graph network: epoch by epoch, reproducible, and resumed where it was stopped."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import torch

from cliquepool.data.features import FeatureEncoder, NodeFeatures
from cliquepool.errors import GraphError
from cliquepool.nn.network import GraphClassifier
from cliquepool.nn.precompute import gather_ahead
from cliquepool.training.adam import Adam
from cliquepool.training.checkpoint import run_identity
from cliquepool.training.compute import Arithmetic
from cliquepool.training.loop import CheckpointedRun, own_random_numbers, using_threads
from cliquepool.training.tasks import Classification, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import numpy.typing as npt
    from torch import Tensor

    from cliquepool.data.pooled import PooledDataset
    from cliquepool.nn.batch import Batch
    from cliquepool.nn.settings import GraphSettings

    Ids = npt.NDArray[np.int64]

__all__ = ["EpochReport", "FittedNetwork", "Training", "accuracy", "train"]

_VALIDATION_BATCH: Final = 128


@dataclass(frozen=True)
class EpochReport:
    """How an epoch went; `validation_score` is the accuracy of a classifier, R² of a regressor."""

    epoch: int
    epochs: int
    loss: float
    validation_loss: float
    validation_score: float
    seconds: float

    @property
    def validation_accuracy(self) -> float:
        """The score, as it is called where graphs are classified."""
        return self.validation_score


@dataclass(frozen=True)
class FittedNetwork:
    """A trained network together with how its input features are made."""

    network: GraphClassifier
    encoder: FeatureEncoder

    @property
    def device(self) -> torch.device:
        """Where the network computes."""
        return next(self.network.parameters()).device

    @torch.no_grad()
    def scores(self, data: PooledDataset, chosen: npt.ArrayLike | None = None) -> Tensor:
        """The outputs (columns) for each of the chosen graphs (rows): the score of each class, as a rule."""
        ids = np.arange(len(data)) if chosen is None else np.asarray(chosen, dtype=np.int64)
        features = self.encoder.encode(data.dataset)
        batches = data.batches(ids, features, batch_size=_VALIDATION_BATCH)
        self.network.eval()
        outputs = [self.network(_on(self.device, batch)).cpu() for batch in batches]
        return torch.cat(outputs) if outputs else torch.zeros(0, self.network.num_outputs)


@dataclass
class Training:
    """What came of a training.

    Attributes
    ----------
    curves : dict
        One value an epoch of ``"loss"``, ``"validation_loss"`` and the score of the task, such as
        ``"validation_accuracy"``.
    best_epoch : int
        Counted from 1. By default that of the highest validation score; of equals that of the lowest
        validation loss; of equals again the earliest. `Task.chosen_by` says by what it is chosen.
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
    settings: GraphSettings,
    *,
    seed: int,
    task: Task | None = None,
    weights: npt.NDArray[np.float64] | None = None,
    keep_last: bool = False,
    device: str = "cpu",
    threads: int = 1,
    checkpoint: Path | None = None,
    on_epoch: Callable[[EpochReport], None] | None = None,
) -> Training:
    """Train the network of `settings` on the graphs `train`, and watch it on the graphs `validation`.

    The weights kept are those of the best epoch on `validation`, or with `keep_last` those of the last.
    The same arguments give the same weights, bit for bit, on the same processor. Mini-batches are too small
    for several threads to pay, so there is one unless `threads` says otherwise. With
    `checkpoint`, a file, the state is kept there now and then; a training that was killed goes on from it and
    ends with the weights of an unbroken one.

    `task` says what is learned; by default the classes of the data set. `weights` has for each graph of the
    data set how much it counts, in the loss and in the score; not all may be 0. `device` is "cpu", "cuda",
    "cuda:1" or "auto".
    """
    if data.num_pools < settings.pools:
        raise ValueError(
            f"expected a data set pooled {settings.pools} times, got one pooled {data.num_pools}"
        )
    if keep_last and settings.patience is not None:
        raise ValueError(
            f"patience: expected none where the last epoch is kept, as there is no better one to wait for, "
            f"got {settings.patience}"
        )
    train_ids, validation_ids = (np.asarray(ids, dtype=np.int64) for ids in (train, validation))
    place = Arithmetic.choose(device).place
    with own_random_numbers(place), using_threads(threads):
        graphs = _Graphs(data, task, weights, place)
        run = _Run(graphs, train_ids, validation_ids, settings, seed, keep_last=keep_last)
        score_curve = graphs.task.score_curve

        def tell(epoch: int, values: dict[str, float]) -> None:
            if on_epoch is not None:
                judged = (values["loss"], values["validation_loss"], values[score_curve])
                on_epoch(EpochReport(epoch, settings.epochs, *judged, seconds=run.seconds))

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


class _Sample(NamedTuple):
    """A mini-batch on the device, with the targets of its graphs and how much each counts."""

    batch: Batch
    targets: Tensor
    weights: Tensor | None


class _Graphs:
    """The graphs of a pooled data set with their targets and weights, cut into mini-batches."""

    def __init__(
        self,
        data: PooledDataset,
        task: Task | None,
        weights: npt.NDArray[np.float64] | None,
        device: torch.device,
    ) -> None:
        dataset = data.dataset
        self.data = data
        self.task = task or Classification(torch.tensor(dataset.targets), dataset.num_classes)
        self.weights = weights
        self.device = device
        # The data set's fingerprint covers its own classes: only what is beside it is named here.
        self.identity = [] if task is None else [task.identity]
        if weights is not None:
            self.identity.append(hashlib.sha256(np.ascontiguousarray(weights).tobytes()).hexdigest())

    def samples(
        self,
        ids: Ids,
        features: NodeFeatures,
        *,
        batch_size: int,
        shuffle: np.random.Generator | None = None,
    ) -> Iterator[_Sample]:
        """The graphs `ids` in batches; in an order drawn from `shuffle`, where that is given."""
        order = ids if shuffle is None else shuffle.permutation(ids)
        targets, weights = self.task.targets[torch.from_numpy(order)].to(self.device), None
        if self.weights is not None:
            relative = self.weights[order] / self.weights[ids].mean()
            weights = torch.from_numpy(relative.astype(np.float32)).to(self.device)
        for begin in range(0, len(order), batch_size):
            part = slice(begin, begin + batch_size)
            batch = _on(self.device, self.data.batch(order[part], features))
            yield _Sample(batch, targets[part], None if weights is None else weights[part])


def _on(device: torch.device, batch: Batch) -> Batch:
    """The batch on the device."""
    return batch if device.type == "cpu" else batch.to(device)


class _Run(CheckpointedRun):
    network: GraphClassifier

    def __init__(
        self,
        graphs: _Graphs,
        train: Ids,
        validation: Ids,
        settings: GraphSettings,
        seed: int,
        *,
        keep_last: bool,
    ) -> None:
        dataset = graphs.data.dataset
        self.graphs = graphs
        self.task = graphs.task
        self.train = train
        self.settings = settings
        self.seed = seed
        self.encoder = FeatureEncoder.fit(dataset, train, settings.features, standardise=settings.standardise)
        self.features: NodeFeatures = self.encoder.encode(dataset)
        # Weights are drawn on the CPU, so that they begin the same on every device.
        torch.manual_seed(seed)
        network = GraphClassifier(settings, self.encoder.width, self.task.num_outputs).to(graphs.device)
        self.features = gather_ahead(network.convolutions[0], graphs.data, self.features)
        self.adam = Adam(network.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay)
        # Validation batches are the same every epoch: they are cut once.
        self.watched = list(graphs.samples(validation, self.features, batch_size=_VALIDATION_BATCH))
        super().__init__(
            network,
            self.adam,
            run_identity(dataset.fingerprint, train, validation, settings, seed, *graphs.identity),
            epochs=settings.epochs,
            keep_last=keep_last,
            device=graphs.device,
            patience=settings.patience,
        )

    def run_epoch(self) -> dict[str, float]:
        loss = self._train_once()
        validation_loss, score = self._watch()
        for what, value in (("loss", loss), ("validation loss", validation_loss)):
            if not math.isfinite(value):
                raise GraphError(
                    f"expected a finite {what}, got {value} in epoch {self.epochs_done + 1}: "
                    "take a lower learning rate"
                )
        return {"loss": loss, "validation_loss": validation_loss, self.task.score_curve: score}

    def judged(self, values: dict[str, float]) -> tuple[float, float]:
        loss = values["validation_loss"]
        return (-loss if self.task.chosen_by == "loss" else values[self.task.score_curve]), loss

    def _train_once(self) -> float:
        """One epoch; returns the mean loss over its graphs."""
        self.network.train()
        # Each epoch's order depends on the seed and the epoch alone, so that a resumed run has the same.
        order = np.random.default_rng((self.seed, self.epochs_done))
        total = torch.zeros((), dtype=torch.float64, device=self.device)
        for sample in self.graphs.samples(
            self.train, self.features, batch_size=self.settings.batch_size, shuffle=order
        ):
            self.adam.forget_gradients()
            loss = self.task.loss(self.network(sample.batch), sample.targets, sample.weights)
            loss.backward()  # type: ignore[no-untyped-call]
            self.adam.take_step()
            total += loss.detach().double() * sample.batch.num_graphs
        return float(total) / len(self.train)

    @torch.no_grad()
    def _watch(self) -> tuple[float, float]:
        """The mean loss and the score over all validation graphs."""
        self.network.eval()
        outputs = torch.cat([self.network(sample.batch) for sample in self.watched])
        targets = torch.cat([sample.targets for sample in self.watched])
        given = [sample.weights for sample in self.watched if sample.weights is not None]
        weights = torch.cat(given) if given else None
        loss = self.task.loss(outputs, targets, weights)
        return float(loss), self.task.score(outputs, targets, weights)
