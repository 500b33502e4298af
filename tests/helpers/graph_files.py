"""Graphs as text in every format, and the check of a file that must be refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

import cliquepool as cp

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = ["edges", "csv", "dimacs", "mtx", "metis"]
SUFFIXES = {"edges": ".txt", "csv": ".csv", "dimacs": ".clq", "mtx": ".mtx", "metis": ".graph"}
# Files are written anew for each example.
reuses_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def write_text(graph: cp.Graph, form: str) -> str:
    """Write a graph as it would stand in a file of this format."""
    edges = graph.edges().tolist()
    size = f"{graph.num_nodes} {graph.num_edges}"
    if form == "edges":
        return "# u v\n" + "".join(f"{u} {v}\n" for u, v in edges)
    if form == "csv":
        return "source,target,weight\n" + "".join(f"{u},{v},{u + v / 7}\n" for u, v in edges)
    if form == "dimacs":
        return f"c a graph\np edge {size}\n" + "".join(f"e {u + 1} {v + 1}\n" for u, v in edges)
    if form == "mtx":
        header = f"%%MatrixMarket matrix coordinate pattern symmetric\n{graph.num_nodes} {size}\n"
        return header + "".join(f"{v + 1} {u + 1}\n" for u, v in edges)
    assert form == "metis"
    lines = [" ".join(str(w + 1) for w in graph.neighbours(v)) for v in range(graph.num_nodes)]
    return f"% a graph\n{size}\n" + "".join(line + "\n" for line in lines)


def expect_refused(path: Path, content: bytes | str, message: str) -> None:
    """Write a file, and check that it is refused with its path and this message."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(cp.GraphError, match=message) as caught:
        cp.read_graph(path)
    assert str(caught.value).startswith(f"{path}: ")
