"""
Node labels by a U-Net over clique pools
========================================

Pool, convolve, lift: a network that goes up two levels of clique pools and down again predicts a
class for every node. A convolution on a coarse graph reaches further than the same convolution on
the graph. When does that help, and when not?
"""

# %%
# Maps with few measurements
# --------------------------
# People stand at random places and know who is near. The plane has two kinds of regions. A few
# people have measured theirs; the feature of all others is zero. Everybody is to be labelled. A
# network is trained on two maps, whose regions are known, and tested on two maps that it has never
# seen.

import matplotlib.pyplot as plt
import numpy as np
import torch
from scipy.spatial import cKDTree
from torch import nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import SAGEConv

import cliquepool as cp
from cliquepool.nn import CliqueCoarsening, CliqueLift, CliquePool

coarsen = CliqueCoarsening(levels=2)


def draw_map(measured, seed, people=1200):
    """Return a geometric graph; `measured` is the share of people who know their region."""
    random = np.random.default_rng(seed)
    places, (across, up) = random.random((people, 2)), random.uniform(0, 2 * np.pi, 2)
    pairs = cKDTree(places).query_pairs(0.05, output_type="ndarray").astype(np.int64)
    region = np.sin(2 * np.pi * places[:, 0] + across) + np.sin(2 * np.pi * places[:, 1] + up) > 0
    knows = random.random(people) < measured
    features = np.stack([np.where(region, 1, -1) * knows, knows], axis=1)
    return coarsen(
        Data(
            x=torch.from_numpy(features).float(),
            edge_index=torch.from_numpy(np.concatenate([pairs, pairs[:, ::-1]]).T.copy()),
            y=torch.from_numpy(region).long(),
            pos=torch.from_numpy(places),
        )
    )


def maps(measured, seeds):
    """Return several maps as one batch."""
    return next(iter(DataLoader([draw_map(measured, seed) for seed in seeds], batch_size=len(seeds))))


print(maps(0.01, [0, 1]))

# %%
# Two networks with the same weights
# ----------------------------------
# Both have five convolutions, the same number of parameters, and skip connections around the inner
# convolutions. The flat one stays on the graph. The U-Net has its second and fourth convolution on
# level 1 and its third on level 2; any PyG convolution will do, called with the ``edge_index`` of
# its level.


class Flat(nn.Module):
    """Five convolutions on the graph."""

    def __init__(self, num_features=2, hidden=16, num_classes=2):
        super().__init__()
        widths = [num_features] + [hidden] * 5
        self.convolutions = nn.ModuleList(map(SAGEConv, widths[:-1], widths[1:]))
        self.head = nn.Linear(hidden, num_classes)

    def forward(self, data):
        first, second, third, fourth, fifth = self.convolutions
        edges = data.edge_index
        low = first(data.x, edges).relu()
        middle = second(low, edges).relu()
        top = third(middle, edges).relu()
        middle = fourth(middle + top, edges).relu()
        low = fifth(low + middle, edges).relu()
        return self.head(low)


class UNet(Flat):
    """The same convolutions over three levels: pool, convolve, lift."""

    pool, lift = CliquePool("mean"), CliqueLift()

    def forward(self, data):
        first, second, third, fourth, fifth = self.convolutions
        graph, pools, top_pools = (data.level(number) for number in range(3))
        low = first(data.x, graph.edge_index).relu()
        middle = second(self.pool(low, graph), pools.edge_index).relu()
        top = third(self.pool(middle, pools), top_pools.edge_index).relu()
        middle = fourth(middle + self.lift(top, pools), pools.edge_index).relu()
        low = fifth(low + self.lift(middle, graph), graph.edge_index).relu()
        return self.head(low)


# %%
# How far they see
# ----------------
# The gradient tells on whose features the output for one person depends: here the person nearest to
# the centre.

