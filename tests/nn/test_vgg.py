"""The paper's image networks: its tables, layer by layer."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from cliquepool.nn import CliqueMaxPool2d, vgg

# The rows of the paper's tables: convolutions and pools, each with height, width and features.
BASELINE = [
    *[("conv", (32, 32, 64))] * 2,
    ("maxpool 2, 2", (16, 16, 64)),
    *[("conv", (16, 16, 128))] * 2,
    ("maxpool 2, 2", (8, 8, 128)),
    *[("conv", (8, 8, 256))] * 3,
    ("maxpool 2, 2", (4, 4, 256)),
    *[("conv", (4, 4, 512))] * 3,
    ("maxpool 2, 2", (2, 2, 512)),
    *[("conv", (2, 2, 512))] * 3,
    ("maxpool 2, 2", (1, 1, 512)),
]
CLIQUE = [
    *[("conv", (32, 32, 64))] * 2,
    ("maxpool 2, 1", (31, 31, 64)),
    *[("conv", (31, 31, 128))] * 2,
    ("maxpool 3, 1", (29, 29, 128)),
    *[("conv", (29, 29, 256))] * 3,
    ("maxpool 5, 1", (25, 25, 256)),
    *[("conv", (25, 25, 512))] * 3,
    ("maxpool 9, 1", (17, 17, 512)),
    *[("conv", (17, 17, 512))] * 3,
    ("maxpool 17, 1", (1, 1, 512)),
]
TABLES = {"max2": BASELINE, "clique": CLIQUE}


def described(layer: nn.Module) -> str:
    if isinstance(layer, nn.MaxPool2d):
        return f"maxpool {layer.kernel_size}, {layer.stride}"
    if isinstance(layer, CliqueMaxPool2d):
        return f"maxpool {layer.window}, 1"
    convolution, norm, relu = layer.children()
    assert isinstance(convolution, nn.Conv2d)
    assert (convolution.kernel_size, convolution.padding) == ((3, 3), (1, 1))
    assert convolution.padding_mode == "zeros"
    assert isinstance(norm, nn.BatchNorm2d)
    assert (norm.eps, norm.momentum, norm.affine) == (1e-5, 0.1, True)
    assert isinstance(relu, nn.ReLU)
    return "conv"


@pytest.mark.parametrize("pooling", TABLES)
def test_layers_have_the_shapes_of_the_papers_table(pooling: str) -> None:
    # On the meta device shapes are followed without computing anything: the whole width costs nothing.
    with torch.device("meta"):
        model, x = vgg(pooling), torch.empty(2, 3, 32, 32)  # type: ignore[arg-type]
    rows = []
    for layer in model.features:
        x = layer(x)
        batch, features, height, width = x.shape
        assert batch == 2
        rows.append((described(layer), (height, width, features)))
    assert rows == TABLES[pooling]

    flatten, hidden, relu, dropout, last = model.classifier
    x = flatten(x)
    assert x.shape == (2, 512)
    assert hidden(x).shape == (2, 512)
    assert isinstance(relu, nn.ReLU)
    assert dropout.p == 0.3
    assert last(dropout(relu(hidden(x)))).shape == (2, 10)


@pytest.mark.parametrize("pooling", TABLES)
def test_narrow_networks_give_scores_and_gradients(pooling: str) -> None:
    model = vgg(pooling, width=1 / 32, num_classes=4, in_channels=1)  # type: ignore[arg-type]
    scores = model(torch.randn(3, 1, 32, 32))
    assert scores.shape == (3, 4)
    scores.sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())
    assert [p.shape[0] for p in model.features[0].parameters()] == [2, 2, 2]


def test_both_networks_have_the_same_weights() -> None:
    with torch.device("meta"):
        baseline, clique = vgg("max2").state_dict(), vgg("clique").state_dict()
    assert {name: v.shape for name, v in baseline.items()} == {name: v.shape for name, v in clique.items()}


def test_other_images_and_arguments_are_refused() -> None:
    model = vgg(width=0.01)
    expected = r"expected images of shape \(batch, 3, 32, 32\), got shape \(1, 3, 28, 28\)"
    with pytest.raises(ValueError, match=expected):
        model(torch.zeros(1, 3, 28, 28))
    with pytest.raises(ValueError, match='pooling: expected "max2" or "clique", got \'mean\''):
        vgg("mean")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="width: expected a factor above 0, got 0"):
        vgg(width=0)
