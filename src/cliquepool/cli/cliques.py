# ruff: noqa: PLC0415 (rich is imported where it is used, so that --help and errors are quick)
"""`cliquepool cliques`: count the maximal cliques of a graph by size, or list them."""

import json
import re
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np
import typer

from cliquepool._words import counted
from cliquepool.cli.options import (
    DEFAULT_BYTES,
    DEFAULT_CLIQUES,
    DEFAULT_SECONDS,
    FileArgument,
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
from cliquepool.cli.output import open_graph, out, seconds
from cliquepool.cli.progress import PatientProgress
from cliquepool.cliques import count_maximal_cliques_by_size, maximal_cliques, maximum_cliques

if TYPE_CHECKING:
    from cliquepool.graph import Graph
    from cliquepool.ragged import Ragged

__all__ = ["show_cliques"]

_MOST_BARS: Final = 40
_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"
_CLIQUES_A_BLOCK: Final = 10_000


def show_cliques(
    file: FileArgument,
    *,
    list_them: Annotated[
        bool, typer.Option("--list", help="Print the cliques, one a line, by the node ids of the file.")
    ] = False,
    maximum: Annotated[bool, typer.Option("--maximum", help="Only the largest cliques.")] = False,
    min_size: Annotated[int, typer.Option(min=1, metavar="K", help="Only cliques of at least K nodes.")] = 1,
    as_json: JsonOption = False,
    file_format: FormatOption = None,
    ids: IdsOption = None,
    header: HeaderOption = None,
    threads: ThreadsOption = None,
    max_seconds: MaxSecondsOption = DEFAULT_SECONDS,
    max_cliques: MaxCliquesOption = DEFAULT_CLIQUES,
    max_memory: MaxMemoryOption = DEFAULT_BYTES,
) -> None:
    """Count the maximal cliques of a graph by size, or list them.

    A clique is a set of pairwise adjacent nodes; it is maximal when no other node is adjacent to all of it.

    [bold]Examples[/bold]

    cliquepool cliques network.txt.gz

    cliquepool cliques network.txt.gz --maximum --list

    cliquepool cliques network.txt.gz --min-size 3 --list > cliques.txt
    """
    if maximum and min_size > 1:
        raise typer.BadParameter("--maximum and --min-size exclude each other")
    budget = make_budget(max_seconds, max_cliques, max_memory)
    with PatientProgress() as progress:
        graph, seconds_reading = open_graph(file, file_format, budget, progress, ids=ids, header=header)
        began = time.perf_counter()
        how = {"threads": threads, "budget": budget, "progress": progress}
        cliques, sizes = _search(graph, min_size, maximum=maximum, list_them=list_them, **how)
        seconds_searching = time.perf_counter() - began
        found = {
            "file": str(file),
            "nodes": graph.num_nodes,
            "edges": graph.num_edges,
            "kind": "maximum" if maximum else "maximal",
            "min_size": min_size,
            "count": sum(sizes.values()),
            "largest": max(sizes, default=0),
            "sizes": sizes,
            "seconds": {"reading": seconds_reading, "searching": seconds_searching},
        }
        if list_them and cliques is not None:
            _print_list(found if as_json else None, graph, cliques, progress)
            return
    if as_json:
        print(json.dumps(found))
    else:
        _print_summary(found, sizes)


def _search(
    graph: "Graph", min_size: int, *, maximum: bool, list_them: bool, **how: Any
) -> "tuple[Ragged | None, dict[int, int]]":
    """Return the cliques, or None if they need only be counted, and their number by size."""
    if not (maximum or list_them):
        return None, count_maximal_cliques_by_size(graph, min_size, **how)
    cliques = maximum_cliques(graph, **how) if maximum else maximal_cliques(graph, min_size, **how)
    found, counts = np.unique(cliques.sizes, return_counts=True)
    return cliques, dict(zip(found.tolist(), counts.tolist(), strict=True))


# ---- the list ----


def _print_list(
    found: dict[str, Any] | None, graph: "Graph", cliques: "Ragged", progress: PatientProgress
) -> None:
    """Write the cliques in blocks, as lines or as one JSON object."""
    shows_progress = not sys.stdout.isatty()  # on one terminal, the two would overwrite each other
    write = sys.stdout.write
    separator = " " if found is None else ", "
    between = "\n" if found is None else "],\n ["
    if found is not None:
        write(json.dumps(found)[:-1] + ', "cliques": [' + ("\n [" if len(cliques) else ""))
    done = 0
    for block in _blocks(graph, cliques, separator):
        write((between if done else "") + between.join(block))
        done += len(block)
        if shows_progress:
            progress("writing cliques", done, len(cliques))
    if found is not None:
        write(("]" if done else "") + "]}")
    write("\n" if done or found is not None else "")
    sys.stdout.flush()


_NEEDS_QUOTES: Final = re.compile(r'[\s"]|^$')


def _blocks(graph: "Graph", cliques: "Ragged", separator: str) -> Iterator[list[str]]:
    labels = range(graph.num_nodes) if graph.labels is None else graph.labels.tolist()
    # In lines, names with a blank or a quote are quoted; in JSON, all text is.
    names = [
        json.dumps(label, ensure_ascii=False)
        if isinstance(label, str) and (separator != " " or _NEEDS_QUOTES.search(label))
        else str(label)
        for label in labels
    ]
    for begin in range(0, len(cliques), _CLIQUES_A_BLOCK):
        block = cliques[begin : begin + _CLIQUES_A_BLOCK]
        members = [names[node] for node in block.members.tolist()]
        starts = block.offsets.tolist()
        yield [separator.join(members[b:e]) for b, e in pairwise(starts)]


# ---- the summary ----


def _print_summary(found: dict[str, Any], sizes: dict[int, int]) -> None:
    from rich.text import Text

    from cliquepool.cli.tables import Column, FittingTable

    console = out()
    console.print(
        Text.assemble(
            (found["file"], "bold"), f"  {counted(found['nodes'], 'node')}, {counted(found['edges'], 'edge')}"
        )
    )
    number = counted(found["count"], f"{found['kind']} clique")
    if not sizes:
        console.print(
            number + (f" of at least {counted(found['min_size'], 'node')}" if found["min_size"] > 1 else "")
        )
        return
    least = f" of at least {found['min_size']} nodes" if found["min_size"] > 1 else ""
    most = counted(found["largest"], "node")
    console.print(
        Text.assemble(
            (number, "bold cyan"),
            f" of {most}" if found["kind"] == "maximum" else f"{least}, the largest of {most}",
        )
    )
    if found["kind"] == "maximal":
        console.print()
        bars = _bars(sizes)
        table = FittingTable([Column("size", right=True), Column("cliques", right=True), Column("")], gap=2)
        widest = max(height for _, height in bars)
        room = max(10, min(60, console.width - 30))
        for name, height in bars:
            table.add_row(
                name, f"{height:,}", Text(_bar(height / widest * room, console.options.ascii_only), "cyan")
            )
        console.print(table)
    took = found["seconds"]
    console.print(
        Text(f"\nread in {seconds(took['reading'])}, searched in {seconds(took['searching'])}", style="dim")
    )


def _bars(sizes: dict[int, int]) -> list[tuple[str, int]]:
    """Return the rows of the histogram: one for each size, or for ranges of sizes if there are many."""
    lowest, highest = min(sizes), max(sizes)
    width = 1 if len(sizes) <= _MOST_BARS else -(-(highest - lowest + 1) // _MOST_BARS)
    rows: dict[int, int] = {}
    for size in sorted(sizes):
        begin = lowest + (size - lowest) // width * width
        rows[begin] = rows.get(begin, 0) + sizes[size]
    return [(f"{begin}" if width == 1 else f"{begin}–{begin + width - 1}", rows[begin]) for begin in rows]


def _bar(length: float, ascii_only: bool) -> str:
    if ascii_only:
        return "#" * max(round(length), int(length > 0))
    eighths = max(round(8 * length), int(length > 0))
    return (_EIGHTHS[8] * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()
