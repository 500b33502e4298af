"""The image networks under the fair protocol: their records are those of before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cliquepool.evaluate import evaluate
from cliquepool.evaluate.pairs import paired_comparison
from cliquepool.evaluate.splits import derived_seed, fair_split, outer_folds
from cliquepool.models import VGGClassifier
from cliquepool.nn.image_settings import ImageSettings
from cliquepool.training.compute import Compute
from cliquepool.training.images import train_images
from tests.helpers.small_images import bars

if TYPE_CHECKING:
    from pathlib import Path

    from cliquepool.evaluate import FoldRecord

DATA = bars()
SETTINGS = ImageSettings(arch="vgg", width=1 / 64, epochs=2, batch_size=16)
PLAIN = Compute.choose("cpu")


def judged(path: Path, settings: ImageSettings = SETTINGS, jobs: int = 1) -> list[FoldRecord]:
    model = VGGClassifier.from_settings(settings, device="cpu")
    return evaluate(model, DATA, "fair", path, folds=3, seeds=1, jobs=jobs)


def test_a_record_is_what_training_by_hand_gives(tmp_path: Path) -> None:
    record = judged(tmp_path / "r.jsonl")[1]
    split = fair_split(outer_folds(DATA.targets, 3, 0), 2, DATA.targets, 0)
    trained = train_images(
        DATA,
        split.train,
        split.validation,
        settings=SETTINGS,
        seed=derived_seed(0, 2),
        compute=PLAIN,
        threads=1,
    )
    assert (record.model, record.fold, record.split_sha256) == ("VGG", 2, split.sha256)
    assert record.best_epoch == SETTINGS.epochs  # nothing is chosen
    assert record.curves["loss"] == pytest.approx(trained.curves["loss"], abs=1e-5)
    assert record.test_accuracy == trained.network.accuracy(DATA, split.test)
    assert record.settings == {**SETTINGS.model_dump(mode="json"), "arithmetic": str(PLAIN)}
    assert {"seconds", "processor_seconds"} < set(record.curves)


def test_both_networks_see_the_same_folds_also_in_processes(tmp_path: Path) -> None:
    first = judged(tmp_path / "one.jsonl")
    second = judged(tmp_path / "one.jsonl", SETTINGS.model_copy(update={"arch": "vgg-clique"}), jobs=2)
    compared = paired_comparison(first, second)
    assert [summary.run.model for summary in (compared.first, compared.second)] == [
        "VGG",
        "VGG, clique pools",
    ]
    alone = judged(tmp_path / "two.jsonl", SETTINGS.model_copy(update={"arch": "vgg-clique"}))
    for one, other in zip(second, alone, strict=True):
        assert (one.identity, one.test_accuracy) == (other.identity, other.test_accuracy)
        assert one.curves["loss"] == other.curves["loss"]
