"""Training off the processor: the same code with torch's own operations, on a card and on "meta"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from cliquepool.data import FeatureEncoder, GraphDataset
from cliquepool.models import CliquePoolClassifier, CliquePoolRegressor
from cliquepool.nn import ClassifierSettings, GraphClassifier, kernels
from cliquepool.nn.precompute import precompute_gathered
from cliquepool.training.graphs import Training, train
from cliquepool.training.tasks import Classification, MultiLabel, Regression, Task
from tests.helpers.shape_graphs import QUICK, described
from tests.helpers.small_training import DATA, SMALL, TRAIN, VALIDATION

if TYPE_CHECKING:
    from pathlib import Path

KINDS: dict[str, dict[str, Any]] = {
    "gcn": {},
    "sage": {"convolution": "sage"},
    "max": {"reduce": "max", "normalise": False},
    "sum": {"reduce": "sum"},
    "degree": {"features": "degree"},
    "wide labels": {"hidden": 3},
}
every_kind = pytest.mark.parametrize("settings", KINDS.values(), ids=KINDS)


def settings_of(settings: dict[str, Any]) -> ClassifierSettings:
    return SMALL.model_copy(update=settings)


def tasks() -> dict[str, Task]:
    random = np.random.default_rng(0)
    return {
        "classes": Classification(torch.tensor(DATA.dataset.targets), 2),
        "labels": MultiLabel(torch.from_numpy(random.integers(2, size=(24, 3))).float()),
        "numbers": Regression(torch.from_numpy(random.normal(size=(24, 2))).float()),
    }


@pytest.fixture
def kernels_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every operation run as it does on a device that the core has no loops for."""

    def refuse(*_: Any) -> Any:
        raise AssertionError("a loop of the core was called")

    monkeypatch.setattr(kernels, "runs_in_core", lambda _: False)
    for name in kernels.__all__:
        if name != "runs_in_core":
            monkeypatch.setattr(kernels, name, refuse)


def outcome(training: Training) -> tuple[dict[str, list[float]], torch.Tensor]:
    return training.curves, training.network.scores(DATA)


@every_kind
def test_training_without_the_cores_loops_gives_the_same(
    settings: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    chosen = settings_of(settings)
    curves, scores = outcome(train(DATA, TRAIN, VALIDATION, chosen, seed=0, keep_last=True))
    request.getfixturevalue("kernels_off")
    others, other_scores = outcome(train(DATA, TRAIN, VALIDATION, chosen, seed=0, keep_last=True))
    np.testing.assert_allclose(others["loss"], curves["loss"], rtol=0.01)
    np.testing.assert_allclose(others["validation_loss"], curves["validation_loss"], rtol=0.01)
    torch.testing.assert_close(other_scores, scores, rtol=0.05, atol=0.05)


@every_kind
@pytest.mark.parametrize("ahead", [False, True], ids=["plain", "gathered ahead"])
def test_a_forward_and_a_backward_pass_need_shapes_alone(settings: dict[str, Any], ahead: bool) -> None:
    chosen = settings_of(settings)
    encoder = FeatureEncoder.fit(DATA.dataset, kind=chosen.features)
    for task in tasks().values():
        network = GraphClassifier(chosen, encoder.width, task.num_outputs)
        features = encoder.encode(DATA.dataset)
        if ahead:
            features = precompute_gathered(network.convolutions[0], DATA, features)
        batch = DATA.batch(range(24), features).to("meta")
        outputs = network.to("meta")(batch)
        assert outputs.shape == (24, task.num_outputs)
        weights = torch.ones(24, device="meta")
        task.loss(outputs, task.targets.to("meta"), weights).backward()
        assert all(
            weight.grad is not None and weight.grad.shape == weight.shape for weight in network.parameters()
        )


def test_unknown_labels_pass_without_the_cores_loops(request: pytest.FixtureRequest) -> None:
    model = CliquePoolClassifier(**QUICK, handle_unknown="ignore").fit(described("CN"))
    expected = model.predict_proba(described("CNX"))
    request.getfixturevalue("kernels_off")
    np.testing.assert_allclose(model.predict_proba(described("CNX")), expected, rtol=1e-3, atol=1e-4)


# ---- a graphics card ----

needs_card = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a graphics card")


@needs_card
@every_kind
@pytest.mark.parametrize("task", ["classes", "labels", "numbers"])
def test_a_card_trains_as_the_processor_does(settings: dict[str, Any], task: str) -> None:
    chosen, weights = settings_of(settings), np.linspace(0.5, 2, 24)
    on_cpu, on_card = (
        train(
            *(DATA, TRAIN, VALIDATION, chosen),
            seed=0,
            task=tasks()[task],
            weights=weights,
            keep_last=True,
            device=device,
        )
        for device in ("cpu", "cuda")
    )
    assert on_card.network.device.type == "cuda"
    np.testing.assert_allclose(on_card.curves["loss"], on_cpu.curves["loss"], rtol=0.02)
    torch.testing.assert_close(on_card.network.scores(DATA), on_cpu.network.scores(DATA), rtol=0.1, atol=0.1)


@needs_card
def test_a_model_of_a_card_is_saved_and_read_anywhere(tmp_path: Path) -> None:
    data: GraphDataset = described()
    for model in (
        CliquePoolClassifier(**QUICK, device="cuda").fit(data),
        CliquePoolRegressor(**QUICK, device="cuda").fit(data, np.diff(data.node_start)),
    ):
        model.save(tmp_path / "m.safetensors")
        for device in ("cpu", "cuda"):
            loaded = type(model).load(tmp_path / "m.safetensors", device=device)
            assert loaded.network_.device.type == device
            assert loaded.predict(data).shape == (12,)


@needs_card
def test_a_training_on_a_card_continues_from_its_checkpoint(tmp_path: Path) -> None:
    whole = train(DATA, TRAIN, VALIDATION, SMALL, seed=0, device="cuda", checkpoint=tmp_path / "run")
    again = train(DATA, TRAIN, VALIDATION, SMALL, seed=0, device="cuda", checkpoint=tmp_path / "run")
    assert again.resumed_from == SMALL.epochs
    assert again.curves == whole.curves
