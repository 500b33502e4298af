"""The receptive fields of all pools of a level: the players of an explanation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array, identity

from cliquepool.errors import InputError
from cliquepool.ragged import Ragged

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.data.pooled import PooledDataset

__all__ = ["PoolFields", "pool_fields"]


class PoolFields:
    """The pools of one graph at one level, each as the set of input nodes below it.

    Attributes
    ----------
    members : Ragged
        The input nodes of each pool, ascending.
    num_nodes : int
        The number of input nodes.
    """

    def __init__(self, members: Ragged, num_nodes: int) -> None:
        self.members = members
        self.num_nodes = num_nodes
        ones = np.ones(len(members.members), dtype=np.int32)
        shape = (len(members), num_nodes)
        self._matrix: Any = csr_array((ones, members.members, members.offsets), shape=shape)

    def __len__(self) -> int:
        return len(self.members)

    def nodes_kept(self, kept: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return which nodes (columns) lie in a kept pool, for rows of kept pools.

        >>> fields = PoolFields(Ragged(np.array([0, 2, 4]), np.array([0, 1, 1, 2])), 3)
        >>> fields.nodes_kept(np.array([[True, False], [False, True]])).astype(int).tolist()
        [[1, 1, 0], [0, 1, 1]]
        """
        covered: npt.NDArray[np.bool_] = (kept.astype(np.int32) @ self._matrix) > 0
        return covered

    @property
    def pools_of_node(self) -> npt.NDArray[np.int64]:
        """The number of pools that each node is in, at least one."""
        return np.bincount(self.members.members, minlength=self.num_nodes)

    def mean_over_pools(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return for each node the mean of the values of its pools (rows)."""
        means: npt.NDArray[np.float64] = (self._matrix.T @ values) / self.pools_of_node[:, None]
        return means

    def share_among_pools(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Divide the value of each node (rows) equally over its pools; return the sums of the pools."""
        sums: npt.NDArray[np.float64] = self._matrix @ (values / self.pools_of_node[:, None])
        return sums


def pool_fields(data: PooledDataset, level: int) -> list[PoolFields]:
    """Return the fields of the pools at `level` for every graph of a pooled data set.

    At level 0 every node is a pool of its own.

    >>> from cliquepool import Graph
    >>> from cliquepool.data import GraphDataset, PooledDataset
    >>> path = GraphDataset.from_graphs([Graph.from_edges([(0, 1), (1, 2), (2, 3)])])
    >>> [pool_fields(PooledDataset(path, 2), level)[0].members.tolist() for level in (1, 2)]
    [[[0, 1], [1, 2], [2, 3]], [[0, 1, 2, 3]]]
    """
    if not 0 <= level <= data.num_pools:
        raise InputError(f"level: expected 0 to {data.num_pools}, got {level}")
    matrix: Any = identity(data.dataset.num_nodes, dtype=np.int64, format="csr")
    for pooled in data.levels[:level]:
        assert pooled.pools is not None
        lists = pooled.pools.global_lists
        ones = np.ones(len(lists.members), dtype=np.int64)
        step = csr_array((ones, lists.members, lists.offsets), shape=(len(lists), matrix.shape[0]))
        matrix = step @ matrix
        matrix.data[:] = 1  # paths are counted: only whether there is one matters, and counts could overflow
    matrix.sort_indices()
    starts, node_start = data.levels[level].node_start, data.levels[0].node_start
    fields = []
    for graph in range(len(data)):
        offsets = matrix.indptr[starts[graph] : starts[graph + 1] + 1]
        members = matrix.indices[offsets[0] : offsets[-1]] - node_start[graph]
        num_nodes = int(node_start[graph + 1] - node_start[graph])
        fields.append(PoolFields(Ragged(offsets - offsets[0], members.astype(np.int32)), num_nodes))
    return fields
