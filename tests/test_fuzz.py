"""Mutated files of every kind are loaded, or refused by an error of the library, in little memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fuzz.kinds import KINDS
from tests.fuzz.running import fuzz

if TYPE_CHECKING:
    from pathlib import Path

COUNT = 250
COUNT_WITH_TORCH = 40


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=pytest.mark.slow) if KINDS[kind].needs_torch else kind for kind in KINDS],
)
def test_mutated_files_are_loaded_or_refused(kind: str, tmp_path: Path) -> None:
    count = COUNT_WITH_TORCH if KINDS[kind].needs_torch else COUNT
    report = fuzz(kind, seed=0, count=count, saved=tmp_path)
    assert report.total == count
    assert not report.findings, str(report.findings[0])


def test_mutations_are_the_same_for_the_same_seed(tmp_path: Path) -> None:
    first, second = (fuzz("graph .txt", seed=5, count=50, saved=tmp_path).outcomes for _ in range(2))
    assert first == second
    assert len(first) > 1
