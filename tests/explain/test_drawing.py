from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import numpy as np

import cliquepool as cp
from cliquepool.explain.drawing import draw_graph, draw_word, positions_of
from cliquepool.ragged import Ragged

KITE = cp.Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)])
POOLS = Ragged(np.array([0, 3, 4]), np.array([0, 1, 2, 3]))


def test_every_node_edge_and_pool_is_drawn_once() -> None:
    root = ET.fromstring(draw_graph(KITE, POOLS, ("C", "<b>", "", "O"), np.zeros(4)))
    classes = [element.get("class") for element in root.iter()]
    assert (classes.count("node"), classes.count("edge"), classes.count("blob")) == (4, 4, 2)
    assert [element.text for element in root.iter() if element.tag == "text"] == ["C", "<b>", "2", "O"]


def test_a_pool_is_drawn_along_its_own_edges() -> None:
    root = ET.fromstring(draw_graph(KITE, POOLS, ("",) * 4, np.zeros(4)))
    first, second = (element.get("d") for element in root.iter() if element.get("class") == "blob")
    assert first is not None
    assert second is not None
    assert (first.count("L"), second.count("L")) == (3, 0)
    points = {tuple(map(float, pair)) for pair in re.findall(r"M([\d.]+) ([\d.]+)h0", first)}
    assert points == {tuple(point) for point in positions_of(KITE)[:3].tolist()}


def test_a_word_shows_the_labels_of_its_own_nodes() -> None:
    root = ET.fromstring(draw_word(KITE, np.array([2, 3]), ("C", "C", "N", "O"), "for"))
    assert [element.text for element in root.iter() if element.tag == "text"] == ["N", "O"]
    assert root.get("aria-label") == "N O"
