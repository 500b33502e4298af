"""Trained image networks: scores, predictions, and the file format."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch

from cliquepool.array_files import array_of_list
from cliquepool.errors import InputError
from cliquepool.nn.image_settings import ImageSettings
from cliquepool.nn.vgg import VGG, vgg
from cliquepool.training.augmentation import Normalisation
from cliquepool.training.checkpoint import expect_weights, read_tensors, write_tensors
from cliquepool.training.compute import Compute

if TYPE_CHECKING:
    from os import PathLike

    import numpy.typing as npt
    from torch import Tensor

    from cliquepool.data.images import ImageDataset
    from cliquepool.nn.image_settings import Architecture

__all__ = ["FittedImageNetwork"]

_KIND: Final = "image network"
_POOLINGS: Final[dict[Architecture, Any]] = {"vgg": "max2", "vgg-clique": "clique"}
_IMAGES_AT_ONCE: Final = 256


@dataclass(frozen=True, slots=True, eq=False)
class FittedImageNetwork:
    """A trained network with its settings, classes and input normalisation, and how it computes."""

    network: VGG
    settings: ImageSettings
    classes: npt.NDArray[Any]
    normalisation: Normalisation
    compute: Compute

    @classmethod
    def new(
        cls,
        settings: ImageSettings,
        channels: int,
        classes: npt.NDArray[Any],
        normalisation: Normalisation,
        compute: Compute,
    ) -> FittedImageNetwork:
        """Return an untrained network, its weights drawn from torch's random numbers."""
        network = vgg(_POOLINGS[settings.arch], settings.width, len(classes), channels)
        compute.move(network)
        return cls(network, settings, classes, normalisation, compute)

    @property
    def arithmetic(self) -> Compute:
        """The name of `compute` in version 0.1.0."""
        return self.compute

    @torch.no_grad()
    def scores(self, images: npt.NDArray[np.uint8]) -> Tensor:
        """Return the score of each class (columns) for each of the images (rows)."""
        self.network.eval()
        found = [torch.empty((0, len(self.classes)))]
        with self.compute.autocast():
            for begin in range(0, len(images), _IMAGES_AT_ONCE):
                part = torch.from_numpy(np.array(images[begin : begin + _IMAGES_AT_ONCE]))
                inputs = self.normalisation(part.to(self.compute.torch_device))
                found.append(self.network(self.compute.to_layout(inputs)).float().cpu())
        return torch.cat(found)

    def predict(self, images: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
        """Return the class of each image."""
        predicted: npt.NDArray[Any] = self.classes[self.scores(images).argmax(dim=1).numpy()]
        return predicted

    def accuracy(self, dataset: ImageDataset, chosen: npt.ArrayLike) -> float:
        """Return the fraction of the chosen images whose class has the highest score."""
        ids = np.asarray(chosen, dtype=np.int64)
        right = self.scores(dataset.images[ids]).argmax(dim=1).numpy() == dataset.targets[ids]
        return float(right.mean())

    def save(self, path: str | PathLike[str]) -> None:
        """Write the network to one safetensors file, atomically."""
        described = {
            "settings": self.settings.model_dump(mode="json"),
            "classes": self.classes.tolist(),
            "mean": self.normalisation.mean,
            "deviation": self.normalisation.deviation,
        }
        write_tensors(Path(path), self.network.state_dict(), _KIND, described)

    @classmethod
    def load(
        cls,
        path: str | PathLike[str],
        compute: Compute | None = None,
        *,
        arithmetic: Compute | None = None,
    ) -> FittedImageNetwork:
        """Read a network that `save` wrote, to compute as `compute` says, by default by `Compute.choose`.

        `arithmetic` is the name of `compute` in version 0.1.0. Raises InputError for a file of another kind,
        or a damaged one.
        """
        path = Path(path)
        tensors, described = read_tensors(path, _KIND)
        try:
            normalisation = Normalisation(_numbers(described["mean"]), _numbers(described["deviation"]))
            settings = ImageSettings(**described["settings"])
            channels, classes = len(normalisation.mean), array_of_list("classes", described["classes"])
            expect_weights(
                tensors, lambda: vgg(_POOLINGS[settings.arch], settings.width, len(classes), channels)
            )
            chosen = compute or arithmetic or Compute.choose()
            fitted = cls.new(settings, channels, classes, normalisation, chosen)
            fitted.network.load_state_dict(tensors)
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise InputError(f"{path}: expected a whole {_KIND}, got one that is not ({error})") from None
        fitted.network.eval()
        return fitted


def _numbers(values: object) -> tuple[float, ...]:
    """Return one number for each channel; ValueError unless `values` are such numbers."""
    if not isinstance(values, list) or not all(type(value) is float for value in values):
        raise ValueError(f"expected a list of numbers, got {str(values)[:50]}")
    return tuple(values)
