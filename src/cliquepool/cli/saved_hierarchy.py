"""Read a saved hierarchy, or pool a graph: for commands that take either."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from cliquepool.cli.output import open_graph
from cliquepool.cli.progress import PatientProgress
from cliquepool.hierarchy import Hierarchy, clique_hierarchy

if TYPE_CHECKING:
    from cliquepool.budget import Budget
    from cliquepool.cli.options import FormatName, IdKindName

__all__ = ["open_hierarchy"]

_SAVED: Final = ".safetensors"


def open_hierarchy(
    file: Path,
    levels: int | None,
    budget: "Budget",
    progress: PatientProgress,
    *,
    default_levels: int | None = None,
    threads: int | None = None,
    file_format: "FormatName | None" = None,
    ids: "IdKindName | None" = None,
    header: bool | None = None,
) -> Hierarchy:
    """Load what `cliquepool pool --out` saved, which has its own levels; or read a graph and pool it."""
    if file.suffix.lower() == _SAVED:
        if levels is not None:
            raise typer.BadParameter("--levels: expected a graph to pool, got a saved hierarchy")
        progress(f"reading {file.name}", 0, 0)
        return Hierarchy.load(file)
    graph, _ = open_graph(file, file_format, budget, progress, ids=ids, header=header)
    wanted = default_levels if levels is None else levels
    return clique_hierarchy(graph, wanted, threads=threads, budget=budget, progress=progress)
