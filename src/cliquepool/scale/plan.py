"""Networks as plans: steps over the nodes of the levels, which run part by part.

A step reads features of nodes and returns others. Convolutions, pools and lifts read those of other parts
too, so that each begins a stage; between these, steps go row by row. What couples all parts is small:
readouts, and the statistics of batch norm.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

from cliquepool.errors import InputError
from cliquepool.nn.functional import relu_normalise
from cliquepool.nn.layers import PyGConvolution, Readout
from cliquepool.nn.network import GraphClassifier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cliquepool.scale.part_views import ViewKind

    Head = Callable[[list[Tensor]], Tensor]

__all__ = ["Described", "Plan", "Stage", "StageInput", "Step", "Value", "plan_of"]

StepKind = Literal["neighbours", "pools", "lift", "rows", "normalise", "moments", "read"]


@runtime_checkable
class Described(Protocol):
    """A network that describes its steps, so that it can run part by part."""

    def describe(self, plan: Plan) -> None:
        """Add the steps of the network to a plan, and end with `Plan.finish`."""


@dataclass(frozen=True)
class Value:
    """The features of the nodes of a level: the input of a network, or the result of a step."""

    number: int
    level: int


@dataclass(frozen=True, eq=False)
class Step:
    """One computation of a stage. `moments` and `read` have no output, but a summary of each part.

    `slot` is the number of that summary, and for `normalise` of the moments that it needs.
    """

    kind: StepKind
    function: Callable[..., Any]
    inputs: tuple[Value, ...]
    output: Value | None
    slot: int = -1


@dataclass(frozen=True)
class StageInput:
    """A value that a stage reads: with the halo of a view of a level, or the own rows alone."""

    value: Value
    view: tuple[int, ViewKind] | None


@dataclass(eq=False)
class Stage:
    """Steps that run without an exchange between parts.

    Attributes
    ----------
    inputs : list of StageInput
        The values of earlier stages that it reads.
    steps : list of Step
        Its steps, in order; only the first may read a halo.
    outputs : list of Value
        The values that later stages read.
    """

    inputs: list[StageInput]
    steps: list[Step] = field(default_factory=list)
    outputs: list[Value] = field(default_factory=list)

    def parameters(self) -> list[nn.Parameter]:
        """Return the parameters of its layers that are trained, each once."""
        found: dict[nn.Parameter, None] = {}
        for step in self.steps:
            if isinstance(step.function, nn.Module) and step.kind not in {"moments", "read"}:
                found |= dict.fromkeys(p for p in step.function.parameters() if p.requires_grad)
        return list(found)

    def summaries(self) -> list[Step]:
        """Return the steps that have a summary, in order."""
        return [step for step in self.steps if step.output is None]


class Plan:
    """The steps of a network, added one by one; each method returns a value for later steps.

    >>> from cliquepool.nn import GCN, CliquePool, Readout
    >>> plan = Plan()
    >>> x = plan.rows(torch.relu, plan.convolve(GCN(3, 8), plan.input))
    >>> plan.read(Readout(), x)
    >>> x = plan.convolve(GCN(8, 8), plan.pool(CliquePool(), x))
    >>> plan.read(Readout(), x)
    >>> plan.finish(lambda reads: torch.cat(reads, dim=1))
    >>> len(plan.stages), x.level
    (3, 1)
    """

    def __init__(self) -> None:
        self.input = Value(0, 0)
        self.stages: list[Stage] = []
        self.head: Head | None = None
        self.reads: list[Step] = []
        self._slots = 0
        self._stage_of: dict[Value, int] = {self.input: -1}

    def convolve(self, layer: Callable[..., Tensor], x: Value) -> Value:
        """Apply ``layer(x, level)`` to the nodes of a level: a result for each from itself and neighbours.

        The layer may read `neighbours`, `quotient` and `degrees` of the level, as our convolutions do. Those
        of PyTorch Geometric are refused: they compute degrees from edges, of which a part has not all.
        """
        if isinstance(layer, PyGConvolution):
            raise InputError(
                "convolve: expected a GCN, SAGE, GIN or another layer over a level, got PyGConvolution"
            )
        return self._exchange("neighbours", layer, x, level=x.level, result=x.level)

    def pool(self, layer: Callable[..., Tensor], x: Value) -> Value:
        """Apply ``layer(x, level)``, which returns a row for each pool: a node of the next level."""
        return self._exchange("pools", layer, x, level=x.level, result=x.level + 1)

    def lift(self, layer: Callable[..., Tensor], y: Value) -> Value:
        """Apply ``layer(y, level)``, which returns a row for each node of the level below that of `y`."""
        if y.level == 0:
            raise InputError("lift: expected the features of pools, got those of the lowest level")
        return self._exchange("lift", layer, y, level=y.level - 1, result=y.level - 1)

    def rows(self, function: Callable[..., Tensor], *values: Value) -> Value:
        """Apply a function or layer that computes each row from the same row of these values alone."""
        if not values or len({value.level for value in values}) != 1:
            raise InputError("rows: expected values of one level, got those of several or none")
        if isinstance(function, nn.Module) and any(map(_reads_all_rows, function.modules())):
            raise InputError(
                "rows: expected a layer without batch norm while training, got one: use normalise"
            )
        stage = self._stage_for(values)
        return self._add(stage, Step("rows", function, values, self._new(values[0].level)))

    def normalise(self, norm: _BatchNorm, x: Value) -> Value:
        """Apply batch norm: by the statistics of all nodes while training, else row by row."""
        if not _reads_all_rows(norm):
            return self.rows(norm, x)
        slot = self._summarise("moments", norm, x).slot
        self._output(x)
        self.stages.append(Stage([StageInput(x, None)]))
        return self._add(len(self.stages) - 1, Step("normalise", norm, (x,), self._new(x.level), slot))

    def read(self, readout: Readout, x: Value) -> None:
        """Read out one row of the whole graph; `finish` receives all of them in this order."""
        if not isinstance(readout, Readout):
            raise InputError(f"read: expected a Readout, got {type(readout).__name__}")
        self.reads.append(self._summarise("read", readout, x))

    def finish(self, head: Head) -> None:
        """Set the function that computes the output of the network from the list of its readouts."""
        self.head = head

    # ---- the division into stages ----

    def _exchange(
        self, kind: ViewKind, layer: Callable[..., Tensor], x: Value, *, level: int, result: int
    ) -> Value:
        self._output(x)
        self.stages.append(Stage([StageInput(x, (level, kind))]))
        return self._add(len(self.stages) - 1, Step(kind, layer, (x,), self._new(result)))

    def _summarise(self, kind: StepKind, function: Callable[..., Any], x: Value) -> Step:
        step = Step(kind, function, (x,), None, self._slots)
        self._slots += 1
        self.stages[self._stage_for((x,))].steps.append(step)
        return step

    def _stage_for(self, values: tuple[Value, ...]) -> int:
        """Return the last stage that produces one of the values; it reads the own rows of the others."""
        stage = max(self._stage_of[value] for value in values)
        if stage < 0:
            self.stages.append(Stage([]))
            stage = len(self.stages) - 1
        for value in dict.fromkeys(values):
            if self._stage_of[value] != stage and StageInput(value, None) not in self.stages[stage].inputs:
                self.stages[stage].inputs.append(StageInput(value, None))
                self._output(value)
        return stage

    def _new(self, level: int) -> Value:
        return Value(len(self._stage_of), level)

    def _add(self, stage: int, step: Step) -> Value:
        assert step.output is not None
        self.stages[stage].steps.append(step)
        self._stage_of[step.output] = stage
        return step.output

    def _output(self, value: Value) -> None:
        stage = self._stage_of[value]
        if stage >= 0 and value not in self.stages[stage].outputs:
            self.stages[stage].outputs.append(value)

    def consumers(self, value: Value) -> Iterator[tuple[int, int, StageInput]]:
        """Yield the stages that read a value, with the index of the input and the input."""
        for number, stage in enumerate(self.stages):
            for index, given in enumerate(stage.inputs):
                if given.value == value:
                    yield number, index, given

    def views(self, value: Value) -> list[tuple[int, ViewKind]]:
        """Return the views in which a value is read, each once."""
        read = (given.view for _, _, given in self.consumers(value))
        return list(dict.fromkeys(view for view in read if view is not None))

    @property
    def num_levels(self) -> int:
        """The number of levels that the steps read or return, the graph itself included."""
        return 1 + max(value.level for value in self._stage_of)


def _reads_all_rows(module: nn.Module) -> bool:
    """Tell whether a layer is a batch norm that computes statistics of its input."""
    return isinstance(module, _BatchNorm) and (module.training or module.running_mean is None)


def plan_of(model: nn.Module, composition: Tensor | None = None) -> Plan:
    """Return the plan of a network: a `GraphClassifier`, or any that describes its steps."""
    plan = Plan()
    if isinstance(model, GraphClassifier):
        _describe_classifier(model, plan, composition)
    elif isinstance(model, Described):
        if composition is not None:
            raise InputError("composition: expected none for a network that describes its steps, got one")
        model.describe(plan)
    else:
        raise InputError(
            f"model: expected a GraphClassifier or a network with a method describe(plan), "
            f"got {type(model).__name__}"
        )
    if plan.head is None or not plan.reads:
        raise InputError("model: expected a plan with a readout that ends with finish, got another")
    return plan


def _side_by_side(*values: Tensor) -> Tensor:
    return torch.cat(values, dim=1)


def _describe_classifier(model: GraphClassifier, plan: Plan, composition: Tensor | None) -> None:
    if (model.composition is not None) != (composition is not None):
        got = "none" if composition is None else "one"
        raise InputError(f"composition: expected one where the network reads it, and only there, got {got}")
    x = plan.input
    for index in range(len(model.pools) + 1):
        outputs = []
        for position in model.positions(index):
            x = plan.convolve(model.convolutions[position], x)
            if model.norms:
                x = plan.normalise(model.norms[position], x)  # type: ignore[arg-type]
            x = plan.rows(relu_normalise if model.settings.normalise else torch.relu, x)
            outputs.append(x)
        if len(outputs) > 1:
            x = plan.rows(_side_by_side, *outputs)
        plan.read(model.readout, x)
        if index < len(model.pools):
            x = plan.pool(model.pools[index], x)
    further = [] if composition is None else [composition]
    plan.finish(lambda reads: model.head(torch.cat([*reads, *further], dim=1)))
