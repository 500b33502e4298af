"""Training of an image network: the same bits from the same seed, and resumed where it was stopped."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch
from torch.nn import functional as F  # noqa: N812 (everyone calls it so)

from cliquepool.errors import GraphError
from cliquepool.threads import thread_count
from cliquepool.training.augmentation import Normalisation, augment
from cliquepool.training.checkpoint import run_identity
from cliquepool.training.compute import Arithmetic
from cliquepool.training.image_network import FittedImageNetwork
from cliquepool.training.loop import CheckpointedRun, own_random_numbers, using_threads

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy.typing as npt
    from torch import Tensor

    from cliquepool.data.images import ImageDataset
    from cliquepool.nn.image_settings import ImageSettings
    from cliquepool.nn.vgg import VGG

    Ids = npt.NDArray[np.int64]

__all__ = ["ImageEpoch", "ImageTraining", "train_images"]

_COMPILER: Final = "inductor"


@dataclass(frozen=True, slots=True)
class ImageEpoch:
    """How an epoch went.

    `accuracy` is that on the training images, as they were shown and while the network learnt from them.
    """

    epoch: int
    epochs: int
    loss: float
    accuracy: float
    validation_accuracy: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class ImageTraining:
    """What came of a training.

    Attributes
    ----------
    curves : dict
        One value an epoch of ``"loss"`` and ``"accuracy"`` on the training images, of ``"seconds"`` and
        ``"processor_seconds"`` that training took, and where images were watched of ``"validation_loss"``
        and ``"validation_accuracy"``.
    network : FittedImageNetwork
        With the weights after the last epoch.
    seconds : float
        How long it took, all parts together where it was resumed.
    resumed_from : int
        The number of epochs that a checkpoint had already.
    """

    curves: dict[str, list[float]]
    network: FittedImageNetwork
    seconds: float
    resumed_from: int = 0


def train_images(
    dataset: ImageDataset,
    train: npt.ArrayLike,
    validation: npt.ArrayLike = (),
    *,
    settings: ImageSettings,
    seed: int,
    arithmetic: Arithmetic | None = None,
    threads: int | None = None,
    checkpoint: Path | None = None,
    on_epoch: Callable[[ImageEpoch], None] | None = None,
) -> ImageTraining:
    """Train the network of `settings` on the images `train`, and watch it on the images `validation`, if any.

    The learning rate ends at zero, so the last epoch is the one to keep, and nothing is chosen by
    `validation`. The same arguments give the same weights, bit for bit, on the same processor with as many
    threads. With `checkpoint`, a file, the state is kept there now and then; a training that was killed goes
    on from it and ends with the weights of an unbroken one.

    Parameters
    ----------
    dataset : ImageDataset
        Where the images are from.
    train, validation : array-like of int
        Which images; brightness is normalised by what it is in `train`.
    settings : ImageSettings
        The network, and how it learns.
    seed : int
        Of initialisation, order, augmentation and dropout.
    arithmetic : Arithmetic, optional
        On which device, in which precision. By default what `Arithmetic.choose` chooses.
    threads : int, optional
        Threads of the processor. By default one for each core.
    checkpoint : path, optional
        Where to keep the state.
    on_epoch : callable, optional
        Told of every epoch.
    """
    arithmetic = arithmetic or Arithmetic.choose()
    train_ids, validation_ids = (np.asarray(ids, dtype=np.int64) for ids in (train, validation))
    if not len(train_ids):
        raise GraphError("expected images to train on, got none")
    with own_random_numbers(arithmetic.place), using_threads(thread_count(threads)):
        run = _Run(dataset, train_ids, validation_ids, settings, seed=seed, arithmetic=arithmetic)

        def tell(epoch: int, values: dict[str, float]) -> None:
            if on_epoch is not None:
                watched = values.get("validation_accuracy")
                on_epoch(
                    ImageEpoch(
                        epoch, settings.epochs, values["loss"], values["accuracy"], watched, run.seconds
                    )
                )

        if checkpoint is not None:
            run.resume(checkpoint)
        run.to_end(checkpoint, tell)
    return ImageTraining(run.curves, run.fitted, run.seconds, run.resumed_from)


class _Run(CheckpointedRun):
    network: VGG

    def __init__(
        self,
        dataset: ImageDataset,
        train: Ids,
        validation: Ids,
        settings: ImageSettings,
        *,
        seed: int,
        arithmetic: Arithmetic,
    ) -> None:
        device = arithmetic.place
        self.settings = settings
        self.seed = seed
        self.arithmetic = arithmetic
        self.mirror = settings.mirror and dataset.mirrored
        self.images, self.targets = (
            torch.from_numpy(np.asarray(array)[train]).to(device)
            for array in (dataset.images, dataset.targets)
        )
        self.watched = dataset.images[validation]
        self.watched_targets = torch.from_numpy(np.asarray(dataset.targets)[validation])
        torch.manual_seed(seed)
        self.fitted = FittedImageNetwork.new(
            settings, dataset.channels, dataset.classes, Normalisation.of(dataset.images[train]), arithmetic
        )
        network = self.fitted.network
        optimiser = torch.optim.SGD(
            network.parameters(),
            lr=settings.learning_rate,
            momentum=settings.momentum,
            weight_decay=settings.weight_decay,
            nesterov=True,
        )
        super().__init__(
            network,
            optimiser,
            run_identity(dataset.fingerprint, train, validation, settings, seed, str(arithmetic)),
            epochs=settings.epochs,
            keep_last=True,
            device=device,
        )
        self.scaler = arithmetic.scaler()
        # The network itself stays as it is, so that its weights keep their names.
        self.forward = torch.compile(network, backend=_COMPILER) if arithmetic.compiled else network
        self.steps_an_epoch = math.ceil(len(train) / settings.batch_size)

    def run_epoch(self) -> dict[str, float]:
        began, processor_began = time.perf_counter(), time.process_time()
        values = self._train_once()
        values["seconds"] = time.perf_counter() - began
        values["processor_seconds"] = time.process_time() - processor_began
        if len(self.watched):
            scores = self.fitted.scores(self.watched)
            values["validation_loss"] = float(F.cross_entropy(scores, self.watched_targets))
            right = scores.argmax(dim=1) == self.watched_targets
            values["validation_accuracy"] = float(right.double().mean())
        return values

    def _train_once(self) -> dict[str, float]:
        """One epoch; gives the mean loss and the accuracy over its images."""
        self.network.train()
        # Order and augmentation depend on the seed and the epoch alone, so that a resumed run has the same.
        random = np.random.default_rng((self.seed, self.epochs_done))
        count = len(self.images)
        loss = torch.zeros((), dtype=torch.float64, device=self.device)
        right = torch.zeros((), dtype=torch.int64, device=self.device)
        # Batches are of equal sizes, or one image apart: a last one of few images would learn from noise.
        for number, batch in enumerate(np.array_split(random.permutation(count), self.steps_an_epoch)):
            chosen = torch.from_numpy(batch).to(self.device)
            images = augment(self.images[chosen], random, crop=self.settings.crop, mirror=self.mirror)
            step = self.epochs_done * self.steps_an_epoch + number
            batch_loss, scores = self._step(step, images, self.targets[chosen])
            loss += batch_loss.double() * len(batch)
            right += (scores.argmax(dim=1) == self.targets[chosen]).sum()
        if not math.isfinite(float(loss)):
            raise GraphError(
                f"expected a finite loss, got {float(loss)} in epoch {self.epochs_done + 1}: "
                "take a lower learning rate"
            )
        return {"loss": float(loss) / count, "accuracy": int(right) / count}

    def _step(self, step: int, images: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        settings = self.settings
        for group in self.optimiser.param_groups:
            group["lr"] = settings.rate_at(step, settings.epochs * self.steps_an_epoch)
        self.optimiser.zero_grad(set_to_none=True)
        shown = self.arithmetic.laid_out(self.fitted.normalisation(images))
        with self.arithmetic.autocast():
            scores = self.forward(shown)
            loss = F.cross_entropy(scores, targets, label_smoothing=settings.label_smoothing)
        self.scaler.scale(loss).backward()  # type: ignore[no-untyped-call]
        self.scaler.step(self.optimiser)
        self.scaler.update()
        return loss.detach(), scores.detach()

    def described(self) -> dict[str, Any]:
        return super().described() | {"scaler": self.scaler.state_dict()}

    def restore(self, described: dict[str, Any]) -> None:
        super().restore(described)
        self.scaler.load_state_dict(described["scaler"])
