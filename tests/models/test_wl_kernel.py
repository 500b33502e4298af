"""The 1-WL subtree kernel: values by hand, and those of GraKeL."""

from __future__ import annotations

import numpy as np
import pytest

import cliquepool as cp
from cliquepool.data import GraphDataset
from cliquepool.models import WLKernelClassifier
from tests.helpers.kernel_matrices import kernel_matrix
from tests.helpers.labelled_graphs import molecules, permuted, to_grakel
from tests.helpers.shape_graphs import path, star

# Nodes of the star: the centre c and leaves l, l, l. Nodes of the path: two ends e, e and the middle m.
TWO = GraphDataset.from_graphs([star(3), path(2)])


def test_values_by_hand() -> None:
    # Degrees: star 3, 1, 1, 1 and path 1, 2, 1. Colours after an iteration: the leaves of both differ, as
    # their neighbours do: (1; 3) three times and (3; 1, 1, 1); (1; 2) twice and (2; 1, 1).
    assert kernel_matrix(WLKernelClassifier(iterations=(0,)), TWO).tolist() == [[10, 6], [6, 5]]
    assert kernel_matrix(WLKernelClassifier(iterations=(1,)), TWO).tolist() == [[20, 6], [6, 10]]
    # All labels the same: 4 and 3 nodes, then the degrees of above.
    same = WLKernelClassifier(iterations=(1,), labels="none")
    assert kernel_matrix(same, TWO).tolist() == [[16 + 10, 12 + 6], [12 + 6, 9 + 5]]


def test_values_of_labelled_graphs_by_hand() -> None:
    edge = cp.Graph.from_edges([(0, 1)])
    dataset = GraphDataset.from_graphs([edge, edge], node_labels=[["C", "O"], ["C", "C"]])
    assert kernel_matrix(WLKernelClassifier(iterations=(0,)), dataset).tolist() == [[2, 2], [2, 4]]
    assert kernel_matrix(WLKernelClassifier(iterations=(1,)), dataset).tolist() == [[4, 2], [2, 8]]


@pytest.mark.parametrize("iterations", [1, 3])
def test_values_are_those_of_grakel(iterations: int) -> None:
    grakel = pytest.importorskip("grakel")
    dataset = molecules(40, seed=0)
    theirs = grakel.WeisfeilerLehman(n_iter=iterations, base_graph_kernel=grakel.VertexHistogram)
    expected = theirs.fit_transform(to_grakel(dataset))
    found = kernel_matrix(WLKernelClassifier(iterations=(iterations,)), dataset)
    np.testing.assert_array_equal(found, expected)


def test_the_matrix_is_positive_semidefinite_and_the_same_for_other_orders_of_nodes() -> None:
    dataset = molecules(30, seed=1, labels=None)
    found = kernel_matrix(WLKernelClassifier(), dataset)
    assert np.linalg.eigvalsh(found).min() > -1e-8 * found.max()
    np.testing.assert_array_equal(kernel_matrix(WLKernelClassifier(), permuted(dataset, seed=2)), found)


def test_the_number_of_iterations_is_chosen() -> None:
    dataset = molecules(60, seed=3)
    model = WLKernelClassifier(iterations=(0, 2, 5), C=(0.1, 10.0)).fit(dataset)
    assert [(one.depth, one.C) for one in model.candidates_] == [
        (h, C) for h in (0, 2, 5) for C in (0.1, 10.0)
    ]
    assert model.fitted_.depth in {0, 2, 5}
    assert len(model.fitted_.steps) == model.fitted_.depth + 1
