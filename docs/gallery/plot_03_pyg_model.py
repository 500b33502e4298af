"""
Your own PyG model
==================

You have a graph classifier in PyTorch Geometric. Three changes put a clique
pool between its convolutions: a transform before training, a layer in the
model, and the ``edge_index`` of the coarse graph in the convolutions after it.
"""

# %%
# The model as it is
# ------------------
# Two convolutions, the mean over the nodes, a linear layer. Nothing of it is
# special to this library.

import random

import matplotlib.pyplot as plt
import torch
from torch import nn
from torch_geometric.data import Batch
from torch_geometric.loader import DataLoader
from torch_geometric.nn import SAGEConv, global_mean_pool

from cliquepool.data import load_dataset
from cliquepool.nn import CliqueCoarsening, CliquePool


class Plain(nn.Module):
    """Two convolutions and a mean."""

    def __init__(self, num_features, num_classes, hidden=32):
        super().__init__()
        self.first = SAGEConv(num_features, hidden)
        self.second = SAGEConv(hidden, hidden)
        self.head = nn.Linear(hidden, num_classes)

    def forward(self, data):
        x = self.first(data.x, data.edge_index).relu()
        x = self.second(x, data.edge_index).relu()
        x = global_mean_pool(x, data.batch, size=data.num_graphs)
        return self.head(x)


# %%
# The model with a pool
# ---------------------
# ``data.level(0)`` is the graph with its pools, ``data.level(1)`` the coarse
# graph. The pool has no parameters, so that both models have the same number of
# them.


class Pooled(Plain):
    """The same with a clique pool between the convolutions."""

    pool = CliquePool("mean")

    def forward(self, data):
        fine, coarse = data.level(0), data.level(1)
        x = self.first(data.x, data.edge_index).relu()
        x = self.pool(x, fine)
        x = self.second(x, coarse.edge_index).relu()
        x = global_mean_pool(x, coarse.batch, size=coarse.num_graphs)
        return self.head(x)


# %%
# The transform
# -------------
# MUTAG, a data set of molecules, comes with the package. ``to_pyg`` returns
# ordinary ``Data``; your own list or data set works the same way, with
# ``CliqueCoarsening`` as its ``pre_transform``. Pools depend on the graph
# alone, so that they are computed once. PyG's own ``DataLoader`` collates the
# result.

mutag = load_dataset("MUTAG").to_pyg()
coarsen = CliqueCoarsening(levels=1)
graphs = [coarsen(data) for data in mutag]
print(mutag[0])
print(graphs[0])

nodes = sum(data.num_nodes for data in graphs)
pools = sum(int(data.num_pools_1) for data in graphs)
print(f"all graphs: {nodes} nodes, {pools} pools")

# %%
# Molecules of rings and chains have few triangles, so that there is a pool for
# nearly every bond: here pooling does not make the graphs smaller, it moves
# from atoms to bonds. Graphs with larger cliques shrink.
#
# Training
# --------
# An ordinary loop of PyG. Both models see the same graphs in the same order,
# and start from the same weights.


def train(model, training, held_out, epochs=30):
    """Train; return the accuracy on the held-out graphs after each epoch."""
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    loader = DataLoader(training, batch_size=32, shuffle=True)
    test = Batch.from_data_list(held_out)
    curve = []
    for _ in range(epochs):
        model.train()
        for batch in loader:
            optimiser.zero_grad()
            loss = nn.functional.cross_entropy(model(batch), batch.y)
            loss.backward()
            optimiser.step()
        model.eval()
        with torch.no_grad():
            right = model(test).argmax(dim=1) == test.y
        curve.append(right.float().mean().item())
    return curve


random.Random(0).shuffle(graphs)
training, held_out = graphs[:140], graphs[140:]
curves = {}
for kind in (Plain, Pooled):
    torch.manual_seed(0)
    model = kind(num_features=graphs[0].num_features, num_classes=2)
    curves[kind] = curve = train(model, training, held_out)
    size = sum(parameter.numel() for parameter in model.parameters())
    print(f"{kind.__name__}: {size} parameters, last epoch {curve[-1]:.2f}")

# %%
# **Which one is better, these curves cannot tell**: they are of one split of a
# small data set, where one graph more or less is two points, and the best epoch
# of a curve is not an accuracy at all. :doc:`plot_06_honest_evaluation` does it
# properly.

plt.rc("axes.spines", top=False, right=False)
figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
colours = {Plain: "#6b7480", Pooled: "#4a8fe0"}
for kind, curve in curves.items():
    epochs = range(1, len(curve) + 1)
    axes.plot(epochs, curve, label=kind.__name__, color=colours[kind])
axes.set(xlabel="epoch", ylabel="accuracy, held-out graphs", ylim=(0.4, 1))
axes.legend(frameon=False)
plt.show()
