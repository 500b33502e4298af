"""Clique pooling in PyTorch: layers, the paper's networks, their training."""

from typing import TYPE_CHECKING, Any

from cliquepool.data.batch import Batch, Level, Lists
from cliquepool.grid import clique_pool_schedule, grid_graph
from cliquepool.nn.arithmetic import Arithmetic
from cliquepool.nn.image_network import FittedImageNetwork
from cliquepool.nn.image_settings import ImageSettings
from cliquepool.nn.image_training import train_images
from cliquepool.nn.layers import GCN, SAGE, CliqueLift, CliquePool, PyGConvolution, Readout
from cliquepool.nn.network import GraphClassifier
from cliquepool.nn.replace_pools import replace_pools
from cliquepool.nn.settings import PRESETS, ClassifierSettings
from cliquepool.nn.vgg import VGG, vgg
from cliquepool.nn.windows import (
    CliqueMaxPool1d,
    CliqueMaxPool2d,
    CliqueMaxPool3d,
    CliqueMeanPool1d,
    CliqueMeanPool2d,
    CliqueMeanPool3d,
)

if TYPE_CHECKING:
    from cliquepool.nn.coarsening import CliqueCoarsening, CoarsenedData

__all__ = [
    "GCN",
    "PRESETS",
    "SAGE",
    "VGG",
    "Arithmetic",
    "Batch",
    "ClassifierSettings",
    "CliqueCoarsening",
    "CliqueLift",
    "CliqueMaxPool1d",
    "CliqueMaxPool2d",
    "CliqueMaxPool3d",
    "CliqueMeanPool1d",
    "CliqueMeanPool2d",
    "CliqueMeanPool3d",
    "CliquePool",
    "CoarsenedData",
    "FittedImageNetwork",
    "GraphClassifier",
    "ImageSettings",
    "Level",
    "Lists",
    "PyGConvolution",
    "Readout",
    "clique_pool_schedule",
    "grid_graph",
    "replace_pools",
    "train_images",
    "vgg",
]


def __getattr__(name: str) -> Any:
    """What is built on PyTorch Geometric, which takes seconds to import, comes when it is asked for."""
    if name in {"CliqueCoarsening", "CoarsenedData"}:
        from cliquepool.nn import coarsening  # noqa: PLC0415

        return getattr(coarsening, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
