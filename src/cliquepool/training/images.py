"""Training of image networks: what an epoch over images is; the loop is in `loop`."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch
from torch.nn import functional as F  # noqa: N812 (everyone calls it so)

from cliquepool.errors import InputError
from cliquepool.threads import thread_count
from cliquepool.training.augmentation import Normalisation, augment
from cliquepool.training.checkpoint import run_identity
from cliquepool.training.compute import Compute
from cliquepool.training.image_network import FittedImageNetwork
from cliquepool.training.loop import Learner, Training, run_training

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy.typing as npt
    from torch import Tensor

    from cliquepool.data.images import ImageDataset
    from cliquepool.nn.image_settings import ImageSettings
    from cliquepool.training.report import EpochReport

    Ids = npt.NDArray[np.int64]

__all__ = ["train_images"]

_COMPILER: Final = "inductor"


def train_images(
    dataset: ImageDataset,
    train: npt.ArrayLike,
    validation: npt.ArrayLike = (),
    *,
    settings: ImageSettings,
    seed: int,
    compute: Compute | None = None,
    threads: int | None = None,
    checkpoint: Path | None = None,
    on_epoch: Callable[[EpochReport], None] | None = None,
    arithmetic: Compute | None = None,
) -> Training[FittedImageNetwork]:
    """Train the network of `settings` on the images `train`, and validate it on the images `validation`.

    The learning rate ends at zero, so the weights of the last epoch are kept, and `validation`, which may
    be empty, chooses nothing. The same arguments give the same weights, bit for bit, on the same processor
    with the same number of threads. With `checkpoint`, a file, the state is saved there regularly; a
    training that was killed resumes from it and ends with the weights of an uninterrupted one.

    Parameters
    ----------
    dataset : ImageDataset
        The images and their classes.
    train, validation : array-like of int
        The ids of the images. Brightness is normalised by its mean and deviation over `train`.
    settings : ImageSettings
        The network and its training.
    seed : int
        The seed of initialisation, order, augmentation and dropout.
    compute : Compute, optional
        Device and precision, by default those that `Compute.choose` chooses. Called `arithmetic` in version
        0.1.0; that name keeps working.
    threads : int, optional
        Threads of the processor, by default one for each core.
    checkpoint : path, optional
        The file of the state.
    on_epoch : callable, optional
        Called with an EpochReport after every epoch.
    """
    chosen = compute or arithmetic or Compute.choose()
    train_ids, validation_ids = (np.asarray(ids, dtype=np.int64) for ids in (train, validation))
    if not len(train_ids):
        raise InputError("expected images to train on, got none")
    return run_training(
        lambda: _ImageLearner(dataset, train_ids, validation_ids, settings, seed=seed, compute=chosen),
        device=chosen.torch_device,
        threads=thread_count(threads),
        checkpoint=checkpoint,
        on_epoch=on_epoch,
    )


class _ImageLearner(Learner[FittedImageNetwork]):
    def __init__(
        self,
        dataset: ImageDataset,
        train: Ids,
        validation: Ids,
        settings: ImageSettings,
        *,
        seed: int,
        compute: Compute,
    ) -> None:
        device = compute.torch_device
        self.settings = settings
        self.seed = seed
        self.compute = compute
        self.mirror = settings.mirror and dataset.mirrored
        self.images, self.targets = (
            torch.from_numpy(np.asarray(array)[train]).to(device)
            for array in (dataset.images, dataset.targets)
        )
        self.validation = dataset.images[validation]
        self.validation_targets = torch.from_numpy(np.asarray(dataset.targets)[validation])
        torch.manual_seed(seed)
        self.fitted = FittedImageNetwork.new(
            settings, dataset.channels, dataset.classes, Normalisation.of(dataset.images[train]), compute
        )
        self.network = self.fitted.network
        self.optimiser = torch.optim.SGD(
            self.network.parameters(),
            lr=settings.learning_rate,
            momentum=settings.momentum,
            weight_decay=settings.weight_decay,
            nesterov=True,
        )
        self.identity = run_identity(
            dataset.fingerprint, train, validation, settings.model_dump(mode="json"), seed, str(compute)
        )
        self.epochs = settings.epochs
        self.device = device
        self.scaler = compute.scaler()
        # The compiled network is beside the plain one, whose weights keep their names.
        self.forward = torch.compile(self.network, backend=_COMPILER) if compute.compiled else self.network
        self.steps_per_epoch = math.ceil(len(train) / settings.batch_size)

    def run_epoch(self, epoch: int) -> dict[str, float]:
        began, processor_began = time.perf_counter(), time.process_time()
        values = self._train(epoch)
        values["seconds"] = time.perf_counter() - began
        values["processor_seconds"] = time.process_time() - processor_began
        if len(self.validation):
            scores = self.fitted.scores(self.validation)
            values["validation_loss"] = float(F.cross_entropy(scores, self.validation_targets))
            right = scores.argmax(dim=1) == self.validation_targets
            values["validation_accuracy"] = float(right.double().mean())
        return values

    def _train(self, epoch: int) -> dict[str, float]:
        """Train for one epoch; return the mean loss and the accuracy over its images."""
        self.network.train()
        # Order and augmentation depend only on seed and epoch, so that a resumed training has the same.
        random = np.random.default_rng((self.seed, epoch))
        count = len(self.images)
        loss = torch.zeros((), dtype=torch.float64, device=self.device)
        right = torch.zeros((), dtype=torch.int64, device=self.device)
        # Batch sizes differ by one at most: the gradient of a last batch of few images would be mostly noise.
        for number, batch in enumerate(np.array_split(random.permutation(count), self.steps_per_epoch)):
            chosen = torch.from_numpy(batch).to(self.device)
            images = augment(self.images[chosen], random, crop=self.settings.crop, mirror=self.mirror)
            step = epoch * self.steps_per_epoch + number
            batch_loss, scores = self._step(step, images, self.targets[chosen])
            loss += batch_loss.double() * len(batch)
            right += (scores.argmax(dim=1) == self.targets[chosen]).sum()
        return {"loss": float(loss) / count, "accuracy": int(right) / count}

    def _step(self, step: int, images: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        """Take one step of SGD; return the loss of the mini-batch and its scores."""
        settings = self.settings
        for group in self.optimiser.param_groups:
            group["lr"] = settings.rate_at(step, settings.epochs * self.steps_per_epoch)
        self.optimiser.zero_grad(set_to_none=True)
        inputs = self.compute.to_layout(self.fitted.normalisation(images))
        with self.compute.autocast():
            scores = self.forward(inputs)
            loss = F.cross_entropy(scores, targets, label_smoothing=settings.label_smoothing)
        self.scaler.scale(loss).backward()  # type: ignore[no-untyped-call]
        self.scaler.step(self.optimiser)
        self.scaler.update()
        return loss.detach(), scores.detach()

    def extra_state(self) -> dict[str, Any]:
        return {"scaler": self.scaler.state_dict()}

    def restore_extra_state(self, described: dict[str, Any]) -> None:
        self.scaler.load_state_dict(described["scaler"])
