"""Damaged graph files: refused with the file, the line and the reason."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
from typing import TYPE_CHECKING, Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cliquepool as cp
from tests.helpers.graph_files import FORMATS, expect_refused, reuses_folder, write_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


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
    expect_refused(tmp_path / name, content, message)


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
    assert cp.Graph.from_csr(graph.indptr, graph.indices).num_edges == graph.num_edges


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
