from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from cliquepool.errors import InputError
from cliquepool.explain import auroc, jaccard, sparsity, stability

NODES = st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=2, max_size=12).filter(
    lambda nodes: len({true for _, true in nodes}) == 2
)


@settings(max_examples=50)
@given(NODES)
def test_auroc_is_that_of_scikit_learn(nodes: list[tuple[int, bool]]) -> None:
    scores, truth = zip(*nodes, strict=True)
    assert np.isclose(auroc(scores, truth), roc_auc_score(truth, scores))


def test_jaccard_takes_as_many_nodes_as_are_true() -> None:
    truth = [True, True, False, False]
    assert jaccard([4, 3, 2, 1], truth) == 1
    assert jaccard([1, 2, 3, 4], truth) == 0
    assert jaccard([4, 2, 3, 1], truth) == 1 / 3
    assert jaccard([1, 1, 1, 1], truth) == 1 / 3  # half of each


def test_sparsity_counts_what_is_far_below_the_highest() -> None:
    assert sparsity([1, 1, 1]) == 0
    assert sparsity([-1, -2]) == pytest.approx(1)
    assert sparsity([1, 0, 0, 0], threshold=0.1) == 0.75


def test_stability_is_a_rank_correlation() -> None:
    assert stability([[1, 2, 3], [1, 4, 9], [0, 1, 2]]) == 1
    assert stability([[1, 2, 3], [3, 2, 1]]) == -1
    assert stability([[1, 2, 3], [1, 1, 1]]) == 0


def test_bad_input_is_named() -> None:
    with pytest.raises(InputError, match="truth: expected one value for each of the scores"):
        auroc([1, 2], [True])
    with pytest.raises(InputError, match="truth: expected some nodes to be true and some not"):
        jaccard([1, 2], [True, True])
    with pytest.raises(InputError, match="runs: expected the scores of the same nodes"):
        stability([[1, 2]])
    with pytest.raises(InputError, match="scores: expected a number for each node"):
        sparsity([])
