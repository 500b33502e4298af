"""The graphlet kernel: values by hand. `kernel_features/test_graphlets.py` checks all counts.

GraKeL 0.1.11 is no peer here: it counts one too many of each type that an earlier graph has, and its search
misses connected sets of nodes. The path of four nodes has two paths of three nodes; it finds three.
"""

from __future__ import annotations

import numpy as np
import pytest

from cliquepool.data import GraphDataset
from cliquepool.models import GraphletKernelClassifier
from tests.helpers.kernel_matrices import kernel_matrix
from tests.helpers.labelled_graphs import molecules, permuted
from tests.helpers.shape_graphs import clique, path, star


def test_values_by_hand() -> None:
    # Of three nodes: the star has 3 paths and one set without edges, the path of four nodes 2 paths and
    # 2 sets with one edge, the clique 4 triangles.
    three = GraphDataset.from_graphs([star(3), path(3), clique(4)])
    every = kernel_matrix(GraphletKernelClassifier(size=3), three)
    assert every.tolist() == [[10, 6, 0], [6, 8, 0], [0, 0, 16]]
    connected = kernel_matrix(GraphletKernelClassifier(size=3, connected=True), three)
    assert connected.tolist() == [[9, 6, 0], [6, 4, 0], [0, 0, 16]]
    assert kernel_matrix(GraphletKernelClassifier(size=4), three).tolist() == np.eye(3).tolist()


@pytest.mark.parametrize("connected", [True, False])
def test_the_matrix_is_positive_semidefinite_and_the_same_for_other_orders_of_nodes(connected: bool) -> None:
    dataset, model = molecules(30, seed=1), GraphletKernelClassifier(connected=connected)
    found = kernel_matrix(model, dataset)
    assert np.linalg.eigvalsh(found).min() > -1e-8 * found.max()
    np.testing.assert_array_equal(kernel_matrix(model, permuted(dataset, seed=2)), found)
