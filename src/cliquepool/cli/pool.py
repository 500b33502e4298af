# ruff: noqa: PLC0415 (rich is imported where it is used, so that --help and errors are quick)
"""`cliquepool pool`: compute, print, save and draw the clique hierarchy of a graph."""

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from cliquepool._words import counted
from cliquepool.array_folders import is_array_folder
from cliquepool.cli.cluster import ClusterOption, WorkOption, open_cluster
from cliquepool.cli.options import (
    DEFAULT_BYTES,
    DEFAULT_CLIQUES,
    DEFAULT_SECONDS,
    FileArgument,
    FormatOption,
    HeaderOption,
    IdsOption,
    JsonOption,
    LevelsOption,
    MaxCliquesOption,
    MaxMemoryOption,
    MaxSecondsOption,
    ThreadsOption,
    make_budget,
)
from cliquepool.cli.output import expect_writable, open_graph, out, seconds
from cliquepool.cli.progress import PatientProgress
from cliquepool.hierarchy import clique_hierarchy
from cliquepool.view.figures import MOST_NODES, draw_hierarchy, expect_drawable

if TYPE_CHECKING:
    from cliquepool.budget import Budget
    from cliquepool.cli.tables import FittingTable
    from cliquepool.hierarchy import Hierarchy
    from cliquepool.pooling import Pooling

__all__ = ["level_table", "show_levels"]

_PICTURES: Final = (".png", ".svg", ".pdf")


OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FILE",
        help="Save the hierarchy, as safetensors; with --out-of-core, as a folder.",
    ),
]
PictureOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help=f"Draw the levels, as png, svg or pdf. For graphs of up to {MOST_NODES:,} nodes.",
    ),
]
OutOfCoreOption = Annotated[
    bool,
    typer.Option(
        "--out-of-core",
        help="For graphs larger than memory. FILE is a folder that cliquepool convert wrote. The "
        "hierarchy is written to the folder --out, level by level; levels that are there are kept.",
    ),
]
ShardsOption = Annotated[
    int | None,
    typer.Option(min=1, max=9999, metavar="N", help="With --cluster: files that the graph is cut into."),
]
MetisOption = Annotated[
    bool, typer.Option("--metis", help="With --cluster: cut by METIS, which copies fewer edges.")
]


def show_levels(
    file: FileArgument,
    *,
    levels: LevelsOption = None,
    save_to: OutOption = None,
    picture: PictureOption = None,
    out_of_core: OutOfCoreOption = False,
    cluster: ClusterOption = None,
    work: WorkOption = None,
    shards: ShardsOption = None,
    metis: MetisOption = False,
    as_json: JsonOption = False,
    file_format: FormatOption = None,
    ids: IdsOption = None,
    header: HeaderOption = None,
    threads: ThreadsOption = None,
    max_seconds: MaxSecondsOption = DEFAULT_SECONDS,
    max_cliques: MaxCliquesOption = DEFAULT_CLIQUES,
    max_memory: MaxMemoryOption = DEFAULT_BYTES,
) -> None:
    """Pool a graph by its cliques, level by level.

    Level 0 is the graph; the nodes of level 1 are its pools, those of level 2 the pools of
    level 1, and so on.

    [bold]Examples[/bold]

    cliquepool pool network.txt.gz

    cliquepool pool network.txt.gz --levels 2 --out network.safetensors

    cliquepool pool small.txt --picture small.png

    cliquepool convert network.txt.gz network

    cliquepool pool network --out-of-core --out network-levels --levels 1

    cliquepool pool network.txt.gz --cluster tcp://host:8786 --work /shared/network
    """
    budget = make_budget(max_seconds, max_cliques, max_memory)
    _check_cluster_options(cluster, shards, metis, out_of_core)
    seconds_reading = 0.0
    if out_of_core:
        hierarchy = _pool_out_of_core(file, save_to, levels, budget)
    else:
        _check_outputs(save_to, picture)
        with PatientProgress() as progress:
            graph, seconds_reading = open_graph(file, file_format, budget, progress, ids=ids, header=header)
            if picture is not None:
                expect_drawable(graph.num_nodes)
            with open_cluster(cluster, work, workers=threads, option="--threads") as workers:
                pool = partial(clique_hierarchy, threads=threads)
                if workers is not None:
                    pool = partial(workers.clique_hierarchy, shards=shards, by="metis" if metis else "ranges")
                hierarchy = pool(graph, levels, budget=budget, progress=progress)
            if save_to is not None:
                progress(f"saving {save_to.name}", 0, 0)
                hierarchy.save(save_to)
    _print_levels(file, hierarchy, seconds_reading, save_to, as_json=as_json)
    _draw(hierarchy, picture, as_json)


