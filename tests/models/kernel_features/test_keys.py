"""Keys of labels and structures: equal for equal ones, in every data set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cliquepool as cp
from cliquepool._mixing import mix
from cliquepool.data import GraphDataset
from cliquepool.models.kernel_features.keys import keys_of_labels, label_kind, ordered_key

PATH = cp.Graph.from_edges([(0, 1), (1, 2)])


def labelled(values: list[Any]) -> GraphDataset:
    return GraphDataset.from_graphs([PATH], node_labels=[values], name="labelled")


def as_arrays(dataset: GraphDataset, **others: Any) -> GraphDataset:
    fields = {field: getattr(dataset, field) for field in dataset.__dataclass_fields__ if field[0] != "_"}
    return GraphDataset.from_arrays(**fields | others)


def test_words_are_those_of_splitmix() -> None:
    # The first outputs of SplitMix64 with the seed 0 (Steele, Lea & Flood 2014).
    step = np.uint64(0x9E3779B97F4A7C15)
    seeds = np.arange(3, dtype=np.uint64) * step
    expected = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert mix(seeds).tolist() == expected


def test_pairs_differ_from_reversed_pairs() -> None:
    first, second = np.array([1, 2], dtype=np.uint64), np.array([2, 1], dtype=np.uint64)
    keys = ordered_key(first, second)
    assert keys[0] != keys[1]


@pytest.mark.parametrize("values", [[5, -3, 5], ["C", "Ω", "C"]])
def test_keys_depend_on_the_label_and_not_on_its_code(values: list[Any]) -> None:
    alone = labelled(values)
    more = GraphDataset.concatenate([labelled([0 if values[0] == 5 else "A"] * 3), alone])
    kind = label_kind(alone, "auto", "none")
    keys = keys_of_labels(alone, kind)
    assert keys[0] == keys[2] != keys[1]
    assert keys_of_labels(more, kind)[3:].tolist() == keys.tolist()


def test_equal_numbers_have_equal_keys() -> None:
    whole = labelled([1, -2, 1])
    floats = as_arrays(whole, node_label_values=np.array([-2.0, 1.0]))
    others = as_arrays(whole, node_label_values=np.array([-2.5, 1e300]))
    assert keys_of_labels(floats, "numbers").tolist() == keys_of_labels(whole, "numbers").tolist()
    assert not set(keys_of_labels(others, "numbers")) & set(keys_of_labels(whole, "numbers"))


def test_the_kind_is_that_of_the_data_set_or_the_one_asked_for() -> None:
    plain = GraphDataset.from_graphs([PATH], name="plain")
    assert label_kind(plain, "auto", "degree") == "degree"
    assert label_kind(labelled([1, 2, 3]), "auto", "degree") == "numbers"
    assert label_kind(labelled(["a", "b", "c"]), "labels", "degree") == "text"
    assert label_kind(labelled([1, 2, 3]), "degree", "none") == "degree"
    assert label_kind(labelled([1, 2, 3]), "none", "degree") == "none"
    with pytest.raises(cp.GraphError, match="plain: expected node labels"):
        label_kind(plain, "labels", "degree")


def test_degrees_are_labels_too() -> None:
    keys = keys_of_labels(GraphDataset.from_graphs([PATH]), "degree")
    assert keys[0] == keys[2] != keys[1]
    assert len(set(keys_of_labels(GraphDataset.from_graphs([PATH]), "none").tolist())) == 1
