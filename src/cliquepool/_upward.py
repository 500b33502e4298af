"""The one way from a lower layer to a higher one: by name, at the time of a call.

A module imports modules of its own layer and of lower ones only; ``make lint`` checks that by the contracts
of ``[tool.importlinter]`` in pyproject.toml. A few public methods of lower layers need a higher one all the
same: `PooledDataset.batch` returns a torch batch, `GraphDataset.from_pyg` reads PyG data, a graph is drawn in
a notebook. Each of them is one line that calls `from_above`: importing the lower layer imports no torch, and
a search for `from_above` finds them all.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["from_above"]


def from_above(module: str, name: str) -> Any:
    """Return a function or class of a higher layer, importing ``cliquepool.<module>`` on the first call.

    >>> from_above("grid", "pool_window")(3)
    5
    """
    return getattr(import_module(f"cliquepool.{module}"), name)
