"""`show`: what it accepts, what it refuses, and what the page holds."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import cliquepool as cp

if TYPE_CHECKING:
    from pathlib import Path

GRAPH = cp.Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4)])
HIERARCHY = cp.clique_hierarchy(GRAPH)


def header_of(page: str, name: str) -> dict[str, Any]:
    """Return the header of a part of a page."""
    found = re.search(rf'id="part-{name}">([^<]*)<', page)
    assert found, name
    content = zlib.decompress(base64.b64decode(found[1]))
    header: dict[str, Any] = json.loads(content[4 : 4 + int.from_bytes(content[:4], "little")])
    return header


def test_the_page_describes_every_level() -> None:
    page = cp.view.show(HIERARCHY, title="Five").html()
    head = header_of(page, "head")
    assert head["title"] == "Five"
    assert [level["nodes"] for level in head["levels"]] == list(HIERARCHY.sizes)
    assert [header_of(page, f"level-{i}")["nodes"] for i in range(len(HIERARCHY.sizes))] == list(
        HIERARCHY.sizes
    )


def test_two_pages_of_the_same_hierarchy_are_equal_byte_for_byte() -> None:
    again = cp.clique_hierarchy(cp.Graph.from_edges(GRAPH.edges()))
    assert cp.view.show(HIERARCHY).html() == cp.view.show(again).html()


def test_a_graph_is_pooled_first() -> None:
    assert cp.view.show(GRAPH).html() == cp.view.show(HIERARCHY).html()


def test_labels_are_those_given_or_those_of_the_graph() -> None:
    given = cp.view.show(HIERARCHY, labels=["a", "b", "c", "d", "e"]).html()
    assert header_of(given, "labels")["names"] == ["a", "b", "c", "d", "e"]
    named = cp.view.show(cp.Graph.from_edges([("x", "y")])).html()
    assert header_of(named, "labels")["names"] == ["x", "y"]
    assert header_of(cp.view.show(HIERARCHY, labels=[9, 7, 5, 3, 1]).html(), "labels")["kind"] == "integers"
    assert header_of(cp.view.show(HIERARCHY).html(), "labels")["kind"] == "numbers"


def test_colours_are_classes_or_numbers() -> None:
    colours = {"class": ["b", "a", "a", "b", "b"], "count": np.arange(5), "score": [0.5, -1, np.nan, 2, 0]}
    found = header_of(cp.view.show(HIERARCHY, colour=colours).html(), "head")["colours"]
    assert [(one["name"], one["kind"]) for one in found] == [
        ("class", "classes"),
        ("count", "classes"),
        ("score", "numbers"),
    ]
    assert found[0]["names"] == ["a", "b"]
    assert (found[2]["low"], found[2]["high"]) == (-1, 2)
    single = header_of(cp.view.show(HIERARCHY, colour=[1.0] * 5).html(), "head")["colours"]
    assert single == [{"name": "value", "kind": "numbers", "low": 1, "high": 1}]


def test_labels_that_nodes_share_are_colours_too() -> None:
    atoms = header_of(cp.view.show(HIERARCHY, labels=["C", "C", "O", "C", "O"]).html(), "head")["colours"]
    assert [(one["name"], one["names"]) for one in atoms] == [("label", ["C", "O"])]
    assert (
        header_of(cp.view.show(HIERARCHY, labels=["a", "b", "c", "d", "e"]).html(), "head")["colours"] == []
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"labels": ["a"]}, "labels: expected one for each of 5 nodes, got 1"),
        (
            {"labels": [["a"] * 5]},
            r"labels: expected one for each of 5 nodes, got an array of shape \(1, 5\)",
        ),
        ({"colour": [1.0, 2.0]}, "colour 'value': expected one for each of 5 nodes, got 2"),
        ({"colour": {"mark": [1, 2]}}, "colour 'mark': expected one for each of 5 nodes, got 2"),
    ],
)
def test_what_is_not_one_for_each_node_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(cp.InputError, match=message):
        cp.view.show(HIERARCHY, **arguments)


def test_more_classes_than_colours_are_refused() -> None:
    path = cp.Graph.from_edges([(v, v + 1) for v in range(29)])
    with pytest.raises(cp.InputError, match="at most 24 classes"):
        cp.view.show(path, colour=[f"class {v}" for v in range(30)])


def test_graphs_without_nodes_have_a_page(tmp_path: Path) -> None:
    empty = cp.Graph.from_edges(np.zeros((0, 2), dtype=np.int64), num_nodes=0)
    cp.view.show(empty).save(tmp_path / "empty.html")
    assert header_of((tmp_path / "empty.html").read_text("utf-8"), "head")["levels"][0]["nodes"] == 0
