"""Rows of bits: blocks of graphs, single bits, unions and numbers of bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import cliquepool as cp
from cliquepool.data import GraphDataset
from cliquepool.models.kernel_features import bit_rows
from cliquepool.models.kernel_features.bit_rows import (
    alike_graphs,
    bit_matrix,
    neighbour_rows,
    num_bits,
    single_bits,
    union_of_neighbours,
)

if TYPE_CHECKING:
    import pytest


def test_blocks_have_every_graph_once_and_are_about_as_wide() -> None:
    words = np.random.default_rng(0).integers(0, 50, size=200)
    blocks = list(alike_graphs(words, words * 64))
    assert sorted(np.concatenate(blocks).tolist()) == list(range(200))
    for block in blocks:
        assert words[block].max() <= max(1.25 * words[block].min(), words[block].min() + 1)


def test_blocks_are_as_small_as_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bit_rows, "BLOCK_WORDS", 100)
    words, rows = np.full(10, 2), np.array([10, 10, 10, 500, 10, 10, 10, 10, 10, 10])
    blocks = list(alike_graphs(words, rows))
    assert sorted(np.concatenate(blocks).tolist()) == list(range(10))
    assert all(len(block) == 1 or rows[block].sum() * 3 <= 100 for block in blocks)


def test_a_slot_is_one_bit_of_its_byte() -> None:
    rows = single_bits(np.array([0, 9, 127, 128]), 2).view(np.uint8)
    assert [np.flatnonzero(row).tolist() for row in rows] == [[0], [1], [15], []]
    assert rows[[0, 1, 2], [0, 1, 15]].tolist() == [1, 2, 128]
    second_word = single_bits(np.array([0, 64, 127, 128]), 1, first_word=1).view(np.uint8)
    assert [np.flatnonzero(row).tolist() for row in second_word] == [[], [0], [7], []]


def test_bits_of_a_matrix_are_set() -> None:
    random = np.random.default_rng(0)
    expected = random.random((5, 128)) < 0.4
    found = bit_matrix(*np.nonzero(expected), 5, 2)
    assert found.shape == (5, 2)
    bits = np.unpackbits(found.view(np.uint8), axis=1, bitorder="little")
    np.testing.assert_array_equal(bits, expected)


def test_unions_are_over_the_neighbours_in_each_graph() -> None:
    path, dots = cp.Graph.from_edges([(0, 1), (1, 2)]), cp.Graph.from_edges([], num_nodes=2)
    dataset = GraphDataset.from_graphs([dots, path, dots])
    rows = neighbour_rows(dataset)
    assert rows.tolist() == [3, 2, 4, 3]
    found = union_of_neighbours(single_bits(np.array([0, 1, 0, 1, 2, 0, 1]), 1), dataset, rows)
    assert found.view(np.uint8)[:, 0].tolist() == [0, 0, 0b10, 0b101, 0b10, 0, 0]


def test_bits_are_counted_with_and_without_the_function_of_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    words = np.random.default_rng(0).integers(0, 2**63, size=(5, 3)).astype(np.uint64)
    expected = [[value.bit_count() for value in row] for row in words.tolist()]
    assert num_bits(words).tolist() == expected
    monkeypatch.delattr(np, "bitwise_count", raising=False)
    assert num_bits(words).tolist() == expected
