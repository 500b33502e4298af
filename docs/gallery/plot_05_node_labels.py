"""
Node labels by a U-Net over clique pools
========================================

Pool, convolve, lift: a network that goes up two levels of clique pools and down
again predicts a class for every node. A convolution on a coarse graph reaches
further than the same convolution on the graph. When does that help, and when
not?
"""

# %%
# Maps with few measurements
# --------------------------
# People stand at random places and know who is near. The plane has two kinds of
# regions. A few people have measured theirs; the features of all others are
# zero. Everybody is to be labelled. A network is trained on two maps, whose
# regions are known, and tested on two maps that it has never seen.

import matplotlib.pyplot as plt
import numpy as np
import torch
from scipy.spatial import cKDTree
from torch import nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import SAGEConv

import cliquepool as cp
from cliquepool.nn import CliqueCoarsening, CliqueLift, CliquePool

plt.rc("axes.spines", top=False, right=False)
plt.rc("legend", frameon=False)

coarsen = CliqueCoarsening(levels=2)


def draw_map(share, seed, people=1200):
    """Return a geometric graph in which a share of the people have measured."""
    random = np.random.default_rng(seed)
    places = random.random((people, 2))
    near = cKDTree(places).query_pairs(0.05, output_type="ndarray")
    waves = np.sin(2 * np.pi * (places + random.random(2)))
    region = waves.sum(axis=1) > 0
    measured = random.random(people) < share
    x = np.stack([np.where(region, 1, -1) * measured, measured], axis=1)
    edges = np.concatenate([near, near[:, ::-1]]).T
    data = Data(
        x=torch.tensor(x, dtype=torch.float32),
        edge_index=torch.tensor(edges),
        y=torch.tensor(region, dtype=torch.int64),
        pos=torch.tensor(places),
    )
    return coarsen(data)


def draw_maps(share, *seeds):
    """Return several maps as one batch."""
    return Batch.from_data_list([draw_map(share, seed) for seed in seeds])


print(draw_maps(0.01, 0, 1))

# %%
# Two networks with the same weights
# ----------------------------------
# Both have five convolutions, the same number of parameters, and skip
# connections around the inner convolutions. The flat one stays on the graph.
# The U-Net has its second and fourth convolution on level 1 and its third on
# level 2; any PyG convolution will do, called with the ``edge_index`` of its
# level.


class Flat(nn.Module):
    """Five convolutions on the graph."""

    def __init__(self, num_features=2, hidden=16, num_classes=2):
        super().__init__()
        widths = [num_features] + [hidden] * 5
        self.convolutions = nn.ModuleList(map(SAGEConv, widths, widths[1:]))
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
        zero, one, two = data.level(0), data.level(1), data.level(2)
        low = first(data.x, zero.edge_index).relu()
        middle = second(self.pool(low, zero), one.edge_index).relu()
        top = third(self.pool(middle, one), two.edge_index).relu()
        middle = fourth(middle + self.lift(top, one), one.edge_index).relu()
        low = fifth(low + self.lift(middle, zero), zero.edge_index).relu()
        return self.head(low)


# %%
# How far they see
# ----------------
# The gradient tells on whose features the output for one person depends: here
# the person nearest to the centre of a map.

example = draw_map(0.01, seed=500)
centre = int((example.pos - 0.5).norm(dim=1).argmin())
seen = {}
for kind in (Flat, UNet):
    torch.manual_seed(0)
    data = example.clone()
    data.x = example.x.clone().requires_grad_()
    kind()(data)[centre].sum().backward()
    seen[kind] = data.x.grad.abs().sum(dim=1) > 0
    print(f"{kind.__name__} depends on {seen[kind].sum()} of 1200 people")

# %%
# An honest comparison
# --------------------
# Three repetitions for each share of measurements, each with new maps and new
# first weights, the same for both networks. Fifty epochs of Adam at a learning
# rate of 0.01; nothing was tuned for either, and no epoch was chosen.


def fit(kind, training, seed):
    """Train a network on the labels of all people of the training maps."""
    torch.manual_seed(seed)
    model = kind()
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(50):
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(model(training), training.y)
        loss.backward()
        optimiser.step()
    return model.eval()


@torch.no_grad()
def accuracy(model, data):
    """Return the share of nodes that are labelled right."""
    return (model(data).argmax(dim=1) == data.y).float().mean().item()


shares = (0.01, 0.04, 0.3)
found = {Flat: np.empty((3, 3)), UNet: np.empty((3, 3))}
for row, share in enumerate(shares):
    for seed in range(3):
        training = draw_maps(share, 1000 * seed, 1000 * seed + 1)
        test = draw_maps(share, 1000 * seed + 500, 1000 * seed + 501)
        for kind, values in found.items():
            values[row, seed] = accuracy(fit(kind, training, seed), test)
    print(f"measured by {100 * share:2.0f} %:", end="")
    for kind, values in found.items():
        mean, spread = values[row].mean(), values[row].std()
        print(f"  {kind.__name__} {mean:.3f} ± {spread:.3f}", end="")
    print()

# %%
# Each dot is a repetition. Where nearly everybody has a neighbour who measured,
# the coarse levels have nothing to add. Where measurements are rare, the
# nearest one is often more than five steps away, and the network that sees
# further has the advantage.

figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
colours = {Flat: "#f2a33a", UNet: "#4a8fe0"}
for kind, values in found.items():
    mean = values.mean(axis=1)
    axes.plot(shares, mean, color=colours[kind], label=kind.__name__)
    axes.plot(shares, values, "o", color=colours[kind], alpha=0.6)
axes.set(xlabel="people who measured", ylabel="accuracy on new maps")
axes.set_xscale("log")
axes.set_xticks(shares, [f"{100 * share:.0f} %" for share in shares])
axes.minorticks_off()
axes.legend()
plt.show()

# %%
# One of the new maps: who measured what, the truth, and what both networks say.
# Circles are drawn around all that the output in the centre depends on.

training = draw_maps(0.01, 0, 1)
panels = {"measured": example.x[:, 0], "truth": example.y}
predicted = {}
for kind in found:
    model = fit(kind, training, seed=0)
    predicted[kind] = model(example).argmax(dim=1)
    panels[f"{kind.__name__}: {accuracy(model, example):.2f} right"] = (
        predicted[kind]
    )

# sphinx_gallery_thumbnail_number = 2
figure, row = plt.subplots(1, 4, figsize=(10, 2.9), layout="constrained")
for axes, (title, values) in zip(row, panels.items(), strict=True):
    colour = {"cmap": "coolwarm", "vmin": min(values), "vmax": 1}
    size = np.where(values == 0, 4, 40) if title == "measured" else 8
    axes.scatter(*example.pos.T, c=values, s=size, linewidths=0, **colour)
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", title=title)
    axes.axis("off")
for axes, kind in zip(row[2:], seen, strict=True):
    reach = (example.pos[seen[kind]] - example.pos[centre]).norm(dim=1).max()
    axes.add_patch(plt.Circle(example.pos[centre], reach, fill=False))
plt.show()

# %%
# Its pools
# ---------
# The levels that the U-Net works on. Colour the page by the truth or by what
# was predicted, and open a pool to see its people.

cp.view.show(
    cp.clique_hierarchy(example, levels=2),
    colour={
        "truth": example.y.numpy(),
        "predicted by the U-Net": predicted[UNet].numpy(),
    },
    title="A map and its clique pools",
)
