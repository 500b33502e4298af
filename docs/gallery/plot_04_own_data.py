"""
Your own data
=============

From networkx graphs to a classifier that is saved to a file: how to bring
labels and attributes, and a control that shows whether a model looks at the
structure of the graphs at all.
"""

# %%
# Two kinds of networks
# ---------------------
# The first kind are circles of friends: cliques of six, with some friendships
# moved at random. The second kind is made from the first by swapping the ends
# of friendships, so that **every person has as many friends as before**, but
# the circles are gone. A model that only counts friends cannot tell them apart.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import cliquepool as cp
from cliquepool.data import GraphDataset
from cliquepool.models import CliquePoolClassifier, NoStructureClassifier

plt.rc("axes.spines", top=False, right=False)
plt.rc("legend", frameon=False)


def circles(seed):
    """Return a network of four to six circles of six people."""
    network = nx.relaxed_caveman_graph(4 + seed % 3, 6, 0.15, seed=seed)
    network.remove_edges_from(list(nx.selfloop_edges(network)))
    random = np.random.default_rng(seed)
    for person in network:
        network.nodes[person]["age"] = float(random.integers(18, 80))
    network.graph["kind"] = "circles"
    return network


def shuffled(network, seed):
    """Return the network with the ends of its friendships swapped."""
    other = network.copy()
    swaps = 4 * other.number_of_edges()
    nx.double_edge_swap(other, swaps, max_tries=100 * swaps, seed=seed)
    other.graph["kind"] = "shuffled"
    return other


networks = []
for seed in range(120):
    networks.append(circles(seed))
    networks.append(shuffled(networks[-1], seed))

# %%
# Look at the graphs before you train: the same people, before and after the
# swaps. The pools differ.

figure = plt.figure(figsize=(9, 4.3))
for left, network in zip((0, 0.5), networks[:2], strict=True):
    hierarchy = cp.clique_hierarchy(network, levels=1)
    axes = figure.add_axes((left, 0, 0.5, 0.9))
    cp.view.draw_hierarchy(hierarchy, labels=False, ax=axes)
    title = f"{network.graph['kind']}: {hierarchy}"
    figure.text(left + 0.25, 0.93, title, ha="center")
plt.show()

# %%
# One data set
# ------------
# ``from_networkx`` takes the labels and attributes that you name. What you do
# not name is not dropped silently: a warning lists it, unless ``ignore`` says
# that it may go. The age of a person has nothing to do with the kind of
# network, and is left out.

dataset = GraphDataset.from_networkx(networks, y="kind", ignore=["age"])
print(dataset)

# %%
# Train, and train a control
# --------------------------
# Without labels and attributes, the feature of a node is its degree.
# ``NoStructureClassifier`` has the same interface and the same features, and
# reads no edges: it is the control. Both are estimators of scikit-learn.
# Training and test graphs are whole pairs of a network and its shuffled copy.

training, test = dataset[:100], dataset[100:]
models = {
    "clique pools": CliquePoolClassifier(epochs=30, learning_rate=0.01),
    "control": NoStructureClassifier(epochs=30),
}
for name, model in models.items():
    accuracy = model.fit(training).score(test)
    print(f"{name:13} {accuracy:.2f} of {len(test)} test graphs")

# %%
# Both graphs of a pair have the same degrees. The control says the same of
# both, and is right for one of them.
#
# What the classifier uses instead can be seen without any network: how many
# pools a graph has, beside how many nodes.

hierarchies = cp.clique_hierarchies(networks, levels=1)
sizes = np.array([hierarchy.sizes for hierarchy in hierarchies], dtype=float)
sizes[:, 0] += np.random.default_rng(0).uniform(-1, 1, len(sizes))

figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
style = {"marker": "o", "linestyle": "", "alpha": 0.6, "markeredgewidth": 0}
axes.plot(*sizes[0::2].T, color="#4a8fe0", label="circles", **style)
axes.plot(*sizes[1::2].T, color="#e2504f", label="shuffled", **style)
axes.set(xlabel="nodes, moved at random to be seen", ylabel="pools")
axes.legend()
plt.show()

# %%
# Save, load, predict
# -------------------
# One safetensors file each, never a pickle. New graphs come as networkx graphs,
# or as those of any other library.

with tempfile.TemporaryDirectory() as folder:
    dataset.save(Path(folder, "friends.safetensors"))
    models["clique pools"].save(Path(folder, "model.safetensors"))
    model = CliquePoolClassifier.load(Path(folder, "model.safetensors"))

new = [nx.ring_of_cliques(5, 6), nx.random_regular_graph(5, 30, seed=0)]
for network, kind in zip(new, model.predict(new), strict=True):
    print(network, "->", kind)
