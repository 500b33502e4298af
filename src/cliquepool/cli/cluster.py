# ruff: noqa: PLC0415 (dask is imported where it is used, so that --help and errors are quick)
"""The options --cluster and --work of commands, and the cluster that they open."""

import contextlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cliquepool.cli.options import CLUSTER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cliquepool.scale import Cluster

__all__ = ["ClusterOption", "WorkOption", "open_cluster", "with_default_address"]

_LOCAL: Final = "local"
_ADDRESS: Final = re.compile(r"local|\w+://.+|[\w.-]+:\d+")

ClusterOption = Annotated[
    str | None,
    typer.Option(
        CLUSTER,
        metavar="[ADDRESS]",
        help="Run on the workers of dask.distributed: at the address of a scheduler, such as "
        "tcp://host:8786, or without one on workers that are started here.",
        show_default=False,
    ),
]
WorkOption = Annotated[
    Path | None,
    typer.Option(
        "--work",
        metavar="FOLDER",
        help="With --cluster: a folder that all workers see. An interrupted run goes on from what it has.",
    ),
]


def with_default_address(arguments: list[str]) -> list[str]:
    """Insert ``local`` after a --cluster that no address follows.

    >>> with_default_address(["--cluster", "graph.txt"]), with_default_address(["--cluster", "tcp://h:1"])
    (['--cluster', 'local', 'graph.txt'], ['--cluster', 'tcp://h:1'])
    """
    found = []
    for index, argument in enumerate(arguments):
        found.append(argument)
        follows = arguments[index + 1] if index + 1 < len(arguments) else ""
        if argument == CLUSTER and not _ADDRESS.fullmatch(follows):
            found.append(_LOCAL)
    return found


@contextlib.contextmanager
def open_cluster(
    address: str | None, work: Path | None, *, workers: int | None, option: str, memory: int | None = None
) -> "Iterator[Cluster | None]":
    """Open the cluster that options describe; None without --cluster.

    `option` is the one that `workers` is from.
    """
    if address is None:
        if work is not None:
            raise typer.BadParameter("--work: expected --cluster beside it, got none")
        yield None
        return
    if not _ADDRESS.fullmatch(address):
        raise typer.BadParameter(
            f"{CLUSTER}: expected an address such as tcp://host:8786, or none, got {address!r}"
        )
    is_local = address == _LOCAL
    if not is_local and workers is not None:
        raise typer.BadParameter(f"{option}: expected none with an address, which has its own workers")
    if not is_local and memory is not None:
        raise typer.BadParameter("--max-memory: expected none with an address, whose workers have limits")

    from cliquepool.scale import Cluster

    chosen = None if is_local else address if "://" in address else f"tcp://{address}"
    with Cluster(chosen, workers=workers, memory=memory, folder=work) as cluster:
        yield cluster
