"""`PooledDataset`: a data set with all its graphs pooled before training, from which batches are collated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from cliquepool import _core
from cliquepool._extras import require
from cliquepool._upward import from_above
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.data.collation import Collation
from cliquepool.data.edge_aggregation import aggregate_edges, checked_reduction, values_by_entry
from cliquepool.data.features import one_hot_then_dense
from cliquepool.data.ragged_by_graph import RaggedByGraph
from cliquepool.errors import GraphError
from cliquepool.hierarchy import _UNTIL_CONVERGED, _level_count
from cliquepool.ragged import Ragged, offsets_from_lengths
from cliquepool.threads import OnProgress, thread_count

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from cliquepool.data.dataset import GraphDataset
    from cliquepool.data.edge_aggregation import EdgeReduction
    from cliquepool.data.features import NodeFeatures
    from cliquepool.nn.batch import Batch

__all__ = ["PooledDataset", "PooledLevel"]


@dataclass(frozen=True)
class PooledLevel:
    """One level of all graphs: nodes by twin class, the quotient graph, and the pools to the next level.

    With C, Q and T of the specification: `classes` is C, `quotient` is Q without its diagonal, and
    `pools_by_class` is T; it is None on the last level, which is not pooled.
    """

    node_start: npt.NDArray[np.int64]
    class_of_node: npt.NDArray[np.int32]
    class_start: npt.NDArray[np.int64]
    class_sizes: npt.NDArray[np.int32]
    quotient: RaggedByGraph
    pools_by_class: RaggedByGraph | None
    limits: tuple[int, float, int]

    @property
    def num_nodes(self) -> int:
        """The number of nodes of all graphs together."""
        return int(self.node_start[-1])

    @property
    def has_twins(self) -> bool:
        """Whether any class has more than one node."""
        return len(self.class_sizes) < self.num_nodes

    @cached_property
    def nodes_of_class(self) -> RaggedByGraph:
        """The nodes of each twin class."""
        return self.classes.transposed

    @cached_property
    def classes(self) -> RaggedByGraph:
        """The one class of each node, as a list."""
        offsets = np.arange(self.num_nodes + 1, dtype=np.int64)
        return RaggedByGraph(self.node_start, Ragged(offsets, self.class_of_node), self.class_start)

    @cached_property
    def degrees(self) -> npt.NDArray[np.int32]:
        """The number of neighbours of each node."""
        around = self.quotient.global_lists.sum_over(self.class_sizes)
        degrees = around + self.class_sizes - 1
        return degrees.astype(np.int32)[self._global_classes]

    @cached_property
    def float_degrees(self) -> npt.NDArray[np.float32]:
        """The degrees as floating-point numbers, by which layers scale."""
        return self.degrees.astype(np.float32)

    @cached_property
    def float_pool_sizes(self) -> npt.NDArray[np.float32]:
        """The pool sizes as floating-point numbers, by which layers scale."""
        return self.pool_sizes.astype(np.float32)

    @cached_property
    def edge_count(self) -> int:
        """The number of edges of all graphs together, each counted in both directions."""
        return int(self.degrees.sum(dtype=np.int64))

    @cached_property
    def edge_start(self) -> npt.NDArray[np.int64]:
        """Where the edges of each graph begin among those of all graphs; each counts in both directions."""
        return offsets_from_lengths(self.degrees)[self.node_start]

    @cached_property
    def worth_factoring(self) -> bool:
        """Whether a sum over neighbours takes fewer additions by twin classes than edge by edge."""
        through_classes = 2 * self.num_nodes + len(self.quotient.local.members) + len(self.class_sizes)
        return through_classes < self.edge_count

    @cached_property
    def neighbours(self) -> RaggedByGraph:
        """The neighbours of each node, expanded from the twin classes."""
        if not self.has_twins:
            return self.quotient
        quotient = self.quotient.global_lists
        expanded = _core.expand_graph(
            self._global_classes, self.class_sizes, quotient.offsets, quotient.members, self.limits
        )
        return RaggedByGraph.from_global(self.node_start, Ragged(*expanded), self.node_start)

    @cached_property
    def pools(self) -> RaggedByGraph | None:
        """The nodes of each pool, expanded from the twin classes."""
        by_class = self.pools_by_class
        if by_class is None or not self.has_twins:
            return by_class
        lists = by_class.global_lists
        expanded = _core.expand_lists(
            lists.offsets, lists.members, self._global_classes, self.class_sizes, self.limits
        )
        return RaggedByGraph.from_global(by_class.list_start, Ragged(*expanded), self.node_start)

    @cached_property
    def pool_sizes(self) -> npt.NDArray[np.int64]:
        """The number of nodes in each pool."""
        if self.pools_by_class is None:
            return np.zeros(0, dtype=np.int64)
        return self.pools_by_class.global_lists.sum_over(self.class_sizes)

    @cached_property
    def _global_classes(self) -> npt.NDArray[np.int32]:
        return self.classes.global_lists.members


class PooledDataset:
    """All graphs of a data set with all their levels.

    Every graph is pooled `levels` times; one that has converged, to a node for each component, stays the
    same. With ``levels=None`` all are pooled until every one of them has converged.

    With `edge_reduce`, the levels of batches have an `edge_attr`: the one-hot labels and the attributes of
    the edges of the data set; of a coarse edge the sum, mean or maximum over all edges behind it. All levels
    are expanded to edges for this, within the budget.

    >>> import numpy as np
    >>> from cliquepool import Graph
    >>> from cliquepool.data import GraphDataset
    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> data = PooledDataset(GraphDataset.from_graphs([path, Graph.from_edges([(0, 1)])]), levels=2)
    >>> data.sizes.tolist()
    [[4, 3, 1], [2, 1, 1]]
    """

    def __init__(
        self,
        dataset: GraphDataset,
        levels: int | None = 2,
        *,
        edge_reduce: EdgeReduction | None = None,
        threads: int | None = None,
        budget: Budget = DEFAULT_BUDGET,
        progress: OnProgress | None = None,
    ) -> None:
        self.dataset = dataset
        arrays = (dataset.node_start, dataset.indptr, dataset.indices)
        how = (thread_count(threads), budget._limits(), progress)
        depth, bottom, above = _core.hierarchies(*arrays, _level_count(levels), *how)
        if _level_count(levels) == _UNTIL_CONVERGED and len(depth) and depth.min() < depth.max():
            # Graphs that converge early keep their last level up to the depth of the deepest one.
            depth, bottom, above = _core.hierarchies(*arrays, int(depth.max()), *how)
        self.levels = _levels(dataset.node_start, bottom, above, budget)
        self.edge_values = None if edge_reduce is None else self._edge_values(edge_reduce, budget)

    @classmethod
    def _from_flat(
        cls,
        dataset: GraphDataset,
        bottom: Any,
        above: Any,
        *,
        edge_reduce: EdgeReduction | None,
        budget: Budget,
    ) -> PooledDataset:
        """Make a pooled data set of the arrays that `_core.hierarchies` returned, elsewhere."""
        pooled = object.__new__(cls)
        pooled.dataset = dataset
        pooled.levels = _levels(dataset.node_start, bottom, above, budget)
        pooled.edge_values = None if edge_reduce is None else pooled._edge_values(edge_reduce, budget)
        return pooled

    def _edge_values(self, edge_reduce: EdgeReduction, budget: Budget) -> list[npt.NDArray[np.float32]]:
        """Return the edge attributes of every level: a row for each entry of the level's neighbours."""
        reduce, data = checked_reduction(edge_reduce), self.dataset
        given = one_hot_then_dense(data.edge_labels, data.edge_label_values, data.edge_attributes)
        if given is None:
            raise GraphError(
                "edge_reduce: expected a data set whose edges carry labels or attributes, got one without"
            )
        rows = [level.neighbours.global_lists for level in self.levels]
        sources = np.repeat(np.arange(data.num_nodes, dtype=np.int64), data.degrees)
        values = values_by_entry(np.stack([sources, rows[0].members]), rows[0], given, reduce)
        all_values = [values]
        for level, (below, above) in zip(self.levels, pairwise(rows), strict=False):
            assert level.pools is not None
            pools = level.pools.global_lists
            values = aggregate_edges(below, pools, above, values, reduce, budget=budget)
            all_values.append(values)
        return all_values

    def __len__(self) -> int:
        return len(self.dataset)

    @property
    def num_pools(self) -> int:
        """How many times every graph was pooled."""
        return len(self.levels) - 1

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """The number of nodes of each graph (rows) at each level (columns)."""
        return np.stack([np.diff(level.node_start) for level in self.levels], axis=1)

    @cached_property
    def collation(self) -> Collation:
        """Gathers the parts of a batch out of the flat arrays of all levels."""
        return Collation(self.levels)

    def batch(self, chosen: npt.ArrayLike, features: NodeFeatures | None = None) -> Batch:
        """Return the chosen graphs as one batch, in their order."""
        require("torch", "PooledDataset.batch")
        collate = from_above("nn.collate", "collate")
        batch: Batch = collate(self, np.ascontiguousarray(chosen, dtype=np.int64), features)
        return batch

    def batches(
        self,
        chosen: npt.ArrayLike,
        features: NodeFeatures | None = None,
        *,
        batch_size: int = 32,
        shuffle: np.random.Generator | None = None,
    ) -> Iterator[Batch]:
        """Yield the chosen graphs in batches; in a random order drawn from `shuffle`, where it is given."""
        order = np.ascontiguousarray(chosen, dtype=np.int64)
        if shuffle is not None:
            order = shuffle.permutation(order)
        for begin in range(0, len(order), batch_size):
            yield self.batch(order[begin : begin + batch_size], features)

    def __repr__(self) -> str:
        nodes = " -> ".join(f"{level.num_nodes:,}" for level in self.levels)
        return f"PooledDataset({self.dataset.name or 'unnamed'}, {len(self):,} graphs, nodes {nodes})"


def _levels(
    node_start: npt.NDArray[np.int64],
    bottom: _core._FlatTwins,
    above: list[tuple[_core._Offsets, _core._Ragged, _core._FlatTwins]],
    budget: Budget,
) -> list[PooledLevel]:
    starts = [node_start, *(pool_start for pool_start, _, _ in above)]
    twins = [bottom, *(coarse for _, _, coarse in above)]
    pools = [*(pools for _, pools, _ in above), None]
    levels = []
    for index, (classes, class_start, sizes, offsets, neighbours) in enumerate(twins):
        lists = pools[index]
        by_class = None if lists is None else RaggedByGraph(starts[index + 1], Ragged(*lists), class_start)
        between = RaggedByGraph(class_start, Ragged(offsets, neighbours), class_start)
        levels.append(
            PooledLevel(starts[index], classes, class_start, sizes, between, by_class, budget._limits())
        )
    return levels
