"""Measures of explanations beside those of PyTorch Geometric: against a truth, sparsity, stability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import rankdata

from cliquepool.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

__all__ = ["auroc", "jaccard", "sparsity", "stability"]


def auroc(scores: npt.ArrayLike, truth: npt.ArrayLike) -> float:
    """Return the area under the ROC curve: how likely a true node has a higher score than another one.

    >>> auroc([0.9, 0.1, 0.8], [True, False, False])
    1.0
    """
    values, true = _checked(scores, truth)
    ranks = rankdata(values)
    positive, negative = int(true.sum()), int((~true).sum())
    return float((ranks[true].sum() - positive * (positive + 1) / 2) / (positive * negative))


def jaccard(scores: npt.ArrayLike, truth: npt.ArrayLike) -> float:
    """Return the overlap of the true nodes with as many nodes of the highest scores: 1 where they are equal.

    Nodes that tie at the last score to be taken count in proportion.

    >>> jaccard([0.9, 0.1, 0.8], [True, False, True])
    1.0
    """
    values, true = _checked(scores, truth)
    number = int(true.sum())
    last = np.sort(values)[-number]
    above, tied = values > last, values == last
    share = (number - above.sum()) / tied.sum()
    common = float((above & true).sum() + share * (tied & true).sum())
    return common / (2 * number - common)


def sparsity(scores: npt.ArrayLike, threshold: float = 0.5) -> float:
    """Return the share of nodes whose score is at most `threshold` times the highest one.

    >>> sparsity([1.0, 0.9, 0.1, -2.0])
    0.5
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise InputError(f"scores: expected a number for each node, got shape {values.shape}")
    return float((values <= threshold * max(values.max(), 0.0)).mean())


def stability(runs: Sequence[npt.ArrayLike]) -> float:
    """Return the mean rank correlation between the scores of several runs: 1 where all rank nodes alike.

    Runs differ in a seed, or in a small change of the graph or of the weights. A run that gives all nodes the
    same score ranks nothing: its correlations count as 0.

    >>> stability([[1, 2, 3], [10, 20, 30]])
    1.0
    """
    ranks = [rankdata(np.asarray(run, dtype=np.float64)) for run in runs]
    if len(ranks) < 2 or len({len(rank) for rank in ranks}) > 1 or not len(ranks[0]):
        raise InputError("runs: expected the scores of the same nodes, at least twice")
    centred = np.stack([rank - rank.mean() for rank in ranks])
    norms = np.sqrt((centred**2).sum(axis=1))
    unit = centred / np.where(norms > 0, norms, 1)[:, None]
    pairs = np.triu_indices(len(ranks), 1)
    return float(np.round((unit @ unit.T)[pairs].mean(), 12))


def _checked(
    scores: npt.ArrayLike, truth: npt.ArrayLike
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    values, true = np.asarray(scores, dtype=np.float64), np.asarray(truth).astype(bool)
    if values.ndim != 1 or values.shape != true.shape:
        raise InputError(
            f"truth: expected one value for each of the scores, got shapes {true.shape} and {values.shape}"
        )
    if not true.any() or true.all():
        raise InputError("truth: expected some nodes to be true and some not")
    return values, true
