from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cliquepool.explain.game import all_subsets
from cliquepool.explain.methods import (
    exact_shapley,
    integrated_gradients,
    occlusion,
    sampled_shapley,
    shapley_of_answers,
)
from tests.explain.test_game import game_of

if TYPE_CHECKING:
    from cliquepool.data import GraphDataset


def by_permutations(answers: Any, number: int) -> Any:
    """Return the Shapley values as they are defined: mean contributions over all orders."""
    values = np.zeros((number, answers.shape[1]))
    orders = list(permutations(range(number)))
    for order in orders:
        row = 0
        for player in order:
            values[player] += answers[row | 1 << player] - answers[row]
            row |= 1 << player
    return values / len(orders)


@given(st.integers(1, 5), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_shapley_values_are_the_mean_over_all_orders(number: int, columns: int, seed: int) -> None:
    answers = np.random.default_rng(seed).normal(size=(1 << number, columns))
    assert np.allclose(shapley_of_answers(answers), by_permutations(answers, number))


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=6))
def test_shapley_values_of_a_sum_are_its_terms(terms: list[float]) -> None:
    answers = all_subsets(len(terms)) @ np.array(terms)
    assert np.allclose(shapley_of_answers(answers[:, None])[:, 0], terms)


@pytest.mark.parametrize("level", [1, 2])
def test_exact_values_sum_to_the_difference(level: int, model: Any, graphs: GraphDataset) -> None:
    for index in range(6):
        found = exact_shapley(game_of(model, graphs[index], level))
        assert np.abs(found.of_pools.sum(0) - (found.whole - found.nothing)).max() < 1e-4


def test_sampled_values_are_near_the_exact_ones_and_sum_to_the_difference(
    model: Any, graphs: GraphDataset
) -> None:
    game = game_of(model, graphs[1], level=1)
    exact, sampled = exact_shapley(game), sampled_shapley(game, 200, seed=1)
    assert sampled.standard_errors is not None
    assert np.abs(sampled.of_pools.sum(0) - (sampled.whole - sampled.nothing)).max() < 1e-4
    away = np.abs(sampled.of_pools - exact.of_pools)
    assert (away <= 5 * sampled.standard_errors + 1e-6).all()
    again = sampled_shapley(game, 200, seed=1)
    assert np.array_equal(again.of_pools, sampled.of_pools)


def test_occlusion_equals_one_by_one(model: Any, graphs: GraphDataset) -> None:
    game = game_of(model, graphs[3], level=1, baseline=graphs)
    found = occlusion(game)
    for pool in range(len(game)):
        kept = np.ones((1, len(game)), dtype=bool)
        kept[0, pool] = False
        assert np.abs(found.whole - game.scores(kept)[0] - found.of_pools[pool]).max() < 1e-5


def test_gradients_are_complete_up_to_their_gap(model: Any, graphs: GraphDataset) -> None:
    game = game_of(model, graphs[2], baseline=graphs)
    coarse, fine = integrated_gradients(game, 8), integrated_gradients(game, 512)
    for found in (coarse, fine):
        assert found.gap is not None
        assert found.of_nodes is not None
        assert np.allclose(found.of_nodes.sum(0) + found.gap, found.whole - found.nothing)
        assert np.allclose(found.of_pools.sum(0), found.of_nodes.sum(0))
    assert np.abs(fine.gap).max() < 0.02 * np.abs(fine.whole - fine.nothing).max() + 0.01
