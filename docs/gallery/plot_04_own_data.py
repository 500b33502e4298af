"""
Your own data
=============

From networkx graphs to a classifier that is saved to a file: how to bring labels and attributes,
what the classifier reads of a graph, and a control that shows whether it looks at the structure at
all.
"""

# %%
# Two kinds of networks
# ---------------------
# The first kind are circles of friends: cliques of six, with some friendships moved at random. The
# second kind is made from the first by swapping the ends of edges, so that **every person has as
# many friends as before**, but the circles are gone. A model that only counts friends cannot tell
# them apart.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import cliquepool as cp
from cliquepool.data import GraphDataset
from cliquepool.models import CliquePoolClassifier, NoStructureClassifier

random = np.random.default_rng(0)


def friends(index):
    """Return a network; every other one is shuffled."""
    network = nx.relaxed_caveman_graph(int(random.integers(4, 7)), 6, 0.15, seed=index)
    if index % 2:
        nx.double_edge_swap(network, nswap=4 * network.number_of_edges(), max_tries=10**5, seed=index)
    for person in network:
        network.nodes[person]["age"] = float(random.integers(18, 80))
    network.graph["kind"] = "shuffled" if index % 2 else "circles"
    return network


networks = [friends(index) for index in range(260)]

# %%
# One data set
# ------------
# ``from_networkx`` takes the attributes that you name. What you do not name is not dropped
# silently: a warning lists it, unless ``ignore`` says so. Here the age is noise, and left out.

dataset = GraphDataset.from_networkx(networks, y="kind", ignore=["age"], name="friends")
print(dataset)

# %%
# Look at the graphs before you train. The same people, before and after the swaps: the pools
# differ.

figure, panels = plt.subplots(1, 2, figsize=(11, 4.6), layout="tight")
for axes, network in zip(panels, networks[:2], strict=True):
    hierarchy = cp.clique_hierarchy(network, levels=1)
    title = f"{network.graph['kind']}: {hierarchy.sizes[0]} people, {hierarchy.sizes[1]} pools"
    cp.view.draw_hierarchy(hierarchy, labels=False, title=title, ax=axes)
plt.show()

# %%
# Train, and train a control
# --------------------------
# Without labels and attributes, the features of a node are its degree. ``NoStructureClassifier``
# has the same interface and the same features, and reads no edges: it is the control. Both are
# estimators of scikit-learn.

training, test = dataset[:100], dataset[100:]
model = CliquePoolClassifier(epochs=40, learning_rate=0.01, random_state=0).fit(training)
control = NoStructureClassifier(epochs=40, random_state=0).fit(training)
for name, estimator in {"clique pools": model, "control": control}.items():
    print(f"{name:13} {estimator.score(test):.2f} of {len(test)} test graphs")

# %%
# The control has nothing to go by: both kinds have the same degrees, so that what it is above or
# below one half is luck. What the classifier uses instead is visible without a network: the number
# of pools of each graph, beside that of its nodes.

sizes = np.array([hierarchy.sizes[:2] for hierarchy in cp.clique_hierarchies(networks, levels=1)])
kinds = np.array([network.graph["kind"] for network in networks])
figure, axes = plt.subplots(figsize=(6, 3.4), layout="constrained")
for kind, colour in (("circles", "#4a8fe0"), ("shuffled", "#e2504f")):
    shown = sizes[kinds == kind] + random.uniform(-0.6, 0.6, (np.sum(kinds == kind), 2))
    axes.plot(*shown.T, "o", label=kind, color=colour, alpha=0.6, markersize=4, markeredgewidth=0)
axes.set(xlabel="nodes", ylabel="pools")
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False)
plt.show()

# %%
# Save, load, predict
# -------------------
# One safetensors file each, never a pickle. New graphs come as networkx graphs, or of any other
# kind.

with tempfile.TemporaryDirectory() as folder:
    dataset.save(Path(folder, "friends.safetensors"))
    model.save(Path(folder, "model.safetensors"))
    again = CliquePoolClassifier.load(Path(folder, "model.safetensors"))

new = [nx.relaxed_caveman_graph(5, 6, 0.1, seed=1000), nx.gnm_random_graph(30, 75, seed=1000)]
for network, kind, shares in zip(new, again.predict(new), again.predict_proba(new), strict=True):
    print(f"{network.number_of_nodes()} people: {kind} ({shares.max():.2f})")
