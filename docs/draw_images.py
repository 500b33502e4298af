"""Draws the pictures of the documentation and the README: ``python docs/draw_images.py``."""

from pathlib import Path

import networkx as nx
import numpy as np
from matplotlib.figure import Figure
from PIL import Image

import cliquepool as cp
from cliquepool.nn import grid_graph
from cliquepool.view import draw_hierarchy
from cliquepool.view.colours import INK, LINE, MUTED

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


def draw_chain(path: Path, length: int = 16) -> None:
    """Draw a chain of pixels and its pools, level under level, as in the paper's appendix."""
    hierarchy = cp.clique_hierarchy(grid_graph(length))
    figure = Figure(figsize=(6.4, 0.75 * (len(hierarchy) + 1)), dpi=140)
    axes = figure.add_axes((0.17, 0.02, 0.81, 0.96))
    axes.set_axis_off()
    places = np.arange(length, dtype=float)

    def draw_pixels(places: np.ndarray, height: int, words: str) -> None:
        axes.plot(places, np.full(len(places), height), "o", color=INK, markersize=5, zorder=2)
        axes.text(-1.0, height, words, color=MUTED, fontsize=8, ha="right", va="center")

    axes.plot(places, np.zeros(length), color=LINE, linewidth=1, zorder=0)
    draw_pixels(places, 0, f"{length} pixels")
    for level, pooling in enumerate(hierarchy, start=1):
        pooled = np.array([places[pool].mean() for pool in pooling.pools])
        ends = {0, len(pooled) // 2, len(pooled) - 1}
        for number, pool in enumerate(pooling.pools):
            style = (
                {"color": "#4a8fe0", "linewidth": 1.0}
                if number in ends
                else {"color": LINE, "linewidth": 0.3}
            )
            for pixel in pool:
                axes.plot([places[pixel], pooled[number]], [1 - level, -level], zorder=1, **style)
        places = pooled
        draw_pixels(places, -level, f"{len(places)}, windows of {pooling.largest}")
    figure.savefig(path)


def make_small(path: Path) -> None:
    """Keep 255 colours: a picture of flat colours needs no more, and takes a quarter of the space."""
    Image.open(path).convert("RGB").quantize(255).save(path, optimize=True)


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    pictures = {
        "paper-graph.png": draw_paper_graph,
        "karate-club.png": draw_karate_club,
        "chain.png": draw_chain,
    }
    for name, draw in pictures.items():
        draw(IMAGES / name)
        make_small(IMAGES / name)
