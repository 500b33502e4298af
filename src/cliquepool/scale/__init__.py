"""Graphs beyond one core, beyond memory, beyond one machine.

Names are imported when they are first used: some need torch, others dask.
"""

from typing import TYPE_CHECKING, Any, Final

from cliquepool._upward import from_above

if TYPE_CHECKING:
    from cliquepool.scale.cluster import Cluster
    from cliquepool.scale.conversion import convert_graph
    from cliquepool.scale.dependencies import Dependencies, DependencyDiagram, NeededNodes
    from cliquepool.scale.out_of_core import pool_out_of_core
    from cliquepool.scale.part_files import Part
    from cliquepool.scale.partitioning import Parts, partition
    from cliquepool.scale.plan import Plan
    from cliquepool.scale.rounds import PoolingReport
    from cliquepool.scale.running import PartedLoss, accumulate_gradients, run

__all__ = [
    "Cluster",
    "Dependencies",
    "DependencyDiagram",
    "NeededNodes",
    "Part",
    "PartedLoss",
    "Parts",
    "Plan",
    "PoolingReport",
    "accumulate_gradients",
    "convert_graph",
    "partition",
    "pool_out_of_core",
    "run",
]

# The module of each name.
_MODULES: Final = {
    "Cluster": "cluster",
    "Dependencies": "dependencies",
    "DependencyDiagram": "dependencies",
    "NeededNodes": "dependencies",
    "Part": "part_files",
    "PartedLoss": "running",
    "Parts": "partitioning",
    "Plan": "plan",
    "PoolingReport": "rounds",
    "accumulate_gradients": "running",
    "convert_graph": "conversion",
    "pool_out_of_core": "out_of_core",
    "partition": "partitioning",
    "run": "running",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return from_above(f"scale.{_MODULES[name]}", name)
