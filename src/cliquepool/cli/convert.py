"""`cliquepool convert`: a graph file to a folder of memory-mapped arrays."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, cast

import typer

from cliquepool._words import counted
from cliquepool.cli.options import (
    DEFAULT_BYTES,
    FileArgument,
    FormatOption,
    HeaderOption,
    IdsOption,
    JsonOption,
    MaxMemoryOption,
    memory_amount,
)
from cliquepool.cli.output import naming_options, out, seconds
from cliquepool.cli.progress import PatientProgress

if TYPE_CHECKING:
    from cliquepool.reading import Format, IdKind

__all__ = ["convert_file"]

_BLOCKS: Final = 2**28


def convert_file(
    file: FileArgument,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to write; it must not exist.")],
    *,
    memory: Annotated[
        int,
        typer.Option(
            parser=memory_amount,
            metavar="SIZE",
            help="Memory for blocks of edges, such as 64M or 2G.",
            show_default="256M",
        ),
    ] = _BLOCKS,
    as_json: JsonOption = False,
    file_format: FormatOption = None,
    ids: IdsOption = None,
    header: HeaderOption = None,
    max_memory: MaxMemoryOption = DEFAULT_BYTES,
) -> None:
    """Convert a graph file to a folder that is opened without reading it: for graphs larger than memory.

    Edges are sorted on the disk, next to the folder, in constant memory. Only ids that are text
    are held in memory, all different ones, within --max-memory. The folder appears when it is
    complete. The other commands take it in place of a file.

    [bold]Examples[/bold]

    cliquepool convert network.txt.gz network

    cliquepool pool network --levels 1
    """
    from cliquepool.budget import Budget  # noqa: PLC0415 (quick --help)
    from cliquepool.scale.conversion import convert_graph  # noqa: PLC0415

    began = time.perf_counter()
    with PatientProgress() as progress, naming_options():
        graph = convert_graph(
            file,
            folder,
            None if file_format is None else cast("Format", file_format.value),
            ids=None if ids is None else cast("IdKind", ids.value),
            header=header,
            memory=memory,
            budget=Budget(max_seconds=None, max_bytes=max_memory),
            progress=progress,
        )
    took = time.perf_counter() - began
    size = sum(part.stat().st_size for part in folder.iterdir())
    if as_json:
        fields = {"folder": str(folder), "nodes": graph.num_nodes, "edges": graph.num_edges}
        print(json.dumps({**fields, "bytes": size, "seconds": took}))
        return
    shape = f"{counted(graph.num_nodes, 'node')}, {counted(graph.num_edges, 'edge')}"
    out().print(f"{folder}  {shape}, {size / 1e6:,.1f} MB; converted in {seconds(took)}")
