"""The optional dependencies: which extra installs what, and the error where one is missing."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from cliquepool.errors import MissingDependency

__all__ = ["EXTRAS", "install_command", "require"]

# The packages of each extra, by their import names.
EXTRAS: Final = {
    "torch": ("torch",),
    "train": ("torch", "sklearn", "pydantic"),
    "pyg": ("torch", "torch_geometric"),
    "cluster": ("dask", "distributed"),
    "tensorboard": ("tensorboard",),
    "mlflow": ("mlflow",),
}
# Where the name on PyPI differs.
_DISTRIBUTIONS: Final = {"sklearn": "scikit-learn", "mlflow": "mlflow-skinny"}


def require(extra: str, what: str) -> None:
    """Raise MissingDependency, saying that `what` needs them, unless all packages of `extra` are installed.

    Imports nothing, so that it takes microseconds.
    """
    missing = [package for package in EXTRAS[extra] if not _is_installed(package)]
    if missing:
        *others, last = (_DISTRIBUTIONS.get(package, package) for package in missing)
        names = f"{', '.join(others)} and {last}" if others else last
        raise MissingDependency(
            f"{what} needs {names}, which {'is' if len(missing) == 1 else 'are'} not installed: "
            f"{install_command(extra)}",
            name=missing[0],
        )


def install_command(extra: str) -> str:
    """Return the command that installs the package with this extra."""
    return f"pip install 'cliquepool[{extra}]'"


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):  # an import hook that refuses it; a module without a spec
        return False
