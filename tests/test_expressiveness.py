"""Records of expressiveness follow the protocol, and no network exceeds the colours that bound it."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest

import cliquepool as cp
from benchmarks.brec import CATEGORIES, RECORDS, Pair
from benchmarks.brec_training import NETWORKS, Protocol, compare, hotelling_t2
from benchmarks.expressiveness import UPWARDS, upward_colours
from tests.helpers.small_graphs import sample_graphs

# The colours that bound a network; those of all others, which never unpool, are bounded by upward colours.
BOUNDS = {
    "GIN": "1-WL",
    "GIN with clique pools, up and down": "2 levels",
    "the same with GIN, share and sums": "2 levels",  # a node knows the number of its pools
}


@pytest.fixture(scope="module")
def records() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RECORDS.read_text(encoding="utf-8"))
    return found


def six_cycle_and_two_triangles() -> Pair:
    ring = cp.Graph.from_edges([(v, (v + 1) % 6) for v in range(6)])
    triangles = cp.Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
    return Pair(0, "basic", (ring, triangles))


def test_colours_are_recorded_for_every_category(records: dict[str, Any]) -> None:
    pairs = {category: found["pairs"] for category, found in records["colours"].items()}
    assert list(pairs) == list(CATEGORIES)
    assert sum(pairs.values()) == 400
    for found in records["colours"].values():
        assert found["1-WL"] == found["told from a relabelled copy"] == 0
        assert max(found["1 level"], found[UPWARDS]) <= found["2 levels"] <= found["all levels"]


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_tell_no_more_apart_than_colours(records: dict[str, Any], name: str) -> None:
    if name not in records["networks"]:
        pytest.skip("not recorded yet")
    network = records["networks"][name]
    bound = BOUNDS.get(name, UPWARDS)
    threshold = network["settings"]["threshold"]
    told_apart: Counter[str] = Counter()
    for pair in network["pairs"].values():
        if "not_run" not in pair:
            assert pair["told_apart"] == (pair["t2"] > threshold > pair["t2_of_control"])
        told_apart[pair["category"]] += pair["told_apart"]
    for category, count in told_apart.items():
        assert count <= records["colours"][category][bound], category


def test_hotelling_of_differences_computed_by_hand() -> None:
    """The mean is (1, 2); both variances are 2, and the covariance is 0."""
    differences = np.array([[-1.0, 2.0], [3.0, 2.0], [1.0, 0.0], [1.0, 4.0], [1.0, 2.0]])
    assert hotelling_t2(differences, ridge=0.0) == pytest.approx(5 * (1 / 2 + 4 / 2))
    assert hotelling_t2(differences, ridge=2.0) == pytest.approx(5 * (1 / 4 + 4 / 4))


@pytest.mark.parametrize(
    ("network", "told_apart"),
    [
        ("GIN", False),
        ("GIN with clique pools", True),
        ("GIN with clique pools, up and down", True),
        ("network of the paper", False),
    ],
)
def test_only_a_network_with_pools_tells_a_six_cycle_from_two_triangles(
    network: str, told_apart: bool
) -> None:
    found = compare(six_cycle_and_two_triangles(), network, Protocol(epochs=3))
    assert found["told_apart"] is told_apart
    assert found["t2_of_control"] < 1e-6


def test_pairs_that_are_too_large_are_named_and_not_run() -> None:
    found = compare(six_cycle_and_two_triangles(), "GIN", Protocol(most_nodes=100))
    assert found == {"category": "basic", "told_apart": False, "not_run": "576 nodes"}


def test_upward_colours_do_not_depend_on_node_numbers() -> None:
    for sample in sample_graphs(70, seed=9):
        order = list(reversed(range(sample.num_nodes)))
        one, other = (cp.clique_hierarchy(drawn.graph(), 2) for drawn in (sample, sample.relabelled(order)))
        assert upward_colours(one) == upward_colours(other)
    ring, triangles = (cp.clique_hierarchy(graph) for graph in six_cycle_and_two_triangles().graphs)
    assert upward_colours(ring) != upward_colours(triangles)
