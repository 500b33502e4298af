from __future__ import annotations

import base64
import html
import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import cliquepool as cp
from cliquepool.data import GraphDataset
from cliquepool.explain import Explanation, explain
from cliquepool.explain.page import explanation_page
from cliquepool.models import CliquePoolClassifier, CliquePoolRegressor

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = '<img src=x onerror="alert(1)">'


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def shown_inside(value: Any) -> str:
    """Return the page in the frame that a notebook shows."""
    (source,) = re.findall(r'srcdoc="([^"]*)"', value._repr_html_())
    return html.unescape(source)


def answers_of(data: dict[str, Any]) -> Any:
    return np.frombuffer(base64.b64decode(data["answers"]), dtype="<f4").reshape(-1, data["columns"])


@pytest.fixture(scope="module")
def why(model: Any, graphs: GraphDataset) -> Explanation:
    return explain(model, graphs[1], level=1, labels={0: HOSTILE}, classes={1: HOSTILE + "</script>"})


@pytest.mark.parametrize("method", ["shapley", "delete", "gradient"])
def test_the_page_stores_the_answer_of_every_setting_of_the_switches(
    method: Any, model: Any, graphs: GraphDataset
) -> None:
    why = explain(model, graphs[1], method, level=1)
    answers, pools = answers_of(data_of(explanation_page(why))), len(why.pools)
    assert answers.shape == (1 << pools, 1)  # of two classes, that of the second: the first has the negative
    random = np.random.default_rng(0)
    for kept in random.random((5, pools)) < 0.6:
        answer = why.what_if(np.flatnonzero(~kept).tolist())
        stored = answers[int((kept << np.arange(pools)).sum()), 0]
        assert np.isclose(stored, list(answer.scores.values())[1], atol=1e-5)


def test_labels_and_classes_are_text_only(why: Explanation) -> None:
    page = explanation_page(why)
    assert "<img" not in page
    assert page.count("</script>") == 2
    assert "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;" in page
    assert data_of(page)["names"][1] == HOSTILE + "</script>"


def test_the_same_explanation_gives_the_same_bytes(model: Any, graphs: GraphDataset, tmp_path: Path) -> None:
    for name in ("a", "b"):
        explain(model, graphs[1]).save(tmp_path / f"{name}.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_beyond_sixteen_pools_the_largest_have_switches(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cliquepool.explain.page._MOST_BATCHES", 0.1)
    path = cp.Graph.from_edges([(i, i + 1) for i in range(18)])
    graph = GraphDataset.from_graphs([path], node_labels=[[i % 3 for i in range(19)]])
    why = explain(model, graph, "occlusion", level=1)
    page = explanation_page(why)
    switched = sorted(int(pool) for pool in re.findall(r'data-bit="\d+" data-pool="(\d+)"', page))
    number = len(switched)
    assert 2 < number < 9
    assert switched == sorted(row.pool for row in why.table()[:number])
    assert f"The {18 - number} pools with the smallest contributions always stay on." in page
    answers = answers_of(data_of(page))
    off = [switched[0], switched[2]]
    stored = answers[(1 << number) - 1 - 1 - (1 << 2), 0]
    assert np.isclose(stored, list(why.what_if(off).scores.values())[1], atol=1e-5)


def test_large_graphs_have_the_table_alone(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cliquepool.explain.page._MOST_BATCHES", 1)
    path = cp.Graph.from_edges([(i, i + 1) for i in range(160)])
    graph = GraphDataset.from_graphs([path], node_labels=[[0] * 161])
    page = explanation_page(explain(model, graph, "gradient", level=6, steps=2))
    assert "not drawn" in page
    assert 'class="node"' not in page


def test_several_classes_and_numbers(graphs: GraphDataset) -> None:
    three = CliquePoolClassifier(hidden=8, epochs=1, validation_fraction=0).fit(graphs, np.arange(30) % 3)
    page = explanation_page(explain(three, graphs[1]))
    assert data_of(page)["columns"] == 3
    assert page.count("<option") == 3
    number = CliquePoolRegressor(hidden=8, epochs=1, validation_fraction=0).fit(graphs, np.arange(30.0))
    page = explanation_page(explain(number, graphs[1]))
    assert data_of(page)["kind"] == "numbers"
    assert "<select" not in page
