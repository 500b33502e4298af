"""Graph files whose node ids are text: csv dialects, headers, edge lists."""

from __future__ import annotations

import csv
import io
import json
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cliquepool as cp
from tests.helpers.graph_files import expect_refused, reuses_folder

if TYPE_CHECKING:
    from pathlib import Path


FUZZ_BUDGET = cp.Budget(max_bytes=2**24)


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


def test_numbers_with_text_among_them_are_refused_unless_requested(tmp_path: Path) -> None:
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
    expect_refused(tmp_path / name, content, message)


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
    assert cp.Graph.from_csr(graph.indptr, graph.indices).num_edges == graph.num_edges


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
