"""A network over parts without exchange: every part computes its whole halo itself, from the input features.

A check of the exchange, which computes the same another way. A part needs all nodes that its own nodes depend
on, over all hops and levels, and that is often most of the graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from cliquepool.errors import InputError
from cliquepool.scale.level_rows import rows_of_hierarchy
from cliquepool.scale.part_levels import apply_to_view
from cliquepool.scale.part_views import NodeOwners, make_view, view_rows
from cliquepool.scale.summaries import combine_readouts, maxima_nodes, part_readout

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.hierarchy import Hierarchy
    from cliquepool.scale.level_rows import LevelRows
    from cliquepool.scale.part_files import Part
    from cliquepool.scale.partitioning import Parts
    from cliquepool.scale.plan import Plan, Stage, Step, Value

    Ids = npt.NDArray[np.int32]

__all__ = ["run_recomputing"]


def run_recomputing(plan: Plan, parts: Parts, hierarchy: Hierarchy, features: Tensor) -> Tensor:
    """Return the output of a network whose parts do not exchange features."""
    if any(step.kind == "moments" for stage in plan.stages for step in stage.steps):
        raise InputError("hierarchy: expected a network without batch norm that is training, got one")
    levels = rows_of_hierarchy(hierarchy)
    read: dict[int, list[tuple[Tensor, Tensor]]] = {}
    for part in parts:
        for slot, summary in _Recomputation(plan, levels, part, features).summaries.items():
            read.setdefault(slot, []).append(summary)
    reads = []
    for step in plan.reads:
        rows, nodes = zip(*read[step.slot], strict=True)
        counts = parts.header.counts[step.inputs[0].level].tolist()
        reads.append(combine_readouts(step.function, rows, nodes, counts))  # type: ignore[arg-type]
    assert plan.head is not None
    return plan.head(reads)


class _Recomputation:
    """One part: the nodes that each value is needed of, the features of these nodes, and the readouts."""

    def __init__(self, plan: Plan, levels: list[LevelRows], part: Part, features: Tensor) -> None:
        self._levels = levels
        self._part = part
        self._needed: dict[Value, Ids] = {}
        for stage in reversed(plan.stages):
            for step in reversed(stage.steps):
                self._need_inputs(step)
        self._values: dict[Value, Tensor] = {}
        if plan.input in self._needed:
            self._values[plan.input] = features[torch.from_numpy(self._needed[plan.input]).long()]
        self.summaries: dict[int, tuple[Tensor, Tensor]] = {}
        for stage in plan.stages:
            self._run(stage)

    # ---- backwards: which nodes are needed ----

    def _need_inputs(self, step: Step) -> None:
        if step.kind == "read":
            self._need(step.inputs[0], self._part.nodes(step.inputs[0].level))
            return
        assert step.output is not None
        wanted = self._needed.get(step.output, np.zeros(0, dtype=np.int32))
        if step.kind == "rows":
            for value in step.inputs:
                self._need(value, wanted)
            return
        level = self._level_of(step)
        self._need(step.inputs[0], view_rows(step.kind, level, *self._units_and_pools(step, wanted)))  # type: ignore[arg-type]

    def _need(self, value: Value, nodes: Ids) -> None:
        known = self._needed.get(value)
        self._needed[value] = nodes if known is None else np.union1d(known, nodes).astype(np.int32)

    def _level_of(self, step: Step) -> LevelRows:
        assert step.output is not None
        return self._levels[step.output.level - (step.kind == "pools")]

    def _units_and_pools(self, step: Step, wanted: Ids) -> tuple[Ids, Ids]:
        """Return the units or the pools that the step computes."""
        if step.kind == "pools":
            return np.zeros(0, dtype=np.int32), wanted
        return np.unique(self._level_of(step).unit_of_node[wanted]), np.zeros(0, dtype=np.int32)

    # ---- forwards ----

    def _run(self, stage: Stage) -> None:
        for step in stage.steps:
            if step.kind == "read":
                nodes = self._part.nodes(step.inputs[0].level)
                rows = self._rows(step.inputs[0], nodes)
                ids = maxima_nodes(rows, torch.from_numpy(nodes.copy()))
                self.summaries[step.slot] = (part_readout(rows), ids)
            elif step.output in self._needed:
                assert step.output is not None
                self._values[step.output] = self._result(step, self._needed[step.output])

    def _result(self, step: Step, wanted: Ids) -> Tensor:
        if step.kind == "rows":
            result: Tensor = step.function(*(self._rows(value, wanted) for value in step.inputs))
            return result
        level = self._level_of(step)
        kind: Any = step.kind
        above = kind == "lift"
        size = len(level.pools) if above and level.pools is not None else level.num_nodes
        alone = NodeOwners(np.zeros(size, dtype=np.int32), np.arange(size, dtype=np.int32), np.array([size]))
        units, pools = self._units_and_pools(step, wanted)
        view = make_view(kind, level, units, pools, alone)
        rows = self._rows(step.inputs[0], view.rows)
        made = apply_to_view(step.function, rows, view, factored=level.factored)
        # The nodes of the results are those of whole units: keep the ones that are needed.
        computed = pools if kind == "pools" else _nodes_of(level, units)
        return made[torch.from_numpy(np.searchsorted(computed, wanted))]

    def _rows(self, value: Value, nodes: Ids) -> Tensor:
        """Return the rows of some nodes that a value was computed for."""
        return self._values[value][torch.from_numpy(np.searchsorted(self._needed[value], nodes))]


def _nodes_of(level: LevelRows, units: Ids) -> Ids:
    return np.sort(level.nodes_of_unit.take(units.astype(np.int64)).members)
