"""Draw the picture of architecture.md: ``python docs/draw_architecture.py``.

The packages and their order are those of the import contract in pyproject.toml, the rooms of the core are the
folders of cpp/. tests/test_docs.py draws the picture again and compares.
"""

from __future__ import annotations

import tomllib
from html import escape
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "architecture.svg"

PACKAGES = {
    "cli": ("cli/", "one file for each command", "typer, rich"),
    "report": ("report/", "a page on runs, made from their records", ""),
    "explain": ("explain/", "which cliques decided; what-if pages, vocabularies", ""),
    "evaluate": ("evaluate/", "protocols, splits, records, tables, comparisons", ""),
    "models": ("models/", "estimators with fit, predict, save", "scikit-learn, pydantic"),
    "scale": ("scale/", "dependencies, parts, files, clusters", "dask (scale/)"),
    "training": ("training/", "loop, checkpoints, device", ""),
    "pyg": ("pyg/", "transform, data sets, tgp adapter", "PyTorch Geometric (pyg/)"),
    "nn": ("nn/", "batches, operations, layers, networks", "torch"),
    "data": ("data/", "many graphs and images in flat arrays", ""),
    "view": ("view/", "pictures, the interactive page", "matplotlib (view/)"),
}
CORE_FACE = (
    "cliquepool",
    "Graph, read_graph, clique_pool, clique_hierarchy, maximal_cliques, Budget",
    "NumPy, SciPy",
)

# From the top; a room includes headers of lower rows only.
ROOMS = [
    [("python/", "bindings, one file for each area")],
    [("hierarchy/", "coarse graphs, levels")],
    [
        ("pooling/", "pools of a graph"),
        ("cliques/", "listing cliques"),
        ("reading/", "files"),
        ("disk/", "mapped files"),
        ("nn/", "kernels"),
        ("layout/", "positions"),
    ],
    [("graph/", "compressed rows, degeneracy order, twins")],
    [("base/", "bitsets, buffers, budget, threads")],
]

LEFT, RIGHT, TOP = 40, 800, 44
ROW, GAP = 50, 8
TEXT = 'font-family="Helvetica, Arial, sans-serif"'


class Style(NamedTuple):
    """The colours of a box."""

    fill: str
    line: str


PYTHON = Style("#e8f0fb", "#4a78b5")
FACE = Style("#dff1e6", "#3f8f63")
CPP = Style("#fbeee0", "#b97a35")


def layers() -> list[list[str]]:
    """Return the packages, from the top, as the import contract has them; single modules are left out."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    lines = next(one["layers"] for one in contracts["contracts"] if one["id"] == "layers")
    named = [[name.strip() for name in line.replace(":", "|").split("|")] for line in lines]
    kept = [[name for name in names if name in PACKAGES] for names in named]
    return [names for names in kept if names]


def box(x: float, y: float, width: float, title: str, *, words: str, style: Style) -> str:
    """Draw a box with a title and a line of words."""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{ROW}" rx="6" fill="{style.fill}" '
        f'stroke="{style.line}"/>'
        f'<text x="{x + 12:g}" y="{y + 21:g}" {TEXT} font-size="16" font-weight="bold" fill="#1f2933">'
        f"{escape(title)}</text>"
        f'<text x="{x + 12:g}" y="{y + 40:g}" {TEXT} font-size="14" fill="#3e4c59">{escape(words)}</text>'
    )


def note(x: float, y: float, words: str, anchor: str = "start") -> str:
    """Write a line beside the boxes."""
    return (
        f'<text x="{x:g}" y="{y:g}" {TEXT} font-size="14" fill="#616e7c" text-anchor="{anchor}">'
        f"{escape(words)}</text>"
    )


def row(y: float, boxes: list[tuple[str, str]], style: Style) -> str:
    """Draw boxes of equal width beside each other."""
    width = (RIGHT - LEFT - GAP * (len(boxes) - 1)) / len(boxes)
    return "".join(
        box(LEFT + number * (width + GAP), y, width, title, words=words, style=style)
        for number, (title, words) in enumerate(boxes)
    )


def draw() -> str:
    """Return the picture as SVG."""
    parts: list[str] = []
    y = float(TOP)
    parts.append(note(LEFT, y - 14, "src/cliquepool: a package imports packages below it, never above it"))
    parts.append(note(RIGHT + 14, y - 14, "needs"))
    for names in layers():
        parts.append(row(y, [PACKAGES[name][:2] for name in names], PYTHON))
        parts.append(note(RIGHT + 14, y + 30, ", ".join(filter(None, (PACKAGES[name][2] for name in names)))))
        y += ROW + GAP
    parts.append(row(y, [CORE_FACE[:2]], FACE))
    parts.append(note(RIGHT + 14, y + 30, CORE_FACE[2]))
    y += ROW + 40
    parts.append(
        note(LEFT, y - 14, "cpp: C++20; only the bindings know of Python. Compiled into cliquepool._core")
    )
    for rooms in ROOMS:
        parts.append(row(y, rooms, CPP))
        if rooms[0][0] == "python/":
            parts.append(note(RIGHT + 14, y + 30, "nanobind"))
        y += ROW + GAP
    width, height = RIGHT + 260, y + 10
    arrow = (
        '<defs><marker id="head" markerWidth="8" markerHeight="8" refX="4" refY="4" orient="auto">'
        '<path d="M0,0 L8,4 L0,8 z" fill="#616e7c"/></marker></defs>'
        f'<line x1="20" y1="{TOP}" x2="20" y2="{y - GAP - 6:g}" stroke="#616e7c" marker-end="url(#head)"/>'
        f'<text transform="translate(14 {(TOP + y) / 2:g}) rotate(-90)" {TEXT} font-size="12" fill="#616e7c" '
        f'text-anchor="middle">uses</text>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" role="img" aria-label="The packages and rooms of cliquepool">'
        f'<rect width="100%" height="100%" fill="white"/>{arrow}{"".join(parts)}</svg>\n'
    )


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
