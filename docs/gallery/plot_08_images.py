"""
Images as graphs
================

An image is a graph of pixels, each adjacent to its eight neighbours. Its clique
pools are windows of stride 1 that grow from level to level, so that they can
take the place of max pools in any convolutional network. What does that change?
"""

# %%
# Pools of a grid
# ---------------
# In a grid with diagonals the largest cliques are squares of 2×2 pixels. All of
# them are pools, and they overlap. On the next level the windows have 3×3
# nodes, then 5×5. ``grid_graph`` is an ordinary graph, and the pools are those
# of the general algorithm.

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

import cliquepool as cp
from cliquepool.data import load_images
from cliquepool.nn import (
    CliqueMaxPool2d,
    clique_pool_schedule,
    grid_graph,
    replace_pools,
)

hierarchy = cp.clique_hierarchy(grid_graph((16, 16)))
for level, pooling in enumerate(hierarchy, start=1):
    side = round(len(pooling) ** 0.5)
    print(f"level {level}: {side}×{side} pools of {pooling.largest} nodes")
print("windows for a side of 32:", clique_pool_schedule(32))

# %%
# ``CliqueMaxPool2d(n)`` computes the n-th of these pools without building a
# graph. The check against the graph:

image = torch.rand(16, 16)
by_graph = hierarchy[0].reduce(image.numpy().ravel(), "max").reshape(15, 15)
by_layer = CliqueMaxPool2d(1)(image[None, None])[0, 0].numpy()
print("the same numbers:", np.array_equal(by_graph, by_layer))

# %%
# What is left of a digit
# -----------------------
# scikit-learn's digits, enlarged to 32×32 pixels. Pools of stride 2 halve the
# image each time; clique pools see as far with each step (the receptive field
# of the n-th pool has a side of 2ⁿ in both), but keep nearly every position.

digits = load_images("digits")
images = torch.tensor(digits.images) / 255
classes = torch.tensor(digits.targets)

strided = cliques = images[classes == 3][:1]
figure, panels = plt.subplots(2, 5, figsize=(9, 4), layout="constrained")
for level, column in enumerate(panels.T):
    if level:
        strided = nn.MaxPool2d(2)(strided)
        cliques = CliqueMaxPool2d(level)(cliques)
    for axes, picture in zip(column, (strided, cliques), strict=True):
        axes.imshow(picture[0, 0], cmap="magma", vmin=0, vmax=1)
        side = picture.shape[-1]
        axes.set(xticks=[], yticks=[], title=f"{side}×{side}")
panels[0, 0].set_ylabel("stride 2")
panels[1, 0].set_ylabel("clique pools")
plt.show()

# %%
# In a network
# ------------
# ``replace_pools`` returns a copy of a network with clique pools for its max
# pools of stride 2. The number of weights stays the same, as the last pool of
# both gives the same shape.


def small_network():
    """Return five convolutions, each with a batch norm and a max pool."""
    layers, before = [], 1
    for width in (8, 8, 16, 16, 16):
        layers += [
            nn.Conv2d(before, width, 3, padding=1),
            nn.BatchNorm2d(width),
        ]
        layers += [nn.ReLU(), nn.MaxPool2d(2)]
        before = width
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(width, 10))


torch.manual_seed(0)
network = small_network()
replaced = replace_pools(network, input_shape=(1, 1, 32, 32))
for layer in replaced:
    if isinstance(layer, CliqueMaxPool2d):
        print(layer)

# %%
# Both are trained on the same 500 digits, in the same order, from the same
# weights, for the same few epochs, and tested once on digits that they have not
# seen.

is_test = torch.tensor(digits.is_test)
some = torch.nonzero(~is_test).flatten()[:500]


def train(model):
    """Train for six epochs; return the accuracy on the test digits."""
    torch.manual_seed(0)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(6):
        for batch in some[torch.randperm(len(some))].split(50):
            optimiser.zero_grad()
            scores = model(images[batch])
            nn.functional.cross_entropy(scores, classes[batch]).backward()
            optimiser.step()
    model.eval()
    with torch.no_grad():
        right = model(images[is_test]).argmax(dim=1) == classes[is_test]
    return right.float().mean().item()


models = {"stride 2": network, "clique pools": replaced}
for name, model in models.items():
    print(f"{name}: {train(model):.3f} of {is_test.sum()} test digits")

# %%
# The price
# ---------
# One split, one seed and a few epochs do not tell which one is more accurate in
# the end; ``cliquepool images compare`` trains both on the same folds and tests
# the difference. What is certain is the work: after pools of stride 1 the
# convolutions have many more positions to visit.


def positions(network):
    """Return the number of positions that each convolution visits."""
    visited, x = [], torch.zeros(1, 1, 32, 32)
    for layer in network:
        x = layer(x)
        if isinstance(layer, nn.Conv2d):
            visited.append(x.shape[-1] ** 2)
    return visited


visited = {name: positions(model) for name, model in models.items()}
for name, numbers in visited.items():
    print(f"{name}: {sum(numbers)} positions")

plt.rc("axes.spines", top=False, right=False)
figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
layer = np.arange(1, 6)
axes.bar(layer - 0.2, visited["stride 2"], 0.38, color="#a9b1bb")
axes.bar(layer + 0.2, visited["clique pools"], 0.38, color="#4a8fe0")
axes.set(xlabel="convolution", ylabel="positions")
axes.legend(visited, frameon=False)
plt.show()
