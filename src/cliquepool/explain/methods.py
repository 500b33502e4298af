"""Contributions of pools to scores: occlusion, Shapley values, integrated gradients, deletion."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Final

import numpy as np
import torch

from cliquepool.explain.game import all_subsets

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.explain.game import MaskingGame

    Scores = npt.NDArray[np.float64]

__all__ = [
    "MOST_EXACT",
    "Contributions",
    "exact_shapley",
    "integrated_gradients",
    "occlusion",
    "sampled_shapley",
    "shapley_of_answers",
]

MOST_EXACT: Final = 16
"""The most pools whose Shapley values are exact: 2^16 answers."""


@dataclass(frozen=True)
class Contributions:
    """The contribution of each pool (rows) to each score (columns), and what is known of its error.

    Attributes
    ----------
    of_pools : ndarray
        The contributions.
    whole, nothing : ndarray
        The scores of the graph, and of the graph without any pool.
    of_nodes : ndarray, optional
        The contribution of each node, where the method computes it.
    standard_errors : ndarray, optional
        Of sampled contributions, as `of_pools`.
    gap : ndarray, optional
        By how much integrated gradients miss the difference of `whole` and `nothing`.
    answers : ndarray, optional
        The scores of all subsets of pools, row Σ 2^i over the kept pools i.
    """

    of_pools: Scores
    whole: Scores
    nothing: Scores
    of_nodes: Scores | None = None
    standard_errors: Scores | None = None
    gap: Scores | None = None
    answers: Scores | None = None


def occlusion(game: MaskingGame) -> Contributions:
    """Return by how much each score falls when one pool alone is not kept; all in one call."""
    pools = len(game)
    game.expect_memory(4 * pools * (pools + 2))
    kept = np.concatenate([~np.eye(pools, dtype=bool), np.ones((1, pools), bool), np.zeros((1, pools), bool)])
    scores = game.scores(kept)
    whole, nothing = scores[-2], scores[-1]
    return Contributions(whole - scores[:-2], whole, nothing)


def exact_shapley(game: MaskingGame) -> Contributions:
    """Return the Shapley values of the pools, from the scores of all their subsets."""
    answers = game.all_scores()
    return Contributions(shapley_of_answers(answers), answers[-1], answers[0], answers=answers)


def shapley_of_answers(answers: Scores) -> Scores:
    """Return the Shapley value of each player (rows), given the scores of all subsets.

    >>> shapley_of_answers(np.array([[0.0], [1.0], [2.0], [5.0]])).tolist()
    [[2.0], [3.0]]
    """
    number = (len(answers) - 1).bit_length()
    sizes = all_subsets(number).sum(axis=1)
    weights = np.array([1 / (number * comb(number - 1, size)) for size in range(number)])
    values = np.empty((number, answers.shape[1]))
    for player in range(number):
        # Axis 1 says whether the player is in the subset: bit `player` of its row.
        without, with_it = np.moveaxis(answers.reshape(-1, 2, 1 << player, answers.shape[1]), 1, 0)
        weight = weights[sizes.reshape(-1, 2, 1 << player)[:, 0]]
        values[player] = np.einsum("ab,abc->c", weight, with_it - without)
    return values


def sampled_shapley(game: MaskingGame, samples: int, seed: int) -> Contributions:
    """Estimate the Shapley values from `samples` pairs of a random permutation and its reverse.

    Each permutation adds the pools one by one; a pool contributes the change of the score. The reverse makes
    errors of opposite sign likely, which cancel. Standard errors are those of the mean over pairs.
    """
    pools, names = len(game), game.model.scale.names
    draw = np.random.default_rng(seed)
    orders = np.stack([draw.permutation(pools) for _ in range(samples)])
    pairs = np.stack([orders, orders[:, ::-1]], axis=1)
    pairs_at_once = max(1, game.model.copies_at_once // (2 * pools))
    parts = []
    scores = np.zeros((0, 2, pools + 1, len(names)))
    for begin in range(0, samples, pairs_at_once):
        chosen = pairs[begin : begin + pairs_at_once]
        kept = _additions(chosen.reshape(-1, pools))
        scores = game.scores(kept).reshape(len(chosen), 2, pools + 1, -1)
        # Where in its order each pool comes: the changes, put back in the order of the pools.
        ranks = np.argsort(chosen, axis=2)[..., None]
        parts.append(np.take_along_axis(np.diff(scores, axis=2), ranks, axis=2).mean(axis=1))
    of_pairs = np.concatenate(parts)
    errors = of_pairs.std(axis=0, ddof=1) / np.sqrt(samples)
    return Contributions(of_pairs.mean(axis=0), scores[0, 0, -1], scores[0, 0, 0], standard_errors=errors)


def _additions(orders: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Return the kept pools (columns) as they are added in each of the orders, from none to all (rows)."""
    ranks = np.argsort(orders, axis=1)[:, None, :]
    pools = orders.shape[1]
    added: npt.NDArray[np.bool_] = ranks < np.arange(pools + 1)[:, None]
    return added.reshape(-1, pools)


def integrated_gradients(game: MaskingGame, steps: int) -> Contributions:
    """Return the gradients of the scores, integrated along the line from the baseline to the features.

    The contribution of a node is that of its features; a node of several pools divides it equally over them.
    The contributions miss the difference of the scores by `gap`, an error of the `steps` midpoints.
    """
    model, number = game.model, len(game.model.scale.names)
    ends = game.node_scores(np.array([[False], [True]]).repeat(game.fields.num_nodes, axis=1))
    difference = model.x - model.baseline
    midpoints = (torch.arange(steps) + 0.5) / steps
    gradients = torch.zeros(number, *model.x.shape, dtype=torch.float64)
    for part in torch.split(midpoints, model.copies_at_once):
        game.expect_time()
        x = (model.baseline + part[:, None, None] * difference).requires_grad_()
        scores = model.scores(x)
        for index in range(number):
            (gradient,) = torch.autograd.grad(scores[:, index].sum(), x, retain_graph=True)
            gradients[index] += gradient.double().sum(dim=0)
    game.evaluations += steps
    of_nodes = (gradients / steps * difference).sum(dim=2).t().numpy()
    gap = ends[1] - ends[0] - of_nodes.sum(axis=0)
    of_pools = game.fields.share_among_pools(of_nodes)
    return Contributions(of_pools, ends[1], ends[0], of_nodes=of_nodes, gap=gap)
