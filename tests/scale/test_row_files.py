"""Files of rows are read by ranges, and refused by the name of the part where they are not whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import cliquepool as cp
from cliquepool.scale.row_files import RowFile, write_rows

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ranges_of_rows_are_read(tmp_path: Path, dtype: npt.DTypeLike) -> None:
    rows = np.arange(30, dtype=dtype).reshape(10, 3)
    write_rows(tmp_path / "rows", [rows[:4], rows[4:]], 10, rows)
    file = RowFile(tmp_path / "rows", 0, 10)
    np.testing.assert_array_equal(file.read(2, 5), rows[2:7])
    assert file.read(10, 0).shape == (0, 3)
    assert file.read(0, 1).dtype == dtype
    assert [found.name for found in tmp_path.iterdir()] == ["rows"]


def test_damaged_files_name_the_part(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    with pytest.raises(cp.GraphError, match=r"part 4: expected its features in .*, got no file"):
        RowFile(path, 4, 10)
    write_rows(path, [np.ones((10, 3))], 10, np.ones((0, 3)))
    content = path.read_bytes()
    with pytest.raises(cp.GraphError, match="part 4: expected 11 rows of features"):
        RowFile(path, 4, 11)
    path.write_bytes(content[:-1])
    with pytest.raises(cp.GraphError, match=r"part 4: expected a whole file of features .*truncated"):
        RowFile(path, 4, 10)
    path.write_bytes(content[:7])
    with pytest.raises(cp.GraphError, match="part 4: expected 10 rows of features"):
        RowFile(path, 4, 10)


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    def failing() -> object:
        yield np.ones((1, 2))
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="cannot write: No space left on device"):
        write_rows(tmp_path / "rows", failing(), 2, np.ones((0, 2)))  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
