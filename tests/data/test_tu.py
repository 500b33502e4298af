"""read_tu: what is written in the TU format reads the same, and broken files say where."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool.data import GraphDataset, read_tu
from tests.helpers.graph_datasets import datasets
from tests.helpers.tu_files import (
    COLLECTION,
    TRIANGLE_AND_EDGE,
    check_averages,
    texts_of,
    write_folder,
    write_zip,
)

if TYPE_CHECKING:
    import random


def writable(dataset: GraphDataset) -> GraphDataset | None:
    """The same as the format can say it: integers for labels, no graph without nodes."""
    filled = dataset[np.diff(dataset.node_start) > 0]
    if not len(filled) or not filled.num_edges or filled.num_classes == 0:
        return None
    if filled.node_label_values is not None and filled.node_label_values.dtype.kind == "U":
        return None
    return filled


def same(read: GraphDataset, written: GraphDataset) -> None:
    """Codes are of what occurs in a file, so values are compared, not codes."""
    read.validate()
    for field in ("node_start", "indptr", "indices", "node_attributes", "edge_attributes"):
        one, other = getattr(read, field), getattr(written, field)
        assert (one is None) == (other is None), field
        assert one is None or np.array_equal(one, other), field
    for codes, values in (
        ("targets", "classes"),
        ("node_labels", "node_label_values"),
        ("edge_labels", "edge_label_values"),
    ):
        one, other = getattr(read, codes), getattr(written, codes)
        assert (one is None) == (other is None), codes
        if one is not None:
            assert np.array_equal(getattr(read, values)[one], getattr(written, values)[other]), codes


@given(datasets(least=1), st.randoms(use_true_random=False), st.sampled_from(["folder", "deflate", "lzma"]))
def test_a_data_set_reads_as_it_was_written(
    dataset: GraphDataset, draw: random.Random, container: str
) -> None:
    written = writable(dataset)
    if written is None:
        return
    order = list(range(len(written.indices)))
    draw.shuffle(order)
    texts = texts_of(written, order, draw.choice([", ", ",", " ", "\t"]))
    if draw.random() < 0.5:
        texts = {part: text.replace("\n", "\r\n") + "\r\n" for part, text in texts.items()}
    with tempfile.TemporaryDirectory() as name:
        if container == "folder":
            path = write_folder(Path(name), texts)
        else:
            compression = zipfile.ZIP_LZMA if container == "lzma" else zipfile.ZIP_DEFLATED
            path = write_zip(Path(name, "TOY.zip"), texts, compression)
        read = read_tu(path)
    assert read.name == "TOY"
    same(read, written)


@given(datasets(least=1), st.randoms(use_true_random=False))
def test_nodes_in_any_order_are_put_in_that_of_their_graphs(
    dataset: GraphDataset, draw: random.Random
) -> None:
    written = writable(dataset)
    if written is None:
        return
    order = list(range(len(written.indices)))
    texts = texts_of(written, order)
    # Deal the nodes out anew, those of one graph in their order.
    graph_of = [int(line) for line in texts["graph_indicator"].split()]
    dealt = graph_of[:]
    draw.shuffle(dealt)
    waiting = {graph: [v for v, own in enumerate(graph_of) if own == graph] for graph in graph_of}
    line_of = {waiting[graph].pop(0): line for line, graph in enumerate(dealt)}
    inverse = sorted(line_of, key=line_of.__getitem__)
    texts["graph_indicator"] = "".join(f"{graph}\n" for graph in dealt)
    texts["A"] = "".join(
        "{}, {}\n".format(*(line_of[int(end) - 1] + 1 for end in line.split(",")))
        for line in texts["A"].splitlines()
    )
    for part in ("node_labels", "node_attributes"):
        if part in texts:
            lines = texts[part].splitlines()
            texts[part] = "".join(lines[v] + "\n" for v in inverse)
    with tempfile.TemporaryDirectory() as name:
        same(read_tu(write_folder(Path(name), texts)), written)


def test_loops_are_dropped_and_lines_of_one_edge_merged(tmp_path: Path) -> None:
    texts = TRIANGLE_AND_EDGE | {
        "A": "1, 1\n2, 1\n1, 2\n1, 2\n5, 4\n",
        "edge_labels": "9\n7\n8\n8\n7\n",
        "edge_attributes": "9\n1\n2\n6\n0.5\n",
    }
    dataset = read_tu(write_folder(tmp_path, texts))
    assert dataset.indptr.tolist() == [0, 1, 2, 2, 3, 4]
    assert dataset.edge_label_values is not None
    assert dataset.edge_label_values[dataset.edge_labels].tolist() == [7, 7, 7, 7]
    assert dataset.edge_attributes is not None
    assert dataset.edge_attributes.tolist() == [[3.0], [3.0], [0.5], [0.5]]


def test_labels_in_several_columns_become_attributes(tmp_path: Path) -> None:
    texts = TRIANGLE_AND_EDGE | {
        "node_labels": "0, 5\n1, 5\n0, 6\n1, 6\n1, 5\n",
        "node_attributes": "1.5\n2\n3\n4\n5\n",
    }
    dataset = read_tu(write_folder(tmp_path, texts))
    assert dataset.node_labels is None
    assert dataset.node_attributes is not None
    assert dataset.node_attributes.tolist()[:2] == [[1, 0, 1, 0, 1.5], [0, 1, 1, 0, 2]]


def test_graphs_without_edges_are_read(tmp_path: Path) -> None:
    dataset = read_tu(write_folder(tmp_path, TRIANGLE_AND_EDGE | {"A": ""}))
    assert (dataset.num_nodes, dataset.num_edges) == (5, 0)


def test_one_class_is_read(tmp_path: Path) -> None:
    assert read_tu(write_folder(tmp_path, TRIANGLE_AND_EDGE | {"graph_labels": "3\n3\n"})).num_classes == 1


@pytest.mark.parametrize("inside", ["raw", "TOY", "."])
def test_folders_as_pyg_and_unzip_make_them_are_read(tmp_path: Path, inside: str) -> None:
    write_folder(tmp_path / "TOY" / inside, TRIANGLE_AND_EDGE)
    assert len(read_tu(tmp_path / "TOY")) == 2


@pytest.mark.parametrize(
    ("part", "text", "message"),
    [
        ("A", None, "NAME_A.txt: expected this file, got none whose name ends with _A.txt"),
        ("graph_labels", None, "TOY_graph_labels.txt: expected this file, got none beside TOY_A.txt"),
        ("graph_indicator", None, "TOY_graph_indicator.txt: expected this file, got none beside TOY_A.txt"),
        ("A", "1, 2\n7\n", "TOY_A.txt line 2: expected 2 integers, got '7'"),
        ("A", "1, 2\n\n2, 1\n", "TOY_A.txt line 2: expected 2 integers, got an empty line"),
        ("A", "1, x\n", "TOY_A.txt line 1: expected an integer, got 'x'"),
        (
            "A",
            "1, 2\n0, 1\n",
            "TOY_A.txt line 2: expected node ids from 1 to 5, the lines of TOY_graph_indicator.txt, got 0",
        ),
        ("A", "1, 2\n5, 6\n", "TOY_A.txt line 2: expected node ids from 1 to 5"),
        ("A", "2, 4\n", "TOY_A.txt line 1: expected two nodes of one graph, got one of graph 1 and one of 2"),
        (
            "graph_indicator",
            "1\n1\n1\n2\n3\n",
            "TOY_graph_indicator.txt line 5: expected a graph from 1 to 2, the lines of TOY_graph_labels.txt",
        ),
        (
            "graph_labels",
            "1\n2\n1\n",
            "TOY_graph_labels.txt line 3: expected graph 3 to have nodes, got none in TOY_graph_indicator",
        ),
        ("graph_labels", "", "TOY_graph_labels.txt: expected the class of each graph, got no lines"),
        (
            "graph_labels",
            "1\n0.25\n",
            "TOY_graph_labels.txt line 2: expected an integer, got '0.25' (a graph has a class;",
        ),
        (
            "node_labels",
            "1\n2\n3\n",
            "TOY_node_labels.txt line 4: expected 5 lines, one for each line of TOY_graph_indicator.txt",
        ),
        ("node_attributes", "1, 2\n3, 4\n5\n", "TOY_node_attributes.txt line 3: expected 2 numbers, got '5'"),
        (
            "node_attributes",
            "1\nnan\n",
            "TOY_node_attributes.txt line 2: expected a finite number, got 'nan'",
        ),
        (
            "edge_labels",
            "1\n",
            "TOY_edge_labels.txt line 2: expected 4 lines, one for each line of TOY_A.txt",
        ),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_bad_data_sets_are_reported_in_one_line(
    tmp_path: Path, part: str, text: str | None, message: str, packed: bool
) -> None:
    texts = {key: value for key, value in (TRIANGLE_AND_EDGE | {part: text}).items() if value is not None}
    if packed:
        path = write_zip(tmp_path / "TOY.zip", texts, zipfile.ZIP_DEFLATED)
    else:
        path = write_folder(tmp_path / "TOY", texts)
    with pytest.raises(cp.GraphError) as caught:
        read_tu(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)


def test_numbers_to_predict_are_distinguished_from_classes(tmp_path: Path) -> None:
    texts = {key: value for key, value in TRIANGLE_AND_EDGE.items() if key != "graph_labels"}
    with pytest.raises(cp.GraphError, match=r"as in TOY_graph_attributes\.txt, are not supported"):
        read_tu(write_folder(tmp_path, texts | {"graph_attributes": "0.5\n1.5\n"}))


def test_archives_that_are_none_are_reported(tmp_path: Path) -> None:
    whole = write_zip(tmp_path / "TOY.zip", TRIANGLE_AND_EDGE, zipfile.ZIP_DEFLATED)
    for name, data, message in (
        ("text.zip", b"hello", "got another kind of file"),
        ("cut.zip", whole.read_bytes()[:200], "got another kind of file"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(cp.GraphError, match=message):
            read_tu(tmp_path / name)
    with pytest.raises(cp.GraphError, match="no such file"):
        read_tu(tmp_path / "none.zip")
    damaged = bytearray(whole.read_bytes())
    place = damaged.index(b"TOY_A.txt") + len(b"TOY_A.txt") + 3
    damaged[place] ^= 0xFF
    (tmp_path / "damaged.zip").write_bytes(damaged)
    with pytest.raises(cp.GraphError, match=r"damaged.zip: TOY_A.txt"):
        read_tu(tmp_path / "damaged.zip")


def test_an_archive_of_several_data_sets_is_not_guessed_at(tmp_path: Path) -> None:
    for name in ("ONE", "TWO"):
        write_folder(tmp_path / "both", TRIANGLE_AND_EDGE, name)
    with pytest.raises(cp.GraphError, match="expected one data set, got 2: ONE, TWO"):
        read_tu(tmp_path / "both")
    (tmp_path / "both").rename(tmp_path / "ONE")
    assert read_tu(tmp_path / "ONE").name == "ONE"


def test_progress_is_reported_by_file(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    read_tu(write_folder(tmp_path, TRIANGLE_AND_EDGE), progress=lambda *now: told.append(now))
    assert told == [
        ("reading TOY_graph_labels.txt", 5, 5),
        ("reading TOY_graph_indicator.txt", 10, 10),
        ("reading TOY_A.txt", 20, 20),
    ]


@pytest.mark.data
@pytest.mark.parametrize("name", [name for name in COLLECTION if name != "COLLAB"])
def test_the_collection_has_its_published_averages(shared_data: Path, name: str) -> None:
    check_averages(read_tu(shared_data / "tu" / f"{name}.zip"), name)


MEASURE = """
import sys
from pathlib import Path
from cliquepool.data import load_dataset
dataset = load_dataset(sys.argv[1], cache_dir=sys.argv[2])
# Not ru_maxrss, which starts at the size of the process that started this one.
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line)
print(peak.split()[1], len(dataset), dataset.num_edges)
"""


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is told elsewhere on other systems")
def test_collab_loads_within_2_gb_and_from_the_cache_within_half_of_one(
    shared_data: Path, tmp_path: Path
) -> None:
    arguments = [sys.executable, "-c", MEASURE, str(shared_data / "tu" / "COLLAB.zip"), str(tmp_path)]
    for most_kilobytes in (2_000_000, 500_000):
        result = subprocess.run(arguments, capture_output=True, text=True, check=True, env=dict(os.environ))
        kilobytes, graphs, edges = map(float, result.stdout.split())
        assert (graphs, edges) == (5000, 12_286_079)
        assert kilobytes < most_kilobytes
