"""Training of a graph classifier: epoch by epoch, reproducible, and resumed where it was stopped."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import torch

from cliquepool.data.features import FeatureEncoder, NodeFeatures
from cliquepool.nn.checkpoint import read_checkpoint, run_identity, write_tensors
from cliquepool.nn.network import GraphClassifier

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

_VALIDATION_BATCH = 128
_SECONDS_BETWEEN_CHECKPOINTS = 20.0


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
    with torch.random.fork_rng(devices=[]), _threads(threads):
        run = _Run(data, train_ids, validation_ids, settings, seed, keep_last=keep_last)
        if checkpoint is not None:
            run.resume(checkpoint)
        return run.to_end(checkpoint, on_epoch)


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """Let torch use so many threads for a while."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def accuracy(network: FittedNetwork, data: PooledDataset, chosen: npt.ArrayLike) -> float:
    """The share of the chosen graphs whose class the network gives the highest score."""
    ids = np.asarray(chosen, dtype=np.int64)
    right = network.scores(data, ids).argmax(dim=1).numpy() == data.dataset.targets[ids]
    return float(right.mean())


@dataclass
class _Best:
    """The best epoch so far, and its weights."""

    epoch: int = 0
    accuracy: float = -1.0
    loss: float = float("inf")
    weights: dict[str, Tensor] = field(default_factory=dict)

    def update(self, epoch: int, accuracy: float, loss: float, network: GraphClassifier) -> None:
        if (accuracy, -loss) <= (self.accuracy, -self.loss):
            return
        self.epoch, self.accuracy, self.loss = epoch, accuracy, loss
        self.weights = {name: value.detach().clone() for name, value in network.state_dict().items()}


class _Run:
    """One training, between its first epoch and its last."""

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
        self.keep_last = keep_last
        self.identity = run_identity(dataset.fingerprint, train, validation, settings, seed)
        self.encoder = FeatureEncoder.fit(dataset, train, settings.features, standardise=settings.standardise)
        self.features: NodeFeatures = self.encoder.encode(dataset)
        torch.manual_seed(seed)
        self.network = GraphClassifier(settings, self.encoder.width, dataset.num_classes)
        self.optimiser = torch.optim.Adam(
            self.network.parameters(),
            lr=settings.learning_rate,
            weight_decay=settings.weight_decay,
            fused=True,
        )
        # Validation batches are the same every epoch: they are cut once.
        self.watched = list(data.batches(validation, self.features, batch_size=_VALIDATION_BATCH))
        self.curves: dict[str, list[float]] = {"loss": [], "validation_loss": [], "validation_accuracy": []}
        self.best = _Best()
        self.seconds = 0.0
        self.resumed_from = 0

    @property
    def epochs_done(self) -> int:
        return len(self.curves["loss"])

    def to_end(self, checkpoint: Path | None, on_epoch: Callable[[EpochReport], None] | None) -> Training:
        epochs = self.settings.epochs
        saved = time.monotonic()
        while self.epochs_done < epochs:
            began = time.perf_counter()
            loss = self._train_once()
            validation_loss, validation_accuracy = _watch(self.network, self.watched)
            self.seconds += time.perf_counter() - began
            for name, value in zip(self.curves, (loss, validation_loss, validation_accuracy), strict=True):
                self.curves[name].append(value)
            if self.keep_last:
                self.best = _Best()
            self.best.update(self.epochs_done, validation_accuracy, validation_loss, self.network)
            last = self.epochs_done == epochs
            if checkpoint is not None and (last or time.monotonic() - saved > _SECONDS_BETWEEN_CHECKPOINTS):
                self.save(checkpoint)
                saved = time.monotonic()
            if on_epoch is not None:
                on_epoch(
                    EpochReport(
                        self.epochs_done, epochs, loss, validation_loss, validation_accuracy, self.seconds
                    )
                )
        self.network.load_state_dict(self.best.weights)
        self.network.eval()
        fitted = FittedNetwork(self.network, self.encoder)
        return Training(self.curves, self.best.epoch, fitted, self.seconds, self.resumed_from)

    def _train_once(self) -> float:
        """One epoch; returns the mean loss over its graphs."""
        self.network.train()
        # Each epoch's order depends on the seed and the epoch alone, so that a resumed run has the same.
        order = np.random.default_rng((self.seed, self.epochs_done))
        total = torch.zeros((), dtype=torch.float64)
        for batch in self.data.batches(
            self.train, self.features, batch_size=self.settings.batch_size, shuffle=order
        ):
            self.optimiser.zero_grad(set_to_none=True)
            loss = torch.nn.functional.cross_entropy(self.network(batch), batch.y)
            loss.backward()  # type: ignore[no-untyped-call]
            self.optimiser.step()
            total += loss.detach().double() * batch.num_graphs
        return float(total) / len(self.train)

    def save(self, path: Path) -> None:
        tensors = {f"network.{name}": value for name, value in self.network.state_dict().items()}
        tensors |= {f"best.{name}": value for name, value in self.best.weights.items()}
        for place, state in self.optimiser.state_dict()["state"].items():
            tensors |= {f"optimiser.{place}.{name}": value for name, value in state.items()}
        tensors["random"] = torch.get_rng_state()
        described = {
            "identity": self.identity,
            "curves": self.curves,
            "best": [self.best.epoch, self.best.accuracy, self.best.loss],
            "seconds": self.seconds,
        }
        write_tensors(path, tensors, "checkpoint", described)

    def resume(self, path: Path) -> None:
        """Go on from a checkpoint of this very run, where there is one."""
        found = read_checkpoint(path, self.identity)
        if found is None:
            return
        tensors, described = found
        self.network.load_state_dict(_under("network.", tensors))
        state: dict[int, dict[str, Tensor]] = {}
        for name, value in _under("optimiser.", tensors).items():
            place, _, entry = name.partition(".")
            state.setdefault(int(place), {})[entry] = value
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": state, "param_groups": groups})
        torch.set_rng_state(tensors["random"])
        self.curves = described["curves"]
        epoch, accuracy, loss = described["best"]
        self.best = _Best(epoch, accuracy, loss, _under("best.", tensors))
        self.seconds = described["seconds"]
        self.resumed_from = self.epochs_done


def _under(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}


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
