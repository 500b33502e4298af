"""Measure sigma.js on the grid of the viewer's benchmark, beside our page, without a graphics card.

    python tools/measure_sigma.py

It answers which of the two draws the viewer (docs/viewer.md). Needs npm, playwright and Chromium.
"""

from __future__ import annotations

import gzip
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.viewer import FRAMES, GRID, in_chromium, launch, make_page  # noqa: E402

PACKAGES = ("sigma@3.0.3", "graphology@0.26.0", "esbuild@0.28.2")
SCRIPT = """
import Graph from "graphology";
import Sigma from "sigma";
const graph = new Graph(), [width, height] = [%d, %d];
for (let i = 0; i < width; i++)
  for (let j = 0; j < height; j++) graph.addNode(`${i}.${j}`, { x: i, y: j, size: 3, label: `${i}.${j}` });
for (let i = 0; i < width; i++)
  for (let j = 0; j < height; j++) {
    if (i + 1 < width) graph.addEdge(`${i}.${j}`, `${i + 1}.${j}`);
    if (j + 1 < height) graph.addEdge(`${i}.${j}`, `${i}.${j + 1}`);
  }
try {
  window.sigma = new Sigma(graph, document.getElementById("picture"));
} catch (error) {
  window.failed = String(error);
}
window.ready = true;
"""
PAN = """async (frames) => {
  const camera = window.sigma.getCamera(), times = [];
  let last = performance.now();
  for (let i = 0; i < frames; i++) {
    const { x, y } = camera.getState();
    camera.setState({ x: x + (i % 60 < 30 ? 0.005 : -0.005), y: y + 0.001 });
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    times.push(now - last);
    last = now;
  }
  return times;
}"""


def sigma_page(folder: Path) -> Path:
    """Bundle sigma.js and the grid into one page."""
    folder.joinpath("main.mjs").write_text(SCRIPT % GRID, encoding="utf-8")
    subprocess.run(["npm", "install", "--silent", "--prefix", folder, *PACKAGES], check=True)
    options = ("--bundle", "--minify", "--format=iife", "--log-level=error", f"--outfile={folder}/out.js")
    subprocess.run([folder / "node_modules/.bin/esbuild", folder / "main.mjs", *options], check=True)
    script = folder.joinpath("out.js").read_text(encoding="utf-8")
    print(f"sigma.js and graphology: {len(gzip.compress(script.encode())):,} bytes gzipped")
    page = folder / "sigma.html"
    picture = '<div id="picture" style="width: 1280px; height: 800px"></div>'
    escaped = script.replace("</script", r"<\/script")
    page.write_text(f"<!doctype html><body>{picture}<script>{escaped}</script>", encoding="utf-8")
    return page


def frames_of_sigma(page_file: Path, browser: Any) -> str:
    """Return the times of frames while panning, in words, or why there is no picture."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(page_file.as_uri())
    page.wait_for_function("window.ready")
    failed = page.evaluate("window.failed ?? null")
    if failed:
        return f"fails: {failed}"
    page.wait_for_timeout(500)
    times = sorted(page.evaluate(PAN, FRAMES))
    return f"median {statistics.median(times):.0f} ms a frame, 95% {times[int(0.95 * len(times))]:.0f} ms"


def main() -> int:
    """Measure both, with WebGL on the processor and without any."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        page = sigma_page(folder)
        make_page("grid", folder / "ours.html")
        for without_webgl in (False, True):
            browser = launch(*["--disable-software-rasterizer"] * without_webgl)
            if browser is None:
                print("expected playwright and Chromium, got none")
                return 1
            print("without WebGL" if without_webgl else "WebGL emulated on the processor")
            print(f"  sigma.js: {frames_of_sigma(page, browser)}")
            ours = in_chromium(folder / "ours.html", browser, 0)
            print(f"  ours: median {ours['median']:.0f} ms a frame, 95% {ours['late']:.0f} ms")
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
