"""External sorting: every key once, ascending, however small the blocks."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cliquepool.scale.external_sort import ExternalSort


@given(st.lists(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 20))))
def test_merged_keys_are_the_sorted_set(blocks: list[list[int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with ExternalSort(Path(folder, "runs"), 1) as keys:
            for block in blocks:
                keys.add(np.array(block, dtype=np.uint64))
            for _ in range(2):
                found = [key for part in keys.merged() for key in part.tolist()]
                assert found == sorted(set().union(*blocks))
        assert not any(Path(folder).iterdir())


def test_runs_longer_than_a_block_are_merged(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    blocks = [draw.integers(0, 30_000, 5_000).astype(np.uint64) for _ in range(4)]
    expected = np.unique(np.concatenate(blocks))
    with ExternalSort(tmp_path / "runs", 1) as keys:
        for block in blocks:
            keys.add(block)
        parts = list(keys.merged())
    assert len(parts) > 4
    assert np.array_equal(np.concatenate(parts), expected)


def test_a_full_disk_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    with ExternalSort(tmp_path / "no" / "runs", 1) as keys:
        keys.add(np.zeros(1, np.uint64))
        with pytest.raises(OSError, match="cannot write") as error:
            keys.add(np.zeros(1, np.uint64))
    assert error.value.filename == str(tmp_path / "no" / "runs")
