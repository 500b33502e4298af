"""Training of graph networks: what an epoch over a pooled data set is; the loop is in `loop`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import torch

from cliquepool.data.features import FeatureEncoder, NodeFeatures
from cliquepool.errors import InputError
from cliquepool.nn.network import GraphClassifier
from cliquepool.nn.precompute import precompute_gathered
from cliquepool.training.adam import Adam
from cliquepool.training.checkpoint import run_identity
from cliquepool.training.compute import Compute
from cliquepool.training.loop import Learner, Training, run_training
from cliquepool.training.report import EpochReport
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
class FittedNetwork:
    """A trained network and the encoder of its input features."""

    network: GraphClassifier
    encoder: FeatureEncoder

    @property
    def device(self) -> torch.device:
        """The device of the network."""
        return next(self.network.parameters()).device

    @torch.no_grad()
    def scores(self, data: PooledDataset, chosen: npt.ArrayLike | None = None) -> Tensor:
        """Return the outputs (columns) for each of the chosen graphs (rows), by default for all.

        Of a classifier, these are the scores of the classes, before the softmax.
        """
        ids = np.arange(len(data)) if chosen is None else np.asarray(chosen, dtype=np.int64)
        features = self.encoder.encode(data.dataset)
        batches = data.batches(ids, features, batch_size=_VALIDATION_BATCH)
        self.network.eval()
        outputs = [self.network(_to_device(batch, self.device)).cpu() for batch in batches]
        return torch.cat(outputs) if outputs else torch.zeros(0, self.network.num_outputs)


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
) -> Training[FittedNetwork]:
    """Train the network of `settings` on the graphs `train`, and validate it on the graphs `validation`.

    The weights kept are those of the best epoch on `validation`, or with `keep_last` those of the last.
    The same arguments give the same weights, bit for bit, on the same processor. By default there is one
    thread: mini-batches are too small for more to be faster. With `checkpoint`, a file, the state is saved
    there regularly; a training that was killed resumes from it and ends with the weights of an
    uninterrupted one.

    `task` says what is learned; by default the classes of the data set. `weights` has the weight of each
    graph of the data set in the loss and in the score; not all may be 0. `device` is "cpu", "cuda",
    "cuda:1" or "auto".
    """
    if data.num_pools < settings.pools:
        raise InputError(
            f"expected a data set pooled {settings.pools} times, got one pooled {data.num_pools}"
        )
    if keep_last and settings.patience is not None:
        raise InputError(
            f"patience: expected none where the last epoch is kept, as there is no better one to wait for, "
            f"got {settings.patience}"
        )
    train_ids, validation_ids = (np.asarray(ids, dtype=np.int64) for ids in (train, validation))
    torch_device = Compute.choose(device).torch_device

    def build() -> _GraphLearner:
        graphs = _Graphs(data, task, weights, torch_device)
        return _GraphLearner(graphs, train_ids, validation_ids, settings, seed, keep_last=keep_last)

    return run_training(build, device=torch_device, threads=threads, checkpoint=checkpoint, on_epoch=on_epoch)


def accuracy(network: FittedNetwork, data: PooledDataset, chosen: npt.ArrayLike) -> float:
    """Return the fraction of the chosen graphs whose class has the highest score."""
    ids = np.asarray(chosen, dtype=np.int64)
    right = network.scores(data, ids).argmax(dim=1).numpy() == data.dataset.targets[ids]
    return float(right.mean())


class _Sample(NamedTuple):
    """A mini-batch on the device, with the targets and the weights of its graphs."""

    batch: Batch
    targets: Tensor
    weights: Tensor | None


class _Graphs:
    """The graphs of a pooled data set with their targets and weights, collated into mini-batches."""

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
        # The data set's fingerprint covers its classes: only other targets and weights are hashed here.
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
        """Yield the graphs `ids` in mini-batches, in a random order drawn from `shuffle` if given."""
        order = ids if shuffle is None else shuffle.permutation(ids)
        targets, weights = self.task.targets[torch.from_numpy(order)].to(self.device), None
        if self.weights is not None:
            relative = self.weights[order] / self.weights[ids].mean()
            weights = torch.from_numpy(relative.astype(np.float32)).to(self.device)
        for begin in range(0, len(order), batch_size):
            part = slice(begin, begin + batch_size)
            batch = _to_device(self.data.batch(order[part], features), self.device)
            yield _Sample(batch, targets[part], None if weights is None else weights[part])


def _to_device(batch: Batch, device: torch.device) -> Batch:
    return batch if device.type == "cpu" else batch.to(device)


class _GraphLearner(Learner[FittedNetwork]):
    finite_curves = ("loss", "validation_loss")

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
        self.batch_size = settings.batch_size
        self.seed = seed
        encoder = FeatureEncoder.fit(dataset, train, settings.features, standardise=settings.standardise)
        features: NodeFeatures = encoder.encode(dataset)
        # Weights are drawn on the CPU, so that they begin the same on every device.
        torch.manual_seed(seed)
        network = GraphClassifier(settings, encoder.width, self.task.num_outputs).to(graphs.device)
        self.features = precompute_gathered(network.convolutions[0], graphs.data, features)
        self.adam = Adam(network.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay)
        # Validation batches are the same in every epoch: they are collated once.
        self.validation = list(graphs.samples(validation, self.features, batch_size=_VALIDATION_BATCH))
        self.network = network
        self.optimiser = self.adam
        self.fitted = FittedNetwork(network, encoder)
        self.identity = run_identity(dataset.fingerprint, train, validation, settings, seed, *graphs.identity)
        self.epochs = settings.epochs
        self.device = graphs.device
        self.keep_last = keep_last
        self.patience = settings.patience
        self.score_curve = self.task.score_curve

    def run_epoch(self, epoch: int) -> dict[str, float]:
        loss = self._train(epoch)
        validation_loss, score = self._validate()
        return {"loss": loss, "validation_loss": validation_loss, self.score_curve: score}

    def judge(self, values: dict[str, float]) -> tuple[float, float]:
        loss = values["validation_loss"]
        return (-loss if self.task.chosen_by == "loss" else values[self.score_curve]), loss

    def _train(self, epoch: int) -> float:
        """Train for one epoch; return the mean loss over its graphs."""
        self.network.train()
        # The order depends only on the seed and the epoch, so that a resumed training has the same.
        order = np.random.default_rng((self.seed, epoch))
        total = torch.zeros((), dtype=torch.float64, device=self.device)
        for sample in self.graphs.samples(
            self.train, self.features, batch_size=self.batch_size, shuffle=order
        ):
            self.adam.forget_gradients()
            loss = self.task.loss(self.network(sample.batch), sample.targets, sample.weights)
            loss.backward()  # type: ignore[no-untyped-call]
            self.adam.take_step()
            total += loss.detach().double() * sample.batch.num_graphs
        return float(total) / len(self.train)

    @torch.no_grad()
    def _validate(self) -> tuple[float, float]:
        """Return the mean loss and the score over all validation graphs."""
        self.network.eval()
        outputs = torch.cat([self.network(sample.batch) for sample in self.validation])
        targets = torch.cat([sample.targets for sample in self.validation])
        given = [sample.weights for sample in self.validation if sample.weights is not None]
        weights = torch.cat(given) if given else None
        loss = self.task.loss(outputs, targets, weights)
        return float(loss), self.task.score(outputs, targets, weights)
