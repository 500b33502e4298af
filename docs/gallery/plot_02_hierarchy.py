"""
A hierarchy explored
====================

The characters of *Les Misérables*, joined where they appear in the same
chapter: a graph that comes with networkx and that many readers know. Its pools
are scenes and circles of friends, and its levels can be opened one by one.
"""

# %%
# All levels at once
# ------------------
# Without ``levels=``, a graph is pooled until every connected component is one
# node.

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import cliquepool as cp

novel = cp.Graph.from_networkx(nx.les_miserables_graph())
hierarchy = cp.clique_hierarchy(novel)

for level in range(len(hierarchy) + 1):
    graph = hierarchy.graph(level)
    print(
        f"level {level}: {graph.num_nodes:3} nodes, {graph.num_edges:4} edges"
    )

# %%
# The page
# --------
# ``cp.view.show`` makes a page of the whole hierarchy. In a notebook it appears
# below the cell, as it does here: **drag** to move, **double-click** a pool to
# open it, press ``/`` to search for a name, choose a colour in the bar. With
# ``.save("novel.html")`` it is one file that needs no server and no internet.

pools = hierarchy[0].memberships.sizes
cp.view.show(hierarchy, colour={"pools": pools}, title="Les Misérables")

# %%
# Who stands between the circles?
# -------------------------------
# A node of several pools belongs to several cliques of the same size. That is
# another question than how many neighbours it has.

for name, values in {"pools": pools, "neighbours": novel.degrees}.items():
    first = np.argsort(-values, kind="stable")[:5]
    print(f"most {name}:", *(f"{novel.labels[i]} {values[i]}" for i in first))

# %%
# What a pool is made of
# ----------------------
# A node of a higher level stands for a set of nodes of the graph, its
# *receptive field*.

for level in (1, 2, 3):
    field = hierarchy.receptive_field(level, 0)
    print(
        f"level {level}, node 0: {len(field)} characters,",
        *novel.labels[field][:4],
    )

# %%
# A picture for a paper
# ---------------------
# ``draw_hierarchy`` draws levels side by side with matplotlib, here the first
# three without names. Given a path it saves a file (png, svg or pdf).

axes = plt.figure(figsize=(9, 4.2)).add_axes((0, 0, 1, 1))
cp.view.draw_hierarchy(hierarchy, labels=False, levels=2, ax=axes)
plt.show()
