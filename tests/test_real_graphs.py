"""Pools of real graphs equal those of listing with igraph and greedy rounds."""

from __future__ import annotations

import gzip
import zipfile
from collections import defaultdict
from typing import TYPE_CHECKING

import igraph
import numpy as np
import pytest
from scipy import sparse

import cliquepool as cp
from tests.helpers import oracle

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.data

SMALL = [
    "graphs/biogrid-mouse.txt.gz",
    "graphs/biogrid-plant.txt.gz",
    "graphs/biogrid-fission-yeast.txt.gz",
    "graphs/biogrid-fruitfly.txt.gz",
    "graphs/biogrid-human.txt.gz",
    "graphs/ca-GrQc.txt.gz",
    "graphs/ca-CondMat.txt.gz",
    "graphs/ca-AstroPh.txt.gz",
    "graphs/ca-HepPh.txt.gz",
    "graphs/email-Enron.txt.gz",
    "dimacs/c-fat200-1.clq.gz",
    "dimacs/c-fat200-2.clq.gz",
    "dimacs/c-fat200-5.clq.gz",
    "dimacs/c-fat500-1.clq.gz",
    "dimacs/c-fat500-2.clq.gz",
    "dimacs/c-fat500-5.clq.gz",
    "dimacs/hamming6-4.clq.gz",
    "dimacs/johnson8-4-4.clq.gz",
    "dimacs/p_hat300-1.clq.gz",
]
LARGE = [
    "graphs/wiki-Vote.txt.gz",
    "graphs/biogrid-yeast.txt.gz",
    "graphs/soc-Epinions1.txt.gz",
    pytest.param("graphs/web-NotreDame.txt.gz", marks=pytest.mark.slow),
    "dimacs/brock200_2.clq.gz",
]


def read_plainly(file: Path) -> tuple[int, np.ndarray]:
    """Read the edges of a file without the library, with ids compacted in ascending order."""
    with gzip.open(file, "rt") as lines:
        pairs = [line.split()[-2:] for line in lines if line[0] in "e0123456789"]
    ids, compact = np.unique(np.array(pairs, dtype=np.int64), return_inverse=True)
    return len(ids), compact.reshape(-1, 2)


def pools_by_listing(num_nodes: int, edges: np.ndarray) -> list[oracle.Pool]:
    """List all maximal cliques with igraph, then run the greedy rounds of the definition."""
    cliques = igraph.Graph(num_nodes, edges).maximal_cliques()
    cliques_of = defaultdict(list)
    with_left = defaultdict(list)
    left = [len(clique) for clique in cliques]
    for i, clique in enumerate(cliques):
        with_left[len(clique)].append(i)
        for v in clique:
            cliques_of[v].append(i)
    assigned = [False] * num_nodes
    pools: list[frozenset[int]] = []
    for size in range(max(left), 0, -1):
        chosen = {
            frozenset(v for v in cliques[i] if not assigned[v])
            for i in with_left.pop(size, [])
            if left[i] == size
        }
        pools += chosen
        for v in set().union(*chosen):
            assigned[v] = True
            for i in cliques_of[v]:
                left[i] -= 1
                with_left[left[i]].append(i)
    return oracle.canonical(pools)


def rows(pools: cp.Ragged) -> list[oracle.Pool]:
    return [tuple(pool) for pool in pools.tolist()]


@pytest.mark.parametrize("name", [*SMALL, *LARGE])
def test_pools_are_those_of_listing_and_greedy_rounds(name: str, shared_data: Path) -> None:
    num_nodes, edges = read_plainly(shared_data / name)
    pooling = cp.clique_pool(cp.Graph.from_edges(edges, num_nodes))
    assert rows(pooling.pools) == pools_by_listing(num_nodes, edges)


