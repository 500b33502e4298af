"""Draw the pictures of the documentation and the README: ``python docs/draw_images.py``."""

from pathlib import Path

import networkx as nx
import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle
from PIL import Image

import cliquepool as cp
from cliquepool.data import load_images
from cliquepool.nn import grid_graph
from cliquepool.view import draw_dependencies, draw_hierarchy
from cliquepool.view.colours import INK, LINE, MUTED

IMAGES = Path(__file__).parent / "images"

# The graph of the paper's first figure, with the positions of its nodes there (in TikZ, y downwards).
PAPER_EDGES = ["AB", "AC", "BC", "AI", "BD", "DE", "DF", "DG", "EF", "EG", "FG", "FH", "CH", "HJ", "CJ"]
PAPER_POSITIONS = {
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

# Pair 57 of BREC: the edges that both graphs have, those that only one of them has, and positions for both.
SHARED_EDGES = ["ab", "ac", "bc", "ad", "bd", "ef", "eg", "eh", "fg", "fh", "gh", "ic", "ie", "jd", "jf"]
OWN_EDGES = (["cf", "de"], ["ce", "df"])
SHARED_POSITIONS = {
    "a": (-2.4, 0.0),
    "b": (-1.3, 0.0),
    "c": (-1.85, 0.8),
    "d": (-1.85, -0.8),
    "e": (0.7, 0.8),
    "f": (0.7, -0.8),
    "g": (1.9, 0.8),
    "h": (1.9, -0.8),
    "i": (-0.5, 1.35),
    "j": (-0.5, -1.35),
}


def draw_paper_graph(path: Path) -> None:
    """Draw the paper's first figure."""
    names = sorted(PAPER_POSITIONS)
    graph = cp.Graph.from_edges([(names.index(u), names.index(v)) for u, v in PAPER_EDGES])
    positions = [(x, -y) for x, y in (PAPER_POSITIONS[name] for name in names)]
    draw_hierarchy(cp.clique_hierarchy(graph), path, positions=positions, labels=names, dpi=140)


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
    positions = np.arange(length, dtype=float)

    def draw_pixels(positions: np.ndarray, height: int, words: str) -> None:
        axes.plot(positions, np.full(len(positions), height), "o", color=INK, markersize=5, zorder=2)
        axes.text(-1.0, height, words, color=MUTED, fontsize=8, ha="right", va="center")

    axes.plot(positions, np.zeros(length), color=LINE, linewidth=1, zorder=0)
    draw_pixels(positions, 0, f"{length} pixels")
    for level, pooling in enumerate(hierarchy, start=1):
        pooled = np.array([positions[pool].mean() for pool in pooling.pools])
        ends = {0, len(pooled) // 2, len(pooled) - 1}
        for number, pool in enumerate(pooling.pools):
            style = (
                {"color": "#4a8fe0", "linewidth": 1.0}
                if number in ends
                else {"color": LINE, "linewidth": 0.3}
            )
            for pixel in pool:
                axes.plot([positions[pixel], pooled[number]], [1 - level, -level], zorder=1, **style)
        positions = pooled
        draw_pixels(positions, -level, f"{len(positions)}, windows of {pooling.largest}")
    figure.savefig(path)


def draw_grid(path: Path, side: int = 8) -> None:
    """Draw a grid of pixels, level beside level: pixels, their edges, and three of their pools."""
    hierarchy = cp.clique_hierarchy(grid_graph((side, side)))
    figure = Figure(figsize=(2.1 * (len(hierarchy) + 1), 2.4), dpi=140)
    panels = figure.subplots(1, len(hierarchy) + 1)
    figure.subplots_adjust(left=0.01, right=0.99, bottom=0.01, top=0.86, wspace=0.08)
    positions = np.stack(np.divmod(np.arange(side * side), side)[::-1], axis=1).astype(float)
    for level, axes in enumerate(panels):
        graph = hierarchy.graph(level)
        axes.set(xlim=(-1, side), ylim=(side, -1), aspect="equal")
        axes.set_axis_off()
        sources = np.repeat(np.arange(graph.num_nodes), np.diff(graph.indptr))
        ends = np.stack([positions[sources], positions[graph.indices]], axis=1)
        axes.add_collection(LineCollection(ends, colors=LINE, linewidths=0.4, zorder=0))
        axes.plot(*positions.T, "o", color=INK, markersize=3, zorder=2)
        width = round(graph.num_nodes**0.5)
        axes.set_title(f"{width}×{width}" if width > 1 else "one node", fontsize=9, color=INK)
        if level == len(hierarchy):
            break
        pools = hierarchy[level].pools
        pools_a_side = round(len(pools) ** 0.5)
        shown = {0, pools_a_side // 2 * (pools_a_side + 1), len(pools) - 1}
        for colour, number in zip(("#4a8fe0", "#e08a3c", "#3fa66b"), sorted(shown), strict=False):
            corner, far = (
                positions[pools[number]].min(axis=0) - 0.35,
                positions[pools[number]].max(axis=0) + 0.35,
            )
            axes.add_patch(
                FancyBboxPatch(
                    corner, *(far - corner), boxstyle="round,pad=0,rounding_size=0.3",
                    facecolor=(*to_rgb(colour), 0.18), edgecolor=colour, linewidth=1.4, zorder=1,
                )
            )  # fmt: skip
        positions = np.array([positions[pool].mean(axis=0) for pool in pools])
    figure.savefig(path)


def draw_receptive_fields(path: Path, digit: int = 1) -> None:
    """Draw the pixels below the middle pool of each level, and below its neighbour."""
    image = load_images("digits").images[digit, 0]
    hierarchy = cp.clique_hierarchy(grid_graph(image.shape))
    figure = Figure(figsize=(1.9 * len(hierarchy), 2.2), dpi=140)
    panels = figure.subplots(1, len(hierarchy))
    figure.subplots_adjust(left=0.01, right=0.99, bottom=0.01, top=0.86, wspace=0.06)
    for level, axes in enumerate(panels, start=1):
        side = round(hierarchy.sizes[level] ** 0.5)
        middle = side // 2 * (side + 1)
        axes.imshow(image, cmap="gray_r", vmin=0, vmax=600)
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_color(LINE)
        neighbour = [] if side == 1 else [(middle + 1, "#e08a3c")]
        for node, colour in [*neighbour, (middle, "#4a8fe0")]:
            rows, columns = np.divmod(hierarchy.receptive_field(level, node), image.shape[1])
            axes.add_patch(
                Rectangle(
                    (columns.min() - 0.5, rows.min() - 0.5), np.ptp(columns) + 1, np.ptp(rows) + 1,
                    facecolor=(*to_rgb(colour), 0.15), edgecolor=colour, linewidth=1.4, clip_on=False,
                )
            )  # fmt: skip
        words = f"pool {level}: {np.ptp(columns) + 1}×{np.ptp(rows) + 1}"
        axes.set_title(words, fontsize=9, color=INK)
    figure.savefig(path)


def draw_one_above_the_other(
    path: Path, drawn: list[tuple[str, nx.Graph, dict]], widths: list[float]
) -> None:
    """Draw the hierarchies of two graphs with their titles and positions; each fills a part of the width."""
    figure = Figure(figsize=(7.0, 5.4), dpi=140, facecolor="white")
    for index, ((title, graph, positions), width) in enumerate(zip(drawn, widths, strict=True)):
        axes = figure.add_axes((0.01, 0.51 - 0.5 * index, width, 0.48), anchor="W")
        places = np.array([positions[node] for node in graph])
        draw_hierarchy(cp.clique_hierarchy(graph), positions=places, labels=False, title=title, ax=axes)
    figure.savefig(path)


def draw_six_cycle_and_two_triangles(path: Path) -> None:
    """Draw the smallest pair of graphs that only the levels tell apart."""
    ring = {node: (np.cos(node * np.pi / 3), np.sin(node * np.pi / 3)) for node in range(6)}
    triangle = [(-1.5, 0.45), (-1.5, -0.45), (-0.7, 0.0)]
    facing = dict(enumerate([*triangle, *((-x, y) for x, y in triangle)]))
    two_triangles = nx.Graph([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
    drawn = [("six-cycle", nx.cycle_graph(6), ring), ("two triangles", two_triangles, facing)]
    draw_one_above_the_other(path, drawn, [0.98, 0.72])


def draw_hidden_triangles(path: Path) -> None:
    """Draw two graphs that even the levels do not tell apart, though one has more triangles."""
    graphs = [nx.Graph([*SHARED_EDGES, *own]) for own in OWN_EDGES]
    titles = [f"{sum(nx.triangles(graph).values()) // 3} triangles" for graph in graphs]
    drawn = [(title, graph, SHARED_POSITIONS) for title, graph in zip(titles, graphs, strict=True)]
    draw_one_above_the_other(path, drawn, [0.98, 0.98])


def draw_dependency_diagram(path: Path) -> None:
    """Draw what one pooled node of a chain of cliques needs."""
    graph, last = nx.Graph(), None
    for size in np.random.default_rng(4).integers(1, 5, 22).tolist():
        clique = range(len(graph), len(graph) + size)
        graph.add_nodes_from(clique)
        graph.add_edges_from((u, v) for u in clique for v in clique if u < v)
        if last is not None:
            graph.add_edge(last, clique[0])
        last = clique[-1]
    hierarchy = cp.clique_hierarchy(graph, levels=2)
    diagram = hierarchy.dependencies(2, hops=1).of(hierarchy.sizes[2] // 2)
    draw_dependencies(diagram, path, dpi=140)


def make_small(path: Path) -> None:
    """Keep 255 colours: a picture of flat colours needs no more, and takes a quarter of the space."""
    Image.open(path).convert("RGB").quantize(255).save(path, optimize=True)


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    pictures = {
        "paper-graph.png": draw_paper_graph,
        "karate-club.png": draw_karate_club,
        "chain.png": draw_chain,
        "grid.png": draw_grid,
        "receptive-fields.png": draw_receptive_fields,
        "six-cycle.png": draw_six_cycle_and_two_triangles,
        "hidden-triangles.png": draw_hidden_triangles,
        "dependencies.png": draw_dependency_diagram,
    }
    for name, draw in pictures.items():
        draw(IMAGES / name)
        make_small(IMAGES / name)
