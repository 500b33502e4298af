"""The paper's image networks: a VGG with pools of stride 2, and the same with clique pools."""

from __future__ import annotations

from typing import Final, Literal

from torch import Tensor, nn

from cliquepool.nn.windows import CliqueMaxPool2d

__all__ = ["VGG", "vgg"]

Pooling = Literal["max2", "clique"]

_SIDE: Final = 32
# The number of convolutions of each stage, and their features; a pool follows.
_STAGES: Final = ((2, 64), (2, 128), (3, 256), (3, 512), (3, 512))
_HIDDEN: Final = 512


def vgg(pooling: Pooling = "clique", width: float = 1.0, num_classes: int = 10, in_channels: int = 3) -> VGG:
    """Return the VGG-like network of the paper, for images of 32×32 pixels.

    ``"max2"`` is its baseline, with maxima over 2×2 pixels and stride 2: 32, 16, 8, 4, 2, 1 pixels a side.
    ``"clique"`` has the clique pools of a grid instead, maxima over 2, 3, 5, 9 and 17 pixels a side with
    stride 1: 32, 31, 29, 25, 17, 1. The weights have the same shapes in both.

    `width` multiplies every number of features, for machines that are too slow for the full network.

    >>> vgg("max2", width=0.25).features[-1]
    MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)
    >>> vgg("clique", width=0.25).features[-1]
    CliqueMaxPool2d(5, window=17)
    """
    return VGG(pooling, width, num_classes, in_channels)


class VGG(nn.Module):
    """The network that `vgg` returns: stages of 3×3 convolutions, each with a pool, and two linear layers.

    A convolution is padded by zeros and followed by batch normalisation and ReLU. It has no bias, which the
    normalisation would subtract again. The output is a score for each class, before any softmax.
    """

    def __init__(self, pooling: Pooling, width: float, num_classes: int, in_channels: int) -> None:
        super().__init__()
        if pooling not in {"max2", "clique"}:
            raise ValueError(f'pooling: expected "max2" or "clique", got {pooling!r}')
        if not width > 0:
            raise ValueError(f"width: expected a factor above 0, got {width!r}")
        self.pooling = pooling
        self.in_channels = in_channels
        layers: list[nn.Module] = []
        features = in_channels
        for number, (convolutions, full) in enumerate(_STAGES, start=1):
            for _ in range(convolutions):
                layers.append(_convolution(features, _scaled(full, width)))
                features = _scaled(full, width)
            layers.append(nn.MaxPool2d(2, stride=2) if pooling == "max2" else CliqueMaxPool2d(number))
        self.features = nn.Sequential(*layers)
        hidden = _scaled(_HIDDEN, width)
        self.classifier = nn.Sequential(
            nn.Flatten(),
            nn.Linear(features, hidden),
            nn.ReLU(),
            nn.Dropout(0.3),
            nn.Linear(hidden, num_classes),
        )

    def forward(self, x: Tensor) -> Tensor:
        """Return the score of each class (columns) for each image (rows)."""
        if x.dim() != 4 or x.shape[1:] != (self.in_channels, _SIDE, _SIDE):
            raise ValueError(
                f"expected images of shape (batch, {self.in_channels}, {_SIDE}, {_SIDE}), "
                f"got shape {tuple(x.shape)}"
            )
        return self.classifier(self.features(x))  # type: ignore[no-any-return]


def _convolution(before: int, after: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(before, after, kernel_size=3, padding=1, bias=False),
        nn.BatchNorm2d(after, eps=1e-5, momentum=0.1),
        nn.ReLU(),
    )


def _scaled(features: int, width: float) -> int:
    return max(1, round(features * width))
