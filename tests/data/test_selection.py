"""Selections: the source itself, and ids as an array."""

from __future__ import annotations

import numpy as np

from cliquepool.data.selection import Selection


def test_a_selection_has_its_source_and_ids_without_a_copy() -> None:
    source, ids = np.eye(4), np.array([3, 1], dtype=np.int64)
    chosen = Selection(source, ids)
    assert chosen.source is source
    assert chosen.ids is ids
    assert len(chosen) == 2
    assert Selection(source, [2, 0]).ids.dtype == np.int64  # type: ignore[arg-type]
