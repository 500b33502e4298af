"""Training of graph networks: what an epoch over a pooled data set is; the loop is in `loop`."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import numpy as np
import torch

from cliquepool.data.composition import composition_width
from cliquepool.data.features import FeatureEncoder
from cliquepool.errors import InputError
from cliquepool.nn.composition import Composition
from cliquepool.nn.network import GraphClassifier
from cliquepool.nn.network_sizes import NetworkSizes
from cliquepool.nn.precompute import precompute_gathered
from cliquepool.training.adam import Adam
from cliquepool.training.checkpoint import run_identity
from cliquepool.training.compute import Compute
from cliquepool.training.loop import Learner, Training, run_training
from cliquepool.training.memory import memory_errors_explained
from cliquepool.training.report import EpochReport
from cliquepool.training.tasks import Classification, Task
from cliquepool.training.weight_average import WeightAverage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    import numpy.typing as npt
    from torch import Tensor, nn

    from cliquepool.data.features import NodeFeatures
    from cliquepool.data.pooled import PooledDataset
    from cliquepool.nn.batch import Batch
    from cliquepool.nn.settings import GraphSettings, TrainingSettings

    Build = Callable[[NetworkSizes], nn.Module]
    Ids = npt.NDArray[np.int64]

__all__ = ["EpochReport", "FittedNetwork", "Training", "accuracy", "build_network", "train"]

_VALIDATION_BATCH: Final = 128
_COMPOSITION: Final = "composition"


@dataclass(frozen=True)
class FittedNetwork:
    """A trained network, the encoder of its input features, and the sizes that it was built for."""

    network: nn.Module
    encoder: FeatureEncoder
    sizes: NetworkSizes

    @property
    def device(self) -> torch.device:
        """The device of the network."""
        return next(self.network.parameters()).device

    def features(self, data: PooledDataset) -> NodeFeatures:
        """Return the features that batches for the network are made of."""
        features = self.encoder.encode(data.dataset)
        composition = getattr(self.network, "composition", None)
        if isinstance(composition, Composition):
            return composition.added_to(features, self.encoder, data)
        return features

    @torch.no_grad()
    @memory_errors_explained("predicting")
    def scores(self, data: PooledDataset, chosen: npt.ArrayLike | None = None) -> Tensor:
        """Return the outputs (columns) for each of the chosen graphs (rows), by default for all.

        Of a classifier, these are the scores of the classes, before the softmax.
        """
        ids = np.arange(len(data)) if chosen is None else np.asarray(chosen, dtype=np.int64)
        batches = data.batches(ids, self.features(data), batch_size=_VALIDATION_BATCH)
        self.network.eval()
        results = [self.network(_to_device(batch, self.device)) for batch in batches]
        outputs = [_outputs_and_penalty(result)[0].cpu() for result in results]
        return torch.cat(outputs) if outputs else torch.zeros(0, self.sizes.num_outputs)


def train(
    data: PooledDataset,
    train: npt.ArrayLike,
    validation: npt.ArrayLike,
    settings: TrainingSettings,
    *,
    seed: int,
    build: Build | None = None,
    measured: Mapping[str, int] | None = None,
    task: Task | None = None,
    weights: npt.NDArray[np.float64] | None = None,
    keep_last: bool = False,
    device: str = "cpu",
    threads: int = 1,
    checkpoint: Path | None = None,
    on_epoch: Callable[[EpochReport], None] | None = None,
) -> Training[FittedNetwork]:
    """Train the network of `settings` on the graphs `train`, and validate it on the graphs `validation`.

    By default that is the clique-pool network of `GraphSettings`. Another one is made by `build`, called with
    the sizes of the features and the outputs and with `measured`. It is called with a `Batch` and returns the
    outputs (columns) for each graph (rows), or a pair of them and of a penalty, a number that is added to
    the loss while training.

    The weights kept are those of the best epoch on `validation`, or with `keep_last` those of the last; then
    all epochs are trained, whatever the patience.
    The same arguments give the same weights, bit for bit, on the same processor. By default there is one
    thread: mini-batches are too small for more to be faster. With `checkpoint`, a file, the state is saved
    there regularly; a training that was killed resumes from it and ends with the weights of an
    uninterrupted one.

    `task` says what is learned; by default the classes of the data set. `weights` has the weight of each
    graph of the data set in the loss and in the score; not all may be 0. `device` is "cpu", "cuda",
    "cuda:1" or "auto".
    """
    if build is None:
        build = _clique_pool_network(settings, data)
    train_ids, validation_ids = (np.asarray(ids, dtype=np.int64) for ids in (train, validation))
    torch_device = Compute.choose(device).torch_device

    def start() -> _GraphLearner:
        graphs = _Graphs(data, task, weights, torch_device)
        return _GraphLearner(
            graphs,
            train_ids,
            validation_ids,
            settings,
            seed=seed,
            build=build,
            measured=measured or {},
            keep_last=keep_last,
        )

    return run_training(start, device=torch_device, threads=threads, checkpoint=checkpoint, on_epoch=on_epoch)


def _clique_pool_network(settings: Any, data: PooledDataset) -> Build:
    """Return what builds the network of `GraphSettings`, after checking that the graphs are pooled for it."""
    chosen: GraphSettings = settings
    if data.num_pools < chosen.pools:
        raise InputError(f"expected a data set pooled {chosen.pools} times, got one pooled {data.num_pools}")
    return partial(build_network, chosen)


def build_network(settings: GraphSettings, sizes: NetworkSizes) -> GraphClassifier:
    """Return a new clique-pool network."""
    return GraphClassifier(
        settings, sizes.num_features, sizes.num_outputs, composition=sizes.measured.get(_COMPOSITION, 0)
    )


def _outputs_and_penalty(result: Tensor | tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor | None]:
    """Return the outputs of a network, and the penalty where it returned one."""
    return result if isinstance(result, tuple) else (result, None)


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
            yield _Sample(  # not kept here: the caller frees it before the next is collated
                _to_device(self.data.batch(order[part], features), self.device),
                targets[part],
                None if weights is None else weights[part],
            )


def _to_device(batch: Batch, device: torch.device) -> Batch:
    return batch if device.type == "cpu" else batch.to(device)


def _prepared(
    network: GraphClassifier, features: NodeFeatures, encoder: FeatureEncoder, data: PooledDataset, train: Ids
) -> NodeFeatures:
    """Return the features with everything that is the same in every epoch; standardise on `train`.

    Where the network reads precomputed features, those that they were computed from are left out.
    """
    if network.composition is not None:
        features = network.composition.added_to(features, encoder, data, measure_on=train)
    features = precompute_gathered(network.convolutions[0], data, features)
    return features if features.precomputed is None else replace(features, codes=None, dense=None)


class _GraphLearner(Learner[FittedNetwork]):
    finite_curves = ("loss", "validation_loss")

    def __init__(
        self,
        graphs: _Graphs,
        train: Ids,
        validation: Ids,
        settings: TrainingSettings,
        *,
        seed: int,
        build: Build,
        measured: Mapping[str, int],
        keep_last: bool,
    ) -> None:
        dataset = graphs.data.dataset
        self.graphs = graphs
        self.task = graphs.task
        self.train = train
        self.batch_size = settings.batch_size
        self.seed = seed
        encoder = FeatureEncoder.fit(dataset, train, settings.features, standardise=settings.standardise)
        if getattr(settings, "composition", False):
            num_levels = cast("GraphSettings", settings).pools + 1
            measured = {**measured, _COMPOSITION: composition_width(encoder, num_levels)}
        # Weights are drawn on the CPU, so that they begin the same on every device.
        torch.manual_seed(seed)
        sizes = NetworkSizes(encoder.width, self.task.num_outputs, measured)
        network = build(sizes).to(graphs.device)
        self.features = encoder.encode(dataset)
        if isinstance(network, GraphClassifier):
            self.features = _prepared(network, self.features, encoder, graphs.data, train)
        self.adam = Adam(network.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay)
        self.validation_ids = validation
        self.network = network
        self.average = WeightAverage(network, settings.averaging) if settings.averaging else None
        self.optimiser = self.adam
        self.fitted = FittedNetwork(network, encoder, sizes)
        self.identity = run_identity(
            dataset.fingerprint, train, validation, settings.recorded(), seed, *graphs.identity
        )
        self.epoch_by = settings.epoch_by
        self.epochs = settings.epochs
        self.device = graphs.device
        self.keep_last = keep_last
        self.patience = None if keep_last else settings.patience
        self.score_curve = self.task.score_curve
        if getattr(settings, "batch_norm", False) and getattr(settings, "normalise", False):
            self.remedy += (
                ", or normalise=False: where all nodes of a mini-batch are alike, batch norm and L2 norms "
                "together amplify rounding errors"
            )

    @property
    def kept_network(self) -> nn.Module:
        return self.network if self.average is None else self.average.network

    def run_epoch(self, epoch: int) -> dict[str, float]:
        loss = self._train(epoch)
        outputs, targets, weights = self._predict(self._validation_samples())
        values = {
            "loss": loss,
            "validation_loss": float(self.task.loss(outputs, targets, weights)),
            self.score_curve: self.task.score(outputs, targets, weights),
        }
        if self.epoch_by == "brier":
            values["validation_brier"] = self.task.brier(outputs, targets, weights)
        return values

    def judge(self, values: dict[str, float]) -> tuple[float, float]:
        loss = values["validation_loss"]
        if self.epoch_by == "score":
            return values[self.score_curve], loss
        return -values[f"validation_{self.epoch_by}"], loss

    def _validation_samples(self) -> Iterator[_Sample]:
        return self.graphs.samples(self.validation_ids, self.features, batch_size=_VALIDATION_BATCH)

    def _train(self, epoch: int) -> float:
        """Train for one epoch; return the mean loss over its graphs."""
        self.network.train()
        # The order depends only on the seed and the epoch, so that a resumed training has the same.
        order = np.random.default_rng((self.seed, epoch))
        total = torch.zeros((), dtype=torch.float64, device=self.device)
        samples = self.graphs.samples(self.train, self.features, batch_size=self.batch_size, shuffle=order)
        steps = math.ceil(len(self.train) / self.batch_size)
        for step in range(epoch * steps, (epoch + 1) * steps):
            total += self._train_on(next(samples), step)
        return float(total) / len(self.train)

    def _train_on(self, sample: _Sample, step: int) -> Tensor:
        """Take a step; return the sum of the losses before it.

        The mini-batch, its activations, which the loss keeps alive, and the gradients end with this call, so
        that they are never in memory together with those of the next mini-batch.
        """
        outputs, penalty = _outputs_and_penalty(self.network(sample.batch))
        loss = self.task.loss(outputs, sample.targets, sample.weights)
        whole = loss if penalty is None else loss + penalty
        whole.backward()  # type: ignore[no-untyped-call]
        self.adam.take_step()
        self.adam.forget_gradients()
        if self.average is not None:
            self.average.update(step)
        return loss.detach().double() * sample.batch.num_graphs

    @torch.no_grad()
    def _predict(self, samples: Iterable[_Sample]) -> tuple[Tensor, Tensor, Tensor | None]:
        """Return the outputs for all graphs of these samples, their targets and their weights."""
        network = self.kept_network.eval()
        outputs, targets, weights = [], [], []
        for sample in samples:
            outputs.append(_outputs_and_penalty(network(sample.batch))[0])
            targets.append(sample.targets)
            if sample.weights is not None:
                weights.append(sample.weights)
        return torch.cat(outputs), torch.cat(targets), torch.cat(weights) if weights else None
