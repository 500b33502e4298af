"""The shortest-path kernel: values by hand, and those of GraKeL."""

from __future__ import annotations

import numpy as np
import pytest

from cliquepool.data import GraphDataset
from cliquepool.models import ShortestPathKernelClassifier
from tests.helpers.kernel_matrices import kernel_matrix
from tests.helpers.labelled_graphs import molecules, permuted, to_grakel
from tests.helpers.shape_graphs import path, star


def test_values_by_hand() -> None:
    # Ordered pairs at distance 1 and 2: star 6 and 6, path of three nodes 4 and 2.
    two = GraphDataset.from_graphs([star(3), path(2)])
    assert kernel_matrix(ShortestPathKernelClassifier(), two).tolist() == [[72, 36], [36, 20]]


def test_values_of_labelled_graphs_by_hand() -> None:
    two = GraphDataset.from_graphs([path(2), path(1)], node_labels=[["a", "b", "a"], ["a", "b"]])
    # The first: (a, b, 1), (b, a, 1) and (a, a, 2), twice each. The second: (a, b, 1) and (b, a, 1).
    assert kernel_matrix(ShortestPathKernelClassifier(), two).tolist() == [[12, 4], [4, 2]]


@pytest.mark.parametrize("labels", [3, None])
def test_values_are_those_of_grakel(labels: int | None) -> None:
    grakel = pytest.importorskip("grakel")
    dataset = molecules(40, seed=0, labels=labels)
    expected = grakel.ShortestPath(with_labels=labels is not None).fit_transform(to_grakel(dataset))
    np.testing.assert_array_equal(kernel_matrix(ShortestPathKernelClassifier(), dataset), expected)


def test_the_matrix_is_positive_semidefinite_and_the_same_for_other_orders_of_nodes() -> None:
    dataset = molecules(30, seed=1)
    found = kernel_matrix(ShortestPathKernelClassifier(), dataset)
    assert np.linalg.eigvalsh(found).min() > -1e-8 * found.max()
    moved = kernel_matrix(ShortestPathKernelClassifier(), permuted(dataset, seed=2))
    np.testing.assert_array_equal(moved, found)
