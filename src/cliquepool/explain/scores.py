"""The scores that an explanation divides over pools: log-odds of classes or labels, or predicted numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch

from cliquepool.models.targets import ClassTarget, LabelsTarget, NumbersTarget

if TYPE_CHECKING:
    import numpy.typing as npt
    from torch import Tensor

__all__ = ["ScoreScale", "log_odds"]


@dataclass(frozen=True)
class ScoreScale:
    """The meaning of the scores of a model.

    Attributes
    ----------
    kind : "classes", "labels" or "numbers"
        One of several classes, any of several labels, or numbers.
    names : tuple of str
        The name of each score.
    """

    kind: Literal["classes", "labels", "numbers"]
    names: tuple[str, ...]
    shift: tuple[float, ...] = ()
    scale: tuple[float, ...] = ()

    @classmethod
    def of(cls, target: Any) -> ScoreScale:
        """Return the scores of what an estimator predicts."""
        if isinstance(target, NumbersTarget):
            names = ("y",) if target.flat else tuple(f"y[{index}]" for index in range(target.num_outputs))
            return cls("numbers", names, tuple(target.shift.tolist()), tuple(target.scale.tolist()))
        assert isinstance(target, ClassTarget | LabelsTarget)
        kind: Literal["classes", "labels"] = "classes" if isinstance(target, ClassTarget) else "labels"
        return cls(kind, tuple(str(name) for name in target.classes.tolist()))

    @property
    def unit(self) -> str:
        """The unit of the scores."""
        return "unit of y" if self.kind == "numbers" else "log-odds"

    def scores(self, outputs: Tensor) -> Tensor:
        """Return the scores (columns) of the outputs of a network (rows), in 64 bits."""
        outputs = outputs.double()
        if self.kind == "numbers":
            return outputs * torch.tensor(self.scale).double() + torch.tensor(self.shift).double()
        return log_odds(outputs) if self.kind == "classes" else outputs

    def probabilities(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the probability of each class or label; NaN for numbers."""
        if self.kind == "numbers":
            return np.full_like(scores, np.nan)
        return np.asarray(torch.sigmoid(torch.as_tensor(scores)).numpy(), dtype=np.float64)


def log_odds(outputs: Tensor) -> Tensor:
    """Return the logarithm of p / (1 − p) of each class, with p the softmax of the outputs.

    Unlike the outputs, it does not change when the same number is added to all outputs, which changes no
    prediction. Of two classes it is the difference of the outputs.

    >>> log_odds(torch.tensor([[1.0, 3.0]])).tolist()
    [[-2.0, 2.0]]
    """
    number = outputs.shape[1]
    others = outputs[:, None, :].expand(-1, number, -1)
    itself = torch.eye(number, dtype=torch.bool, device=outputs.device)
    return outputs - others.masked_fill(itself, -torch.inf).logsumexp(dim=2)
