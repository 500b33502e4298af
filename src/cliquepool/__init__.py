"""Exact clique pooling of graphs, and whole clique hierarchies.

>>> import cliquepool as cp
>>> g = cp.Graph.from_edges([(0, 1), (0, 2), (1, 2), (2, 3)])
>>> cp.clique_pool(g).pools.tolist()
[[0, 1, 2], [3]]
>>> cp.clique_hierarchy(g).sizes
(4, 2, 1)
"""

from typing import TYPE_CHECKING, Any

from cliquepool.budget import Budget
from cliquepool.cliques import (
    clique_number,
    count_maximal_cliques,
    count_maximal_cliques_by_size,
    maximal_cliques,
    maximum_cliques,
)
from cliquepool.colour_refinement import WLColours, wl_colours
from cliquepool.errors import BudgetExceeded, GraphError, InputError
from cliquepool.graph import Graph
from cliquepool.hierarchies import Hierarchies, clique_hierarchies
from cliquepool.hierarchy import Hierarchy, clique_hierarchy
from cliquepool.pooling import Pooling, clique_pool
from cliquepool.ragged import Ragged
from cliquepool.reading import read_graph
from cliquepool.twins import Twins

if TYPE_CHECKING:
    from cliquepool import scale as scale
    from cliquepool import view as view

    __version__: str
else:

    def __getattr__(name: str) -> Any:
        """Return the version or a package on first use: both take longer than most imports here."""
        if name == "__version__":
            from cliquepool._version import version  # noqa: PLC0415

            return version()
        if name in {"scale", "view"}:
            from importlib import import_module  # noqa: PLC0415

            return import_module(f"cliquepool.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Budget",
    "BudgetExceeded",
    "Graph",
    "GraphError",
    "Hierarchies",
    "Hierarchy",
    "InputError",
    "Pooling",
    "Ragged",
    "Twins",
    "WLColours",
    "clique_hierarchies",
    "clique_hierarchy",
    "clique_number",
    "clique_pool",
    "count_maximal_cliques",
    "count_maximal_cliques_by_size",
    "maximal_cliques",
    "maximum_cliques",
    "read_graph",
    "wl_colours",
]
