"""Saved data sets: the same when loaded, and never believed when damaged."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors import safe_open

import cliquepool as cp
from cliquepool.data import GraphDataset
from tests.helpers.graph_datasets import datasets
from tests.helpers.resealed_files import resealed

SMALL = GraphDataset.from_graphs(
    [cp.Graph.from_edges([(0, 1), (1, 2)]), cp.Graph.from_edges([(0, 1)])],
    ["x", "y"],
    node_labels=[[1, 2, 1], [2, 2]],
    node_attributes=[np.ones((3, 2)), np.zeros((2, 2))],
    name="small",
)


@given(datasets(), st.booleans())
def test_a_saved_data_set_loads_the_same(dataset: GraphDataset, mmap: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "saved.safetensors")
        dataset.save(path)
        assert [file.name for file in path.parent.iterdir()] == [path.name]
        loaded = GraphDataset.load(path, mmap=mmap)
        assert loaded.fingerprint == dataset.fingerprint
        assert loaded.name == dataset.name
        assert loaded[::2].fingerprint == dataset[::2].fingerprint
        assert not loaded.indices.flags.writeable


@given(st.integers(0, 10**6), st.integers(1, 255))
def test_a_changed_byte_is_noticed_or_changes_nothing(place: int, change: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "saved")
        SMALL.save(path)
        data = bytearray(path.read_bytes())
        data[place % len(data)] ^= change
        path.write_bytes(data)
        try:
            loaded = GraphDataset.load(path)
        except cp.GraphError as error:
            assert str(error).startswith(str(path))  # noqa: PT017 (either may happen)
        else:
            assert (loaded.name, loaded.fingerprint) == (SMALL.name, SMALL.fingerprint)


@given(st.integers(0, 10**6), st.booleans())
def test_a_file_that_is_cut_or_too_long_is_refused(length: int, cut: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "saved")
        SMALL.save(path)
        data = path.read_bytes()
        path.write_bytes(data[: length % len(data)] if cut else data + b"\0" * (length % 50 + 1))
        with pytest.raises(cp.GraphError, match="expected"):
            GraphDataset.load(path)


def test_the_layout_is_that_of_safetensors(tmp_path: Path) -> None:
    SMALL.save(tmp_path / "saved.safetensors")
    with safe_open(tmp_path / "saved.safetensors", framework="numpy") as file:
        assert file.metadata()["format"] == "cliquepool.dataset"
        assert np.array_equal(file.get_tensor("indices"), SMALL.indices)
        assert np.array_equal(file.get_tensor("node_attributes"), SMALL.node_attributes)


def rewritten(path: Path, **metadata: str) -> None:
    """Write the small data set with another header, which says so consistently."""
    SMALL.save(path)
    resealed(path, lambda _, header: header.update(metadata))


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (
            {"format": "cliquepool.hierarchy"},
            "expected a file of format cliquepool.dataset, got cliquepool.hierarchy",
        ),
        ({"version": "999"}, "expected format version 2 or 1, got 999"),
        ({"fingerprint": "0" * 64}, "expected content that matches the fingerprint in the header"),
        ({"texts": "[]"}, "expected the arrays of a data set"),
        ({"texts": '{"classes": ["x", "z"]}'}, "fingerprint"),
    ],
)
def test_files_of_other_kinds_are_refused(tmp_path: Path, metadata: dict[str, str], message: str) -> None:
    rewritten(tmp_path / "saved", **metadata)
    with pytest.raises(cp.GraphError, match=message):
        GraphDataset.load(tmp_path / "saved")


def test_a_hierarchy_is_no_data_set_and_no_file_is_no_file(tmp_path: Path) -> None:
    cp.clique_hierarchy(cp.Graph.from_edges([(0, 1)])).save(tmp_path / "h.safetensors")
    with pytest.raises(cp.GraphError, match=r"expected a file of format cliquepool\.dataset"):
        GraphDataset.load(tmp_path / "h.safetensors")
    with pytest.raises(FileNotFoundError):
        GraphDataset.load(tmp_path / "none")


def test_a_valid_file_with_wrong_content_is_refused(tmp_path: Path) -> None:
    wrong = GraphDataset(
        node_start=SMALL.node_start,
        indptr=SMALL.indptr,
        indices=SMALL.indices + np.int32(1),
        targets=SMALL.targets,
        classes=SMALL.classes,
    )
    wrong.save(tmp_path / "saved")
    with pytest.raises(cp.GraphError, match="graph 0: node 1: expected no loop"):
        GraphDataset.load(tmp_path / "saved")


def test_what_cannot_be_written_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "taken"
    (target / "inside").mkdir(parents=True)
    with pytest.raises(OSError, match=r".+"):
        SMALL.save(target)
    assert [file.name for file in tmp_path.iterdir()] == ["taken"]
