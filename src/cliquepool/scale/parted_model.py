"""A network that runs over parts: the caller's side, which starts the tasks and combines what they return."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from cliquepool.scale.stage_tasks import StageTask, run_stage, run_stage_backward
from cliquepool.scale.summaries import (
    Statistics,
    combine_moments,
    combine_readouts,
    update_running,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from cliquepool.scale.exchange import Exchange
    from cliquepool.scale.partitioning import Parts
    from cliquepool.scale.plan import Plan, Stage, Step
    from cliquepool.scale.stage_tasks import Summary
    from cliquepool.scale.submission import MapParts
    from cliquepool.threads import OnProgress

__all__ = ["PartedModel"]


class PartedModel:
    """A network that runs over parts: forward, and then backward."""

    def __init__(  # noqa: PLR0917 (what a run consists of)
        self,
        model: nn.Module,
        plan: Plan,
        parts: Parts,
        exchange: Exchange,
        map_parts: MapParts,
        progress: OnProgress | None,
    ) -> None:
        self._model = model
        self._plan = plan
        self._parts = parts
        self._exchange = exchange
        self._map_parts = map_parts
        self._progress = progress
        self._seed = _random_state_digest() if model.training else None
        self._summaries: dict[int, list[Tensor]] = {}  # of each slot, those of all parts
        self._maxima: dict[int, list[Tensor]] = {}
        self._statistics: dict[int, Statistics] = {}  # of each slot of moments

    # ---- forward ----

    def forward(self, *, training: bool) -> Tensor:
        """Run all stages; return the output of the network, with a gradient to its readouts if `training`."""
        for number, stage in enumerate(self._plan.stages):
            self._report("running", number)
            self._prepare_statistics(stage, training)
            results: list[list[Summary]] = self._map_parts(run_stage, self._tasks(number, stage))
            self._keep_summaries(stage, results, training)
            if not training:
                self._remove_values_read_last_by(number)
        reads = [self._combined_read(step) for step in self._plan.reads]
        assert self._plan.head is not None
        with torch.set_grad_enabled(training):
            return self._plan.head(reads)

    def _tasks(
        self, number: int, stage: Stage, gradients: Sequence[Sequence[npt.NDArray[Any]]] | None = None
    ) -> list[StageTask]:
        slot = _statistics_slot(stage)
        statistics = None
        if slot is not None:
            mean, variance = (each.detach().numpy() for each in self._statistics[slot])
            statistics = (mean, variance)
        return [
            StageTask(
                stage,
                number,
                part,
                self._parts.folder,
                self._exchange,
                statistics,
                None if self._seed is None else (self._seed + number * len(self._parts) + part) % 2**63,
                () if gradients is None else tuple(gradients[part]),
            )
            for part in range(len(self._parts))
        ]

    def _keep_summaries(self, stage: Stage, results: list[list[Summary]], training: bool) -> None:
        for position, step in enumerate(stage.summaries()):
            rows = [torch.from_numpy(result[position].rows) for result in results]
            self._summaries[step.slot] = [each.requires_grad_(training) for each in rows]
            self._maxima[step.slot] = [torch.from_numpy(result[position].nodes) for result in results]

    def _combined_read(self, step: Step) -> Tensor:
        with torch.set_grad_enabled(self._summaries[step.slot][0].requires_grad):
            return combine_readouts(
                step.function,  # type: ignore[arg-type]
                self._summaries[step.slot],
                self._maxima[step.slot],
                self._counts(step),
            )

    def _prepare_statistics(self, stage: Stage, training: bool) -> None:
        """Combine the moments that the batch norm of a stage reads, and update its running statistics."""
        for step in stage.steps:
            if step.kind == "normalise":
                norm: Any = step.function
                counts = self._counts(step)
                with torch.set_grad_enabled(training):
                    statistics = combine_moments(norm, self._summaries[step.slot], counts)
                self._statistics[step.slot] = Statistics(*(each.clone() for each in statistics))
                update_running(norm, self._statistics[step.slot], sum(counts))

    def _counts(self, step: Step) -> list[int]:
        counts: list[int] = self._parts.header.counts[step.inputs[0].level].tolist()
        return counts

    def _remove_values_read_last_by(self, number: int) -> None:
        for value, consumers in self._exchange.consumers.items():
            if max(consumer.stage for consumer in consumers) == number:
                self._exchange.remove_value(value)

    # ---- backward ----

    def backward(self, loss: Tensor) -> None:
        """Add the gradients of the loss to those of all parameters; nothing where a part fails."""
        parameters = [p for p in self._model.parameters() if p.requires_grad]
        slots = [step.slot for step in self._plan.reads]
        leaves = [leaf for slot in dict.fromkeys(slots) for leaf in self._summaries[slot]]
        found = torch.autograd.grad(loss, [*leaves, *parameters], allow_unused=True)
        totals = _Totals(parameters, found[len(leaves) :])
        of_summaries: dict[int, Tensor | None] = dict(zip(map(id, leaves), found, strict=False))
        for number in reversed(range(len(self._plan.stages))):
            self._report("gradients", len(self._plan.stages) - 1 - number)
            self._backward_stage(number, totals, of_summaries)
        totals.add_to_parameters()

    def _backward_stage(self, number: int, totals: _Totals, of_summaries: dict[int, Tensor | None]) -> None:
        stage = self._plan.stages[number]
        given = [
            [
                _or_zeros(
                    of_summaries.get(id(self._summaries[step.slot][part])), self._summaries[step.slot][part]
                )
                for step in stage.summaries()
            ]
            for part in range(len(self._parts))
        ]
        results = self._map_parts(run_stage_backward, self._tasks(number, stage, given))
        for result in results:
            totals.add(stage.parameters(), result.parameters)
        slot = _statistics_slot(stage)
        if slot is not None and self._statistics[slot].mean.requires_grad:
            self._backward_statistics(slot, [result.statistics for result in results], of_summaries)
        for output in stage.outputs:
            self._exchange.remove_value(output.number)
            self._exchange.remove_gradients(output.number)

    def _backward_statistics(
        self,
        slot: int,
        of_parts: list[list[npt.NDArray[Any] | None]],
        of_summaries: dict[int, Tensor | None],
    ) -> None:
        """Pass the gradients of the statistics of batch norm on to the moments of the parts."""
        statistics, leaves = self._statistics[slot], self._summaries[slot]
        sums = [
            sum(
                (torch.from_numpy(part[each]).double() for part in of_parts if part[each] is not None),
                torch.zeros(()),
            )
            for each in range(2)
        ]
        gradients = [
            total.to(value.dtype).expand_as(value) for total, value in zip(sums, statistics, strict=True)
        ]
        of_leaves = torch.autograd.grad(list(statistics), leaves, gradients)
        of_summaries |= dict(zip(map(id, leaves), of_leaves, strict=True))

    def _report(self, what: str, done: int) -> None:
        if self._progress is not None:
            self._progress(what, done, len(self._plan.stages))


class _Totals:
    """Sums of the gradients of parameters, in 64 bits."""

    def __init__(self, parameters: list[nn.Parameter], first: Sequence[Tensor | None]) -> None:
        self._sums: dict[nn.Parameter, Tensor] = {}
        self._parameters = parameters
        for parameter, gradient in zip(parameters, first, strict=True):
            if gradient is not None:
                self._sums[parameter] = gradient.double()

    def add(self, parameters: list[nn.Parameter], gradients: list[npt.NDArray[Any] | None]) -> None:
        """Add the gradients of one part."""
        for parameter, gradient in zip(parameters, gradients, strict=True):
            if gradient is not None:
                found = torch.from_numpy(gradient).double()
                self._sums[parameter] = self._sums[parameter] + found if parameter in self._sums else found

    def add_to_parameters(self) -> None:
        """Add the sums to ``grad`` of the parameters, in their own precision."""
        for parameter in self._parameters:
            if parameter in self._sums:
                found = self._sums[parameter].to(parameter.dtype)
                parameter.grad = found if parameter.grad is None else parameter.grad + found


def _statistics_slot(stage: Stage) -> int | None:
    return next((step.slot for step in stage.steps if step.kind == "normalise"), None)


def _or_zeros(gradient: Tensor | None, like: Tensor) -> npt.NDArray[Any]:
    array: npt.NDArray[Any] = (torch.zeros_like(like) if gradient is None else gradient).detach().numpy()
    return array


def _random_state_digest() -> int:
    """Return a number that depends on torch's random state, without drawing from it."""
    state = torch.random.get_rng_state().numpy().tobytes()
    return int.from_bytes(hashlib.sha256(state).digest()[:6], "little")
