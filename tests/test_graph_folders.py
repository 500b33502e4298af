"""Graphs in folders: mapped, not copied; damage is an error that names the file."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import numpy as np
import pytest

import cliquepool as cp
from cliquepool.array_folders import write_folder
from cliquepool.graph_folders import FORMAT, VERSION
from cliquepool.scale import convert_graph

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "edges.txt").write_text("10 20\n20 30\n30 10\n30 40\n")
    convert_graph(tmp_path / "edges.txt", tmp_path / "graph")
    return tmp_path / "graph"


def written(path: Path, **arrays: list[int]) -> Path:
    dtypes = {"indptr": np.int64, "labels": np.int64, "label_ends": np.int64, "label_text": np.uint8}
    with write_folder(path, FORMAT, VERSION) as writer:
        for name, values in arrays.items():
            writer.append(name, np.array(values, dtype=dtypes.get(name, np.int32)))
    return path


def test_a_graph_is_mapped_and_works_like_any_other(folder: Path) -> None:
    graph = cp.Graph.open(folder)
    read = cp.read_graph(folder.parent / "edges.txt")
    assert graph == read
    assert not graph.indices.flags.owndata
    assert not graph.indices.flags.writeable
    assert graph.labels is not None
    assert not graph.labels.flags.owndata
    assert cp.clique_pool(graph).pools == cp.clique_pool(read).pools
    assert pickle.loads(pickle.dumps(graph)) == read


@pytest.mark.parametrize("name", ["indices", "indptr", "labels"])
def test_damage_names_the_file(folder: Path, name: str) -> None:
    file = folder / name
    content = file.read_bytes()
    file.write_bytes(content[:-1])
    with pytest.raises(cp.GraphError, match=f"{name}: expected .* bytes, got .*truncated"):
        cp.Graph.open(folder)
    file.write_bytes(content[:-4] + b"\1\0\0\0")
    with pytest.raises(cp.GraphError, match=f"{name}: expected content that matches its checksum"):
        cp.Graph.open(folder)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"indptr": [0, 1, 2], "indices": [1, 1]}, "expected no loop"),
        ({"indptr": [0, 1, 1], "indices": [1]}, "expected both directions"),
        ({"indptr": [0, 2, 1, 2], "indices": [1, 0]}, "expected offsets that never fall"),
        ({"indptr": [0, 1], "indices": [0, 0]}, "indptr: expected offsets from 0 to 2"),
        ({"indptr": [], "indices": []}, "indptr: expected offsets from 0 to 0"),
        ({"indptr": [0]}, "indices: expected an array of int32, got none"),
        ({"indices": [], "indptr": [0], "labels": [5]}, "expected 0 ids of nodes, got 1"),
        ({"indices": [], "indptr": [0, 0], "label_text": [255], "label_ends": [1]}, "expected text in UTF-8"),
        ({"indices": [], "indptr": [0, 0], "label_text": [65], "label_ends": [2]}, "expected ascending ends"),
    ],
)
def test_content_that_is_no_graph_is_refused(
    tmp_path: Path, arrays: dict[str, list[int]], message: str
) -> None:
    with pytest.raises(cp.GraphError, match=message):
        cp.Graph.open(written(tmp_path / "graph", **arrays))


def test_text_labels_are_decoded(tmp_path: Path) -> None:
    (tmp_path / "edges.txt").write_text("bób carol\nalice bób\n")
    convert_graph(tmp_path / "edges.txt", tmp_path / "graph")
    labels = cp.Graph.open(tmp_path / "graph").labels
    assert labels is not None
    assert labels.tolist() == ["alice", "bób", "carol"]
