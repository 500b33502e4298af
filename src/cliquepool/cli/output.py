# ruff: noqa: PLC0415 (rich is imported where it is used, so that --help and errors are quick)
"""Reading of graphs, printing and checks of paths that several commands share."""

import contextlib
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from cliquepool.array_folders import is_array_folder
from cliquepool.cli.progress import PatientProgress
from cliquepool.errors import GraphError
from cliquepool.graph import Graph
from cliquepool.reading import read_graph

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from cliquepool.budget import Budget
    from cliquepool.cli.options import FormatName, IdKindName
    from cliquepool.reading import Format, IdKind

__all__ = ["expect_writable", "naming_options", "open_graph", "out", "seconds"]

_UNLIMITED: Final = 1_000_000  # columns
_OPTION_OF_ARGUMENT: Final = {
    "header=True": "--header",
    "header=False": "--no-header",
    'ids="text"': "--ids text",
    'ids="integers"': "--ids integers",
}


def open_graph(
    file: Path,
    file_format: "FormatName | None",
    budget: "Budget",
    progress: PatientProgress,
    *,
    ids: "IdKindName | None" = None,
    header: bool | None = None,
) -> tuple[Graph, float]:
    """Read a graph; return it and the seconds that it took. Errors name options, not Python arguments.

    A folder that ``cliquepool convert`` wrote is mapped into memory.
    """
    began = time.perf_counter()
    if is_array_folder(file):
        if (file_format, ids, header) != (None, None, None):
            raise GraphError(
                f"{file}: expected no --format, --ids or --header for a converted graph, got one"
            )
        return Graph.open(file), time.perf_counter() - began
    with naming_options():
        graph = read_graph(
            file,
            None if file_format is None else cast("Format", file_format.value),
            ids=None if ids is None else cast("IdKind", ids.value),
            header=header,
            budget=budget,
            progress=lambda done, total: progress(f"reading {file.name}", done, total),
        )
    return graph, time.perf_counter() - began


@contextlib.contextmanager
def naming_options() -> "Iterator[None]":
    """Re-raise GraphError with the names of options in place of Python arguments."""
    try:
        yield
    except GraphError as error:
        text = str(error)
        for argument, option in _OPTION_OF_ARGUMENT.items():
            text = text.replace(argument, option)
        raise GraphError(text) from None


def out() -> "Console":
    """Return a console on stdout that prints text verbatim, without markup.

    If stdout is not a terminal, lines are not wrapped.
    """
    from rich.console import Console

    width = None if sys.stdout.isatty() else _UNLIMITED
    return Console(markup=False, highlight=False, emoji=False, soft_wrap=False, width=width)


def seconds(amount: float) -> str:
    """Return a duration in µs, ms or s."""
    if amount < 0.001:
        return f"{1e6 * amount:.3g} µs"
    if amount < 1:
        return f"{1000 * amount:.3g} ms" if amount < 0.0995 else f"{1000 * amount:.0f} ms"
    return f"{amount:.3g} s" if amount < 100 else f"{amount:,.0f} s"


def expect_writable(path: Path) -> None:
    """Raise OSError if a file cannot be written there, before any work is done."""
    if path.is_dir():
        raise IsADirectoryError(21, "expected a file to write, got a directory", str(path))
    folder = path.parent
    if not folder.is_dir():
        raise FileNotFoundError(2, f"cannot be written, there is no folder {folder}", str(path))
    if not os.access(folder, os.W_OK):
        raise PermissionError(13, f"cannot be written, no permission for the folder {folder}", str(path))