example = draw_map(0.01, seed=500)
centre = int(((example.pos - 0.5) ** 2).sum(dim=1).argmin())
seen = {}
for kind in (Flat, UNet):
    torch.manual_seed(0)
    data = example.clone()
    data.x = data.x.clone().requires_grad_()
    kind()(data)[centre].sum().backward()
    seen[kind.__name__] = data.x.grad.abs().sum(dim=1) > 0
    print(f"{kind.__name__}: depends on {int(seen[kind.__name__].sum())} of {data.num_nodes} people")

# %%
# An honest comparison
# --------------------
# Three repetitions for each share of measurements, each with new maps and new first weights, the
# same for both networks. Fifty epochs of Adam at a learning rate of 0.01; nothing was tuned for
# either, and no epoch was chosen.


def fit(kind, training, seed):
    """Train a network on the labels of all people of the training maps."""
    torch.manual_seed(seed)
    model = kind()
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(50):
        optimiser.zero_grad()
        nn.functional.cross_entropy(model(training), training.y).backward()
        optimiser.step()
    return model.eval()


@torch.no_grad()
def predict(model, data):
    """Return the predicted class of each node."""
    return model(data).argmax(dim=1)


shares, kinds = (0.01, 0.04, 0.3), {"flat": Flat, "U-Net": UNet}
accuracies = np.empty((len(kinds), len(shares), 3))
for column, share in enumerate(shares):
    for seed in range(3):
        first = 1000 * seed
        training, test = maps(share, [first, first + 1]), maps(share, [first + 500, first + 501])
        for row, kind in enumerate(kinds.values()):
            right = predict(fit(kind, training, seed), test) == test.y
            accuracies[row, column, seed] = right.float().mean()
    flat, u_net = (f"{values.mean():.3f} ± {values.std():.3f}" for values in accuracies[:, column])
    print(f"measured by {100 * share:2.0f} %: flat {flat}, U-Net {u_net}")

# %%
# Each dot is a repetition. Where nearly everybody has a neighbour who measured, both do the same,
# and the coarse levels add nothing. Where measurements are rare, the answer is often further away
# than five steps, and the network that sees further has the advantage.

figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
for name, values, colour in zip(kinds, accuracies, ("#f2a33a", "#4a8fe0"), strict=True):
    axes.plot(shares, values.mean(axis=1), color=colour, linewidth=2, label=name)
    axes.plot(shares, values, "o", color=colour, markersize=4.5, alpha=0.6)
axes.set(xlabel="share of people who measured", ylabel="accuracy on new maps", xscale="log")
axes.set_xticks(shares, [f"{100 * share:.0f} %" for share in shares], minor=False)
axes.minorticks_off()
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False)
plt.show()

# %%
# One new map: who measured what, the truth, and what both networks say. The circles are around what
# the output in the centre depends on.

training = maps(0.01, [0, 1])
predicted = {name: predict(fit(kind, training, seed=0), example) for name, kind in kinds.items()}
shown = {"measured": example.x[:, 0], "region": example.y, **predicted}
figure, panels = plt.subplots(1, 4, figsize=(12, 3.4), layout="constrained")
for axes, (name, values) in zip(panels, shown.items(), strict=True):
    low, size = (-1, np.where(values == 0, 3, 30)) if name == "measured" else (0, 8)
    axes.scatter(*example.pos.T, c=values, cmap="coolwarm", vmin=low, vmax=1, s=size, linewidths=0)
    right = ""
    if name in predicted:
        reached = example.pos[seen[kinds[name].__name__]] - example.pos[centre]
        axes.add_patch(plt.Circle(example.pos[centre], reached.norm(dim=1).max(), fill=False, linewidth=1.2))
        right = f", {(values == example.y).float().mean():.2f} right"
    axes.set(title=name + right, xticks=[], yticks=[], xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.spines[:].set_color("#d5d9e0")
plt.show()

# %%
# Its pools
# ---------
# The levels that the U-Net works on. Colour the page by region or by what was predicted, and open a
# pool to see its people.

cp.view.show(
    cp.clique_hierarchy(example, levels=2),
    colour={"region": example.y.numpy(), "predicted by the U-Net": predicted["U-Net"].numpy()},
    title="A map and its clique pools",
)
