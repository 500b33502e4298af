# ruff: noqa: PLC0415 (data sets and rich are imported where they are used, so that --help and errors are quick)
"""`cliquepool datasets`: list the data sets that need no download."""

import json
from typing import TYPE_CHECKING, Any

from cliquepool.cli.options import JsonOption
from cliquepool.cli.output import out
from cliquepool.cli.progress import PatientProgress
from cliquepool.cli.train import DataDirOption
from cliquepool.errors import InputError

if TYPE_CHECKING:
    from cliquepool.data import DatasetPlace

__all__ = ["show_datasets"]


def show_datasets(data_dir: DataDirOption = None, *, as_json: JsonOption = False) -> None:
    """List the data sets that need no download, and their sizes.

    Sizes are counted from the files, which takes a while for large data sets the first time.

    [bold]Examples[/bold]

    cliquepool datasets

    cliquepool datasets --data-dir ~/graphs
    """
    from cliquepool.data import available_datasets

    with PatientProgress() as progress:
        found = [_described(place, progress) for place in available_datasets(data_dir)]
    if as_json:
        print(json.dumps(found))
        return
    from rich.text import Text

    from cliquepool.cli.tables import Column, FittingTable

    console = out()
    if not found:
        console.print("no data sets found: name their folder by CLIQUEPOOL_DATA or --data-dir")
        return
    numbers = [Column(head, right=True) for head in ("graphs", "classes", "nodes", "edges")]
    table = FittingTable([Column("data set"), *numbers, Column("from", wraps=True)])
    for one in found:
        if "error" in one:
            table.add_row(one["name"], "", "", "", "", Text(one["error"], "yellow"))
        else:
            sizes = (f"{one['graphs']:,}", f"{one['classes']}", f"{one['nodes']:.1f}", f"{one['edges']:.1f}")
            table.add_row(Text(one["name"], "bold cyan"), *sizes, one["source"])
    console.print(table)
    console.print(Text("\nnodes and edges are means over the graphs", "dim"))


def _described(place: "DatasetPlace", progress: PatientProgress) -> dict[str, Any]:
    """Return the name, source and sizes of a data set, or the error if it cannot be read."""
    from cliquepool.data import load_dataset

    known = {"name": place.name, "source": place.source, "path": str(place.path)}
    try:
        data = load_dataset(place.path, progress=progress)
    except InputError as error:
        return known | {"error": str(error)}
    return known | {
        "graphs": len(data),
        "classes": data.num_classes,
        "nodes": round(data.num_nodes / max(len(data), 1), 3),
        "edges": round(data.num_edges / max(len(data), 1), 3),
    }
