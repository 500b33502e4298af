"""The paper's image networks as a scikit-learn estimator."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import torch
from sklearn.base import ClassifierMixin

from cliquepool.models.base import NetworkEstimator
from cliquepool.models.images import LabelledImages, images_of
from cliquepool.nn.image_settings import ImageSettings
from cliquepool.training.compute import Compute
from cliquepool.training.image_network import FittedImageNetwork
from cliquepool.training.images import train_images

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike

    import numpy as np
    import numpy.typing as npt

    from cliquepool.data.images import ImageDataset
    from cliquepool.models.images import ImageInput
    from cliquepool.nn.image_settings import Architecture
    from cliquepool.training.report import EpochReport

__all__ = ["NETWORK_NAMES", "VGGClassifier"]

NETWORK_NAMES: Final[Mapping[Architecture, str]] = {"vgg": "VGG", "vgg-clique": "VGG, clique pools"}
"""The names of the networks in records and tables."""


class VGGClassifier(ClassifierMixin, NetworkEstimator):  # type: ignore[misc]
    """Classify images of 32×32 pixels by a VGG with clique pools, or with pools of stride 2.

    The parameters are those of `cliquepool.nn.ImageSettings`, and:

    random_state
        The seed of the weights, of the order of the images, of augmentation and of dropout: an integer, a
        RandomState that a seed is drawn from in every fit, or None for another seed in every fit.
    device
        The device for training and predicting: ``"cpu"``, ``"cuda"``, ``"cuda:1"``, or ``"auto"`` for a
        graphics card if there is one.
    mixed
        Whether to compute in mixed precision; None: on a graphics card only.
    channels_last
        Whether images have their channels last in memory.
    compiled
        Whether to compile the network; None: on a graphics card only.
    threads
        Threads of the processor, on which the last bits of a result depend; None: as many as torch uses.
    verbose
        With 1, fit prints about ten lines on its progress; with 2, one line for every epoch.

    X is an array of bytes of shape (images, channels, 32, 32), or an `ImageDataset`. y has a class for each
    image; without y, the classes are those of the data set. The learning rate ends at zero, so the weights
    of the last epoch are kept.

    >>> from cliquepool.data import load_images
    >>> digits = load_images("digits")
    >>> X, y = digits.images[:40], digits.targets[:40]
    >>> model = VGGClassifier(arch="vgg", width=1 / 64, epochs=1, batch_size=8, device="cpu").fit(X, y)
    >>> model.predict(X).shape, model.predict_proba(X).shape
    ((40,), (40, 10))
    """

    settings_type = ImageSettings
    noun = "classifier of images"

    network_: FittedImageNetwork

    def __init__(
        self,
        *,
        arch: Architecture = "vgg-clique",
        width: float = 1.0,
        epochs: int = 30,
        batch_size: int = 64,
        learning_rate: float = 0.05,
        warm_up: float = 0.1,
        momentum: float = 0.9,
        weight_decay: float = 5e-4,
        label_smoothing: float = 0.0,
        crop: int = 4,
        mirror: bool = True,
        random_state: int | np.random.RandomState | None = 0,
        device: str = "auto",
        mixed: bool | None = None,
        channels_last: bool = True,
        compiled: bool | None = None,
        threads: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.arch = arch
        self.width = width
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.warm_up = warm_up
        self.momentum = momentum
        self.weight_decay = weight_decay
        self.label_smoothing = label_smoothing
        self.crop = crop
        self.mirror = mirror
        self.random_state = random_state
        self.device = device
        self.mixed = mixed
        self.channels_last = channels_last
        self.compiled = compiled
        self.threads = threads
        self.verbose = verbose

    @property
    def compute(self) -> Compute:
        """Device, precision and memory layout, as the parameters choose them on this machine."""
        return Compute.choose(
            str(self.device), mixed=self.mixed, channels_last=self.channels_last, compiled=self.compiled
        )

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The classes, in the order of the columns of `predict_proba`."""
        return self.network_.classes

    # ---- for cliquepool.evaluate ----

    @property
    def preparation(self) -> str:
        """A key of what `prepare` returns: estimators with an equal one can share it."""
        return "images"

    def prepare(self, dataset: ImageDataset) -> ImageDataset:
        """Return the data set itself: images need no preparation, and a selection of them no copy."""
        return dataset

    def describe(self) -> tuple[str, dict[str, Any]]:
        """Return the name of the model and the settings that its result depends on, for records."""
        settings = self.settings
        # Records of version 0.1.0 have this name of `compute`.
        return NETWORK_NAMES[settings.arch], settings.model_dump(mode="json") | {
            "arithmetic": str(self.compute)
        }

    # ---- fitting and predicting ----

    def fit(
        self,
        X: ImageInput,
        y: npt.ArrayLike | None = None,
        *,
        validation: tuple[ImageInput, npt.ArrayLike | None] | None = None,
        checkpoint: str | PathLike[str] | None = None,
        on_epoch: Callable[[EpochReport], None] | None = None,
    ) -> Self:
        """Train on the images X with the classes y.

        `validation`, a pair of images and their classes, only adds validation curves. With
        `checkpoint`, a file, an interrupted fit resumes. `on_epoch` is called with an EpochReport after every
        epoch.
        """
        settings = self.settings
        images = LabelledImages.of(X, y, validation)
        seed = self._draw_seed()
        result = train_images(
            images.dataset,
            images.train,
            images.validation,
            settings=settings,
            seed=seed,
            compute=self.compute,
            threads=torch.get_num_threads() if self.threads is None else self.threads,
            checkpoint=None if checkpoint is None else Path(checkpoint),
            on_epoch=self._reporter(on_epoch, settings.epochs),
        )
        self.seed_ = seed
        self.network_ = result.network
        self.curves_ = result.curves
        self.best_epoch_ = result.best_epoch
        return self

    def decision_function(self, X: ImageInput) -> npt.NDArray[np.float32]:
        """Return the score of each class (columns) for each image (rows)."""
        self._expect_fitted()
        scores: npt.NDArray[np.float32] = self.network_.scores(images_of(X)).numpy()
        return scores

    def predict_proba(self, X: ImageInput) -> npt.NDArray[np.float32]:
        """Return the probability of each class (columns) for each image (rows)."""
        probabilities: npt.NDArray[np.float32] = (
            torch.from_numpy(self.decision_function(X)).softmax(1).numpy()
        )
        return probabilities

    def predict(self, X: ImageInput) -> npt.NDArray[Any]:
        """Return the class of each image."""
        self._expect_fitted()
        return self.network_.predict(images_of(X))

    # ---- files ----

    def save(self, path: str | PathLike[str]) -> None:
        """Write the trained network to one file, atomically; `FittedImageNetwork.load` reads it too."""
        self._expect_fitted()
        self.network_.save(path)

    @classmethod
    def load(cls, path: str | PathLike[str], **parameters: Any) -> Self:
        """Read a network that `save` or `FittedImageNetwork.save` wrote; InputError for any other file.

        Settings come from the file; `parameters` are the others: `device`, `mixed` and so on. The file has
        no curves, so there is no `curves_`.
        """
        compute = cls(**parameters).compute
        fitted = FittedImageNetwork.load(path, compute)
        estimator = cls.from_settings(fitted.settings, **parameters)
        estimator.network_ = fitted
        return estimator
