"""The oracle is correct, by hand-checked cases and by trying all subsets of the nodes of small graphs."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import pytest
from networkx.generators.atlas import graph_atlas_g

from tests.helpers import oracle

ATLAS = [oracle.graph_of(len(g), g.edges) for g in graph_atlas_g()]


def cliques_among_all_subsets(graph: oracle.Neighbours) -> set[frozenset[int]]:
    nodes = range(len(graph))
    cliques = [
        frozenset(subset)
        for size in range(1, len(graph) + 1)
        for subset in combinations(nodes, size)
        if all(v in graph[u] for u, v in combinations(subset, 2))
    ]
    return {clique for clique in cliques if not any(clique <= graph[v] for v in nodes if v not in clique)}


def test_cliques_are_those_found_by_trying_every_subset() -> None:
    for graph in ATLAS:
        found = oracle.maximal_cliques(graph)
        assert len(set(found)) == len(found)
        assert set(found) == cliques_among_all_subsets(graph)


def test_taking_the_largest_remainders_equals_deleting_maximum_cliques() -> None:
    for graph in ATLAS:
        assert oracle.pools_of(graph) == oracle.pools_by_deletion(graph)
    for seed in range(300):
        graph = oracle.graph_of(12, nx.gnp_random_graph(12, (seed % 10 + 1) / 11, seed=seed).edges)
        assert oracle.pools_of(graph) == oracle.pools_by_deletion(graph)


def test_maximal_cliques_of_a_rest_are_the_inclusion_maximal_remainders() -> None:
    for graph in ATLAS:
        if len(graph) > 5:
            break
        cliques = oracle.maximal_cliques(graph)
        for size in range(len(graph) + 1):
            for kept in combinations(range(len(graph)), size):
                rest = nx.Graph()
                rest.add_nodes_from(kept)
                rest.add_edges_from((u, v) for u, v in combinations(kept, 2) if v in graph[u])
                remainders = {clique & set(kept) for clique in cliques} - {frozenset()}
                maximal = {r for r in remainders if not any(r < other for other in remainders)}
                assert maximal == set(map(frozenset, nx.find_cliques(rest)))


def test_the_first_figure_of_the_paper() -> None:
    names = "ABCDEFGHIJ"
    edges = ["AB", "AC", "BC", "AI", "BD", "DE", "DF", "DG", "EF", "EG", "FG", "FH", "CH", "HJ", "CJ"]
    graph = oracle.graph_of(10, [(names.index(u), names.index(v)) for u, v in edges])
    made = oracle.hierarchy(graph)
    assert ["".join(names[v] for v in pool) for pool in made[0].pools] == ["DEFG", "ABC", "CHJ", "I"]
    assert oracle.edges_of(made[0].coarse) == [(0, 1), (0, 2), (1, 2), (1, 3)]
    assert made[1].pools == [(0, 1, 2), (3,)]
    assert made[2].pools == [(0, 1)]
    assert len(made) == 3
    assert oracle.receptive_field(made, 2, 0) == [names.index(c) for c in "ABCDEFGHJ"]
    assert oracle.receptive_field(made, 3, 0) == list(range(10))


def test_remainders_are_ranked_by_what_is_left_of_them() -> None:
    edges = [*combinations(range(4), 2), *combinations((3, 4, 5), 2), *combinations((5, 6, 7), 2)]
    pools = oracle.pools_of(oracle.graph_of(9, edges))
    assert pools == [(0, 1, 2, 3), (5, 6, 7), (4,), (8,)]


@pytest.mark.parametrize(
    ("graph", "sizes"),
    [
        (nx.path_graph(16), [16, 15, 13, 9, 1]),
        (nx.petersen_graph(), [10, 15, 243, 1]),
        (nx.complete_bipartite_graph(5, 5), [10, 25, 1]),
    ],
    ids=["path of 16", "Petersen", "K5,5"],
)
def test_sizes_of_known_hierarchies(graph: nx.Graph, sizes: list[int]) -> None:
    made = oracle.hierarchy(oracle.graph_of(len(graph), graph.edges))
    assert [len(graph), *(len(level.pools) for level in made)] == sizes


def test_twins_have_equal_closed_neighbourhoods() -> None:
    diamond = oracle.graph_of(4, [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)])
    assert oracle.twin_classes(diamond) == [[0, 2], [1], [3]]


def test_weights_count_the_edges_behind_a_coarse_edge() -> None:
    two_triangles = oracle.graph_of(
        6, [*combinations(range(3), 2), *combinations(range(3, 6), 2), (0, 3), (1, 3)]
    )
    assert oracle.coarse_weight(two_triangles, (0, 1, 2), (3, 4, 5)) == 2
    assert oracle.coarse_weight(oracle.graph_of(3, [(0, 1), (1, 2)]), (0, 1), (1, 2)) == 2


def test_components_partition_the_nodes() -> None:
    assert oracle.components(oracle.graph_of(5, [(0, 2), (3, 4)])) == [[0, 2], [1], [3, 4]]
