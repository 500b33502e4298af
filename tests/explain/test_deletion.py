from __future__ import annotations

from typing import Any

import numpy as np

import cliquepool as cp
from cliquepool.budget import DEFAULT_BUDGET
from cliquepool.data import GraphDataset, PooledDataset, load_dataset
from cliquepool.explain.deletion import DeletionGame, induced_subgraphs
from cliquepool.explain.fields import pool_fields
from cliquepool.explain.masked_model import MaskedNetwork
from tests.helpers.labelled_graphs import edges_of


def test_induced_subgraphs_keep_labels_edges_and_their_labels() -> None:
    graph = load_dataset("MUTAG")[3]
    nodes = np.random.default_rng(0).random((5, graph.num_nodes)) < 0.6
    nodes[4] = False
    parts = induced_subgraphs(graph, nodes)
    parts.validate()
    whole = cp.Graph.to_networkx(graph.graph(0))
    for index, row in enumerate(nodes):
        kept = np.flatnonzero(row)
        part = parts[index]
        found = {tuple(sorted(kept[edge].tolist())) for edge in edges_of(parts, index)}
        assert found == {tuple(sorted(edge)) for edge in whole.subgraph(kept.tolist()).edges}
        assert part.node_labels.tolist() == graph.node_labels[kept].tolist()
        assert len(part.edge_labels) == 2 * len(found)


def test_deleting_a_pool_is_predicting_without_its_nodes(model: Any, graphs: GraphDataset) -> None:
    graph = graphs[1]
    fields = pool_fields(PooledDataset(graph, 1), 1)[0]
    game = DeletionGame(MaskedNetwork(model, graph, "zero"), fields, DEFAULT_BUDGET, graph)
    scores = game.scores(~np.eye(len(fields), dtype=bool))
    for pool, members in enumerate(fields.members):
        left = np.setdiff1d(np.arange(graph.num_nodes), members)
        new_id = {node: index for index, node in enumerate(left.tolist())}
        edges = [
            (new_id[u], new_id[v]) for u, v in edges_of(graph, 0).tolist() if u in new_id and v in new_id
        ]
        labels = graph.node_label_values[graph.node_labels[left]].tolist()
        rest = GraphDataset.from_graphs([cp.Graph.from_edges(edges, len(left))], node_labels=[labels])
        assert np.allclose(scores[pool, 1], model.decision_function(rest), atol=1e-5)


def test_a_graph_can_be_deleted_whole(model: Any, graphs: GraphDataset) -> None:
    fields = pool_fields(PooledDataset(graphs[0], 1), 1)[0]
    game = DeletionGame(MaskedNetwork(model, graphs[0], "zero"), fields, DEFAULT_BUDGET, graphs[0])
    assert np.isfinite(game.scores(np.zeros((1, len(fields)), dtype=bool))).all()
