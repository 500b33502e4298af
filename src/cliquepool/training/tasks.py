"""Tasks of graph networks, with targets, loss and score: classification, several labels, regression."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Final

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from cliquepool.errors import InputError

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
    """The targets of all graphs of a data set, with the loss and the score of a network's outputs.

    Attributes
    ----------
    score_curve : str
        The name of the curve of the validation score.
    targets : Tensor
        A row for each graph of the data set.
    """

    score_curve: ClassVar[str]

    def __init__(self, targets: Tensor) -> None:
        self.targets = targets

    @property
    @abstractmethod
    def num_outputs(self) -> int:
        """The number of outputs of the network for a graph."""

    @abstractmethod
    def score(self, outputs: Tensor, targets: Tensor, weights: Tensor | None = None) -> float:
        """Return the score of outputs; 1 is perfect. Weights, one for each graph, have mean 1."""

    @abstractmethod
    def _losses(self, outputs: Tensor, targets: Tensor, reduction: str) -> Tensor:
        """Return the mean loss, or with reduction ``"none"`` the loss of each graph and output."""

    def loss(self, outputs: Tensor, targets: Tensor, weights: Tensor | None = None) -> Tensor:
        """Return the mean loss over graphs. Weights, one for each graph, have mean 1."""
        if weights is None:
            return self._losses(outputs, targets, "mean")
        of_graphs = self._losses(outputs, targets, "none").flatten(1 if targets.dim() > 1 else 0)
        return ((of_graphs.mean(dim=1) if targets.dim() > 1 else of_graphs) * weights).mean()

    def brier(self, outputs: Tensor, targets: Tensor, weights: Tensor | None = None) -> float:
        """Return the Brier score: the mean squared error of the probabilities of a classifier."""
        del outputs, targets, weights
        raise InputError(f"epoch_by: expected score or loss, got brier, which {type(self).__name__} has not")

    @property
    def identity(self) -> str:
        """A hash of the type of task and of its targets."""
        digest = hashlib.sha256(f"{type(self).__name__} {tuple(self.targets.shape)}".encode())
        digest.update(self.targets.contiguous().numpy().tobytes())
        return digest.hexdigest()


class Classification(Task):
    """One class for each graph, as an index: cross-entropy and accuracy."""

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

    def brier(self, outputs: Tensor, targets: Tensor, weights: Tensor | None = None) -> float:
        """Return the squared error summed over classes, from 0 to 2; the mean over graphs."""
        wrong = outputs.softmax(dim=1) - F.one_hot(targets, self.num_classes)
        return _mean(wrong.square().sum(dim=1), weights)

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

    def brier(self, outputs: Tensor, targets: Tensor, weights: Tensor | None = None) -> float:
        """Return the squared error summed over labels; the mean over graphs."""
        return _mean((outputs.sigmoid() - targets).square().sum(dim=1), weights)

    def score(self, outputs: Tensor, targets: Tensor, weights: Tensor | None = None) -> float:
        """Return the share of graphs with all labels right."""
        return _mean(((outputs > 0) == (targets > 0)).all(dim=1), weights)


class Regression(Task):
    """One or several standardised numbers for each graph: squared, absolute or Huber loss, and R²."""

    score_curve = "validation_r2"

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
        varies = targets.amin(dim=0) < targets.amax(dim=0)  # rounding leaves `given` of a constant above 0
        return float(torch.where(varies, explained, (left == 0).double()).mean())


def _mean(values: Tensor, weights: Tensor | None) -> float:
    """Return the weighted mean over graphs; of booleans, the share of True."""
    return float((values.double() if weights is None else values * weights.double()).mean())
