"""Arguments and options that several commands share."""

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, get_args

import typer

from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.reading import Format, IdKind

__all__ = [
    "CLUSTER",
    "OPTION_OF_LIMIT",
    "FileArgument",
    "FormatName",
    "FormatOption",
    "HeaderOption",
    "IdKindName",
    "IdsOption",
    "JsonOption",
    "LevelsOption",
    "MaxCliquesOption",
    "MaxMemoryOption",
    "MaxSecondsOption",
    "ThreadsOption",
    "make_budget",
    "memory_amount",
]

CLUSTER: Final = "--cluster"

OPTION_OF_LIMIT: Final = {
    "max_cliques": "--max-cliques",
    "max_seconds": "--max-seconds",
    "max_bytes": "--max-memory",
}

FormatName = StrEnum("FormatName", {name: name for name in get_args(Format)})  # type: ignore[misc]
IdKindName = StrEnum("IdKindName", {name: name for name in get_args(IdKind)})  # type: ignore[misc]

_LIMITS: Final = "Limits"
_UNITS: Final = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def memory_amount(text: str | int) -> int:
    """Return the bytes of an amount of memory such as 500M or 2G."""
    found = re.fullmatch(r"(\d+(?:\.\d*)?)\s*([KMGT]?)(?:i?B)?", str(text).strip(), re.IGNORECASE)
    if found is None:
        raise typer.BadParameter(f"expected an amount such as 500M or 2G, got {text!r}")
    return int(float(found[1]) * _UNITS[found[2].upper()])


FileArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="The graph: an edge list, csv, DIMACS, Matrix Market or METIS file, plain or gz, xz, bz2.",
        show_default=False,
    ),
]
FormatOption = Annotated[
    FormatName | None,
    typer.Option(
        "--format",
        metavar="|".join(get_args(Format)),
        help="The format of the file. By default determined by its name, else an edge list.",
    ),
]
IdsOption = Annotated[
    IdKindName | None,
    typer.Option(
        "--ids",
        metavar="|".join(get_args(IdKind)),
        help="The kind of node ids in an edge list or csv file. By default that of the first edge.",
    ),
]
HeaderOption = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line of an edge list or csv file has the names of the columns. By default "
        "detected.",
        show_default=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead, for other programs.")]
LevelsOption = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=2**31 - 1,
        metavar="N",
        help="Pool N times. By default until every component is one node.",
    ),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=1024,
        metavar="N",
        help="Number of threads; the result does not depend on it. By default all cores.",
    ),
]
MaxSecondsOption = Annotated[
    float,
    typer.Option(
        min=0,
        metavar="S",
        help="Stop with an error after S seconds; inf for no limit.",
        rich_help_panel=_LIMITS,
    ),
]
MaxCliquesOption = Annotated[
    int,
    typer.Option(
        min=0, metavar="N", help="Stop with an error after N cliques or pools.", rich_help_panel=_LIMITS
    ),
]
MaxMemoryOption = Annotated[
    int,
    typer.Option(
        parser=memory_amount,
        metavar="SIZE",
        help="Stop with an error if more memory is needed, such as 500M or 8G.",
        show_default="4G",
        rich_help_panel=_LIMITS,
    ),
]

DEFAULT_SECONDS: Final = float(DEFAULT_BUDGET.max_seconds or 0)
DEFAULT_CLIQUES: Final = int(DEFAULT_BUDGET.max_cliques or 0)
DEFAULT_BYTES: Final = int(DEFAULT_BUDGET.max_bytes or 0)


def make_budget(max_seconds: float, max_cliques: int, max_memory: int) -> Budget:
    """Return the budget of the three limits."""
    try:
        return Budget(max_cliques=max_cliques, max_seconds=max_seconds, max_bytes=max_memory)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
