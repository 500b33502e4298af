"""HTML for notebooks: what it tells, that it is quick and harmless, and when there is a picture."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from itertools import combinations
from xml.etree import ElementTree as ET

import networkx as nx
import pytest

import cliquepool as cp

KARATE = cp.Graph.from_networkx(nx.karate_club_graph())
SCRIPT = "<script>alert('x')</script>"


class Balanced(HTMLParser):
    """Counts what is open, and collects the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(page: str) -> Balanced:
    parser = Balanced()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser


def svg(page: str) -> ET.Element:
    return ET.fromstring(page[page.index("<svg") : page.index("</svg>") + 6])


# ---- what it tells ----


def test_a_graph_shows_its_counts_and_is_drawn() -> None:
    page = KARATE._repr_html_()
    text = " ".join(read(page).text)
    assert "nodes 34 edges 78" in " ".join(text.split())
    assert "largest degree 17" in " ".join(text.split())
    assert len(list(svg(page).iter())) > 34 + 78


def test_a_pooling_shows_its_first_pools_and_is_drawn() -> None:
    page = cp.clique_pool(KARATE)._repr_html_()
    text = " ".join(" ".join(read(page).text).split())
    assert "pools 21" in text
    assert "largest pool 5" in text
    assert "0, 1, 2, 3, 7" in text
    assert "and 13 more" in text
    svg(page)


def test_a_hierarchy_shows_its_levels_and_is_drawn() -> None:
    page = cp.clique_hierarchy(KARATE)._repr_html_()
    text = " ".join(" ".join(read(page).text).split())
    assert "level nodes edges largest pool 0 34 78 1 21 53 5 2 15 27 6 3 13 78 3 4 1 0 13" in text
    svg(page)


def test_names_of_nodes_are_those_of_the_graph() -> None:
    graph = cp.Graph.from_edges([(70, 80), (80, 90), (70, 90)], compact=True)
    assert "70, 80, 90" in graph._repr_html_()
    assert "70, 80, 90" in cp.clique_pool(graph)._repr_html_()


@pytest.mark.parametrize("edges", [[], [(0, 1)]])
def test_the_smallest_graphs_have_a_representation(edges: list[tuple[int, int]]) -> None:
    graph = cp.Graph.from_edges(edges)
    for one in (graph, cp.clique_pool(graph), cp.clique_hierarchy(graph)):
        page = one._repr_html_()
        read(page)
        assert ("<svg" in page) == bool(edges)


# ---- what could be inside ----


@pytest.mark.parametrize(
    "name", [SCRIPT, "a & b", 'x" onload="y', "--><b>", "$\\frac{", "漢字", "]]>", "\x1b"]
)
def test_labels_are_text_and_never_markup_or_formulas(name: str) -> None:
    network = nx.Graph([(name, "b"), ("b", "c"), ("c", name), ("c", "d")])
    graph = cp.Graph.from_networkx(network)
    for one in (graph, cp.clique_pool(graph), cp.clique_hierarchy(graph)):
        page = one._repr_html_()
        assert read(page).tags.isdisjoint({"script", "b"})
        assert name not in page or name in {"漢字", "$\\frac{", "\x1b", "]]>"}
        assert "<svg" in page


def test_long_labels_are_cut() -> None:
    graph = cp.Graph.from_networkx(nx.Graph([("a" * 10_000, "b")]))
    page = graph._repr_html_()
    assert "a" * 100 not in page


# ---- what it costs ----


def test_a_large_graph_is_not_drawn() -> None:
    path = cp.Graph.from_edges([(node, node + 1) for node in range(5000)])
    for one in (path, cp.clique_pool(path), cp.clique_hierarchy(path, 2)):
        page = one._repr_html_()
        assert "5,001" in page
        assert "<svg" not in page
        assert len(page) < 5000


def test_a_graph_kept_by_its_twins_is_not_written_out() -> None:
    star = cp.Graph.from_edges([(0, leaf) for leaf in range(1, 200_001)])
    pooling = cp.clique_pool(star)
    coarse = pooling.coarse
    page = coarse._repr_html_()
    assert "19,999,900,000" in page  # edges: 320 GB if they were written out
    assert coarse._csr is None
    cp.clique_hierarchy(star)._repr_html_()


def test_the_coarse_graph_of_a_large_pooling_is_not_made_for_it() -> None:
    pooling = cp.clique_pool(cp.Graph.from_edges([(node, node + 1) for node in range(5000)]))
    assert "edges between pools" not in pooling._repr_html_()
    assert "coarse" not in vars(pooling)


def test_levels_are_drawn_until_one_is_large() -> None:
    hierarchy = cp.clique_hierarchy(cp.Graph.from_networkx(nx.petersen_graph()))
    assert hierarchy.sizes == (10, 15, 243, 1)
    page = hierarchy._repr_html_()
    assert "29,403" in page
    assert len(page) < 500_000
    svg(page)


def test_a_dense_graph_of_few_nodes_is_drawn() -> None:
    graph = cp.Graph.from_edges(list(combinations(range(30), 2)))
    assert "<svg" in graph._repr_html_()


# ---- without help ----


def test_pyplot_is_left_alone() -> None:
    check = (
        "import sys, cliquepool as cp\n"
        "graph = cp.Graph.from_edges([(0, 1), (1, 2)])\n"
        "pages = [one._repr_html_() for one in (graph, cp.clique_pool(graph), cp.clique_hierarchy(graph))]\n"
        "assert all('<svg' in page for page in pages)\n"
        "assert 'matplotlib.pyplot' not in sys.modules and 'networkx' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", check], check=True)


def test_without_matplotlib_there_is_the_table_alone() -> None:
    check = (
        "import sys\n"
        "sys.modules['matplotlib'] = sys.modules['contourpy'] = None\n"
        "import cliquepool as cp\n"
        "graph = cp.Graph.from_edges([(0, 1), (1, 2)])\n"
        "pages = [one._repr_html_() for one in (graph, cp.clique_pool(graph), cp.clique_hierarchy(graph))]\n"
        "assert all('<table>' in page and '<svg' not in page for page in pages)\n"
    )
    subprocess.run([sys.executable, "-c", check], check=True)
