from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cliquepool as cp
from cliquepool.data import GraphDataset
from cliquepool.explain import vocabulary
from cliquepool.explain.vocabulary_page import vocabulary_page
from tests.explain.test_page import data_of

if TYPE_CHECKING:
    import pytest


def test_only_words_of_the_most_graphs_are_shown(
    model: Any, graphs: GraphDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cliquepool.explain.vocabulary_page._MOST_WORDS", 3)
    words = vocabulary(model, graphs[:6], level=1, method="occlusion")
    page = vocabulary_page(words)
    shown = [word["graphs"] for word in data_of(page)["words"]]
    assert shown == [word.graphs for word in words.words[:3]]
    assert "the 3 in the most graphs are shown" in page


def test_large_graphs_are_not_drawn(model: Any) -> None:
    path = cp.Graph.from_edges([(i, i + 1) for i in range(160)])
    graph = GraphDataset.from_graphs([path], node_labels=[[0] * 161])
    page = vocabulary_page(vocabulary(model, graph, level=1, method="delete"))
    assert "<path" not in page
    assert data_of(page)["words"][0]["low"] is None
