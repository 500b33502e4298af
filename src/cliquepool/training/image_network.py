"""A trained image network with all it takes to use it: saved to one file, and read again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch

from cliquepool.array_files import array_of_list
from cliquepool.errors import GraphError
from cliquepool.nn.image_settings import ImageSettings
from cliquepool.nn.vgg import VGG, vgg
from cliquepool.training.augmentation import Normalisation
from cliquepool.training.checkpoint import expect_weights, read_tensors, write_tensors
from cliquepool.training.compute import Arithmetic

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
    """A network, what it is made and used by, and how it computes."""

    network: VGG
    settings: ImageSettings
    classes: npt.NDArray[Any]
    normalisation: Normalisation
    arithmetic: Arithmetic

    @classmethod
    def new(
        cls,
        settings: ImageSettings,
        channels: int,
        classes: npt.NDArray[Any],
        normalisation: Normalisation,
        arithmetic: Arithmetic,
    ) -> FittedImageNetwork:
        """A network that has not learnt anything yet."""
        network = vgg(_POOLINGS[settings.arch], settings.width, len(classes), channels)
        arithmetic.placed(network)
        return cls(network, settings, classes, normalisation, arithmetic)

    @torch.no_grad()
    def scores(self, images: npt.NDArray[np.uint8]) -> Tensor:
        """The score of each class (columns) for each of the images (rows)."""
        self.network.eval()
        found = [torch.empty((0, len(self.classes)))]
        with self.arithmetic.autocast():
            for begin in range(0, len(images), _IMAGES_AT_ONCE):
                part = torch.from_numpy(np.array(images[begin : begin + _IMAGES_AT_ONCE]))
                shown = self.normalisation(part.to(self.arithmetic.place))
                found.append(self.network(self.arithmetic.laid_out(shown)).float().cpu())
        return torch.cat(found)

    def predict(self, images: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
        """The class of each image."""
        predicted: npt.NDArray[Any] = self.classes[self.scores(images).argmax(dim=1).numpy()]
        return predicted

    def accuracy(self, dataset: ImageDataset, chosen: npt.ArrayLike) -> float:
        """The share of the chosen images whose class the network gives the highest score."""
        ids = np.asarray(chosen, dtype=np.int64)
        right = self.scores(dataset.images[ids]).argmax(dim=1).numpy() == dataset.targets[ids]
        return float(right.mean())

    def save(self, path: str | PathLike[str]) -> None:
        """Write the network to one safetensors file; all of it, or nothing."""
        described = {
            "settings": self.settings.model_dump(mode="json"),
            "classes": self.classes.tolist(),
            "mean": self.normalisation.mean,
            "deviation": self.normalisation.deviation,
        }
        write_tensors(Path(path), self.network.state_dict(), _KIND, described)

    @classmethod
    def load(cls, path: str | PathLike[str], arithmetic: Arithmetic | None = None) -> FittedImageNetwork:
        """Read what `save` wrote, to compute where and how `arithmetic` says, or on what is fastest.

        Raises GraphError for a file of another kind, or a damaged one.
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
            chosen = arithmetic or Arithmetic.choose()
            fitted = cls.new(settings, channels, classes, normalisation, chosen)
            fitted.network.load_state_dict(tensors)
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise GraphError(f"{path}: expected a whole {_KIND}, got one that is not ({error})") from None
        fitted.network.eval()
        return fitted


def _numbers(values: object) -> tuple[float, ...]:
    """Take the numbers of each channel as `save` wrote them."""
    if not isinstance(values, list) or not all(type(value) is float for value in values):
        raise ValueError(f"expected a list of numbers, got {str(values)[:50]}")
    return tuple(values)
