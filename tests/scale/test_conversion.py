"""Conversion to folders: the graph of `read_graph`, in constant memory, whole or not at all."""

from __future__ import annotations

import gzip
import os
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool.scale import conversion, convert_graph, external_sort
from tests.helpers.graph_files import FORMATS, SUFFIXES, write_text
from tests.helpers.random_edges import random_edges

few_examples = settings(max_examples=30)
IDS = st.integers(0, 12) | st.integers(0, 2**40) | st.just(2**62)
NAMES = st.text(st.sampled_from("abz_é𝄞Z"), min_size=1, max_size=3)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def converted(content: bytes, name: str = "edges.txt", **options: object) -> None:
    """Check that a file converts to the graph that `read_graph` reads."""
    with tempfile.TemporaryDirectory() as parent:
        file, folder = Path(parent, name), Path(parent, "graph")
        file.write_bytes(content)
        expected = cp.read_graph(file, **options)
        opened = [convert_graph(file, folder, **options), cp.Graph.open(folder, validate=True)]
        for graph in opened:
            assert graph == expected
            assert graph.indices.dtype == np.int32
            assert graph.indptr.dtype == np.int64
            labels, read = graph.labels, expected.labels
            assert (labels is None) == (read is None)
            if labels is not None and read is not None:
                assert (labels.dtype, labels.tolist()) == (read.dtype, read.tolist())
        assert names_in(Path(parent)) == sorted([name, "graph"])


@pytest.fixture(autouse=True)
def _blocks_of_few_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make blocks, pieces and runs so short that even small graphs have several."""
    monkeypatch.setattr(conversion, "_BLOCK", 3)
    monkeypatch.setattr(conversion, "_BYTES_PER_EDGE", 2**28)
    monkeypatch.setattr(external_sort, "_LEAST_BLOCK", 2)
    monkeypatch.setattr("cliquepool.reading._PIECE_BYTES", 20)
    monkeypatch.setattr(os, "fsync", lambda _: None)  # slow, and of no matter here


@given(st.lists(st.tuples(IDS, IDS)))
def test_integer_ids_are_compacted_as_read_graph_does(edges: list[tuple[int, int]]) -> None:
    converted("".join(f"{u} {v}\n" for u, v in edges).encode())


@given(st.lists(st.tuples(NAMES, NAMES)))
def test_text_ids_are_kept_as_read_graph_does(edges: list[tuple[str, str]]) -> None:
    converted("".join(f"{u}\t{v}\n" for u, v in edges).encode(), ids="text")


@pytest.mark.parametrize("form", FORMATS)
@few_examples
@given(drawn=random_edges(8))
def test_every_format_is_converted(form: str, drawn: tuple[int, list[tuple[int, int]]]) -> None:
    text = write_text(cp.Graph.from_edges(drawn[1], num_nodes=drawn[0]), form).encode()
    converted(text, f"graph_file{SUFFIXES[form]}")


def test_compressed_files_are_converted() -> None:
    converted(gzip.compress(b"3 4\n4 5\n9 3\n"), "edges.txt.gz")
    converted(b"", "empty.txt")


def test_counts_that_a_file_states_are_checked(tmp_path: Path) -> None:
    (tmp_path / "wrong.clq").write_text("p edge 3 5\ne 1 2\ne 2 3\n")
    with pytest.raises(cp.GraphError, match=r"wrong\.clq: line 4: expected 5 edges .* got 2"):
        convert_graph(tmp_path / "wrong.clq", tmp_path / "graph")
    assert names_in(tmp_path) == ["wrong.clq"]


def test_bad_input_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "edges.txt"
    file.write_text("1 2\n2 3\nx\n")
    with pytest.raises(cp.GraphError, match=r"edges\.txt: line 3: expected"):
        convert_graph(file, tmp_path / "graph")
    with pytest.raises(ValueError, match="memory: expected at least 65536 bytes, got 5"):
        convert_graph(file, tmp_path / "graph", memory=5)
    with pytest.raises(FileExistsError):
        convert_graph(file, tmp_path)
    assert names_in(tmp_path) == ["edges.txt"]


def test_limits_and_interrupts_leave_nothing(tmp_path: Path) -> None:
    file = tmp_path / "edges.txt"
    file.write_text("".join(f"{u} {u + 1}\n" for u in range(50)))
    with pytest.raises(cp.BudgetExceeded, match=r"converting .*edges\.txt"):
        convert_graph(file, tmp_path / "graph", budget=cp.Budget(max_seconds=0))
    with pytest.raises(cp.BudgetExceeded, match="max_bytes"):
        convert_graph(file, tmp_path / "graph", ids="text", budget=cp.Budget(max_bytes=10))
    stages: list[str] = []

    def interrupt(stage: str, done: int, total: int) -> None:
        stages.append(stage)
        assert 0 <= done <= total or not total
        if stage == "writing rows":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        convert_graph(file, tmp_path / "graph", progress=interrupt)
    assert {"reading edges.txt", "sorting edges", "sorting node ids"} <= set(stages)
    assert names_in(tmp_path) == ["edges.txt"]
