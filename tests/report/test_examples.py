from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from cliquepool.errors import InputError
from cliquepool.models import CliquePoolClassifier, CliquePoolRegressor
from cliquepool.report.examples import examples_section, explained_graphs
from tests.helpers.small_model import rings_and_stars

if TYPE_CHECKING:
    from cliquepool.data import GraphDataset


def test_two_graphs_of_each_class_are_explained_the_surest_and_the_least_sure(
    model: Any, graphs: GraphDataset
) -> None:
    examples = explained_graphs(model, graphs)
    truth = graphs.classes[graphs.targets]
    assert [str(truth[example.position]) for example in examples] == [
        example.true_class for example in examples
    ]
    assert [example.true_class for example in examples] == [
        str(name) for name in graphs.classes for _ in (0, 1)
    ]
    probabilities = model.predict_proba(graphs)
    for code in range(len(graphs.classes)):
        own = probabilities[graphs.targets == code, code].round(4)
        surest, least = (probabilities[examples[2 * code + n].position, code].round(4) for n in (0, 1))
        assert (surest, least) == (own.max(), own.min())


def test_the_section_draws_every_graph_and_lists_its_pools(model: Any, graphs: GraphDataset) -> None:
    examples = explained_graphs(model, graphs)
    section = examples_section(examples, graphs.name)
    root = ET.fromstring(f"<div>{section}</div>")
    assert len(list(root.iter("svg"))) == len(list(root.iter("figcaption"))) == len(examples)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    assert "strength-8" in section
    assert section == examples_section(explained_graphs(model, graphs), graphs.name)


def test_graphs_whose_nodes_are_all_alike_are_explained_by_deletion() -> None:
    data = rings_and_stars(12)
    quick = CliquePoolClassifier(features="constant", hidden=8, epochs=1, validation_fraction=0).fit(data)
    examples = explained_graphs(quick, data)
    assert {example.explanation.method for example in examples} == {"delete"}
    assert "what the score loses without the pool" in examples_section(examples, data.name)


def test_a_model_of_other_classes_is_refused(model: Any, graphs: GraphDataset) -> None:
    with pytest.raises(InputError, match="expected a classifier of the classes of"):
        explained_graphs(model, graphs.__class__.from_graphs([graphs.graph(0)] * 4, ["x", "y"] * 2))
    regressor = CliquePoolRegressor(epochs=1, validation_fraction=0)
    with pytest.raises(InputError, match="expected a fitted classifier"):
        explained_graphs(regressor.fit(graphs, np.arange(len(graphs))), graphs)


def test_without_a_graph_to_draw_the_section_says_so() -> None:
    assert "No graph of TOY is small enough to draw." in examples_section([], "TOY")
