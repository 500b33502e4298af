from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import cliquepool as cp
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.errors import InputError
from cliquepool.explain.fields import PoolFields, pool_fields
from cliquepool.ragged import Ragged


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_fields_are_the_receptive_fields_of_each_hierarchy(level: int, graphs: GraphDataset) -> None:
    both = GraphDataset.concatenate(
        [
            graphs,
            GraphDataset.from_graphs(
                [cp.Graph.from_networkx(nx.karate_club_graph())], node_labels=[[0] * 34]
            ),
        ]
    )
    fields = pool_fields(PooledDataset(both, 3), level)
    for index, found in enumerate(fields):
        hierarchy = cp.clique_hierarchy(both.graph(index), levels=3)
        last = min(level, len(hierarchy))  # a graph that has converged stays the same
        expected = [
            np.sort(hierarchy.receptive_field(last, node)).tolist()
            for node in range(hierarchy.graph(last).num_nodes)
        ]
        assert found.members.tolist() == expected


def test_a_node_is_kept_while_one_of_its_pools_is() -> None:
    fields = PoolFields(Ragged(np.array([0, 2, 4]), np.array([0, 1, 1, 2])), 3)
    kept = np.array([[False, False], [True, False], [False, True], [True, True]])
    assert fields.nodes_kept(kept).tolist() == [
        [False, False, False],
        [True, True, False],
        [False, True, True],
        [True, True, True],
    ]


def test_values_are_shared_and_averaged_over_pools() -> None:
    fields = PoolFields(Ragged(np.array([0, 2, 4]), np.array([0, 1, 1, 2])), 3)
    assert fields.mean_over_pools(np.array([[2.0], [4.0]])).tolist() == [[2.0], [3.0], [4.0]]
    assert fields.share_among_pools(np.array([[1.0], [2.0], [3.0]])).tolist() == [[2.0], [4.0]]


def test_a_level_that_is_not_there_is_refused(graphs: GraphDataset) -> None:
    with pytest.raises(InputError, match="level: expected 0 to 2, got 3"):
        pool_fields(PooledDataset(graphs, 2), 3)
