"""The interactive page: its size, the time to make it, and the time to draw it without a graphics card.

Needs playwright and Chromium; without them only the sizes and the time to make a page are measured.
"""

from __future__ import annotations

import functools
import gzip
import importlib
import shutil
import statistics
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx

import cliquepool as cp
from benchmarks.inputs import graph_file
from cliquepool.view.page import bundle_text
from cliquepool.view.scene import make_scene

if TYPE_CHECKING:
    from benchmarks.reporting import Report

MOST_BYTES = {"karate": 300_000, "email-Enron": 2_500_000, "ego-Twitter": 8_000_000}
MOST_SECONDS_TO_PAINT = {"email-Enron": 0.7, "ego-Twitter": 2.0}
GRID = (54, 55)  # 2,970 items, just within the limit
FRAMES = 150

# Moves the picture by a few pixels in every frame; returns the milliseconds between frames.
PAN = """async (frames) => {
  const stage = window.cliquepool.stage, times = [];
  let last = performance.now();
  for (let i = 0; i < frames; i++) {
    stage.pan(i % 60 < 30 ? 6 : -6, 2);
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    times.push(now - last);
    last = now;
  }
  return times;
}"""


def make_graph(name: str) -> cp.Graph:
    if name == "karate":
        return cp.Graph.from_networkx(nx.karate_club_graph())
    if name == "grid":
        return cp.Graph.from_networkx(nx.convert_node_labels_to_integers(nx.grid_2d_graph(*GRID)))
    return cp.read_graph(graph_file(name))


def make_page(name: str, path: Path) -> dict[str, Any]:
    """Make and save a page on one thread; return processor seconds and the size."""
    began = time.process_time()
    # All levels of a grid of this size take longer than everything else here.
    hierarchy = cp.clique_hierarchy(make_graph(name), 1 if name == "grid" else None, threads=1)
    pooled = time.process_time()
    make_scene(hierarchy)
    scene = time.process_time()
    cp.view.show(hierarchy, title=name).save(path)
    ended = time.process_time()
    # The scene, with its layout, is made twice here: once alone to be measured.
    return {
        "bytes": path.stat().st_size,
        "pooling": pooled - began,
        "scene": scene - pooled,
        "all": ended - began - (scene - pooled),
    }


def in_chromium(path: Path, browser: Any, level: int | None) -> dict[str, float]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(path.as_uri() + ("" if level is None else f"#l={level}"))
    page.wait_for_selector("html[data-ready]", timeout=120_000)
    painted = page.evaluate(
        "performance.getEntriesByType('paint').find(e => e.name == 'first-contentful-paint').startTime"
    )
    page.wait_for_timeout(500)
    frames = sorted(page.evaluate(PAN, FRAMES))
    page.wait_for_timeout(500)
    opened = page.evaluate("window.cliquepool.openNow()")
    items = page.evaluate("window.cliquepool.visible.items.length")
    context.close()
    return {
        "items": items,
        "paint": painted / 1000,
        "median": statistics.median(frames),
        "late": frames[int(0.95 * len(frames))],
        "open": opened,
    }


@functools.cache
def _driver() -> Any:
    """Start playwright, which one process can do only once."""
    return importlib.import_module("playwright.sync_api").sync_playwright().start()


def launch(*options: str) -> Any | None:
    """Start Chromium without a graphics card; None where it or playwright is missing."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None or find_spec("playwright") is None:
        return None
    driver = _driver()
    return driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu", *options])


def run(report: Report) -> None:
    script = len(gzip.compress(bundle_text("viewer.js").encode()))
    report.at_most("script of the page, gzipped bytes", 200_000, script)
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder, f"{name}.html") for name in report.wanted([*MOST_BYTES, "grid"])}
        made = {name: make_page(name, path) for name, path in paths.items()}
        report.table(
            "Pages, processor seconds on one thread",
            ("graph", "bytes", "pooling s", "bundles and layout s", "all s"),
            [
                (name, f"{row['bytes']:,}", *(f"{row[key]:.2f}" for key in ("pooling", "scene", "all")))
                for name, row in made.items()
            ],
        )
        for name, row in made.items():
            report.keep("viewer", graph=name, **row)
            if name in MOST_BYTES:
                report.at_most(f"page of {name}, bytes", MOST_BYTES[name], row["bytes"])
        if "ego-Twitter" in made:
            report.at_most("page of ego-Twitter, s", 15, made["ego-Twitter"]["all"])
            report.at_most("bundles and layout of ego-Twitter, s", 8, made["ego-Twitter"]["scene"])
        _draw(report, paths)


def _draw(report: Report, paths: dict[str, Path]) -> None:
    browser = launch()
    if browser is None:
        report.console.print("drawing is not measured: it needs playwright and Chromium")
        return
    drawn = {name: in_chromium(path, browser, 0 if name == "grid" else None) for name, path in paths.items()}
    browser.close()
    report.table(
        "Drawing in Chromium without a graphics card, 1280 x 800",
        ("graph", "items", "first paint s", "pan median ms", "pan 95% ms", "open ms"),
        [
            (
                name,
                f"{row['items']:,}",
                f"{row['paint']:.2f}",
                *(f"{row[key]:.1f}" for key in ("median", "late", "open")),
            )
            for name, row in drawn.items()
        ],
    )
    for name, row in drawn.items():
        report.keep("viewer", graph=name, **row)
        report.at_most(f"pan {name}, median ms a frame", 20, row["median"])
        report.at_most(f"pan {name}, 95% ms a frame", 40, row["late"])
        report.at_most(f"open in {name}, ms", 150, row["open"])
        if name in MOST_SECONDS_TO_PAINT:
            report.at_most(f"first paint of {name}, s", MOST_SECONDS_TO_PAINT[name], row["paint"])
