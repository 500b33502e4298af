# ruff: noqa: PLC0415 (rich and importlib.metadata are imported where they are used, so that --help and errors are quick)
"""`cliquepool info`: versions of the installed packages, and the machine."""

import json
import os
import platform
import sys
from pathlib import Path
from typing import Any, Final

import cliquepool
from cliquepool import _core
from cliquepool._extras import install_command
from cliquepool.cli.options import JsonOption
from cliquepool.cli.output import out
from cliquepool.threads import thread_count

__all__ = ["show_info"]

_REQUIRED: Final = ("numpy", "scipy", "typer", "rich", "matplotlib", "filelock")
_OPTIONAL: Final = {
    "torch": "torch",
    "scikit-learn": "train",
    "pydantic": "train",
    "torch_geometric": "pyg",
    "dask": "cluster",
    "distributed": "cluster",
    "tensorboard": "tensorboard",
    "mlflow-skinny": "mlflow",
    "networkx": "all",
    "pandas": "all",
    "igraph": "bench",
    "networkit": "bench",
}
"""Optional packages, and the extra that installs each."""
_DATA_VARIABLE: Final = "CLIQUEPOOL_DATA"


def show_info(as_json: JsonOption = False) -> None:
    """Show the version, the machine, and the installed packages.

    [bold]Example[/bold]

    cliquepool info --json
    """
    found = _collect()
    if as_json:
        print(json.dumps(found))
        return
    from rich.text import Text

    from cliquepool.cli.tables import Column, FittingTable

    table = FittingTable([Column("", style="dim"), Column("", wraps=True)])
    data = found["data"]
    table.add_row("cliquepool", Text(found["cliquepool"], "bold cyan"))
    table.add_row("core", found["core"])
    table.add_row("python", found["python"])
    table.add_row("system", found["system"])
    table.add_row("cores", str(found["cores"]))
    for name, version in {**found["required"], **found["optional"]}.items():
        if version is None and name in _OPTIONAL:
            table.add_row(name, Text(f"not installed ({install_command(_OPTIONAL[name])})", "dim"))
        else:
            table.add_row(name, version or Text("not installed", "yellow"))
    where = data["folder"] or f"{_DATA_VARIABLE} is not set"
    table.add_row("data", where + ("" if data["exists"] or not data["folder"] else " (does not exist)"))
    out().print(table)


def _collect() -> dict[str, Any]:
    folder = os.environ.get(_DATA_VARIABLE, "")
    return {
        "cliquepool": cliquepool.__version__,
        "core": _core_build(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.machine()}",
        "cores": thread_count(None),
        "required": {name: _version(name) for name in _REQUIRED},
        "optional": {name: _version(name) for name in _OPTIONAL},
        "data": {
            "variable": _DATA_VARIABLE,
            "folder": folder,
            "exists": bool(folder) and Path(folder).is_dir(),
        },
    }


def _core_build() -> str:
    """Return the file, the compiler and the ABI of the compiled core."""
    name = Path(_core.__file__ or "").name
    words = [name, _core.compiler]
    if ".abi3." in name and sys.version_info >= (3, 12):
        words.append("stable ABI")
    return ", ".join(words)


def _version(package: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
