"""The base of network classifiers: a network of one's own, its penalty, its measured sizes and its files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import cliquepool as cp
from cliquepool.models import CliquePoolClassifier
from cliquepool.models.network_classifier import NetworkClassifier
from cliquepool.nn.settings import TrainingSettings
from tests.helpers.shape_graphs import QUICK, shapes

if TYPE_CHECKING:
    from pathlib import Path

    from cliquepool.data.pooled import PooledDataset
    from cliquepool.nn.batch import Batch
    from cliquepool.nn.network_sizes import NetworkSizes

DATA = shapes()
TRAINED = {"epochs": 30, "learning_rate": 0.05, "weight_decay": 0.0}


class Sums(nn.Module):
    """A linear function of the summed features, whose penalty is a multiple of all squared weights."""

    def __init__(self, sizes: NetworkSizes, penalty: float) -> None:
        super().__init__()
        self.largest = sizes.measured["largest"]
        self.penalty = penalty
        self.linear = nn.Linear(sizes.num_features, sizes.num_outputs)

    def forward(self, batch: Batch) -> Tensor | tuple[Tensor, Tensor]:
        level = batch.levels[0]
        sums = torch.zeros(batch.num_graphs, batch.x.shape[1]).index_add_(0, level.batch, batch.x)
        outputs: Tensor = self.linear(sums / self.largest)
        if not self.penalty:
            return outputs
        return outputs, self.penalty * self.linear.weight.square().sum()


class Greedy(nn.Module):
    """A network that needs more memory than any machine has."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(1, 1)

    @staticmethod
    def forward(batch: Batch) -> Tensor:
        return torch.empty(batch.num_graphs, 1 << 50)


class SumsClassifier(NetworkClassifier):
    settings_type = TrainingSettings
    title = "Sums"

    def __init__(
        self,
        *,
        penalty: float = 0.0,
        features: Any = "auto",
        standardise: bool = True,
        learning_rate: float = 0.01,
        weight_decay: float = 0.0,
        batch_size: int = 32,
        epochs: int = 10,
        patience: int | None = None,
        epoch_by: Any = "score",
        validation_fraction: float = 0.0,
        class_weight: Any = None,
        handle_unknown: Any = "error",
        random_state: Any = 0,
        device: str = "cpu",
        verbose: int = 0,
    ) -> None:
        for name, value in locals().items():
            if name not in {"self", "__class__"}:
                setattr(self, name, value)

    def _measure(self, data: PooledDataset, training: Any) -> dict[str, int]:
        return {"largest": int(data.sizes[training, 0].max())}

    def _build(self, sizes: NetworkSizes) -> Sums:
        return Sums(sizes, self.penalty)


def test_a_network_of_ones_own_learns_and_is_saved(tmp_path: Path) -> None:
    model = SumsClassifier(**TRAINED).fit(DATA)
    assert model.score(DATA) > 0.9
    assert model.network_.sizes.measured == {"largest": int(np.diff(DATA.node_start).max())}
    model.save(tmp_path / "m.safetensors")
    again = SumsClassifier.load(tmp_path / "m.safetensors")
    assert again.network_.sizes == model.network_.sizes
    assert again.decision_function(DATA).tobytes() == model.decision_function(DATA).tobytes()


def test_a_model_is_not_read_as_another(tmp_path: Path) -> None:
    SumsClassifier(**TRAINED | {"epochs": 1}).fit(DATA).save(tmp_path / "m.safetensors")
    with pytest.raises(cp.InputError, match="it is of a SumsClassifier"):
        CliquePoolClassifier.load(tmp_path / "m.safetensors")


def test_a_penalty_is_minimised_with_the_loss_but_is_no_part_of_its_curve() -> None:
    free = SumsClassifier(**TRAINED).fit(DATA)
    bound = SumsClassifier(**TRAINED, penalty=10.0).fit(DATA)
    first, second = (model.network_.network.linear.weight.square().sum().item() for model in (bound, free))
    assert first < 0.2 * second
    assert max(bound.curves_["loss"]) < 5


def test_the_epoch_is_chosen_by_score_or_by_loss() -> None:
    kept = {
        by: CliquePoolClassifier(**QUICK | {"epochs": 40}, epoch_by=by, validation_fraction=0.5).fit(DATA)
        for by in ("score", "loss")
    }
    losses = kept["loss"].curves_["validation_loss"]
    assert kept["loss"].best_epoch_ == int(np.argmin(losses)) + 1
    scores = kept["score"].curves_["validation_accuracy"]
    assert scores[kept["score"].best_epoch_ - 1] == max(scores)
    assert "epoch_by" not in kept["score"].describe()[1]
    assert kept["loss"].describe()[1]["epoch_by"] == "loss"


def test_running_out_of_memory_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SumsClassifier, "_build", lambda *_: Greedy())
    with pytest.raises(MemoryError, match=r"out of memory while training .*: use smaller batches"):
        SumsClassifier(**TRAINED).fit(DATA)


def test_the_parameters_of_the_pooling_are_counted() -> None:
    assert SumsClassifier(**TRAINED | {"epochs": 1}).fit(DATA).num_pooling_parameters_ is None
    assert CliquePoolClassifier(**QUICK | {"epochs": 1}).fit(DATA).num_pooling_parameters_ == 0
    assert not hasattr(CliquePoolClassifier(), "num_pooling_parameters_")


def test_records_name_the_model_by_its_title() -> None:
    name, settings = SumsClassifier().describe()
    assert name == "Sums"
    assert settings["epochs"] == 10
