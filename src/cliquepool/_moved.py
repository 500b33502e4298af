"""Forwarding for modules that moved: the old names keep working, and import the new module on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cliquepool._upward import from_above

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["forward_to"]


def forward_to(module: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of an old module whose contents are now in ``cliquepool.<module>``."""

    def forward(name: str) -> Any:
        # Python reads special names such as __path__ from every module: these are not forwarded.
        if name.startswith("__"):
            raise AttributeError(name)
        return from_above(module, name)

    return forward
