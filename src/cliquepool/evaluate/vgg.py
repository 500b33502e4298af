# ruff: noqa: PLC0415 (torch is imported where something is fitted, so that plans and tables need none)
"""The paper's image networks as the protocols take them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from cliquepool.evaluate.model import Epoch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from cliquepool.data.images import ImageDataset
    from cliquepool.evaluate.splits import Ids
    from cliquepool.nn.image_settings import Architecture, ImageSettings
    from cliquepool.training.compute import Arithmetic
    from cliquepool.training.image_network import FittedImageNetwork
    from cliquepool.training.loop import Training
    from cliquepool.training.report import EpochReport

__all__ = ["NETWORK_NAMES", "VGGModel"]

NETWORK_NAMES: Final[Mapping[Architecture, str]] = {"vgg": "VGG", "vgg-clique": "VGG, clique pools"}
"""What tables call the networks."""


@dataclass(frozen=True, slots=True)
class VGGModel:
    """An image network with all its settings, and where and how exactly it computes."""

    network: ImageSettings
    arithmetic: Arithmetic

    @property
    def name(self) -> str:
        """What tables call it."""
        return NETWORK_NAMES[self.network.arch]

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, as JSON has them, and the arithmetic in words."""
        return self.network.model_dump(mode="json") | {"arithmetic": str(self.arithmetic)}

    @property
    def preparation(self) -> str:
        """Images are taken as they are."""
        return "images"

    def prepare(self, dataset: ImageDataset) -> ImageDataset:
        """Nothing is to be done ahead."""
        return dataset

    def fit(
        self,
        prepared: ImageDataset,
        train: Ids,
        validation: Ids,
        *,
        seed: int,
        checkpoint: Path,
        on_epoch: Callable[[Epoch], None],
    ) -> _FittedVGG:
        """Train a network on `train` to the last epoch, which is kept; `validation` chooses nothing."""
        from cliquepool.training.images import train_images

        def tell(report: EpochReport) -> None:
            assert report.validation_accuracy is not None
            on_epoch(Epoch(report.epoch, report.epochs, report.loss, report.validation_accuracy))

        fitted = train_images(
            prepared,
            train,
            validation,
            settings=self.network,
            seed=seed,
            compute=self.arithmetic,
            threads=1,
            checkpoint=checkpoint,
            on_epoch=tell,
        )
        return _FittedVGG(prepared, fitted)


@dataclass(frozen=True, slots=True)
class _FittedVGG:
    prepared: ImageDataset
    fitted: Training[FittedImageNetwork]

    @property
    def curves(self) -> dict[str, list[float]]:
        return self.fitted.curves

    @property
    def best_epoch(self) -> int:
        return len(self.fitted.curves["loss"])

    def accuracy(self, ids: Ids) -> float:
        return self.fitted.network.accuracy(self.prepared, ids)
