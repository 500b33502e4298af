"""The training loop: epoch by epoch, checkpointed, and resumed to the same bits.

A `Learner` says what an epoch is; everything around epochs is here, for graphs and images alike.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import torch

from cliquepool.errors import InputError
from cliquepool.training.checkpoint import (
    check_optimiser_state,
    check_progress,
    expect_weights,
    read_checkpoint,
    write_tensors,
)
from cliquepool.training.denormals import flushing_denormals
from cliquepool.training.memory import memory_errors_explained
from cliquepool.training.report import EpochReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from torch import Tensor, nn

__all__ = ["BestEpoch", "Learner", "Training", "run_training", "using_threads"]

_Fitted = TypeVar("_Fitted")

_SECONDS_BETWEEN_CHECKPOINTS = 20.0


class Learner(ABC, Generic[_Fitted]):
    """A network with its optimiser and data; subclasses say what an epoch of training is.

    Attributes
    ----------
    network : Module
        The network that is trained.
    optimiser : Optimizer
        Its optimiser, whose state is part of every checkpoint.
    fitted : object
        The network together with everything needed to use it: what a training returns.
    identity : str
        A hash of everything the weights depend on; a checkpoint of another identity is refused.
    epochs : int
        How many epochs to train for, at most.
    device : torch.device
        The device of the network.
    keep_last : bool
        Keep the weights of the last epoch; else those of the best, by `judge`.
    patience : int, optional
        Stop after this many epochs in a row without a better one.
    score_curve : str
        The curve of the validation score.
    finite_curves : tuple of str
        Curves that end the training with an error where they are not finite.
    remedy : str
        What that error advises.
    """

    finite_curves: ClassVar[tuple[str, ...]] = ("loss",)
    remedy: str = "take a lower learning rate"

    network: nn.Module
    optimiser: torch.optim.Optimizer
    fitted: _Fitted
    identity: str
    epochs: int
    device: torch.device
    keep_last: bool = True
    patience: int | None = None
    score_curve: str = "validation_accuracy"

    @property
    def kept_network(self) -> nn.Module:
        """The network that is validated and kept: the one that is trained, or one averaged over its steps."""
        return self.network

    @abstractmethod
    def run_epoch(self, epoch: int) -> dict[str, float]:
        """Train for the epoch of this number, from 0, and validate; return one value for each curve.

        ``"loss"`` is always among them. All randomness comes from the epoch's number and from torch's
        random numbers, so that a resumed training repeats it.
        """

    def judge(self, values: dict[str, float]) -> tuple[float, float]:
        """Return what chooses the best epoch: a score, higher is better, and a loss that decides ties."""
        return values[self.score_curve], values["validation_loss"]

    def extra_state(self) -> dict[str, Any]:
        """Return state beyond weights, optimiser and random numbers, as JSON can write it."""
        return {}

    def restore_extra_state(self, described: dict[str, Any]) -> None:
        """Restore what `extra_state` returned."""


@dataclass(frozen=True)
class Training(Generic[_Fitted]):
    """The result of a training.

    Attributes
    ----------
    curves : dict
        One value for each epoch of ``"loss"``, of ``"validation_loss"`` and of the validation score, such as
        ``"validation_accuracy"``. Trainings on images also have ``"accuracy"`` on the training images, and
        ``"seconds"`` and ``"processor_seconds"`` of each epoch; and no validation curves without
        validation samples.
    best_epoch : int
        The epoch whose weights the network has, from 1: the last one, or that of the highest validation
        score, among equals that of the lowest validation loss, then the earliest; or that of the lowest
        validation loss or Brier score, where the settings say so.
    network : FittedNetwork or FittedImageNetwork
        The trained network.
    seconds : float
        The time of all epochs, including those before a checkpoint.
    resumed_from : int
        The number of epochs that were read from a checkpoint.
    """

    curves: dict[str, list[float]]
    best_epoch: int
    network: _Fitted
    seconds: float
    resumed_from: int = 0


def run_training(
    build: Callable[[], Learner[_Fitted]],
    *,
    device: torch.device,
    threads: int,
    checkpoint: Path | None = None,
    on_epoch: Callable[[EpochReport], None] | None = None,
) -> Training[_Fitted]:
    """Build a learner and train it to its end, on `threads` threads.

    With `checkpoint`, the state is written there every 20 seconds and at the end; if the file exists,
    training resumes from it. Torch's random numbers and its number of threads are the same after the call
    as before. `on_epoch` is called after every epoch.
    """
    with _random_numbers_restored(device), using_threads(threads), memory_errors_explained("training"):
        loop = _Loop(build())
        if checkpoint is not None:
            loop.resume(checkpoint)
        loop.run(checkpoint, on_epoch)
    return Training(loop.curves, loop.best.epoch, loop.learner.fitted, loop.seconds, loop.resumed_from)


@contextmanager
def using_threads(count: int) -> Iterator[None]:
    """Let torch use `count` threads inside the context."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def _random_numbers_restored(device: torch.device) -> Iterator[None]:
    """Restore torch's random number generators, of the CPU and of `device`, at the end."""
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        yield


@dataclass
class BestEpoch:
    """The best epoch so far, and its weights."""

    epoch: int = 0
    score: float = -math.inf
    loss: float = math.inf
    weights: dict[str, Tensor] = field(default_factory=dict)

    def update(self, epoch: int, score: float, loss: float, network: nn.Module) -> None:
        """Replace the best epoch by this one if its score is higher, or equal with a lower loss."""
        if self.epoch and (score, -loss) <= (self.score, -self.loss):
            return
        self.epoch, self.score, self.loss = epoch, score, loss
        self.weights = _copied_weights(network)


