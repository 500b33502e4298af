"""The graph without some of its nodes, pooled anew: the counterfactual of an explanation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import torch

from cliquepool.data.dataset import GraphDataset
from cliquepool.explain.game import MaskingGame
from cliquepool.ragged import offsets_from_lengths

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.budget import Budget
    from cliquepool.explain.fields import PoolFields
    from cliquepool.explain.masked_model import MaskedNetwork

    Kept = npt.NDArray[np.bool_]
    Scores = npt.NDArray[np.float64]

__all__ = ["DeletionGame", "induced_subgraphs"]

_GRAPHS_AT_ONCE: Final = 1 << 12


class DeletionGame(MaskingGame):
    """The scores of the graph without the nodes of the pools that are not kept, pooled anew.

    Unlike in `MaskingGame`, a node goes with any of its pools: otherwise a clique whose nodes all lie in
    other pools could not be deleted. Features that depend on the graph, such as degrees, are those of the
    graph that is left.
    """

    def __init__(self, model: MaskedNetwork, fields: PoolFields, budget: Budget, graph: GraphDataset) -> None:
        super().__init__(model, fields, budget)
        self._estimator = model.estimator
        self._graph = graph

    def _nodes_kept(self, kept: Kept) -> Kept:
        return ~self.fields.nodes_kept(~kept)

    @torch.no_grad()
    def node_scores(self, nodes: Kept) -> Scores:
        """Return the scores (columns) of the subgraphs that these nodes (rows) induce."""
        parts = []
        for begin in range(0, len(nodes), _GRAPHS_AT_ONCE):
            self.expect_time()
            subgraphs = induced_subgraphs(self._graph, nodes[begin : begin + _GRAPHS_AT_ONCE])
            outputs = torch.from_numpy(self._estimator._outputs(subgraphs))
            parts.append(self.model.scale.scores(outputs).numpy())
        self.evaluations += len(nodes)
        return np.concatenate(parts) if parts else np.zeros((0, len(self.model.scale.names)))


def induced_subgraphs(graph: GraphDataset, nodes: Kept) -> GraphDataset:
    """Return the subgraphs of a single graph that rows of nodes induce, as one data set.

    >>> from cliquepool import Graph
    >>> path = GraphDataset.from_graphs([Graph.from_edges([(0, 1), (1, 2)])])
    >>> parts = induced_subgraphs(path, np.array([[True, True, False], [True, False, True]]))
    >>> [parts.graph(index).edges().tolist() for index in range(2)]
    [[[0, 1]], []]
    """
    copies, number = nodes.shape
    sources = np.repeat(np.arange(number), graph.degrees)
    node = np.nonzero(nodes)[1]
    entry_copy, entry = np.nonzero(nodes[:, sources] & nodes[:, graph.indices])
    rank = np.cumsum(nodes, axis=1) - 1  # the new number of each kept node
    degrees = np.zeros((copies, number), dtype=np.int64)
    np.add.at(degrees, (entry_copy, sources[entry]), 1)

    def rows(array: npt.NDArray[np.generic] | None, index: npt.NDArray[np.int64]) -> object:
        return None if array is None else array[index]

    return GraphDataset(
        name=graph.name,
        node_start=offsets_from_lengths(nodes.sum(axis=1)),
        indptr=offsets_from_lengths(degrees[nodes]),
        indices=rank[entry_copy, graph.indices[entry]].astype(np.int32),
        targets=np.repeat(graph.targets, copies),
        classes=graph.classes,
        node_labels=rows(graph.node_labels, node),  # type: ignore[arg-type]
        node_label_values=graph.node_label_values,
        node_attributes=rows(graph.node_attributes, node),  # type: ignore[arg-type]
        edge_labels=rows(graph.edge_labels, entry),  # type: ignore[arg-type]
        edge_label_values=graph.edge_label_values,
        edge_attributes=rows(graph.edge_attributes, entry),  # type: ignore[arg-type]
    )
