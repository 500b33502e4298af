from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from cliquepool.errors import InputError
from cliquepool.explain import Answer, Explanation, explain
from cliquepool.explain.page import explanation_page
from cliquepool.explain.scores import ScoreScale
from tests.explain.test_page import shown_inside

if TYPE_CHECKING:
    from cliquepool.data import GraphDataset


@pytest.fixture(scope="module")
def why(model: Any, graphs: GraphDataset) -> Explanation:
    return explain(model, graphs[1], level=1, labels={0: "C", 1: "N", 2: "O"}, classes={1: "dense"})


def test_the_table_has_all_pools_by_the_size_of_their_contribution(why: Explanation) -> None:
    table = why.table()
    assert sorted(row.pool for row in table) == list(range(len(why.pools)))
    sizes = [abs(row.contribution) for row in table]
    assert sizes == sorted(sizes, reverse=True)
    for row in table:
        assert row.nodes == tuple(why.pools[row.pool].tolist())
        assert set(row.text.split()) <= {"C", "N", "O"}
        name = why.names.scores[why.target]
        assert np.isclose(row.without, why.what_if([row.pool]).scores[name], atol=1e-5)
    lines = repr(table).splitlines()
    assert lines[0].split() == ["pool", "contribution", "without", "it", "nodes"]
    assert len(lines) == len(table) + 1


def test_all_answers_are_those_of_the_game(why: Explanation, model: Any, graphs: GraphDataset) -> None:
    other = explain(model, graphs[1], "occlusion", level=1)
    for off in ([], [0], [0, 2], list(range(len(why.pools)))):
        stored, computed = why.what_if(off), other.what_if(off)
        assert np.allclose(list(stored.scores.values()), list(computed.scores.values()), atol=1e-5)
    assert why.answers is not None
    assert other.answers is not None
    assert np.allclose(why.answers, other.answers, atol=1e-5)
    assert why.what_if([]) == why.answer


def test_later_questions_have_the_time_of_the_budget_anew(model: Any, graphs: GraphDataset) -> None:
    why = explain(model, graphs[1], "occlusion", level=1)
    why.game._began -= 10_000.0  # as if asked hours later
    assert why.what_if([0]).scores.keys() == why.answer.scores.keys()


def test_pools_that_are_not_there_are_refused(why: Explanation) -> None:
    with pytest.raises(InputError, match=r"without: expected pools from 0 to \d+, got 99"):
        why.what_if([99])


def test_a_notebook_shows_the_page(why: Explanation) -> None:
    assert shown_inside(why) == explanation_page(why)


def test_names_and_summary(why: Explanation) -> None:
    assert "dense" in why.names.scores
    assert repr(why).startswith(f"Explanation(shapley, {len(why.pools)} pools of level 1, ")


def test_node_scores_are_means_over_the_pools_of_a_node(why: Explanation) -> None:
    values = why.contributions.of_pools[:, why.target]
    for node, score in enumerate(why.node_scores):
        of_node = [value for pool, value in zip(why.pools, values, strict=True) if node in pool]
        assert np.isclose(score, np.mean(of_node))


def test_answers_print_what_they_say() -> None:
    classes, labels = ScoreScale("classes", ("a", "b")), ScoreScale("labels", ("a", "b"))
    numbers = ScoreScale("numbers", ("y",), (0.0,), (1.0,))
    assert str(Answer.of(np.array([-1.0, 1.0]), classes, classes.names)) == "b (a 26.9 %, b 73.1 %)"
    assert Answer.of(np.array([1.0, 2.0]), labels, labels.names).prediction == "a, b"
    assert str(Answer.of(np.array([1.5]), numbers, numbers.names)) == "y = 1.5"