def _check_cluster_options(cluster: str | None, shards: int | None, metis: bool, out_of_core: bool) -> None:
    if cluster is None and (shards is not None or metis):
        raise typer.BadParameter(
            f"{'--shards' if shards is not None else '--metis'}: expected --cluster beside it, got none"
        )
    if cluster is not None and out_of_core:
        raise typer.BadParameter("--out-of-core: expected no --cluster beside it, got both")


def _pool_out_of_core(file: Path, folder: Path | None, levels: int | None, budget: "Budget") -> "Hierarchy":
    """Pool a graph on disk, after checking the paths."""
    from cliquepool.scale.out_of_core import pool_out_of_core

    if not is_array_folder(file):
        raise typer.BadParameter(
            f"--out-of-core: expected a folder that cliquepool convert wrote, got {str(file)!r}"
        )
    if folder is None:
        raise typer.BadParameter("--out-of-core: expected --out FOLDER for the hierarchy")
    with PatientProgress() as progress:
        return pool_out_of_core(file, folder, levels, budget=budget, progress=progress)


def _print_levels(
    file: Path, hierarchy: "Hierarchy", seconds_reading: float, saved_to: Path | None, *, as_json: bool
) -> None:
    edges = _known_edges(hierarchy[-1]) if len(hierarchy) else hierarchy.graph(0).num_edges
    converged = None if edges is None else edges == 0
    if as_json:
        print(json.dumps(_as_json(file, hierarchy, seconds_reading, converged)))
    else:
        _print_table(file, hierarchy, seconds_reading, converged, saved_to)


def _check_outputs(save_to: Path | None, picture: Path | None) -> None:
    """Raise an error for files that cannot be written, before any work is done."""
    if picture is not None and picture.suffix.lower() not in _PICTURES:
        raise typer.BadParameter(
            f"--picture: expected a file of {', '.join(_PICTURES)}, got {picture.name!r}"
        )
    for path in (save_to, picture):
        if path is not None:
            expect_writable(path)


def _as_json(
    file: Path, hierarchy: "Hierarchy", seconds_reading: float, converged: bool | None
) -> dict[str, Any]:
    graph = hierarchy.graph(0)
    return {
        "file": str(file),
        "nodes": graph.num_nodes,
        "edges": graph.num_edges,
        "levels": [
            {
                "level": level,
                "nodes": pooling.num_pools,
                "edges": _known_edges(pooling),
                "largest_pool": pooling.largest,
                "seconds": pooling.seconds,
            }
            for level, pooling in enumerate(hierarchy, start=1)
        ],
        "converged": converged,
        "seconds": {"reading": seconds_reading, "pooling": _seconds_pooling(hierarchy)},
    }


def _known_edges(pooling: "Pooling") -> int | None:
    """Return the number of edges between pools; None where these are not joined, after --out-of-core."""
    return pooling.coarse.num_edges if "coarse" in vars(pooling) else None


def _seconds_pooling(hierarchy: "Hierarchy") -> float:
    return sum(pooling.seconds or 0.0 for pooling in hierarchy)


def level_table(hierarchy: "Hierarchy") -> "FittingTable":
    """Return a table of the levels: nodes, edges, largest pool, time."""
    from cliquepool.cli.tables import Column, FittingTable

    heads = ("level", "nodes", "edges", "largest pool", "time")
    table = FittingTable(
        [Column(head, right=True, style="bold cyan" if head == "nodes" else "") for head in heads]
    )
    graph = hierarchy.graph(0)
    table.add_row("0", f"{graph.num_nodes:,}", f"{graph.num_edges:,}", "", "")
    for level, pooling in enumerate(hierarchy, start=1):
        edges = _known_edges(pooling)
        time = "" if pooling.seconds is None else seconds(pooling.seconds)
        shown = "" if edges is None else f"{edges:,}"
        table.add_row(str(level), f"{pooling.num_pools:,}", shown, f"{pooling.largest:,}", time)
    return table


def _print_table(
    file: Path, hierarchy: "Hierarchy", seconds_reading: float, converged: bool | None, saved_to: Path | None
) -> None:
    from rich.text import Text

    console = out()
    graph = hierarchy.graph(0)
    console.print(
        Text.assemble(
            (str(file), "bold"), f"  {counted(graph.num_nodes, 'node')}, {counted(graph.num_edges, 'edge')}\n"
        )
    )
    console.print(level_table(hierarchy))
    components = counted(hierarchy.sizes[-1], "component")
    end = f"converged: {components}" if converged else "not converged yet: more levels would follow"
    if converged is None:
        end = "the pools of the last level are not joined yet"
    took = f"read in {seconds(seconds_reading)}, pooled in {seconds(_seconds_pooling(hierarchy))}"
    console.print(Text(f"\n{end}; {took}", style="dim"))
    if saved_to is not None:
        console.print(f"saved to {saved_to}")


def _draw(hierarchy: "Hierarchy", path: Path | None, quiet: bool) -> None:
    if path is None:
        return
    draw_hierarchy(hierarchy, path)
    if not quiet:
        out().print(f"drawn to {path}")
