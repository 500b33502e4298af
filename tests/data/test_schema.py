"""Arrays that are no data set are refused; a fingerprint covers all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cliquepool as cp
from cliquepool.data import GraphDataset
from cliquepool.data.schema import ARRAYS, VALUES, checked_arrays, fingerprint_of

GOOD: dict[str, Any] = {
    "node_start": np.array([0, 2, 3]),
    "indptr": np.array([0, 1, 2, 2]),
    "indices": np.array([1, 0], dtype=np.int32),
    "targets": np.array([0, 1]),
    "classes": np.array(["a", "b"]),
    "node_labels": np.array([0, 1, 0], dtype=np.int32),
    "node_label_values": np.array([3, 4]),
    "node_attributes": np.zeros((3, 2), dtype=np.float32),
}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"indices": np.array([1, 0])}, r"indices: expected int32 in 1 dimension, got int64"),
        ({"targets": None}, "targets: expected an array of int64, got None"),
        ({"node_label_values": None}, "expected node_labels and node_label_values together"),
        ({"node_start": np.array([0, 2])}, "expected node_start from 0 to 3"),
        ({"node_labels": np.zeros(2, dtype=np.int32)}, "node_labels: expected 3 entries, got 2"),
        ({"targets": np.array([0, 2])}, "targets: expected codes from -1 to 1, got 0 to 2"),
        ({"node_labels": np.array([0, -1, 0], dtype=np.int32)}, "node_labels: expected codes from 0 to 1"),
        ({"classes": np.array(["b", "a"])}, "classes: expected distinct values in ascending order"),
        ({"classes": np.array([b"a", b"b"])}, "classes: expected a list of integers, numbers or text"),
        ({"indices": np.array([1, 1], dtype=np.int32)}, "graph 0: node 1: expected no loop"),
        ({"indices": np.array([1, 2], dtype=np.int32)}, "graph 0: node 1: expected neighbours from 0 to 1"),
        ({"node_start": np.array([0, 4, 3])}, "node_start: expected offsets"),
        (
            {"node_attributes": np.array([[0, 0], [0, np.inf], [0, 0]], dtype=np.float32)},
            r"node_attributes: expected finite numbers, got \[ 0. inf\] in row 1",
        ),
    ],
)
def test_arrays_that_are_no_data_set_are_refused(wrong: dict[str, Any], message: str) -> None:
    assert len(GraphDataset.from_arrays(**GOOD)) == 2
    with pytest.raises(cp.GraphError, match=message):
        GraphDataset.from_arrays(**(GOOD | wrong))


def test_checked_arrays_are_complete_contiguous_and_read_only() -> None:
    strided = np.zeros((3, 4), dtype=np.float32)[:, ::2]
    checked = checked_arrays(GOOD | {"node_attributes": strided})
    assert set(checked) == {*ARRAYS, *VALUES}
    assert checked["edge_labels"] is None
    for array in checked.values():
        if array is not None:
            assert array.flags.c_contiguous
            assert not array.flags.writeable
    assert np.shares_memory(checked["indices"], GOOD["indices"])


@pytest.mark.parametrize("field", GOOD)
def test_the_fingerprint_covers_every_array(field: str) -> None:
    arrays = checked_arrays(GOOD)
    changed = np.array(arrays[field])
    changed.flat[0] = "z" if changed.dtype.kind == "U" else 9
    assert fingerprint_of(arrays | {field: changed}) != fingerprint_of(arrays)
    assert fingerprint_of(dict(reversed(arrays.items()))) == fingerprint_of(arrays)