class _Loop(Generic[_Fitted]):
    """The state of a training between epochs: curves, best epoch, time; its checkpoints."""

    def __init__(self, learner: Learner[_Fitted]) -> None:
        self.learner = learner
        self.curves: dict[str, list[float]] = {"loss": []}
        self.best = BestEpoch()
        self.seconds = 0.0
        self.resumed_from = 0

    @property
    def epochs_done(self) -> int:
        return len(self.curves["loss"])

    def has_ended(self) -> bool:
        """Return whether all epochs are done, or patience has run out."""
        patience, waited = self.learner.patience, self.epochs_done - self.best.epoch
        return self.epochs_done >= self.learner.epochs or (patience is not None and waited >= patience)

    @flushing_denormals()
    def run(self, checkpoint: Path | None, on_epoch: Callable[[EpochReport], None] | None) -> None:
        """Run the remaining epochs, then load the weights of the epoch to keep."""
        saved = time.monotonic()
        while not self.has_ended():
            values = self._run_epoch()
            if checkpoint is not None and (
                self.has_ended() or time.monotonic() - saved > _SECONDS_BETWEEN_CHECKPOINTS
            ):
                self.save(checkpoint)
                saved = time.monotonic()
            if on_epoch is not None:
                # What it draws of torch's random numbers must not change the weights.
                with torch.random.fork_rng(devices=[]):
                    on_epoch(self._report(values))
        self.learner.network.load_state_dict(self.best.weights)
        self.learner.network.eval()

    def _run_epoch(self) -> dict[str, float]:
        began = time.perf_counter()
        values = self.learner.run_epoch(self.epochs_done)
        self.seconds += time.perf_counter() - began
        for name in self.learner.finite_curves:
            if not math.isfinite(values[name]):
                raise InputError(
                    f"expected a finite {name.replace('_', ' ')}, got {values[name]} in epoch "
                    f"{self.epochs_done + 1}: {self.learner.remedy}"
                )
        for name, value in values.items():
            self.curves.setdefault(name, []).append(value)
        if self.learner.keep_last:
            self.best = BestEpoch(self.epochs_done, 0.0, 0.0, _copied_weights(self.learner.kept_network))
        else:
            self.best.update(self.epochs_done, *self.learner.judge(values), self.learner.kept_network)
        return values

    def _report(self, values: dict[str, float]) -> EpochReport:
        return EpochReport(
            self.epochs_done,
            self.learner.epochs,
            values["loss"],
            validation_score=values.get(self.learner.score_curve),
            validation_loss=values.get("validation_loss"),
            accuracy=values.get("accuracy"),
            seconds=self.seconds,
        )

    # ---- checkpoints ----

    def save(self, path: Path) -> None:
        """Write a checkpoint."""
        device = self.learner.device
        tensors = {
            f"{part}{name}": value
            for part, network in self._networks().items()
            for name, value in network.state_dict().items()
        }
        tensors |= {f"best.{name}": value for name, value in self.best.weights.items()}
        for index, state in self.learner.optimiser.state_dict()["state"].items():
            tensors |= {f"optimiser.{index}.{name}": value for name, value in state.items()}
        tensors["random"] = torch.get_rng_state()
        if device.type == "cuda":
            tensors["random.cuda"] = torch.cuda.get_rng_state(device)
        described = {
            "identity": self.learner.identity,
            "curves": self.curves,
            "best": [self.best.epoch, self.best.score, self.best.loss],
            "seconds": self.seconds,
        }
        write_tensors(path, tensors, "checkpoint", described | self.learner.extra_state())

    def _networks(self) -> dict[str, nn.Module]:
        """Return the networks whose weights are part of a checkpoint, by the prefix of their names there."""
        network, kept = self.learner.network, self.learner.kept_network
        return {"network.": network} | ({} if kept is network else {"kept.": kept})

    def resume(self, path: Path) -> None:
        """Restore the checkpoint at `path`, if there is one; InputError if it is of another training."""
        found = read_checkpoint(path, self.learner.identity)
        if found is None:
            return
        try:
            self._restore(*found)
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise InputError(f"{path}: expected the state of this training, got another ({error})") from None

    def _restore(self, tensors: dict[str, Tensor], described: dict[str, Any]) -> None:
        networks, optimiser, device = self._networks(), self.learner.optimiser, self.learner.device
        check_progress(described, self.learner.epochs)
        for part in (*networks, "best."):
            expect_weights(_with_prefix(part, tensors), lambda: self.learner.network)
        for part, network in networks.items():
            network.load_state_dict(_with_prefix(part, tensors))
        state: dict[int, dict[str, Tensor]] = {}
        for name, value in _with_prefix("optimiser.", tensors).items():
            index, _, entry = name.partition(".")
            state.setdefault(int(index), {})[entry] = value
        check_optimiser_state(state, optimiser)
        groups = optimiser.state_dict()["param_groups"]
        optimiser.load_state_dict({"state": state, "param_groups": groups})
        torch.set_rng_state(tensors["random"])
        if device.type == "cuda":
            torch.cuda.set_rng_state(tensors["random.cuda"], device)
        self.curves, self.seconds = described["curves"], described["seconds"]
        epoch, score, loss = described["best"]
        self.best = BestEpoch(epoch, score, loss, _with_prefix("best.", tensors))
        self.resumed_from = self.epochs_done
        self.learner.restore_extra_state(described)


def _copied_weights(network: nn.Module) -> dict[str, Tensor]:
    return {name: value.detach().clone() for name, value in network.state_dict().items()}


def _with_prefix(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors whose names have this prefix, without it."""
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
