"""
A large graph
=============

A graph that need not fit into memory: converted to a folder of arrays, opened
without loading it, pooled from the disk, and divided into parts that a network
can run over one by one. The graph here is only as large as a page that is built
in seconds allows; the steps are those for a larger one.
"""

# %%
# A file of edges
# ---------------
# Points in the plane, joined where they are near: about as many neighbours
# everywhere, cliques of many sizes, and a picture that shows what happens. A
# real graph would come as such a file, perhaps compressed.

import tempfile
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import torch
from scipy.spatial import cKDTree

import cliquepool as cp
from cliquepool.nn import ClassifierSettings, GraphClassifier

work = tempfile.TemporaryDirectory()
folder = Path(work.name)

places = np.random.default_rng(0).random((100_000, 2))
edges = cKDTree(places).query_pairs(0.0055, output_type="ndarray")
np.savetxt(folder / "graph.txt", edges, fmt="%d")
size = (folder / "graph.txt").stat().st_size
print(f"{len(edges):,} edges, {size / 2**20:.1f} MiB of text")

# %%
# Convert once, open at once
# --------------------------
# ``convert_graph`` sorts the edges in blocks on the disk; ``memory`` bounds the
# blocks. ``Graph.open`` maps the arrays into memory instead of loading them;
# the first time, it verifies their checksums.

cp.scale.convert_graph(folder / "graph.txt", folder / "graph", memory=2**22)
graph = cp.Graph.open(folder / "graph")
print(graph)
print("ids in the file:", graph.labels.min(), "to", graph.labels.max())

# %%
# Points without a neighbour are in no line of the file, so that ids have gaps.
# The nodes of a graph have none: they are numbered anew, and ``graph.labels``
# has the ids of the file. What belongs to the nodes is put in this order.

places = places[graph.labels]

# %%
# Pool from the disk
# ------------------
# Every call that can grow takes a budget. Allow less memory than the graph has
# on disk, and pooling in memory ends with an error that says where, and what to
# do; nothing is half done.

small = cp.Budget(max_bytes=4 * 2**20)
on_disk = sum(file.stat().st_size for file in (folder / "graph").iterdir())
print(f"{on_disk / 2**20:.1f} MiB on disk")
try:
    print(cp.clique_hierarchy(graph, levels=1, budget=small))
except cp.BudgetExceeded as error:
    print(textwrap.fill(str(error), 80))

# %%
# ``pool_out_of_core`` needs some arrays of the nodes and its blocks of cliques;
# what has the size of the edges stays in files that are mapped. It stays within
# the same budget.

hierarchy = cp.scale.pool_out_of_core(
    folder / "graph", folder / "levels", 1, memory=2**20, budget=small
)
print(hierarchy)

# %%
# The graph between the pools of a level is built in memory, so that more levels
# take more. The same call with more of them continues after those that are in
# the folder, as it does after a run that was killed.

hierarchy = cp.scale.pool_out_of_core(folder / "graph", folder / "levels", 3)
print(hierarchy)

# %%
# The result is that of ``clique_hierarchy`` in memory, byte for byte.

in_memory = cp.clique_hierarchy(graph, levels=3)
same = [hierarchy[i].pools == in_memory[i].pools for i in range(3)]
print("the same pools:", same)

# %%
# What does one node need?
# ------------------------
# Pools depend on the graph alone, so that it is known before any training which
# nodes an output depends on. The diagram of a node of level 3, above the centre
# of the plane, with one convolution on each level:

node = np.abs(places - 0.5).sum(axis=1).argmin()
for pooling in hierarchy:
    node = pooling.memberships[node][0]
diagram = hierarchy.dependencies(level=3, hops=1).of([node])
print(diagram)

# %%
# Parts
# -----
# ``partition`` divides all levels among parts, from the top down, so that the
# nodes of a pool keep together. Each part has a *halo*, the nodes of other
# parts that its convolutions read.

parts = cp.scale.partition(hierarchy, parts=12, folder=folder / "parts")
owner = np.empty(graph.num_nodes, dtype=int)
for number, part in enumerate(parts):
    owner[part.nodes(0)] = number
sizes = [len(part.nodes(0)) for part in parts]
halos = [len(part.halo(0)) for part in parts]
print(parts)
print(f"{min(sizes):,} to {max(sizes):,} nodes of the graph in a part")
print(f"{min(halos):,} to {max(halos):,} in its halo")

figure, (left, right) = plt.subplots(
    1, 2, figsize=(9, 4.7), layout="constrained"
)
left.scatter(*places.T, c=owner, cmap="tab20", s=0.6, linewidths=0)
left.set_title("twelve parts")
field = hierarchy.receptive_field(3, int(node))
right.plot(*places.T, ",", color="#d5d9e0")
right.plot(*places[diagram[0]].T, ".", color="#f2a33a", markersize=2)
right.plot(*places[field].T, ".", color="#e2504f", markersize=2)
right.set_title("a node of level 3 (red), and what it needs")
for axes in (left, right):
    axes.set(aspect="equal", xlim=(0, 1), ylim=(0, 1))
    axes.axis("off")
right.set(xlim=(0.4, 0.6), ylim=(0.4, 0.6))
plt.show()

# %%
# A network over the parts
# ------------------------
# ``run`` takes the parts one after the other, or in parallel processes, and
# exchanges halos through files: the memory of a part, and the answer of the
# whole graph. ``accumulate_gradients`` does the same for training.

torch.manual_seed(0)
features = places.astype(np.float32)
settings = ClassifierSettings(composition=False, dropout=0, pools=3, hidden=16)
network = GraphClassifier(settings, num_features=2, num_classes=2).eval()
by_parts = cp.scale.run(network, parts, features)
print("by parts:", by_parts.numpy().round(4))

# %%
# A single part gives the same up to rounding.

whole = cp.scale.run(network, cp.scale.partition(hierarchy, parts=1), features)
print("whole:   ", whole.numpy().round(4))
print("close:   ", np.allclose(by_parts, whole, atol=1e-4))

work.cleanup()
