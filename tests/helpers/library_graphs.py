"""One graph, a triangle with a tail, as every library has it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse
import torch
from torch_geometric.data import Batch, Data

import cliquepool as cp

TAIL = [(0, 1), (0, 2), (1, 2), (2, 3)]
INDEX = torch.tensor(TAIL).T
MATRIX = scipy.sparse.coo_array((np.ones(4), INDEX.numpy()), shape=(4, 4))


GRAPHS: dict[str, Any] = {
    "Graph": cp.Graph.from_edges(TAIL),
    "networkx": nx.Graph(TAIL),
    "networkx, directed and parallel": nx.MultiDiGraph([*TAIL, *TAIL, (2, 1), (3, 3)]),
    "a view of networkx": nx.Graph([*TAIL, (3, 4)]).subgraph(range(4)),
    "PyG": Data(edge_index=INDEX, num_nodes=4),
    "PyG, batched": Batch.from_data_list([Data(edge_index=INDEX, num_nodes=4)]),
    "like PyG": SimpleNamespace(edge_index=INDEX.tolist(), num_nodes=4),
} | {
    f"scipy {kind} {form}": getattr(scipy.sparse, f"{form}_{kind}")(MATRIX)
    for form in ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")
    for kind in ("array", "matrix")
}
