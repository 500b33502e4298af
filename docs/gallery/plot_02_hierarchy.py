"""
A hierarchy explored
====================

The characters of *Les Misérables*, joined where they appear in the same chapter: a graph that comes
with networkx and that many readers know. Its pools are scenes and circles of friends, and its
levels can be opened one by one.
"""

# %%
# All levels at once
# ------------------
# Without ``levels=``, a graph is pooled until every connected component is one node.

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import cliquepool as cp

novel = cp.Graph.from_networkx(nx.les_miserables_graph())
hierarchy = cp.clique_hierarchy(novel)

for level in range(len(hierarchy) + 1):
    graph = hierarchy.graph(level)
    largest = f"largest pool below: {hierarchy[level - 1].largest}" if level else ""
    print(f"level {level}: {graph.num_nodes:3} nodes, {graph.num_edges:4} edges  {largest}")

# %%
# The page
# --------
# ``cp.view.show`` makes a page of the whole hierarchy. In a notebook it appears below the cell, as
# it does here: **drag** to move, **double-click** a pool to open it, press ``/`` to search for a
# name, choose a colour in the bar. ``page.save("novel.html")`` writes the same as one file that
# needs no server and no internet.

in_pools = hierarchy[0].memberships.sizes
page = cp.view.show(
    hierarchy,
    colour={"number of pools": in_pools, "degree": novel.degrees.astype(float)},
    title="Les Misérables",
)
page

# %%
# Who stands between the circles?
# -------------------------------
# A node of several pools belongs to several cliques of the same size. That is another question than
# how many neighbours it has.

for name, values in {"pools": in_pools, "neighbours": novel.degrees}.items():
    print(f"by the number of {name}:")
    for node in np.argsort(-values, kind="stable")[:5]:
        print(f"  {novel.labels[node]:12} {in_pools[node]} pools, {novel.degrees[node]:2} neighbours")

# %%
# What a pool is made of
# ----------------------
# A node of a higher level stands for a set of nodes of the graph, its *receptive field*.

for level in (1, 2, 3):
    field = hierarchy.receptive_field(level, 0)
    shown = ", ".join(novel.labels[field][:9]) + (" …" if len(field) > 9 else "")
    print(f"level {level}, node 0: {len(field)} characters: {shown}")

# %%
# A picture for a paper
# ---------------------
# ``draw_hierarchy`` draws levels side by side with matplotlib, here without names. Given a path it
# saves a file (png, svg or pdf).

figure, axes = plt.subplots(figsize=(12, 5), layout="tight")
cp.view.draw_hierarchy(hierarchy, labels=False, ax=axes)
plt.show()

# %%
# How large are the circles? Most nodes of each level lie in small pools, and few in large ones.

figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
for level, pooling in enumerate(hierarchy):
    sizes = np.sort(pooling.pools.sizes)[::-1]
    axes.step(np.arange(1, len(sizes) + 1), sizes, where="mid", label=f"pools of level {level}")
axes.set(xlabel="pools, largest first", ylabel="members", xscale="log")
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False)
plt.show()
