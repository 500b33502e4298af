"""The tasks of a run: one stage on one part, forward or backward.

A task reads the features that it needs from files and writes its results to files; only readouts, statistics
and gradients of parameters, which are small, go through the caller. The backward pass computes the stage
again instead of keeping its intermediate results.
"""

from __future__ import annotations

import contextlib
import ctypes
import pickle
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from cliquepool.errors import InputError
from cliquepool.scale.part_files import read_part
from cliquepool.scale.part_levels import apply_to_view
from cliquepool.scale.summaries import (
    Statistics,
    maxima_nodes,
    normalise,
    part_moments,
    part_readout,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt

    from cliquepool.scale.exchange import Exchange
    from cliquepool.scale.part_files import Part
    from cliquepool.scale.plan import Stage, StageInput, Step, Value

    Array = npt.NDArray[Any]

__all__ = ["StageGradients", "StageTask", "Summary", "run_stage", "run_stage_backward"]


class Summary(NamedTuple):
    """The summary that a part has of one of its values, and for a readout the nodes of the maxima."""

    slot: int
    rows: Array
    nodes: Array


class StageGradients(NamedTuple):
    """Gradients that a part adds to those of the parameters and statistics of a stage."""

    parameters: list[Array | None]
    statistics: list[Array | None]


@dataclass(frozen=True, eq=False)
class StageTask:
    """One stage on one part.

    Attributes
    ----------
    stage, number
        The stage and its number.
    part : int
        The number of the part.
    folder : Path
        The folder of the parts.
    exchange : Exchange
        The files of the run.
    statistics : tuple of two arrays or None
        The mean and variance that the batch norm of the stage reads.
    seed : int or None
        The seed of random layers: equal forward and backward.
    gradients : tuple of arrays
        For the backward pass, those of the summaries of the stage.
    """

    stage: Stage
    number: int
    part: int
    folder: Path
    exchange: Exchange
    statistics: tuple[Array, Array] | None = None
    seed: int | None = None
    gradients: tuple[Array, ...] = ()

    def __reduce__(self) -> Any:
        # Plain pickling copies tensors: multiprocessing would move parameters to shared memory instead.
        rest = (getattr(self, field.name) for field in fields(self)[1:])
        return _restore_task, (pickle.dumps(self.stage), *rest)


def _restore_task(stage: bytes, *rest: Any) -> StageTask:
    return StageTask(pickle.loads(stage), *rest)  # noqa: S301 (made by the process that sent the task)


def run_stage(task: StageTask) -> list[Summary]:
    """Run a stage on a part, write its outputs, and return its summaries."""
    with _returning_memory():
        return _run_stage(task)


def run_stage_backward(task: StageTask) -> StageGradients:
    """Run a stage on a part again, and write the gradients of its inputs; return those of its parameters."""
    with _returning_memory():
        return _run_stage_backward(task)


@contextlib.contextmanager
def _returning_memory() -> Iterator[None]:
    """Return freed memory to the system at the end: the next part has arrays of other sizes.

    The C library would keep it, and the process grow to more than its largest part.
    """
    try:
        yield
    finally:
        with contextlib.suppress(OSError, AttributeError, TypeError):  # only glibc has it
            ctypes.CDLL(None).malloc_trim(0)


def _run_stage(task: StageTask) -> list[Summary]:
    part = read_part(task.folder, task.part, task.exchange.index)
    inputs = [_read_input(task, part, given) for given in task.stage.inputs]
    statistics = _statistics(task)
    with torch.no_grad(), _seeded(task.seed):
        computed = _Computation(task, part, inputs, statistics)
        for output in task.stage.outputs:
            task.exchange.write_value(output.number, output.level, part, computed.values[output].numpy())
        nodes = [
            maxima_nodes(computed.values_of(step)[0], _own_nodes(part, step))
            if step.kind == "read"
            else torch.zeros(0)
            for step in task.stage.summaries()
        ]
    summaries = zip(task.stage.summaries(), computed.summaries, nodes, strict=True)
    return [Summary(step.slot, rows.numpy(), ids.numpy()) for step, rows, ids in summaries]


def _run_stage_backward(task: StageTask) -> StageGradients:
    part = read_part(task.folder, task.part, task.exchange.index)
    inputs = [_read_input(task, part, given) for given in task.stage.inputs]
    for given, rows in zip(task.stage.inputs, inputs, strict=True):
        rows.requires_grad_(given.value.number != 0)
    statistics = _statistics(task)
    further: list[Tensor] = [] if statistics is None else [each.requires_grad_() for each in statistics]
    parameters: list[Tensor] = list(task.stage.parameters())
    with torch.enable_grad(), _seeded(task.seed):
        computed = _Computation(task, part, inputs, statistics)
        results = [computed.values[output] for output in task.stage.outputs] + computed.summaries
        gradients = [_read_gradient(task, part, output, computed) for output in task.stage.outputs]
        gradients += [torch.from_numpy(array) for array in task.gradients]
        found = _gradients(results, gradients, [*inputs, *further, *parameters])
    for index, (given, rows) in enumerate(zip(task.stage.inputs, inputs, strict=True)):
        if rows.requires_grad:
            gradient = torch.zeros_like(rows) if found[index] is None else found[index]
            assert gradient is not None
            task.exchange.write_gradient(task.number, index, given.view, part, gradient.detach().numpy())
    arrays = [None if gradient is None else gradient.numpy() for gradient in found[len(inputs) :]]
    return StageGradients(arrays[len(further) :], arrays[: len(further)])


def _gradients(results: list[Tensor], gradients: list[Tensor], wanted: list[Tensor]) -> list[Tensor | None]:
    """Return the gradients of all that is wanted; None for what no result depends on."""
    pairs = [pair for pair in zip(results, gradients, strict=True) if pair[0].requires_grad]
    asked = [index for index, tensor in enumerate(wanted) if tensor.requires_grad]
    found: list[Tensor | None] = [None] * len(wanted)
    if pairs and asked:
        outputs, of_outputs = zip(*pairs, strict=True)
        got = torch.autograd.grad(outputs, [wanted[i] for i in asked], of_outputs, allow_unused=True)
        for index, gradient in zip(asked, got, strict=True):
            found[index] = gradient
    return found


def _read_input(task: StageTask, part: Part, given: StageInput) -> Tensor:
    value = given.value
    if given.view is None:
        return torch.from_numpy(task.exchange.read_own(value.number, value.level, part.index))
    return torch.from_numpy(task.exchange.read_view(value.number, value.level, given.view, part))


def _read_gradient(task: StageTask, part: Part, output: Value, computed: _Computation) -> Tensor:
    total = torch.zeros_like(computed.values[output]).detach()
    task.exchange.add_gradients(output.number, output.level, part, total.numpy())
    return total


def _statistics(task: StageTask) -> Statistics | None:
    if task.statistics is None:
        return None
    return Statistics(*(torch.from_numpy(array.copy()) for array in task.statistics))


def _own_nodes(part: Part, step: Step) -> Tensor:
    return torch.from_numpy(part.nodes(step.inputs[0].level).copy())


@contextlib.contextmanager
def _seeded(seed: int | None) -> Iterator[None]:
    """Draw random numbers from a seed inside the block; leave those outside as they are."""
    if seed is None:
        yield
        return
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


class _Computation:
    """The values and summaries of a stage on a part."""

    def __init__(
        self, task: StageTask, part: Part, inputs: list[Tensor], statistics: Statistics | None
    ) -> None:
        self.values: dict[Value, Tensor] = {}
        self.summaries: list[Tensor] = []
        self._index = task.exchange.index
        self._part = part
        self._statistics = statistics
        self._with_halo: Tensor | None = None
        for given, rows in zip(task.stage.inputs, inputs, strict=True):
            if given.view is None:
                self.values[given.value] = rows
            else:
                self._with_halo = rows
        for step in task.stage.steps:
            self._run(step)

    def values_of(self, step: Step) -> list[Tensor]:
        """Return the own rows that a step reads."""
        return [self.values[value] for value in step.inputs]

    def _run(self, step: Step) -> None:
        if step.kind == "read":
            self.summaries.append(part_readout(*self.values_of(step)))
        elif step.kind == "moments":
            self.summaries.append(part_moments(*self.values_of(step)))
        else:
            assert step.output is not None
            self.values[step.output] = self._result(step, step.output)

    def _result(self, step: Step, output: Value) -> Tensor:
        if step.kind == "rows":
            result = step.function(*self.values_of(step))
        elif step.kind == "normalise":
            assert self._statistics is not None
            norm: Any = step.function
            result = normalise(norm, self.values[step.inputs[0]], self._statistics)
        else:
            result = self._with_neighbours(step, output)
        expected = int(self._index.counts[output.level, self._part.index])
        if result.dim() != 2 or len(result) != expected:
            raise InputError(
                f"part {self._part.index}: expected a row for each of {expected} nodes of level "
                f"{output.level} from {_name(step)}, got shape {tuple(result.shape)}"
            )
        return result  # type: ignore[no-any-return]

    def _with_neighbours(self, step: Step, output: Value) -> Tensor:
        number = output.level - (step.kind == "pools")
        view = self._part.levels[number].views[step.kind]  # type: ignore[index]
        assert self._with_halo is not None
        return apply_to_view(step.function, self._with_halo, view, factored=self._index.factored[number])


def _name(step: Step) -> str:
    return type(step.function).__name__ if isinstance(step.function, torch.nn.Module) else str(step.function)
