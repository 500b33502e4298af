"""The kinds of files that trainings leave: models, checkpoints, networks, records."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import cliquepool as cp
from tests.fuzz.file_kinds import saved, small_dataset
from tests.fuzz.kind import Kind, changed_bytes, resealed_bytes
from tests.helpers.small_images import two_images

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fuzz.kind import Files


def _model() -> Any:
    from cliquepool.models import CliquePoolClassifier  # noqa: PLC0415

    return CliquePoolClassifier(hidden=2, mlp=(2,), pools=1, epochs=1, validation_fraction=0)


def _load_model(folder: Path) -> object:
    from cliquepool.models import CliquePoolClassifier  # noqa: PLC0415

    model = CliquePoolClassifier.load(folder / "m.safetensors")
    with contextlib.suppress(cp.InputError):  # it may be one for other features
        model.predict(small_dataset())
    return repr(model)


def _load_checkpoint(folder: Path) -> object:
    """Resume from the checkpoint of a finished training."""
    return _model().fit(small_dataset(), checkpoint=folder / "c.safetensors").curves_


def _save_network(path: Path) -> None:
    from cliquepool.nn.image_settings import ImageSettings  # noqa: PLC0415
    from cliquepool.training.images import train_images  # noqa: PLC0415

    settings = ImageSettings(width=1 / 64, epochs=1, batch_size=2)
    train_images(two_images(), [0, 1], settings=settings, seed=0).network.save(path)


def _load_network(folder: Path) -> object:
    from cliquepool.training.image_network import FittedImageNetwork  # noqa: PLC0415

    return FittedImageNetwork.load(folder / "n.safetensors").predict(two_images().images[:1])


# ---- records ----


def _record(fold: int, protocol: str) -> str:
    from cliquepool.evaluate import FoldRecord  # noqa: PLC0415

    return FoldRecord(
        protocol=protocol,  # type: ignore[arg-type]
        dataset="TOY",
        fingerprint="0" * 64,
        model="small",
        settings={"rate": 0.5},
        candidates=[{"rate": 0.5}],
        candidate_accuracies=[0.5],
        folds=2,
        fold=fold,
        seed=0,
        split_seed=0,
        split_sha256=f"{fold:064}",
        curves={"loss": [1.5, 0.5, 0.25], "validation_accuracy": [0.25, 0.5, 0.5]},
        best_epoch=2,
        validation_accuracy=0.5,
        test_accuracy=0.75 if protocol == "fair" else None,
        seconds=1.5,
        finished_at="2020-01-01T00:00:00+00:00",
        versions={"cliquepool": "0"},
    ).model_dump_json()


def _record_samples(_: Path) -> list[Files]:
    return [
        {"r.jsonl": "".join(f"{_record(fold, protocol)}\n" for fold in (1, 2)).encode()}
        for protocol in ("paper", "fair")
    ]


def _load_records(folder: Path) -> object:
    from cliquepool.evaluate import read_records, summarise  # noqa: PLC0415
    from cliquepool.evaluate.tables import markdown_table, table_rows  # noqa: PLC0415

    records = read_records([folder / "r.jsonl"])
    return [str(summary.figure) for summary in summarise(records)], markdown_table(table_rows(records))


TRAINING_KINDS = (
    Kind("records", _record_samples, _load_records, changed_bytes, needs_torch=True),
    Kind(
        "model",
        saved("m.safetensors", lambda path: _model().fit(small_dataset()).save(path), "model.safetensors"),
        _load_model,
        resealed_bytes,
        needs_torch=True,
    ),
    Kind(
        "checkpoint",
        saved("c.safetensors", lambda path: _model().fit(small_dataset(), checkpoint=path)),
        _load_checkpoint,
        resealed_bytes,
        needs_torch=True,
    ),
    Kind(
        "image network",
        saved("n.safetensors", _save_network),
        _load_network,
        resealed_bytes,
        needs_torch=True,
    ),
)
