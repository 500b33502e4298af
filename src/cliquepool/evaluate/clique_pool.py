# ruff: noqa: PLC0415 (torch is imported where something is fitted, so that plans and tables need none)
"""The clique-pool classifier as the protocols take it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cliquepool.evaluate.model import Epoch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cliquepool.data.dataset import GraphDataset
    from cliquepool.data.pooled import PooledDataset
    from cliquepool.evaluate.splits import Ids
    from cliquepool.nn import ClassifierSettings
    from cliquepool.training.graphs import FittedNetwork
    from cliquepool.training.loop import Training
    from cliquepool.training.report import EpochReport

__all__ = ["CliquePoolModel"]


@dataclass(frozen=True, slots=True)
class CliquePoolModel:
    """A graph classifier that pools by cliques; `classifier` has all its settings.

    `device` is where it trains: "cpu", "cuda" or "cuda:1". The last bits of a result depend on it, so one
    other than the processor is told among the settings.
    """

    classifier: ClassifierSettings
    device: str = "cpu"

    @property
    def name(self) -> str:
        """What tables call it."""
        return "CliquePool"

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, as JSON has them."""
        settings = self.classifier.model_dump(mode="json")
        return settings if self.device == "cpu" else settings | {"device": self.device.partition(":")[0]}

    @property
    def preparation(self) -> str:
        """Pooled data sets of as many levels are shared."""
        return f"pooled {self.classifier.pools} times"

    def prepare(self, dataset: GraphDataset) -> PooledDataset:
        """Pool all graphs ahead."""
        from cliquepool.data.pooled import PooledDataset

        return PooledDataset(dataset, levels=self.classifier.pools)

    def fit(
        self,
        prepared: PooledDataset,
        train: Ids,
        validation: Ids,
        *,
        seed: int,
        checkpoint: Path,
        on_epoch: Callable[[Epoch], None],
    ) -> _FittedCliquePool:
        """Train a network on `train` and keep the weights of its best epoch on `validation`."""
        from cliquepool.training import graphs as training

        def tell(report: EpochReport) -> None:
            assert report.validation_accuracy is not None
            on_epoch(Epoch(report.epoch, report.epochs, report.loss, report.validation_accuracy))

        fitted = training.train(
            prepared,
            train,
            validation,
            self.classifier,
            seed=seed,
            device=self.device,
            checkpoint=checkpoint,
            on_epoch=tell,
        )
        return _FittedCliquePool(prepared, fitted)


@dataclass(frozen=True, slots=True)
class _FittedCliquePool:
    prepared: PooledDataset
    fitted: Training[FittedNetwork]

    @property
    def curves(self) -> dict[str, list[float]]:
        return self.fitted.curves

    @property
    def best_epoch(self) -> int:
        return self.fitted.best_epoch

    def accuracy(self, ids: Ids) -> float:
        from cliquepool.training.graphs import accuracy

        return accuracy(self.fitted.network, self.prepared, ids)
