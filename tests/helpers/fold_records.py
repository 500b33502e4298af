"""Records of folds to test with."""

from __future__ import annotations

from typing import Any

from cliquepool.evaluate import FoldRecord


def record(fold: int = 1, **changes: Any) -> FoldRecord:
    content: dict[str, Any] = {
        "protocol": "fair",
        "dataset": "TOY",
        "fingerprint": "0" * 64,
        "model": "small",
        "settings": {"rate": 0.5},
        "candidates": [{"rate": 0.5}],
        "candidate_accuracies": [0.5],
        "folds": 10,
        "fold": fold,
        "seed": 0,
        "split_seed": 0,
        "split_sha256": f"{fold:064}",
        "curves": {"validation_accuracy": [0.25, 0.5]},
        "best_epoch": 2,
        "validation_accuracy": 0.5,
        "test_accuracy": 0.75,
        "seconds": 1.5,
        "finished_at": "2020-01-01T00:00:00+00:00",
        "versions": {"cliquepool": "0"},
    }
    return FoldRecord.model_validate(content | changes)


def without_times(records: list[FoldRecord]) -> list[dict[str, Any]]:
    return [record.model_dump(exclude={"seconds", "finished_at", "cost"}) for record in records]


def enzymes_run(folds: int = 4, **changes: Any) -> list[FoldRecord]:
    """A run of the clique-pool classifier on ENZYMES: accuracies from 0.50 on, by 0.01."""
    base = {"dataset": "ENZYMES", "model": "CliquePool", "folds": folds}
    return [record(fold, test_accuracy=0.49 + fold / 100, **(base | changes)) for fold in range(1, folds + 1)]


def enzymes_paper_run(folds: int = 4) -> list[FoldRecord]:
    """The same under the paper protocol, without test accuracies."""
    changes = {"dataset": "ENZYMES", "model": "CliquePool", "protocol": "paper", "folds": folds}
    return [
        record(fold, **changes).model_copy(update={"test_accuracy": None}) for fold in range(1, folds + 1)
    ]
