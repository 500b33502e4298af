from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from cliquepool.budget import Budget
from cliquepool.errors import BudgetExceeded, GraphError, InputError
from cliquepool.explain import Vocabulary, explain, vocabulary
from cliquepool.explain.vocabulary_page import vocabulary_page
from tests.explain.test_page import HOSTILE, data_of, shown_inside

if TYPE_CHECKING:
    from pathlib import Path

    from cliquepool.data import GraphDataset


@pytest.fixture(scope="module")
def words(model: Any, graphs: GraphDataset) -> Vocabulary:
    return vocabulary(model, graphs[:12], level=1, labels={0: HOSTILE}, classes={"1": "dense"})


def test_means_are_those_of_the_explanations(words: Vocabulary, model: Any, graphs: GraphDataset) -> None:
    of_pools = [
        explain(model, graphs[index], level=1, baseline=graphs[:12]).contributions for index in range(12)
    ]
    assert sum(word.support for word in words.words) == sum(len(found.of_pools) for found in of_pools)
    total = sum(found.of_pools.sum(axis=0) for found in of_pools)
    # Shapley values sum to the same in every graph, sampled or exact.
    assert np.allclose(sum(word.support * word.mean for word in words.words), total, atol=1e-3)
    for word in words.words:
        if word.graphs > 1:
            assert (word.low <= word.mean).all()
            assert (word.mean <= word.high).all()
        else:
            assert np.isnan(word.low).all()
        assert len({graph for graph, _ in word.examples}) == min(3, word.graphs)


def test_counts_are_those_of_the_words(words: Vocabulary) -> None:
    counts = words.counts(words.graphs)
    assert counts.sum(axis=0).tolist() == [word.support for word in words.words]
    assert (counts > 0).sum(axis=0).tolist() == [word.graphs for word in words.words]


def test_counts_predict_what_the_model_predicts(words: Vocabulary, graphs: GraphDataset) -> None:
    assert words.fidelity(words.graphs) > 0.8
    assert set(words.predict(graphs)) <= set(words.model.predict(graphs))


def test_the_strongest_words_come_first(words: Vocabulary) -> None:
    index = words.index_of("dense")
    lows = [float(word.low[index]) for word in words.strongest("dense", 4)]
    assert lows == sorted(lows, reverse=True)
    with pytest.raises(InputError, match="target: expected one of 0, dense, got 'cat'"):
        words.strongest("cat")


@pytest.mark.parametrize("method", ["occlusion", "gradient", "delete"])
def test_other_methods(method: Any, model: Any, graphs: GraphDataset) -> None:
    found = vocabulary(model, graphs[:2], method=method)
    assert {word.key.level for word in found.words} == {1, 2}
    assert repr(found) == f"Vocabulary({len(found)} words of 2 graphs)"


def test_bad_arguments_are_named(model: Any, graphs: GraphDataset) -> None:
    with pytest.raises(InputError, match="level: expected an integer of at least 1, got 0"):
        vocabulary(model, graphs, level=0)
    with pytest.raises(BudgetExceeded, match="max_seconds"):
        vocabulary(model, graphs, budget=Budget(max_seconds=0))
    with pytest.raises(GraphError, match="graphs: expected graphs with nodes"):
        vocabulary(model, [])


def test_the_page_has_every_word_and_labels_are_text(words: Vocabulary, tmp_path: Path) -> None:
    words.save(tmp_path / "words.html")
    page = (tmp_path / "words.html").read_text(encoding="utf-8")
    assert page == vocabulary_page(words)
    assert len(data_of(page)["words"]) == len(words) == page.count("<tr data-word=")
    assert "<img" not in page
    assert "&lt;img" in page
    assert shown_inside(words) == page
