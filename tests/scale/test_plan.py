"""Plans divide the steps of a network into stages, and refuse what cannot run part by part."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import cliquepool as cp
from cliquepool.nn import (
    GCN,
    ClassifierSettings,
    CliqueLift,
    CliquePool,
    GraphClassifier,
    PyGConvolution,
    Readout,
)
from cliquepool.scale.plan import Plan, plan_of


def kinds(plan: Plan) -> list[list[str]]:
    return [[step.kind for step in stage.steps] for stage in plan.stages]


def classifier(**changed: object) -> GraphClassifier:
    return GraphClassifier(ClassifierSettings(pools=1, composition=False, **changed), 3, 2)  # type: ignore[arg-type]


def test_each_exchange_begins_a_stage() -> None:
    plan = plan_of(classifier())
    assert kinds(plan) == [["neighbours", "rows", "read"], ["pools"], ["neighbours", "rows", "read"]]
    assert [len(stage.outputs) for stage in plan.stages] == [1, 1, 0]
    assert plan.num_levels == 2


def test_batch_norm_waits_for_the_statistics_of_all_parts_while_training() -> None:
    model = classifier(batch_norm=True)
    first = ["neighbours", "moments"], ["normalise", "rows", "read"]
    assert kinds(plan_of(model)) == [*first, ["pools"], *first]
    assert kinds(plan_of(model.eval())) == [
        ["neighbours", "rows", "rows", "read"],
        ["pools"],
        ["neighbours", "rows", "rows", "read"],
    ]


def test_rows_of_several_stages_join_the_last_one() -> None:
    plan = Plan()
    x = plan.rows(torch.relu, plan.input)
    y = plan.convolve(GCN(3, 3), x)
    z = plan.rows(torch.add, y, x)
    assert kinds(plan) == [["rows"], ["neighbours", "rows"]]
    assert [(given.value, given.view) for given in plan.stages[1].inputs] == [
        (x, (0, "neighbours")),
        (x, None),
    ]
    assert (z.level, plan.views(x)) == (0, [(0, "neighbours")])


def test_a_stage_trains_each_parameter_once() -> None:
    plan, linear = Plan(), nn.Linear(3, 3)
    x = plan.rows(linear, plan.rows(linear, plan.input))
    plan.read(Readout(), x)
    assert plan.stages[0].parameters() == list(linear.parameters())
    linear.requires_grad_(False)
    assert plan.stages[0].parameters() == []


def test_what_cannot_run_by_parts_is_refused() -> None:
    plan = Plan()
    y = plan.pool(CliquePool(), plan.input)
    with pytest.raises(cp.InputError, match="rows: expected values of one level"):
        plan.rows(torch.add, y, plan.input)
    with pytest.raises(cp.InputError, match="without batch norm while training"):
        plan.rows(nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)), y)
    with pytest.raises(cp.InputError, match="lift: expected the features of pools"):
        plan.lift(CliqueLift(), plan.input)
    with pytest.raises(cp.InputError, match="another layer over a level, got PyGConvolution"):
        plan.convolve(PyGConvolution(nn.Linear(3, 3)), y)
    with pytest.raises(cp.InputError, match="read: expected a Readout, got Linear"):
        plan.read(nn.Linear(3, 3), y)  # type: ignore[arg-type]


class Unfinished(nn.Module):
    def describe(self, plan: Plan) -> None:
        plan.convolve(GCN(3, 3), plan.input)


def test_networks_without_a_plan_are_refused() -> None:
    with pytest.raises(cp.InputError, match="expected a GraphClassifier or a network with a method describe"):
        plan_of(nn.Linear(3, 3))
    with pytest.raises(cp.InputError, match="expected a plan with a readout that ends with finish"):
        plan_of(Unfinished())
    with pytest.raises(cp.InputError, match="composition: expected none for a network that describes"):
        plan_of(Unfinished(), torch.ones(1, 2))
