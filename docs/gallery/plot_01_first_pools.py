"""
First pools
===========

A clique is a set of nodes that are all adjacent to each other. Clique pooling
turns the largest cliques of a graph into the nodes of a smaller graph. There is
no ratio to choose and nothing to learn, and a graph always gets the same pools.
"""

# %%
# A small graph
# -------------
# This is the graph of the first figure of the paper. ``clique_pool`` takes
# networkx, SciPy and PyTorch Geometric graphs as they are, or a
# :code:`cp.Graph`, which is made of edges.

import matplotlib.pyplot as plt
import networkx as nx

import cliquepool as cp

neighbours = ["A B C I", "B C D", "C H J", "D E F G", "E F G", "F G H", "H J"]
graph = cp.Graph.from_networkx(nx.parse_adjlist(neighbours))
pooling = cp.clique_pool(graph)
print(graph)
print(pooling)

# %%
# Which nodes are in which pool
# -----------------------------
# The largest clique comes first: its nodes are a pool, and are taken away. Then
# the largest cliques of what is left are pools, and so on. **Cliques of the
# same size are pooled together**, so that no order of the nodes can matter; a
# node that two of them share is in both.


def names(nodes):
    """Return the letters of some nodes."""
    return " ".join(graph.labels[nodes])


for number, pool in enumerate(pooling.pools):
    print(f"pool {number}: {names(pool)}")

print("in two pools:", names(pooling.memberships.sizes == 2))

# %%
# The coarse graph
# ----------------
# Pools are adjacent if they share a node, or if an edge of the graph joins
# them. The coarse graph can be pooled again.

print(pooling.coarse)
print(pooling.coarse.edges().tolist())

# %%
# Pooled until one node is left, the graph has a *hierarchy*. On the left every
# node has the colours of its pools; a node of the next level has the colour of
# the pool that it stands for.

hierarchy = cp.clique_hierarchy(graph)
print(hierarchy)

axes = plt.figure(figsize=(9, 4.4)).add_axes((0, 0, 1, 1))
cp.view.draw_hierarchy(hierarchy, ax=axes)
plt.show()

# %%
# Features go up and down
# -----------------------
# ``reduce`` takes the mean, maximum or sum over the members of each pool.
# ``lift`` gives each node the mean of its pools. These are the two steps that a
# network has around its convolutions; ``cliquepool.nn`` has them as layers for
# torch.

x = list(range(graph.num_nodes))
pooled = pooling.reduce(x, "mean")
print("a mean for each pool: ", pooled.round(2))
print("a value for each node:", pooling.lift(pooled).round(2))

# %%
# Where it does not shrink
# ------------------------
# Pools are exact, and exact can mean large: a graph without triangles has a
# pool for every edge. Look at the sizes of your own graphs before you plan on a
# small coarse graph.

examples = {
    "karate club": nx.karate_club_graph(),
    "path of 20 nodes": nx.path_graph(20),
    "tree of 40 nodes": nx.balanced_tree(3, 3),
    "bipartite 6 + 6": nx.complete_bipartite_graph(6, 6),
}
for name, example in examples.items():
    print(f"{name:17}", cp.clique_hierarchy(example, levels=3).sizes)
