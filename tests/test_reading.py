"""Graphs from files of every format: formats by name, budgets, progress, real files."""

from __future__ import annotations

import gzip
import lzma
import os
import threading
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import cliquepool as cp
from tests.helpers.graph_files import FORMATS, SUFFIXES, reuses_folder, write_text
from tests.helpers.small_graphs import Sample, graphs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def without_isolated_nodes(graph: cp.Graph) -> cp.Graph:
    """Renumber the graph as an edge list would: nodes without edges are not in it."""
    return cp.Graph.from_edges(graph.edges(), compact=True)


@reuses_folder
@given(graphs(), st.sampled_from(FORMATS), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_a_graph_reads_as_it_was_written(
    tmp_path: Path, sample: Sample, form: str, newline: str, ends: bool
) -> None:
    graph = sample.graph()
    text = write_text(graph, form).replace("\n", newline)
    path = tmp_path / f"graph{SUFFIXES[form]}"
    path.write_bytes((text if ends else text.removesuffix(newline)).encode())
    read = cp.read_graph(path)
    if form in {"edges", "csv"}:
        assert read == without_isolated_nodes(graph)
    else:
        assert np.array_equal(read.indptr, graph.indptr)
        assert np.array_equal(read.indices, graph.indices)
        assert read.labels is not None
        assert read.labels.tolist() == list(range(1, graph.num_nodes + 1))


@reuses_folder
@given(graphs(), st.sampled_from(["real", "complex", "integer", "pattern"]), st.booleans())
def test_matrices_that_scipy_writes_are_read(
    tmp_path: Path, sample: Sample, field: str, symmetric: bool
) -> None:
    graph = sample.graph()
    matrix = graph.to_scipy().astype(complex if field == "complex" else float if field == "real" else int)
    path = tmp_path / "matrix.mtx"
    scipy.io.mmwrite(path, matrix, field=field, symmetry="symmetric" if symmetric else "general")
    assert np.array_equal(cp.read_graph(path).edges(), graph.edges())


@reuses_folder
@given(
    st.lists(st.tuples(*[st.integers(0, 2**63 - 1) | st.integers(0, 30)] * 2), max_size=30),
    st.sampled_from([" ", "\t", ",", ";", "  ", " , ", ";\t"]),
)
def test_ids_of_an_edge_list_are_kept_as_labels(
    tmp_path: Path, edges: list[tuple[int, int]], separator: str
) -> None:
    path = tmp_path / "edges.txt"
    path.write_text("".join(f"{u}{separator}{v}\n" for u, v in edges))
    read = cp.read_graph(path)
    labels = np.arange(read.num_nodes) if read.labels is None else read.labels
    assert labels.tolist() == sorted({end for edge in edges for end in edge})
    assert {frozenset(edge) for edge in labels[read.edges()].tolist()} == {
        frozenset(edge) for edge in edges if edge[0] != edge[1]
    }
    assert read == cp.Graph.from_edges(np.array(edges, dtype=np.int64).reshape(-1, 2), compact=True)


# ---- names and compression ----

LARGE = "".join(f"{u} {u * 7919 % 100_003}\n" for u in range(100_003)).encode()


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.clq", "dimacs"),
        ("a.col.gz", "dimacs"),
        ("a.DIMACS", "dimacs"),
        ("a.mtx.xz", "mtx"),
        ("a.graph", "metis"),
        ("a.metis", "metis"),
        ("a.csv", "csv"),
        ("a.b.tsv.bz2", "csv"),
        ("a.edges", "edges"),
        ("a.el", "edges"),
        ("mtx", "edges"),
        ("a.mtx.txt", "edges"),
        ("a", "edges"),
    ],
)
def test_the_name_determines_the_format(tmp_path: Path, name: str, form: str) -> None:
    graph = cp.Graph.from_networkx(nx.petersen_graph())
    path = tmp_path / name
    path.write_text(write_text(graph, form))
    assert np.array_equal(cp.read_graph(path).edges(), graph.edges())
    other = tmp_path / "other"
    path.rename(other)
    assert np.array_equal(cp.read_graph(other, form).edges(), graph.edges())  # type: ignore[arg-type]


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        cp.GraphError, match="format: expected one of edges, csv, dimacs, mtx, metis, got 'gml'"
    ):
        cp.read_graph(tmp_path / "x", "gml")  # type: ignore[arg-type]


def test_missing_files_and_directories_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        cp.read_graph(tmp_path / "nowhere.txt")
    with pytest.raises(cp.GraphError, match="expected a file, got a directory"):
        cp.read_graph(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipes_are_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(gzip.compress(LARGE),))
    writer.start()
    assert cp.read_graph(pipe, progress=lambda *_: None).num_nodes == 100_003
    writer.join()


# ---- budget and progress ----


def test_reading_stays_within_its_budget(tmp_path: Path) -> None:
    path = tmp_path / "nodes.clq"
    path.write_text("p edge 2147483647 1\ne 1 2147483647\n")
    with pytest.raises(cp.BudgetExceeded, match=r"max_bytes reached while reading .*nodes\.clq"):
        cp.read_graph(path)
    (tmp_path / "large.txt").write_bytes(LARGE)
    with pytest.raises(cp.BudgetExceeded, match="max_bytes"):
        cp.read_graph(tmp_path / "large.txt", budget=cp.Budget(max_bytes=10**6))
    with pytest.raises(cp.BudgetExceeded, match="max_seconds"):
        cp.read_graph(tmp_path / "large.txt", budget=cp.Budget(max_seconds=0))


@pytest.mark.parametrize("compress", [bytes, gzip.compress, lzma.compress])
def test_progress_ends_at_the_size_of_the_file(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "edges.txt"
    path.write_bytes(compress(LARGE))
    calls: list[tuple[int, int]] = []
    cp.read_graph(path, progress=lambda done, total: calls.append((done, total)))
    assert calls == sorted(calls)
    assert calls[-1] == (path.stat().st_size,) * 2


# ---- real files ----


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "nodes", "edges", "first_label"),
    [
        ("graphs/ca-GrQc.txt.gz", 5_241, 14_484, 13),
        ("graphs/facebook_combined.txt.gz", 4_039, 88_234, None),
        ("graphs/wiki-Vote.txt.gz", 7_115, 100_762, 3),
        ("graphs/soc-Epinions1.txt.gz", 75_879, 405_740, 0),
        ("graphs/web-NotreDame.txt.gz", 325_729, 1_090_108, None),
        ("dimacs/keller4.clq.gz", 171, 9_435, 1),
        ("dimacs/C250.9.clq.gz", 250, 27_984, 1),
        ("dimacs/MANN_a27.clq.gz", 378, 70_551, 1),
    ],
)
def test_real_files_have_their_published_sizes(
    shared_data: Path, name: str, nodes: int, edges: int, first_label: int | None
) -> None:
    graph = cp.read_graph(shared_data / name)
    assert (graph.num_nodes, graph.num_edges) == (nodes, edges)
    assert (None if graph.labels is None else int(graph.labels[0])) == first_label
    cp.Graph.from_csr(graph.indptr, graph.indices)


@pytest.mark.data
def test_an_edge_list_reads_as_numpy_reads_it(shared_data: Path) -> None:
    path = shared_data / "graphs" / "ca-AstroPh.txt.gz"
    expected = cp.Graph.from_edges(np.loadtxt(path, dtype=np.int64), compact=True)
    assert cp.read_graph(path) == expected
