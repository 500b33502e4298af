"""Recomputed halos are a check of the exchange; what they cannot check is refused.

tests/scale/test_running.py compares their results with those of the whole graph, for all networks.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch

import cliquepool as cp
from cliquepool.nn import ClassifierSettings, GraphClassifier
from cliquepool.scale.plan import plan_of
from cliquepool.scale.recomputation import _Recomputation, rows_of_hierarchy
from tests.helpers.small_graphs import path

H = cp.clique_hierarchy(path(40).graph(), levels=2)
PARTS = cp.scale.partition(H, 4)
X = np.ones((40, 3), dtype=np.float32)


def model(**changed: bool) -> GraphClassifier:
    return GraphClassifier(ClassifierSettings(composition=False, hidden=4, **changed), 3, 2)  # type: ignore[arg-type]


def test_a_part_computes_what_its_nodes_depend_on_and_no_more() -> None:
    plan = plan_of(model().eval())
    part = PARTS[1]
    with torch.no_grad():
        computed = _Recomputation(plan, rows_of_hierarchy(H), part, torch.ones(40, 3))
    needed = H.dependencies(2, hops=1).of(part.nodes(2))[0]
    for level in (0, 1):
        needed = np.union1d(needed, H.dependencies(level, hops=1).of(part.nodes(level))[0])
    np.testing.assert_array_equal(computed._needed[plan.input], needed)


def test_results_are_those_of_the_exchange() -> None:
    network = model(batch_norm=True).eval()
    found = cp.scale.run(network, PARTS, X, recompute=H)
    torch.testing.assert_close(found, cp.scale.run(network, PARTS, X))


def test_what_cannot_be_recomputed_is_refused() -> None:
    with pytest.raises(cp.InputError, match="expected a network without batch norm that is training"):
        cp.scale.run(model(batch_norm=True), PARTS, X, recompute=H)
    other = cp.clique_hierarchy(path(41).graph(), levels=2)
    with pytest.raises(cp.GraphError, match="recompute: expected the hierarchy of the parts, got another"):
        cp.scale.run(model(), PARTS, X, recompute=other)
