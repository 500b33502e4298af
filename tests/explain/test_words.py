from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import cliquepool as cp
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.explain.fields import pool_fields
from cliquepool.explain.names import node_texts
from cliquepool.explain.words import WordKey, words_of_pools
from tests.helpers.labelled_graphs import permuted


def words(graphs: GraphDataset, level: int) -> list[list[WordKey]]:
    fields = pool_fields(PooledDataset(graphs, level), level)
    return words_of_pools(graphs, node_texts(graphs), level, fields)


@pytest.mark.parametrize("level", [1, 2, 3])
def test_words_do_not_depend_on_node_order(level: int, graphs: GraphDataset) -> None:
    before, after = words(graphs[:10], level), words(permuted(graphs[:10], 3), level)
    assert [sorted(found) for found in before] == [sorted(found) for found in after]


def test_at_level_one_a_word_is_the_multiset_of_its_labels(graphs: GraphDataset) -> None:
    fields = pool_fields(PooledDataset(graphs, 1), 1)
    for index, found in enumerate(words(graphs, 1)):
        labels = np.array(node_texts(graphs[index]))
        for members, word in zip(fields[index].members, found, strict=True):
            spelt = [label for label, number in word.labels for _ in range(number)]
            assert spelt == sorted(labels[members])
            assert (word.digest, word.size) == ("", len(members))


def test_equal_words_above_level_one_are_isomorphic_fields(graphs: GraphDataset) -> None:
    fields = pool_fields(PooledDataset(graphs, 2), 2)
    seen: dict[WordKey, nx.Graph] = {}
    for index, found in enumerate(words(graphs, 2)):
        whole, texts = cp.Graph.to_networkx(graphs.graph(index)), node_texts(graphs[index])
        nx.set_node_attributes(whole, dict(enumerate(texts)), "label")
        for members, word in zip(fields[index].members, found, strict=True):
            part = whole.subgraph(members.tolist())
            same = seen.setdefault(word, part)
            assert nx.is_isomorphic(part, same, node_match=lambda a, b: a["label"] == b["label"])
    for one, part in seen.items():
        for other, another in seen.items():
            if one < other and one.labels == other.labels and one.size < 7:
                assert not nx.is_isomorphic(part, another, node_match=lambda a, b: a["label"] == b["label"])


def test_texts_are_formulas() -> None:
    assert WordKey(2, (("C", 3), ("N", 1), ("O", 2)), "").text == "C3 N O2"
    assert WordKey(1, (("", 4),), "").text == "4 nodes"
