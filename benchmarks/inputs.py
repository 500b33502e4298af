"""Real graphs and data sets to measure with."""

from __future__ import annotations

import gzip
import os
import zipfile
from pathlib import Path

import numpy as np

import cliquepool as cp

GRAPHS_WITH_MANY_CLIQUES = ("email-Enron", "wiki-Vote", "biogrid-yeast", "soc-Epinions1", "web-NotreDame")
GRAPHS_WITH_FEWER_CLIQUES = ("ca-GrQc", "ca-CondMat", "ca-HepPh", "ca-AstroPh", "biogrid-fission-yeast")
GRAPHS_OF_A_MILLION_EDGES = ("web-NotreDame", "ego-Twitter")


def data_folder() -> Path:
    """Return the folder in CLIQUEPOOL_DATA, or the one beside the repository."""
    beside = Path(__file__).parent.parent.parent / "shared" / "data"
    folder = Path(os.environ.get("CLIQUEPOOL_DATA", beside))
    if not folder.is_dir():
        raise SystemExit(
            f"expected the benchmark data in {folder}; set CLIQUEPOOL_DATA to the folder that has it"
        )
    return folder


def graph_file(name: str) -> str:
    return str(data_folder() / "graphs" / f"{name}.txt.gz")


def all_graphs() -> list[str]:
    """List the names of all graphs, smallest file first."""
    files = sorted((data_folder() / "graphs").glob("*.txt.gz"), key=lambda file: file.stat().st_size)
    return [file.name.removesuffix(".txt.gz") for file in files]


def all_data_sets() -> list[str]:
    files = sorted((data_folder() / "tu").glob("*.zip"), key=lambda file: file.stat().st_size)
    return [file.stem for file in files if file.stem != "PROTEINS_full"]


def data_set_file(name: str) -> str:
    return str(data_folder() / "tu" / f"{name}.zip")


def edges_of(name: str) -> tuple[int, np.ndarray]:
    """Read the edges of a graph without the library, with ids compacted in ascending order."""
    with gzip.open(graph_file(name)) as file:
        numbers = np.fromstring(file.read(), dtype=np.int64, sep=" ")
    ids, compact = np.unique(numbers, return_inverse=True)
    return len(ids), compact.reshape(-1, 2)


def fresh_graph(name: str) -> cp.Graph:
    """Read a graph, whose twin classes are not computed yet."""
    return cp.read_graph(graph_file(name))


def data_set(name: str) -> list[tuple[int, np.ndarray]]:
    """Read the graphs of a TU data set: for each, the number of nodes and the edges, in both directions."""
    with zipfile.ZipFile(data_folder() / "tu" / f"{name}.zip") as archive:
        text = archive.read(f"{name}/{name}_A.txt").replace(b",", b" ")
        edges = np.fromstring(text, dtype=np.int64, sep=" ").reshape(-1, 2) - 1
        owner = np.fromstring(archive.read(f"{name}/{name}_graph_indicator.txt"), dtype=np.int64, sep=" ") - 1
    edges = edges[np.argsort(owner[edges[:, 0]], kind="stable")]
    sizes = np.bincount(owner)
    first = np.concatenate([[0], np.cumsum(sizes)])
    cuts = np.searchsorted(owner[edges[:, 0]], np.arange(len(sizes) + 1))
    return [(int(sizes[i]), edges[cuts[i] : cuts[i + 1]] - first[i]) for i in range(len(sizes))]
