"""Modules that moved: their old names keep working, without importing the new ones before they are used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["forward_to"]


def forward_to(module: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module whose contents are now in `module`."""

    def forward(name: str) -> Any:
        # Python asks modules for special names of its own, such as __path__: these are not forwarded.
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(import_module(module), name)

    return forward
