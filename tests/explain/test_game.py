from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.errors import BudgetExceeded, GraphError
from cliquepool.explain.fields import pool_fields
from cliquepool.explain.game import MaskingGame, all_subsets
from cliquepool.explain.masked_model import MaskedNetwork


def game_of(
    model: Any, graph: GraphDataset, level: int = 2, baseline: Any = "zero", budget: Budget = DEFAULT_BUDGET
) -> MaskingGame:
    fields = pool_fields(PooledDataset(graph, level), level)[0]
    return MaskingGame(MaskedNetwork(model, graph, baseline), fields, budget)


@pytest.mark.parametrize("copies", [1, 3, 1000])
def test_scores_do_not_depend_on_how_copies_are_batched(
    copies: int, model: Any, graphs: GraphDataset
) -> None:
    game = game_of(model, graphs[1], level=1, baseline=graphs)
    kept = np.random.default_rng(0).random((12, len(game))) < 0.5
    one_by_one = np.concatenate([game.scores(row[None]) for row in kept])
    game.model.copies_at_once = copies  # type: ignore[misc]
    assert np.abs(game.scores(kept) - one_by_one).max() < 1e-5


def test_scores_are_those_of_the_model_with_the_other_nodes_at_the_baseline(
    model: Any, graphs: GraphDataset
) -> None:
    game = game_of(model, graphs[2], level=1)
    kept = np.zeros((1, len(game)), dtype=bool)
    kept[0, 0] = True
    x = torch.zeros_like(game.model.x)
    inside = game.fields.members[0].astype(int)
    x[inside] = game.model.x[inside]
    with torch.no_grad():
        assert np.allclose(game.scores(kept), game.model.scores(x[None]).numpy())


def test_rows_that_keep_the_same_nodes_are_computed_once(model: Any, graphs: GraphDataset) -> None:
    game = game_of(model, graphs[1], level=1)
    game.scores(np.ones((50, len(game)), dtype=bool))
    assert game.evaluations == 1


def test_subsets_are_numbered_by_their_bits() -> None:
    rows = all_subsets(4)
    assert (rows @ (1 << np.arange(4))).tolist() == list(range(16))


def test_limits(model: Any, graphs: GraphDataset) -> None:
    kept = np.ones((1, len(game_of(model, graphs[1]))), dtype=bool)
    with pytest.raises(BudgetExceeded, match="max_seconds reached while explaining"):
        game_of(model, graphs[1], budget=Budget(max_seconds=0)).scores(kept)
    with pytest.raises(BudgetExceeded, match="max_bytes reached while explaining"):
        game_of(model, graphs[1], budget=Budget(max_bytes=1)).scores(kept)
    with pytest.raises(GraphError, match="expected a column for each of"):
        game_of(model, graphs[1]).scores(np.ones((1, 99), dtype=bool))
