"""`PooledDataset`: a data set with all its graphs pooled before training, from which batches are collated."""

from __future__ import annotations

import os
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool import _core
from cliquepool._extras import require
from cliquepool._upward import from_above
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.data.collation import Collation
from cliquepool.data.edge_aggregation import aggregate_edges, checked_reduction, values_by_entry
from cliquepool.data.features import one_hot_then_dense
from cliquepool.data.pooled_folders import map_pooled, write_levels, write_pooled
from cliquepool.data.pooled_level import PooledLevel, levels_from_core
from cliquepool.data.ragged_by_graph import RaggedByGraph
from cliquepool.errors import GraphError, InputError
from cliquepool.hierarchy import _UNTIL_CONVERGED, _level_count
from cliquepool.ragged import Ragged
from cliquepool.threads import OnProgress, thread_count

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    import numpy.typing as npt

    from cliquepool.data.dataset import GraphDataset
    from cliquepool.data.edge_aggregation import EdgeReduction
    from cliquepool.data.features import NodeFeatures
    from cliquepool.nn.batch import Batch

__all__ = ["PooledDataset"]

_ENTRIES_PER_THREAD: Final = 2**18  # pooling so many takes at most about a tenth of a second on our data sets


class PooledDataset:
    """All graphs of a data set with all their levels.

    Every graph is pooled `levels` times; one that has converged, to a node for each component, stays the
    same. With ``levels=None`` all are pooled until every one of them has converged.

    With `edge_reduce`, the levels of batches have an `edge_attr`: the one-hot labels and the attributes of
    the edges of the data set; of a coarse edge the sum, mean or maximum over all edges behind it. All levels
    are expanded to edges for this, within the budget.

    `threads` is by default one for each core, fewer for a small data set; the result does not depend on it.

    >>> import numpy as np
    >>> from cliquepool import Graph
    >>> from cliquepool.data import GraphDataset
    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> data = PooledDataset(GraphDataset.from_graphs([path, Graph.from_edges([(0, 1)])]), levels=2)
    >>> data.sizes.tolist()
    [[4, 3, 1], [2, 1, 1]]
    """

    levels: list[PooledLevel]
    edge_values: list[npt.NDArray[np.float32]] | None
    _folder: str | None = None  # that the arrays are mapped from

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
        how = (_threads_for(dataset, threads), budget._limits(), progress)
        depth, bottom, above = _core.hierarchies(*arrays, _level_count(levels), *how)
        if _level_count(levels) == _UNTIL_CONVERGED and len(depth) and depth.min() < depth.max():
            # Graphs that converge early keep their last level up to the depth of the deepest one.
            depth, bottom, above = _core.hierarchies(*arrays, int(depth.max()), *how)
        self.levels = levels_from_core(dataset.node_start, bottom, above, budget)
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
        pooled.levels = levels_from_core(dataset.node_start, bottom, above, budget)
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

    def _keep_one_form(self) -> None:
        """Replace each level by the same one in one form alone: that which batches are made of.

        A level that is not worth factoring is otherwise kept by twin classes too. The neighbours of the
        nodes of the graphs themselves are those of the data set, not a copy.
        """
        start, given = self.dataset.node_start, Ragged(self.dataset.indptr, self.dataset.indices)
        for index, level in enumerate(self.levels):
            if not level.worth_factoring:
                known = None if index else RaggedByGraph(start, given, start)
                self.levels[index] = level.by_nodes(known)

    # ---- on disk ----

    @staticmethod
    def build(
        dataset: GraphDataset,
        folder: str | PathLike[str],
        levels: int | None = 2,
        *,
        threads: int | None = None,
        budget: Budget = DEFAULT_BUDGET,
        progress: OnProgress | None = None,
    ) -> PooledDataset:
        """Pool a data set some thousand graphs at a time, write it to a folder, and open that.

        For data sets whose pools do not fit into memory: see `save`. `budget` limits the graphs that are
        pooled at the same time.
        """
        write_pooled(dataset, folder, levels, threads=threads, budget=budget, progress=progress)
        return PooledDataset.open(folder, validate=False)

    def save(self, folder: str | PathLike[str]) -> None:
        """Write the data set, its levels and all arrays that batches are gathered from to a folder.

        `open` maps them into memory. The folder appears whole or not at all. Raises OSError where it exists,
        and InputError for a data set with `edge_reduce`.

        >>> import pathlib, tempfile
        >>> from cliquepool import Graph
        >>> from cliquepool.data import GraphDataset
        >>> data = PooledDataset(GraphDataset.from_graphs([Graph.from_edges([(0, 1), (1, 2), (2, 3)])]))
        >>> with tempfile.TemporaryDirectory() as parent:
        ...     data.save(pathlib.Path(parent, "pooled"))
        ...     PooledDataset.open(pathlib.Path(parent, "pooled"))
        PooledDataset(unnamed, 1 graphs, nodes 4 -> 3 -> 1)
        """
        if self.edge_values is not None:
            raise InputError("edge_reduce: expected a data set without it to save, got one with it")
        write_levels(self, folder)

    @staticmethod
    def open(folder: str | PathLike[str], *, validate: bool | None = None) -> PooledDataset:
        """Open a data set that `save` or `build` wrote; its arrays stay in their files, mapped into memory.

        Batches, and so the networks trained on them, are the same as in memory. Checksums and content are
        verified as by `Graph.open`. Raises GraphError that names the file that is truncated or damaged.
        """
        data = object.__new__(PooledDataset)
        data.dataset, data.levels = map_pooled(folder, validate=validate)
        data.edge_values = None
        data._folder = os.path.realpath(folder)
        return data

    def __reduce__(self) -> tuple[Any, ...]:
        # Other processes map the same files.
        return super().__reduce__() if self._folder is None else (PooledDataset.open, (self._folder,))  # type: ignore[return-value]

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


def _threads_for(dataset: GraphDataset, threads: int | None) -> int:
    """Return the number of threads to pool a data set on; by default fewer for small ones.

    Each thread has buffers of its own, and with several threads their results are copied into one.
    """
    count = thread_count(threads)
    if threads is not None:
        return count
    return max(1, min(count, len(dataset.indices) // _ENTRIES_PER_THREAD))