@pytest.mark.parametrize("name", SMALL)
def test_coarse_edges_are_the_pairs_of_touching_pools(name: str, shared_data: Path) -> None:
    graph = cp.Graph.from_edges(read_plainly(shared_data / name)[1])
    pooling = cp.clique_pool(graph)
    if pooling.coarse.num_edges > 3_000_000:
        pytest.skip(f"{pooling.coarse.num_edges:,} coarse edges are too many to multiply out")
    n, m = graph.num_nodes, len(pooling.pools)
    A = sparse.csr_array(
        (np.ones(len(graph.indices), dtype=np.int64), graph.indices, graph.indptr), shape=(n, n)
    )
    members = (
        np.ones(len(pooling.pools.members), dtype=np.int64),
        pooling.pools.members,
        pooling.pools.offsets,
    )
    S = sparse.csr_array(members, shape=(m, n)).T
    counts = (S.T @ A @ S).tocoo()
    between = counts.row != counts.col
    expected = sparse.csr_array(
        (counts.data[between], (counts.row[between], counts.col[between])), shape=(m, m)
    )
    expected.sort_indices()
    assert 2 * pooling.coarse.num_edges == expected.nnz
    np.testing.assert_array_equal(pooling.coarse.indptr, expected.indptr)
    np.testing.assert_array_equal(pooling.coarse.indices, expected.indices)
    np.testing.assert_array_equal(pooling.coarse_weights(), expected.data)


@pytest.mark.parametrize(
    "name", ["graphs/biogrid-mouse.txt.gz", "graphs/biogrid-plant.txt.gz", "graphs/ca-GrQc.txt.gz"]
)
def test_every_level_is_that_of_listing_and_greedy_rounds(name: str, shared_data: Path) -> None:
    hierarchy = cp.clique_hierarchy(cp.read_graph(shared_data / name))
    for level in range(len(hierarchy)):
        graph = hierarchy.graph(level)
        if graph.num_edges > 200_000:
            continue
        sources = np.repeat(np.arange(graph.num_nodes), np.diff(graph.indptr))
        once = sources < graph.indices
        edges = np.column_stack([sources[once], graph.indices[once]])
        assert rows(hierarchy[level].pools) == pools_by_listing(graph.num_nodes, edges), level


@pytest.mark.parametrize(
    "name",
    [
        "graphs/ca-GrQc.txt.gz",
        "graphs/facebook_combined.txt.gz",
        "graphs/wiki-Vote.txt.gz",
        "graphs/email-Enron.txt.gz",
        "dimacs/brock200_2.clq.gz",
    ],
)
def test_pools_do_not_depend_on_node_order_or_threads(name: str, shared_data: Path) -> None:
    num_nodes, edges = read_plainly(shared_data / name)
    pools = cp.clique_pool(cp.Graph.from_edges(edges, num_nodes), threads=1).pools
    shuffled = np.random.default_rng(0).permutation(num_nodes)
    renamed = cp.clique_pool(cp.Graph.from_edges(shuffled[edges], num_nodes), threads=2).pools
    back = np.argsort(shuffled)
    assert oracle.canonical(back[pool].tolist() for pool in renamed) == rows(pools)


@pytest.mark.parametrize(
    "name", ["graphs/ca-GrQc.txt.gz", "graphs/biogrid-fission-yeast.txt.gz", "graphs/ca-AstroPh.txt.gz"]
)
def test_hierarchies_do_not_depend_on_node_order(name: str, shared_data: Path) -> None:
    num_nodes, edges = read_plainly(shared_data / name)
    hierarchy = cp.clique_hierarchy(cp.Graph.from_edges(edges, num_nodes), threads=1)
    shuffled = np.random.default_rng(0).permutation(num_nodes)
    renamed = cp.clique_hierarchy(cp.Graph.from_edges(shuffled[edges], num_nodes), threads=2)
    assert renamed.sizes == hierarchy.sizes
    assert [renamed.graph(i).num_edges for i in range(len(renamed) + 1)] == [
        hierarchy.graph(i).num_edges for i in range(len(hierarchy) + 1)
    ]


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("facebook_combined", (4039, 45689, 697, 484, 387, 307, 298, 169, 168, 1)),
        ("ca-GrQc", (5241, 2634, 1768, 1358, 1200, 1093, 1020, 988, 987, 354)),
    ],
)
def test_sizes_of_known_hierarchies(name: str, sizes: tuple[int, ...], shared_data: Path) -> None:
    hierarchy = cp.clique_hierarchy(cp.read_graph(shared_data / "graphs" / f"{name}.txt.gz"))
    assert hierarchy.sizes == sizes


