# ruff: noqa: PLC0415 (rich is imported where it is used, so that --help and errors are quick)
"""`cliquepool partition`: divide a hierarchy into parts that networks run over one by one."""

import json
import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, cast, get_args

import typer

from cliquepool._words import counted
from cliquepool.cli.options import (
    DEFAULT_BYTES,
    DEFAULT_CLIQUES,
    DEFAULT_SECONDS,
    FormatOption,
    HeaderOption,
    IdsOption,
    JsonOption,
    MaxCliquesOption,
    MaxMemoryOption,
    MaxSecondsOption,
    ThreadsOption,
    make_budget,
)
from cliquepool.cli.output import out, seconds
from cliquepool.cli.progress import PatientProgress
from cliquepool.cli.saved_hierarchy import open_hierarchy
from cliquepool.scale.owners import PartitionMethod
from cliquepool.scale.partitioning import partition

if TYPE_CHECKING:
    from cliquepool.scale.partitioning import Parts

__all__ = ["partition_hierarchy"]

_DEFAULT_METHOD: Final = "propagation"
_LEVELS: Final = 2  # of the networks of the paper

MethodName = StrEnum("MethodName", {name: name for name in get_args(PartitionMethod)})  # type: ignore[misc]


def partition_hierarchy(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A hierarchy that `cliquepool pool --out` saved (.safetensors), or a graph to pool first.",
            show_default=False,
        ),
    ],
    *,
    folder: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="The folder for the parts.", show_default=False)
    ],
    parts: Annotated[int, typer.Option(min=1, max=10_000, metavar="N", help="The number of parts.")] = 8,
    levels: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=2**31 - 1,
            metavar="N",
            help=f"Pool a graph N times; by default {_LEVELS}. A saved hierarchy has its own levels.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        MethodName,
        typer.Option(
            metavar="|".join(get_args(PartitionMethod)),
            help="How a level is partitioned: by label propagation, or by METIS if pymetis is installed.",
        ),
    ] = MethodName(_DEFAULT_METHOD),
    as_json: JsonOption = False,
    file_format: FormatOption = None,
    ids: IdsOption = None,
    header: HeaderOption = None,
    threads: ThreadsOption = None,
    max_seconds: MaxSecondsOption = DEFAULT_SECONDS,
    max_cliques: MaxCliquesOption = DEFAULT_CLIQUES,
    max_memory: MaxMemoryOption = DEFAULT_BYTES,
) -> None:
    """Divide the levels of a graph into parts: files that networks run over one by one.

    Parts are balanced by edges and keep pools together. Each has its own nodes at every level, the nodes of
    other parts that it reads, and what it sends to others. In Python, cliquepool.scale.run runs a network
    over the folder.

    [bold]Examples[/bold]

    cliquepool partition network.txt.gz --parts 8 --out network-parts

    cliquepool pool network.txt.gz --levels 2 --out network.safetensors

    cliquepool partition network.safetensors --out network-parts
    """
    budget = make_budget(max_seconds, max_cliques, max_memory)
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(20, "expected a folder to write, got a file", str(folder))
    with PatientProgress() as progress:
        hierarchy = open_hierarchy(
            file,
            levels,
            budget,
            progress,
            default_levels=_LEVELS,
            threads=threads,
            file_format=file_format,
            ids=ids,
            header=header,
        )
        began = time.perf_counter()
        made = partition(
            hierarchy,
            parts,
            folder,
            method=cast("PartitionMethod", method.value),
            progress=progress,
        )
        took = time.perf_counter() - began
    found = _as_json(file, made, took)
    if as_json:
        print(json.dumps(found))
    else:
        _print_table(file, made, found)


def _as_json(file: Path, made: "Parts", took: float) -> dict[str, Any]:
    levels = range(len(made.sizes))
    return {
        "file": str(file),
        "folder": str(made.folder),
        "nodes": list(made.sizes),
        "parts": [
            {
                "part": part.index,
                "nodes": [len(part.nodes(level)) for level in levels],
                "halo": [len(part.halo(level)) for level in levels],
                "edges": [part.num_edges(level) for level in levels],
                "bytes": made.file_size(part.index),
            }
            for part in made
        ],
        "seconds": took,
    }


def _print_table(file: Path, made: "Parts", found: dict[str, Any]) -> None:
    from rich.text import Text

    from cliquepool.cli.tables import Column, FittingTable

    heads = ("part", "own nodes", "nodes of other parts", "edges", "file")
    table = FittingTable([Column(head, right=True) for head in heads])
    for part in found["parts"]:
        nodes, halo = (" → ".join(f"{number:,}" for number in part[key]) for key in ("nodes", "halo"))
        table.add_row(str(part["part"]), nodes, halo, f"{sum(part['edges']):,}", _size(part["bytes"]))
    console = out()
    nodes = " → ".join(f"{size:,}" for size in made.sizes)
    console.print(Text.assemble((str(file), "bold"), f"  {nodes} nodes in {counted(len(made), 'part')}\n"))
    console.print(table)
    console.print(Text(f"\ndivided in {seconds(found['seconds'])}", style="dim"))
    console.print(f"saved to {made.folder}")


def _size(number: int) -> str:
    return f"{number / 1e6:,.1f} MB" if number >= 1e6 else f"{number / 1e3:,.1f} kB"
