"""The WL optimal assignment kernel: values by hand, by matching nodes, and those of GraKeL."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from cliquepool.data import GraphDataset
from cliquepool.models import WLOAKernelClassifier
from cliquepool.models.kernel_features.keys import keys_of_labels
from cliquepool.models.kernel_features.wl_colours import refine
from tests.helpers.kernel_matrices import kernel_matrix
from tests.helpers.labelled_graphs import molecules, permuted, to_grakel
from tests.helpers.shape_graphs import path, star

TWO = GraphDataset.from_graphs([star(3), path(2)])


def test_values_by_hand() -> None:
    # Degrees: star 3, 1, 1, 1 and path 1, 2, 1, so two leaves are matched; after an iteration none is.
    assert kernel_matrix(WLOAKernelClassifier(iterations=(0,)), TWO).tolist() == [[4, 2], [2, 3]]
    assert kernel_matrix(WLOAKernelClassifier(iterations=(1,)), TWO).tolist() == [[8, 2], [2, 6]]


def test_values_are_those_of_the_best_matching_of_nodes() -> None:
    dataset, iterations = molecules(8, seed=0, labels=2), 2
    colours = [keys_of_labels(dataset, "numbers")]
    for _ in range(iterations):
        colours.append(refine(dataset, colours[-1]))
    found = kernel_matrix(WLOAKernelClassifier(iterations=(iterations,)), dataset)
    parts = [slice(*dataset.node_start[i : i + 2].tolist()) for i in range(len(dataset))]
    for i, first in enumerate(parts):
        for j, second in enumerate(parts):
            shared = sum(np.equal.outer(step[first], step[second]).astype(int) for step in colours)
            assert found[i, j] == shared[linear_sum_assignment(shared, maximize=True)].sum()


@pytest.mark.parametrize("iterations", [1, 3])
def test_values_are_those_of_grakel(iterations: int) -> None:
    grakel = pytest.importorskip("grakel")
    dataset = molecules(25, seed=1)
    theirs = grakel.WeisfeilerLehmanOptimalAssignment(n_iter=iterations, sparse=False)
    expected = theirs.fit_transform(to_grakel(dataset))
    found = kernel_matrix(WLOAKernelClassifier(iterations=(iterations,)), dataset)
    np.testing.assert_array_equal(found, expected)


def test_the_matrix_is_positive_semidefinite_and_the_same_for_other_orders_of_nodes() -> None:
    dataset = molecules(30, seed=2, labels=None)
    found = kernel_matrix(WLOAKernelClassifier(), dataset)
    assert np.linalg.eigvalsh(found).min() > -1e-8 * found.max()
    np.testing.assert_array_equal(kernel_matrix(WLOAKernelClassifier(), permuted(dataset, seed=3)), found)
