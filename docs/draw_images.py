"""Draws the pictures of the documentation and the README: ``python docs/draw_images.py``."""

from pathlib import Path

import networkx as nx
from PIL import Image

import cliquepool as cp
from cliquepool.view import draw_hierarchy

IMAGES = Path(__file__).parent / "images"

# The graph of the paper's first figure, where its nodes stand there (in TikZ, y downwards).
PAPER_EDGES = ["AB", "AC", "BC", "AI", "BD", "DE", "DF", "DG", "EF", "EG", "FG", "FH", "CH", "HJ", "CJ"]
PAPER_PLACES = {
    "A": (67, 101),
    "B": (93, 116),
    "C": (63, 141),
    "D": (159, 121),
    "E": (176, 153),
    "F": (154, 184),
    "G": (140, 144),
    "H": (108, 215),
    "I": (67, 64),
    "J": (68, 198),
}


def draw_paper_graph(path: Path) -> None:
    """Draw the paper's first figure."""
    names = sorted(PAPER_PLACES)
    graph = cp.Graph.from_edges([(names.index(u), names.index(v)) for u, v in PAPER_EDGES])
    places = [(x, -y) for x, y in (PAPER_PLACES[name] for name in names)]
    draw_hierarchy(cp.clique_hierarchy(graph), path, positions=places, labels=names, dpi=140)


def draw_karate_club(path: Path) -> None:
    """Draw Zachary's karate club, which comes with networkx."""
    graph = cp.Graph.from_networkx(nx.karate_club_graph())
    draw_hierarchy(cp.clique_hierarchy(graph), path, dpi=140)


def make_small(path: Path) -> None:
    """Keep 255 colours: a picture of flat colours needs no more, and takes a quarter of the space."""
    Image.open(path).convert("RGB").quantize(255).save(path, optimize=True)


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    for name, draw in {"paper-graph.png": draw_paper_graph, "karate-club.png": draw_karate_club}.items():
        draw(IMAGES / name)
        make_small(IMAGES / name)