def test_the_coarse_graph_of_facebook_is_kept_by_its_twin_classes(shared_data: Path) -> None:
    coarse = cp.clique_pool(cp.read_graph(shared_data / "graphs" / "facebook_combined.txt.gz")).coarse
    assert coarse.num_nodes == 45_689
    assert round(coarse.num_edges / 1e6) == 969
    assert (coarse.twins.quotient.num_nodes, coarse.twins.quotient.num_edges) == (1798, 51_198)


@pytest.mark.parametrize(
    "name",
    [
        "graphs/ca-GrQc.txt.gz",
        "graphs/ca-HepPh.txt.gz",
        "graphs/biogrid-human.txt.gz",
        "dimacs/p_hat300-1.clq.gz",
    ],
)
def test_listing_agrees_with_igraph(name: str, shared_data: Path) -> None:
    num_nodes, edges = read_plainly(shared_data / name)
    graph = cp.Graph.from_edges(edges, num_nodes)
    theirs = igraph.Graph(num_nodes, edges).maximal_cliques()
    assert set(map(frozenset, cp.maximal_cliques(graph).tolist())) == set(map(frozenset, theirs))


# Cliques of at least two nodes, as counted by igraph in the notes that come with the files.
COUNTS = [
    ("graphs/email-Enron.txt.gz", 226_859, 20),
    ("graphs/wiki-Vote.txt.gz", 459_002, 17),
    ("graphs/biogrid-yeast.txt.gz", 738_613, 33),
    ("graphs/soc-Epinions1.txt.gz", 1_775_065, 23),
    ("graphs/web-NotreDame.txt.gz", 495_947, 155),
    ("graphs/ca-AstroPh.txt.gz", 36_427, 57),
    ("dimacs/brock200_2.clq.gz", 431_586, 12),
    ("dimacs/johnson8-4-4.clq.gz", 114_690, 14),
]


@pytest.mark.parametrize(("name", "count", "largest"), COUNTS)
def test_as_many_cliques_are_counted_as_are_known(
    name: str, count: int, largest: int, shared_data: Path
) -> None:
    graph = cp.read_graph(shared_data / name)
    assert cp.count_maximal_cliques(graph, min_size=2) == count
    assert cp.clique_number(graph) == largest


@pytest.mark.parametrize(
    ("name", "largest"),
    [
        ("C125.9", 34),
        ("brock200_1", 21),
        ("brock200_4", 17),
        ("hamming8-4", 16),
        ("keller4", 11),
        ("p_hat300-3", 36),
    ],
)
def test_clique_numbers_of_hard_graphs_are_the_published_ones(
    name: str, largest: int, shared_data: Path
) -> None:
    assert cp.clique_number(cp.read_graph(shared_data / "dimacs" / f"{name}.clq.gz")) == largest


def tu_graphs(file: Path) -> list[cp.Graph]:
    name = file.stem
    with zipfile.ZipFile(file) as archive:
        pairs = np.array(archive.read(f"{name}/{name}_A.txt").replace(b",", b" ").split(), dtype=np.int64) - 1
        owner = np.array(archive.read(f"{name}/{name}_graph_indicator.txt").split(), dtype=np.int64) - 1
    edges = pairs.reshape(-1, 2)
    sizes = np.bincount(owner)
    first = np.concatenate([[0], np.cumsum(sizes)])
    edges = edges[np.argsort(owner[edges[:, 0]], kind="stable")]
    cuts = np.searchsorted(owner[edges[:, 0]], np.arange(len(sizes) + 1))
    return [
        cp.Graph.from_edges(edges[cuts[i] : cuts[i + 1]] - first[i], int(sizes[i])) for i in range(len(sizes))
    ]


@pytest.mark.parametrize(
    ("name", "averages"),
    [("ENZYMES", (32.63, 21.06, 7.98)), ("PROTEINS", (39.06, 26.38, 10.30)), ("DD", (284.32, 157.97, 57.82))],
)
def test_average_numbers_of_pools_in_data_sets(
    name: str, averages: tuple[float, ...], shared_data: Path
) -> None:
    hierarchies = cp.clique_hierarchies(tu_graphs(shared_data / "tu" / f"{name}.zip"), levels=2)
    sizes = np.array([hierarchy.sizes for hierarchy in hierarchies])
    # Two decimals, halves rounded up: ENZYMES has 12,633 pools in 600 graphs, 21.055 on average.
    assert tuple(np.floor(sizes.mean(axis=0) * 100 + 0.5) / 100) == averages
