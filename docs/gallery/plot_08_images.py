"""
Images as graphs
================

An image is a graph of pixels, each adjacent to its eight neighbours. Its clique pools are windows
of stride 1 that grow from level to level, so that they can take the place of max pools in any
convolutional network. What does that change?
"""

# %%
# Pools of a grid
# ---------------
# In a grid with diagonals the largest cliques are squares of 2×2 pixels. All of them are pools, and
# they overlap. On the next level the windows have 3×3 nodes, then 5×5. ``grid_graph`` is an
# ordinary graph, and the pools are those of the general algorithm.

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

import cliquepool as cp
from cliquepool.data import load_images
from cliquepool.nn import CliqueMaxPool2d, clique_pool_schedule, grid_graph, replace_pools

hierarchy = cp.clique_hierarchy(grid_graph((16, 16)))
for level, pooling in enumerate(hierarchy, start=1):
    side = round(len(pooling) ** 0.5)
    print(f"level {level}: {side}×{side} pools of {pooling.largest} nodes")
print("windows for a side of 32:", clique_pool_schedule(32))

# %%
# ``CliqueMaxPool2d(n)`` computes the n-th of these pools without building a graph. The check
# against the graph:

image = torch.rand(16, 16)
by_graph = hierarchy[0].reduce(image.numpy().ravel(), "max").reshape(15, 15)
by_layer = CliqueMaxPool2d(1)(image[None, None])[0, 0].numpy()
print("the same numbers:", np.array_equal(by_graph, by_layer))

# %%
# What is left of a digit
# -----------------------
# scikit-learn's digits, enlarged to 32×32 pixels. Pools of stride 2 halve the image each time;
# clique pools see as far with each step (the receptive field of the n-th pool has a side of 2ⁿ in
# both), but keep nearly every position.

digits = load_images("digits")
digit = torch.from_numpy(digits.images[digits.targets == 3][:1]).float() / 255

figure, panels = plt.subplots(2, 5, figsize=(11, 4.8), layout="constrained")
strided = cliques = digit
for level, (above, below) in enumerate(panels.T):
    if level:
        strided, cliques = nn.functional.max_pool2d(strided, 2), CliqueMaxPool2d(level)(cliques)
    for axes, picture in ((above, strided), (below, cliques)):
        axes.imshow(picture[0, 0], cmap="magma", vmin=0, vmax=1)
        axes.set(xticks=[], yticks=[], title=f"{picture.shape[-1]}×{picture.shape[-1]}")
        axes.spines[:].set_visible(False)
panels[0, 0].set_ylabel("stride 2")
panels[1, 0].set_ylabel("clique pools")
plt.show()

# %%
# In a network
# ------------
# ``replace_pools`` returns a copy of a network with clique pools for its max pools of stride 2. The
# number of weights stays the same, as the last pool of both gives the same shape.


def small_network():
    """Return five convolutions, each with a batch norm and a max pool."""
    layers, channels = [], 1
    for width in (8, 8, 16, 16, 16):
        layers += [nn.Conv2d(channels, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU()]
        layers.append(nn.MaxPool2d(2))
        channels = width
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(channels, 10))


torch.manual_seed(0)
networks = {"stride 2": small_network()}
networks["clique pools"] = replace_pools(networks["stride 2"], input_shape=(1, 1, 32, 32))
print(*(layer for layer in networks["clique pools"] if isinstance(layer, CliqueMaxPool2d)), sep="\n")

# %%
# Both are trained on the same 500 digits, in the same order, from the same weights, and tested once
# on digits that they have not seen.

images = torch.tensor(digits.images).float() / 255
classes = torch.tensor(digits.targets)
training = torch.from_numpy(np.flatnonzero(~digits.is_test)[:500])
test = torch.from_numpy(np.flatnonzero(digits.is_test))
for name, network in networks.items():
    generator = torch.Generator().manual_seed(0)
    optimiser = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(6):
        for batch in training[torch.randperm(len(training), generator=generator)].split(50):
            optimiser.zero_grad()
            nn.functional.cross_entropy(network(images[batch]), classes[batch]).backward()
            optimiser.step()
    network.eval()
    with torch.no_grad():
        right = (network(images[test]).argmax(dim=1) == classes[test]).float().mean()
    print(f"{name:13} {right:.3f} of {len(test)} test digits")

# %%
# The price
# ---------
# One split and one seed say little about which is more accurate; ``cliquepool images compare``
# trains both on the same folds and tests the difference. What is certain is the work: after pools
# of stride 1 the convolutions have many more positions to visit.


def positions(network):
    """Return the number of positions that each convolution visits."""
    visited, x = [], torch.zeros(1, 1, 32, 32)
    for layer in network:
        x = layer(x)
        if isinstance(layer, nn.Conv2d):
            visited.append(x.shape[-1] ** 2)
    return visited


figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
for shift, (name, network), colour in zip((-0.2, 0.2), networks.items(), ("#a9b1bb", "#4a8fe0"), strict=True):
    visited = positions(network)
    print(f"{name}: {sum(visited)} positions")
    axes.bar(np.arange(1, 6) + shift, visited, width=0.38, color=colour, label=name)
axes.set(xlabel="convolution", ylabel="positions")
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False)
plt.show()
