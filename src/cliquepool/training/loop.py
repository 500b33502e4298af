"""What all trainings share: epoch by epoch to the end, and from a checkpoint on to the same bits."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from cliquepool.errors import GraphError
from cliquepool.training.checkpoint import (
    check_optimiser_state,
    check_progress,
    expect_weights,
    read_checkpoint,
    write_tensors,
)
from cliquepool.training.denormals import flushing_denormals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from torch import Tensor, nn

__all__ = ["BestEpoch", "CheckpointedRun", "own_random_numbers", "using_threads"]

_SECONDS_BETWEEN_CHECKPOINTS = 20.0


@contextmanager
def using_threads(count: int) -> Iterator[None]:
    """Let torch use so many threads for a while."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def own_random_numbers(device: torch.device) -> Iterator[None]:
    """Leave torch's random numbers, on the CPU and on `device`, as they were."""
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
        """Take this epoch if its score is higher, or as high with less loss."""
        if self.epoch and (score, -loss) <= (self.score, -self.loss):
            return
        self.epoch, self.score, self.loss = epoch, score, loss
        self.weights = _copied_weights(network)


class CheckpointedRun(ABC):
    """One training, between its first epoch and its last; what an epoch is, those who derive say.

    Attributes
    ----------
    curves : dict
        One value an epoch of ``"loss"`` and of whatever else `run_epoch` tells. Where the best epoch is
        kept and not the last, those that `judged` needs are among them.
    best : BestEpoch
        The epoch that is kept.
    seconds : float
        How long all epochs took, those before a checkpoint too.
    resumed_from : int
        The number of epochs that a checkpoint had already.
    """

    def __init__(
        self,
        network: nn.Module,
        optimiser: torch.optim.Optimizer,
        identity: str,
        *,
        epochs: int,
        keep_last: bool,
        device: torch.device,
        patience: int | None = None,
    ) -> None:
        self.network = network
        self.optimiser = optimiser
        self.identity = identity
        self.epochs = epochs
        self.keep_last = keep_last
        self.device = device
        self.patience = patience
        self.curves: dict[str, list[float]] = {"loss": []}
        self.best = BestEpoch()
        self.seconds = 0.0
        self.resumed_from = 0

    @abstractmethod
    def run_epoch(self) -> dict[str, float]:
        """Train for an epoch and watch what it has come to: a value for each curve."""

    @property
    def epochs_done(self) -> int:
        """How many epochs are behind."""
        return len(self.curves["loss"])

    def has_ended(self) -> bool:
        """Whether no epoch is left, or patience has run out."""
        waited = self.epochs_done - self.best.epoch
        return self.epochs_done >= self.epochs or (self.patience is not None and waited >= self.patience)

    @flushing_denormals()
    def to_end(
        self, checkpoint: Path | None, on_epoch: Callable[[int, dict[str, float]], None] | None
    ) -> None:
        """Run all epochs that are left, tell `on_epoch` of each, and end with the weights to keep.

        With `patience`, none are left once so many in a row were not better than the best.
        """
        saved = time.monotonic()
        while not self.has_ended():
            began = time.perf_counter()
            values = self.run_epoch()
            self.seconds += time.perf_counter() - began
            for name, value in values.items():
                self.curves.setdefault(name, []).append(value)
            self._choose(values)
            if checkpoint is not None and (
                self.has_ended() or time.monotonic() - saved > _SECONDS_BETWEEN_CHECKPOINTS
            ):
                self.save(checkpoint)
                saved = time.monotonic()
            if on_epoch is not None:
                on_epoch(self.epochs_done, values)
        self.network.load_state_dict(self.best.weights)
        self.network.eval()

    def _choose(self, values: dict[str, float]) -> None:
        if self.keep_last:
            self.best = BestEpoch(self.epochs_done, 0.0, 0.0, _copied_weights(self.network))
        else:
            self.best.update(self.epochs_done, *self.judged(values), self.network)

    def judged(self, values: dict[str, float]) -> tuple[float, float]:
        """Return what the best epoch is chosen by: a score, higher is better; of equals the lower loss."""
        return values["validation_accuracy"], values["validation_loss"]

    def described(self) -> dict[str, Any]:
        """What a checkpoint holds besides tensors; those who derive may add to it."""
        return {
            "identity": self.identity,
            "curves": self.curves,
            "best": [self.best.epoch, self.best.score, self.best.loss],
            "seconds": self.seconds,
        }

    def restore(self, described: dict[str, Any]) -> None:
        """Take over what `described` gave."""
        self.curves = described["curves"]
        self.best.epoch, self.best.score, self.best.loss = described["best"]
        self.seconds = described["seconds"]
        self.resumed_from = self.epochs_done

    def save(self, path: Path) -> None:
        """Write a checkpoint."""
        tensors = {f"network.{name}": value for name, value in self.network.state_dict().items()}
        tensors |= {f"best.{name}": value for name, value in self.best.weights.items()}
        for place, state in self.optimiser.state_dict()["state"].items():
            tensors |= {f"optimiser.{place}.{name}": value for name, value in state.items()}
        tensors["random"] = torch.get_rng_state()
        if self.device.type == "cuda":
            tensors["random.cuda"] = torch.cuda.get_rng_state(self.device)
        write_tensors(path, tensors, "checkpoint", self.described())

    def resume(self, path: Path) -> None:
        """Go on from a checkpoint of this very run, where there is one."""
        found = read_checkpoint(path, self.identity)
        if found is None:
            return
        try:
            self._take_over(*found)
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise GraphError(f"{path}: expected the state of this training, got another ({error})") from None

    def _take_over(self, tensors: dict[str, Tensor], described: dict[str, Any]) -> None:
        check_progress(described, self.epochs)
        for part in ("network.", "best."):
            expect_weights(_under(part, tensors), lambda: self.network)
        self.network.load_state_dict(_under("network.", tensors))
        state: dict[int, dict[str, Tensor]] = {}
        for name, value in _under("optimiser.", tensors).items():
            place, _, entry = name.partition(".")
            state.setdefault(int(place), {})[entry] = value
        check_optimiser_state(state, self.optimiser)
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": state, "param_groups": groups})
        torch.set_rng_state(tensors["random"])
        if self.device.type == "cuda":
            torch.cuda.set_rng_state(tensors["random.cuda"], self.device)
        self.best.weights = _under("best.", tensors)
        self.restore(described)


def _copied_weights(network: nn.Module) -> dict[str, Tensor]:
    return {name: value.detach().clone() for name, value in network.state_dict().items()}


def _under(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
