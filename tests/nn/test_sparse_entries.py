"""Sparse products against dense ones, with their gradients."""

from __future__ import annotations

import torch
from torch import Tensor

from cliquepool.nn.sparse_entries import Entries


def entries(dense: Tensor) -> Entries:
    rows, columns = dense.nonzero(as_tuple=True)
    return Entries(rows, columns, dense[rows, columns], (dense.shape[0], dense.shape[1]))


def dense(matrix: Entries) -> Tensor:
    return torch.zeros(matrix.shape).index_put((matrix.rows, matrix.columns), matrix.values, accumulate=True)


def test_products_and_gradients_are_those_of_dense_matrices() -> None:
    torch.manual_seed(0)
    first, second = (
        (torch.randn(shape) * (torch.rand(shape) < 0.4)).requires_grad_() for shape in ((5, 7), (7, 4))
    )
    product = dense(entries(first) @ entries(second))
    assert torch.allclose(product, first @ second, atol=1e-6)
    wanted = torch.randn(5, 4)
    found = torch.autograd.grad((product * wanted).sum(), (first, second))
    for gradient, matrix, expected in zip(
        found, (first, second), (wanted @ second.t(), first.t() @ wanted), strict=True
    ):
        assert torch.allclose(gradient, expected * (matrix != 0), atol=1e-6)


def test_entries_of_one_position_are_added() -> None:
    twice = Entries(torch.tensor([1, 0, 1]), torch.tensor([0, 1, 0]), torch.tensor([1.0, 2.0, 3.0]), (2, 2))
    merged = twice.merged()
    assert (merged.rows.tolist(), merged.columns.tolist(), merged.values.tolist()) == (
        [0, 1],
        [1, 0],
        [2.0, 4.0],
    )
    assert torch.equal(dense(twice.transposed), dense(twice).t())


def test_a_matrix_without_entries_or_rows_is_multiplied() -> None:
    none = torch.zeros(0, dtype=torch.long)
    empty = Entries(none, none, torch.zeros(0), (3, 0))
    product = empty @ Entries(none, none, torch.zeros(0), (0, 2))
    assert product.shape == (3, 2)
    assert dense(product).tolist() == [[0.0, 0.0]] * 3
