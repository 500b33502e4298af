"""The report on one epoch of training, without torch, so that displays and protocols import it quickly."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["EpochReport"]


@dataclass(frozen=True, slots=True)
class EpochReport:
    """The progress of a training after one epoch.

    Attributes
    ----------
    epoch, epochs : int
        The number of finished epochs, and of all epochs.
    loss : float
        The mean loss over the training samples.
    validation_score : float, optional
        Accuracy of a classifier, R² of a regressor, on the validation samples; None without any.
    validation_loss : float, optional
        The mean loss over the validation samples.
    accuracy : float, optional
        Accuracy on the training samples as they were augmented, measured while the network learnt.
    seconds : float
        The time that all finished epochs took.
    """

    epoch: int
    epochs: int
    loss: float
    validation_score: float | None = None
    validation_loss: float | None = None
    accuracy: float | None = None
    seconds: float = 0.0

    @property
    def validation_accuracy(self) -> float | None:
        """The validation score of a classifier."""
        return self.validation_score

    def among(self, number: int, models: int) -> EpochReport:
        """Count the epochs of `models` models trained in turn, of which this is `number`, from 0."""
        return replace(self, epoch=self.epoch + number * self.epochs, epochs=models * self.epochs)
