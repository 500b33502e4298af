"""read_graph: files that say the same thing read the same, and broken files say where."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import pickle
import random
import threading
import zlib
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cliquepool as cp
from tests.helpers.small_graphs import Sample, graphs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FORMATS = ["edges", "csv", "dimacs", "mtx", "metis"]
SUFFIXES = {"edges": ".txt", "csv": ".csv", "dimacs": ".clq", "mtx": ".mtx", "metis": ".graph"}

# Files are written anew for each example.
reuses_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def write_text(graph: cp.Graph, form: str) -> str:
    """Write a graph as it would stand in a file of this format."""
    edges = graph.edges().tolist()
    size = f"{graph.num_nodes} {graph.num_edges}"
    if form == "edges":
        return "# u v\n" + "".join(f"{u} {v}\n" for u, v in edges)
    if form == "csv":
        return "source,target,weight\n" + "".join(f"{u},{v},{u + v / 7}\n" for u, v in edges)
    if form == "dimacs":
        return f"c a graph\np edge {size}\n" + "".join(f"e {u + 1} {v + 1}\n" for u, v in edges)
    if form == "mtx":
        header = f"%%MatrixMarket matrix coordinate pattern symmetric\n{graph.num_nodes} {size}\n"
        return header + "".join(f"{v + 1} {u + 1}\n" for u, v in edges)
    assert form == "metis"
    lines = [" ".join(str(w + 1) for w in graph.neighbours(v)) for v in range(graph.num_nodes)]
    return f"% a graph\n{size}\n" + "".join(line + "\n" for line in lines)


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
    ("suffix", "compress"),
    [("", bytes), (".gz", gzip.compress), (".xz", lzma.compress), (".bz2", bz2.compress)],
)
def test_compressed_files_are_known_by_their_bytes(
    tmp_path: Path, suffix: str, compress: Callable[[bytes], bytes]
) -> None:
    (tmp_path / "plain.txt").write_bytes(LARGE)
    expected = cp.read_graph(tmp_path / "plain.txt")
    assert expected.num_nodes == 100_003
    end_to_end = compress(LARGE[:500_000]) + compress(LARGE[500_000:])  # as cat makes them
    for content in (compress(LARGE), end_to_end):
        for name in (f"edges.txt{suffix}", "edges.txt", "edges.gz", "edges"):
            path = tmp_path / name
            path.write_bytes(content)
            assert cp.read_graph(path) == expected
            assert cp.read_graph(str(path)) == expected


def test_gzip_files_may_be_padded_with_zeros(tmp_path: Path) -> None:
    path = tmp_path / "edges.txt.gz"
    path.write_bytes(gzip.compress(b"0 1\n") + bytes(1000))
    assert cp.read_graph(path).num_edges == 1


def test_gzip_pieces_of_awkward_sizes_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "edges.txt.gz"
    text = b"".join(b"%d %d\n" % (v, v + 1) for v in range(300)) + b"0 1\n" * 3000
    path.write_bytes(gzip.compress(text[:700]) + gzip.compress(b"") + gzip.compress(text[700:]))
    for size in (2, 7, 64, 1000):
        monkeypatch.setattr("cliquepool.reading._PIECE_BYTES", size)
        assert cp.read_graph(path).num_edges == 300


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, bz2.compress])
@pytest.mark.parametrize("damage", [lambda data: data[: len(data) // 2], lambda data: data[:-1]])
def test_truncated_compressed_files_are_refused_with_their_name(
    tmp_path: Path, compress: Callable[[bytes], bytes], damage: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "damaged.txt.gz"
    path.write_bytes(damage(compress(LARGE)))
    with pytest.raises(cp.GraphError, match=r"damaged\.txt\.gz: expected whole (gzip|xz|bzip2) data, got"):
        cp.read_graph(path)


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, bz2.compress])
def test_corrupt_compressed_files_are_refused_with_their_name(
    tmp_path: Path, compress: Callable[[bytes], bytes]
) -> None:
    data = bytearray(compress(LARGE))
    middle = len(data) // 2
    for place in range(middle, middle + 50):
        data[place] ^= 0x55
    path = tmp_path / "damaged.txt.gz"
    path.write_bytes(data)
    with pytest.raises(cp.GraphError, match=r"damaged\.txt\.gz: "):
        cp.read_graph(path)


def test_junk_after_gzip_data_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "junk.gz"
    path.write_bytes(gzip.compress(b"0 1\n") + b"2 3\n")
    with pytest.raises(cp.GraphError, match="expected whole gzip data"):
        cp.read_graph(path)


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
def test_the_name_tells_the_format(tmp_path: Path, name: str, form: str) -> None:
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


# ---- what files may not hold ----

BANNER = "%%MatrixMarket matrix coordinate real general\n"

BROKEN: list[tuple[str, bytes | str, str]] = [
    ("ragged.txt", "0 1\n" * 70_000 + "2\n" + "0 1\n" * 10, "line 70001: expected 2 columns, got 1"),
    ("letters.txt", "0 1\nx y\n", "line 2: expected a node id .*, got 'x'"),
    ("floats.txt", "0 1\n0.5 1\n", "line 2: expected a node id .*, got '0.5'"),
    ("nan.txt", "0 nan\n", "line 1: expected a node id, got 'nan'"),
    ("negative.txt", "0 1\n2 -1\n", "line 2: expected a node id .*, got '-1'"),
    ("huge.txt", f"0 1\n2 {2**63}\n", "line 2: expected a node id .*, got '9223372036854775808'"),
    ("nul.txt", b"0 1\n\0\0\0\n", r"line 2: .*, got '\\x00\\x00\\x00'"),
    ("utf16.txt", "0 1\n".encode("utf-16"), "line 1: .*UTF-16"),
    ("junk.bin", bytes(range(128, 256)) * 100, r"line 1: expected a node id .*, got '\\x80"),
    ("zeros.bin", bytes(3_000_000), "line 1: expected lines of text, got more than 1048576 bytes"),
    ("names.txt", "source target\n0 1\n", "line 1: expected a node id, got 'source' .*csv"),
    ("empty.clq", "", "line 1: expected a line 'p edge"),
    ("truncated.clq", "p edge 10", "line 1: expected a number of edges .*, got the end of the line"),
    ("range.clq", "p edge 2 1\ne 1 3\n", "line 2: expected a node id from 1 to 2, got '3'"),
    ("count.clq", "p edge 3 2\ne 1 2\n", "line 3: expected 2 edges before it, as line 1 says, got 1"),
    ("empty.mtx", "", "line 1: expected '%%MatrixMarket"),
    ("dense.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n", "'coordinate', got 'array'"),
    ("wide.mtx", BANNER + "2 3 0\n", "line 2: expected a square matrix, got 2 rows and 3 columns"),
    ("count.mtx", BANNER + "2 2 5\n1 2 1\n", "line 4: expected 5 entries"),
    ("nan.mtx", BANNER + "2 2 1\n1 2 NaN\n", "line 3: expected a number, got 'NaN'"),
    ("empty.graph", "", "expected a line with the numbers of nodes and edges, got the end of the file"),
    ("range.graph", "2 1\n2\n0\n", "line 3: expected a node id from 1 to 2, got '0'"),
    ("count.graph", "2 2\n2\n1\n", "line 4: expected 2 edges"),
    ("short.graph", "5 4\n2\n", "line 3: expected 5 lines of neighbours, as line 1 says, got 1"),
]


@pytest.mark.parametrize(("name", "content", "message"), BROKEN, ids=[name for name, _, _ in BROKEN])
def test_broken_files_are_refused_with_file_line_and_reason(
    tmp_path: Path, name: str, content: bytes | str, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(cp.GraphError, match=message) as caught:
        cp.read_graph(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"# nothing\n", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)]
)
def test_an_empty_edge_list_is_an_empty_graph(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "empty.txt"
    path.write_bytes(content)
    graph = cp.read_graph(path)
    assert (graph.num_nodes, graph.num_edges, graph.labels) == (0, 0, None)


FUZZ_BUDGET = cp.Budget(max_bytes=2**24)


def read_or_refuse(path: Path, content: bytes, form: Any) -> None:
    path.write_bytes(content)
    try:
        graph = cp.read_graph(path, form, budget=FUZZ_BUDGET)
    except (cp.GraphError, cp.BudgetExceeded):  # a header may ask for billions of nodes
        return
    cp.Graph.from_csr(graph.indptr, graph.indices)


@settings(reuses_folder, max_examples=500)
@given(st.binary(max_size=300), st.sampled_from(FORMATS))
def test_random_bytes_give_a_graph_or_a_graph_error(tmp_path: Path, content: bytes, form: str) -> None:
    read_or_refuse(tmp_path / "fuzz", content, form)


@settings(reuses_folder, max_examples=500)
@given(st.text(alphabet="0123456789 \t\n,;.-+#%pec", max_size=100), st.sampled_from(FORMATS))
def test_random_text_gives_a_graph_or_a_graph_error(tmp_path: Path, content: str, form: str) -> None:
    read_or_refuse(tmp_path / "fuzz", content.encode(), form)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("compress", [bytes, gzip.compress, lzma.compress, bz2.compress])
def test_mutated_files_give_a_graph_or_a_graph_error(
    tmp_path: Path, form: str, compress: Callable[[bytes], bytes]
) -> None:
    draw = random.Random(f"{form} {compress}")
    valid = write_text(cp.Graph.from_networkx(nx.karate_club_graph()), form).encode()
    for _ in range(200):
        content = bytearray(compress(valid))
        for _ in range(draw.randint(1, 3)):
            place = draw.randrange(len(content))
            match draw.randrange(4):
                case 0:
                    content[place] = draw.randrange(256)
                case 1:
                    del content[place:]
                    content += b"\n"
                case 2:
                    del content[place : place + draw.randint(1, 20)]
                    content += b"\n"
                case _:
                    content[place:place] = draw.choice([b"9", b" ", b"\n", b"-", b"\0", b"1e3", b"\xff"])
        read_or_refuse(tmp_path / "fuzz", bytes(content), form)


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


def test_a_small_file_of_a_huge_text_is_not_held_whole(tmp_path: Path) -> None:
    path = tmp_path / "bomb.txt.gz"
    packer = zlib.compressobj(9, wbits=31)
    comment = b"#" + b"x" * 999 + b"\n"
    path.write_bytes(b"".join(packer.compress(comment * 1000) for _ in range(50)) + packer.flush())
    assert cp.read_graph(path, budget=cp.Budget(max_bytes=10**6)).num_nodes == 0


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


# ---- node ids that are text ----

FRIENDS = [("bob", "carol"), ("alice", "bob"), ("Doe, Jane", 'the "boss"'), ("é", "alice")]


def csv_text(edges: list[tuple[str, str]], delimiter: str, newline: str, header: bool) -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=newline)
    writer.writerows([("source", "target")] if header else [])
    writer.writerows(edges)
    return text.getvalue()


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("header", [True, False])
def test_csv_files_of_text_are_read_in_every_dialect(
    tmp_path: Path, delimiter: str, newline: str, mark: str, header: bool
) -> None:
    path = tmp_path / "friends.csv"
    path.write_bytes((mark + csv_text(FRIENDS, delimiter, newline, header)).encode())
    graph = cp.read_graph(path)
    assert graph == cp.Graph.from_edges(FRIENDS)
    assert graph == cp.read_graph(path, header=header) == cp.read_graph(path, ids="text", header=header)
    assert graph.labels is not None
    assert graph.labels.tolist() == ["Doe, Jane", "alice", "bob", "carol", 'the "boss"', "é"]


PRINTABLE = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6).map(str.strip)


@reuses_folder
@given(
    st.lists(st.tuples(PRINTABLE.filter(bool), PRINTABLE.filter(bool)), min_size=1, max_size=12),
    st.sampled_from([",", ";", "\t"]),
)
def test_what_the_csv_module_writes_is_read(
    tmp_path: Path, edges: list[tuple[str, str]], delimiter: str
) -> None:
    path = tmp_path / "edges.csv"
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows([("source", "target"), *edges])
    path.write_text(text.getvalue(), encoding="utf-8")
    assert cp.read_graph(path, ids="text", header=True) == cp.Graph.from_edges(edges)


def test_edge_lists_of_text_have_no_header(tmp_path: Path) -> None:
    path = tmp_path / "friends.txt"
    path.write_text("# who knows whom\nalice bob 0.5\nbob,carol 1\n7 alice x\n")
    graph = cp.read_graph(path)
    assert graph == cp.Graph.from_edges([("alice", "bob"), ("bob", "carol"), ("7", "alice")])
    path.write_text("from to\nalice bob\n")
    assert cp.read_graph(path).num_edges == 2
    assert cp.read_graph(path, header=True).num_edges == 1


def test_numbers_with_text_among_them_are_refused_unless_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "mixed.csv"
    path.write_text("source,target\n007,2\n7,alice\n")
    with pytest.raises(cp.GraphError, match=r'line 3: expected a node id .*got \'alice\' .*ids="text"'):
        cp.read_graph(path)
    graph = cp.read_graph(path, ids="text")
    assert graph.labels is not None
    assert graph.labels.tolist() == ["007", "2", "7", "alice"]
    path.write_text("alice,2\n2,7\n")  # the first edge tells
    assert cp.read_graph(path) == cp.Graph.from_edges([("alice", "2"), ("2", "7")])


TEXT_THAT_IS_REFUSED: list[tuple[str, bytes | str, str]] = [
    (
        "doubt.csv",
        "person,friend\nalice,bob\n",
        "line 1: .*'person' and 'friend', .*header=True or header=False",
    ),
    ("open.csv", 'source,target\n"alice,bob\n', "line 2: expected a column that ends with its closing quote"),
    ("empty.csv", "source,target\nalice,bob\nalice,\n", "line 3: expected a node id, got an empty column"),
    ("columns.csv", "source,target\nalice,bob\nalice,bob,1\n", "line 3: expected 2 columns, got 3"),
    ("latin.csv", "source,target\nJos\xe9,bob\n".encode("latin-1"), r"line 2: .* UTF-8, got 'Jos\\xe9'"),
    ("bell.txt", "alice bob\nbob \a\n", r"line 2: expected a node id in UTF-8, got '\\x07'"),
    ("huge.csv", f"{2**64},1\n", "line 1: expected a node id, got '18446744073709551616' .*ids=\"text\""),
]


@pytest.mark.parametrize(("name", "content", "message"), TEXT_THAT_IS_REFUSED)
def test_text_that_is_no_edges_is_refused_with_its_line(
    tmp_path: Path, name: str, content: bytes | str, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(cp.GraphError, match=message) as caught:
        cp.read_graph(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_ids_and_header_are_for_edge_lists_and_csv(tmp_path: Path) -> None:
    path = tmp_path / "a.clq"
    path.write_text("p edge 2 1\ne 1 2\n")
    with pytest.raises(
        cp.GraphError, match="expected ids and header for edge lists and csv only, got dimacs"
    ):
        cp.read_graph(path, header=False)
    with pytest.raises(cp.GraphError, match="ids: expected one of integers, text, got 'words'"):
        cp.read_graph(path, "edges", ids="words")  # type: ignore[arg-type]
    path.write_text("source,target\na,b\n")
    with pytest.raises(cp.GraphError, match="line 2: expected a node id, got 'a'"):
        cp.read_graph(path, "csv", ids="integers")


def test_text_is_read_within_its_budget(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("".join(f"node{u} node{u * 7919 % 50_021}\n" for u in range(50_021)))
    assert cp.read_graph(path).num_nodes == 50_021
    with pytest.raises(cp.BudgetExceeded, match="max_bytes"):
        cp.read_graph(path, budget=cp.Budget(max_bytes=10**6))


@settings(reuses_folder, max_examples=300)
@given(
    st.text(alphabet='ab01 \t\n\r,;"#é\ufeff', max_size=60),
    st.sampled_from(["edges", "csv"]),
    st.sampled_from([None, "integers", "text"]),
    st.sampled_from([None, True, False]),
)
def test_random_text_with_any_options_gives_a_graph_or_a_graph_error(
    tmp_path: Path, content: str, form: Any, ids: Any, header: bool | None
) -> None:
    path = tmp_path / "fuzz"
    path.write_bytes(content.encode())
    try:
        graph = cp.read_graph(path, form, ids=ids, header=header, budget=FUZZ_BUDGET)
    except cp.GraphError:
        return
    cp.Graph.from_csr(graph.indptr, graph.indices)


def test_text_labels_are_saved_and_drawn_and_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from cliquepool.cli import main  # noqa: PLC0415 (slow to import, needed here alone)

    path = tmp_path / "friends.csv"
    path.write_bytes(csv_text(FRIENDS, ",", "\n", header=True).encode())
    hierarchy = cp.clique_hierarchy(cp.read_graph(path))
    hierarchy.save(tmp_path / "h.safetensors")
    loaded = cp.Hierarchy.load(tmp_path / "h.safetensors")
    assert loaded.graph(0) == hierarchy.graph(0)
    assert pickle.loads(pickle.dumps(hierarchy.graph(0))) == hierarchy.graph(0)

    def run(*arguments: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main([*arguments])
        assert not ended.value.code
        return capsys.readouterr().out

    lines = run("cliques", str(path), "--list").splitlines()
    assert set(lines) == {"bob carol", "alice bob", '"Doe, Jane" "the \\"boss\\""', "alice é"}
    cliques = json.loads(run("cliques", str(path), "--list", "--json"))["cliques"]
    assert sorted(map(sorted, cliques)) == sorted(sorted(edge) for edge in FRIENDS)
    assert json.loads(run("pool", str(path), "--json"))["nodes"] == 6
    (tmp_path / "doubt.csv").write_text("person,friend\nalice,bob\n")
    with pytest.raises(SystemExit):
        main(["pool", str(tmp_path / "doubt.csv")])
    assert "--header or --no-header tells" in capsys.readouterr().err
    doubtful = json.loads(run("pool", str(tmp_path / "doubt.csv"), "--no-header", "--json"))
    assert doubtful["nodes"] == 4
    (tmp_path / "mixed.txt").write_text("1 2\n2 x\n")
    assert json.loads(run("pool", str(tmp_path / "mixed.txt"), "--ids", "text", "--json"))["nodes"] == 3
    for name in ("friends.csv", "dollars.txt"):
        (tmp_path / "dollars.txt").write_text("a$\\frac{$ b\n$ b\n$x$ b\n")
        run("pool", str(tmp_path / name), "--picture", str(tmp_path / "picture.svg"))
        assert "svg" in (tmp_path / "picture.svg").read_text(encoding="utf-8")


def xz_asking_for(dictionary: int) -> bytes:
    """Return a small edge list as xz data whose header has this code for the size of the dictionary."""
    data = bytearray(lzma.compress(b"0 1\n1 2\n", preset=0))
    end = 12 + 4 * (data[12] + 1)  # of the block header, which follows the 12 bytes of the stream's
    header = data[12:end]
    header[header.index(b"\x21\x01") + 2] = dictionary
    header[-4:] = zlib.crc32(header[:-4]).to_bytes(4, "little")
    return bytes(data[:12] + header + data[end:])


def test_xz_data_that_ask_for_gigabytes_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "graph.txt.xz"
    file.write_bytes(xz_asking_for(24))  # 16 MiB
    assert cp.read_graph(file).num_edges == 2
    file.write_bytes(xz_asking_for(40))  # 4 GiB
    with pytest.raises(cp.GraphError, match="expected whole xz data, got: Memory usage limit exceeded"):
        cp.read_graph(file)


@pytest.mark.parametrize("padding", [b"", bytes(8)])
def test_xz_files_end_to_end_are_read(tmp_path: Path, padding: bytes) -> None:
    parts = [lzma.compress(text) for text in (b"0 1\n" * 10**5, b"1 2\n", b"2 3\n" * 10**5)]
    file = tmp_path / "graph.txt.xz"
    file.write_bytes(padding.join(parts) + padding)
    assert cp.read_graph(file).num_edges == 3
    file.write_bytes(b"".join(parts)[:-20])
    with pytest.raises(cp.GraphError, match="expected whole xz data"):
        cp.read_graph(file)
    file.write_bytes(b"".join(parts) + b"junk")
    with pytest.raises(cp.GraphError, match="expected whole xz data"):
        cp.read_graph(file)
