"""What a network learns of graphs: a class, labels or numbers. Its targets, its loss, its score."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Final, Literal

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from cliquepool.nn.settings import RegressionLoss

__all__ = ["Classification", "MultiLabel", "Regression", "Task"]

_REGRESSION_LOSSES: Final[dict[str, Callable[..., Tensor]]] = {
    "mse": F.mse_loss,
    "l1": F.l1_loss,
    "huber": F.huber_loss,
}


class Task(ABC):
    """The targets of all graphs of a data set, and how a network's outputs are judged by them.

    Attributes
    ----------
    score_curve : str
        What the score of the validation graphs is called among the curves of a training.
    chosen_by : {"score", "loss"}
        What tells the best epoch: the highest score, of equals the lowest loss; or the lowest loss.
    targets : Tensor
        A row for each graph of the data set.
    """

    score_curve: ClassVar[str]
    chosen_by: ClassVar[Literal["score", "loss"]] = "score"

    def __init__(self, targets: Tensor) -> None:
        self.targets = targets

    @property
    @abstractmethod
    def num_outputs(self) -> int:
        """How many outputs the network has for a graph."""

    @abstractmethod
    def score(self, outputs: Tensor, targets: Tensor, weights: Tensor | None = None) -> float:
        """Return how good outputs are; 1 is perfect. Weights, one for each graph, have mean 1."""

    @abstractmethod
    def _losses(self, outputs: Tensor, targets: Tensor, reduction: str) -> Tensor:
        """Return the mean loss, or with reduction ``"none"`` that of each graph and output."""

    def loss(self, outputs: Tensor, targets: Tensor, weights: Tensor | None = None) -> Tensor:
        """Return the mean loss over graphs. Weights, one for each graph, have mean 1."""
        if weights is None:
            return self._losses(outputs, targets, "mean")
        of_graphs = self._losses(outputs, targets, "none").flatten(1 if targets.dim() > 1 else 0)
        return ((of_graphs.mean(dim=1) if targets.dim() > 1 else of_graphs) * weights).mean()

    @property
    def identity(self) -> str:
        """A hash of the kind of task and of its targets."""
        digest = hashlib.sha256(f"{type(self).__name__} {tuple(self.targets.shape)}".encode())
        digest.update(self.targets.contiguous().numpy().tobytes())
        return digest.hexdigest()


class Classification(Task):
    """One class for each graph, as a number from 0: cross-entropy and accuracy."""

    score_curve = "validation_accuracy"

    def __init__(self, targets: Tensor, num_classes: int) -> None:
        super().__init__(targets)
        self.num_classes = num_classes

    @property
    def num_outputs(self) -> int:
        """One for each class."""
        return self.num_classes

    def _losses(self, outputs: Tensor, targets: Tensor, reduction: str) -> Tensor:
        return F.cross_entropy(outputs, targets, reduction=reduction)

    def score(self, outputs: Tensor, targets: Tensor, weights: Tensor | None = None) -> float:
        """Return the share of graphs whose class has the highest output."""
        return _mean(outputs.argmax(dim=1) == targets, weights)


class MultiLabel(Task):
    """Any of several labels for each graph, as zeros and ones: binary cross-entropy and subset accuracy."""

    score_curve = "validation_accuracy"

    @property
    def num_outputs(self) -> int:
        """One for each label."""
        return int(self.targets.shape[1])

    def _losses(self, outputs: Tensor, targets: Tensor, reduction: str) -> Tensor:
        return F.binary_cross_entropy_with_logits(outputs, targets, reduction=reduction)

    def score(self, outputs: Tensor, targets: Tensor, weights: Tensor | None = None) -> float:
        """Return the share of graphs of which all labels are right."""
        return _mean(((outputs > 0) == (targets > 0)).all(dim=1), weights)


class Regression(Task):
    """One or several numbers for each graph, standardised: squared, absolute or Huber's loss, and R².

    The best epoch is that of the lowest loss: R² says little of a few graphs with almost equal targets.
    """

    score_curve = "validation_r2"
    chosen_by = "loss"

    def __init__(self, targets: Tensor, loss: RegressionLoss = "mse") -> None:
        super().__init__(targets)
        self.loss_name = loss

    @property
    def num_outputs(self) -> int:
        """One for each number."""
        return int(self.targets.shape[1])

    def _losses(self, outputs: Tensor, targets: Tensor, reduction: str) -> Tensor:
        return _REGRESSION_LOSSES[self.loss_name](outputs, targets, reduction=reduction)

    def score(self, outputs: Tensor, targets: Tensor, weights: Tensor | None = None) -> float:
        """Return R², the mean over the numbers, as scikit-learn defines it for constant targets too."""
        outputs, targets = outputs.double(), targets.double()
        scale = 1.0 if weights is None else weights.double()[:, None]
        centre = (targets * scale).mean(dim=0)  # weights have mean 1
        left = ((outputs - targets).square() * scale).sum(dim=0)
        given = ((targets - centre).square() * scale).sum(dim=0)
        explained = 1 - left / given.clamp(min=torch.finfo(torch.float64).tiny)
        varies = targets.amin(dim=0) < targets.amax(dim=0)  # of a constant, rounding leaves `given` above 0
        return float(torch.where(varies, explained, (left == 0).double()).mean())


def _mean(right: Tensor, weights: Tensor | None) -> float:
    """The share that is right."""
    return float((right.double() if weights is None else right * weights.double()).mean())
