"""Clique pooling in PyTorch: layers, the paper's networks, their training."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from cliquepool._extras import require

require("torch", __name__)

from cliquepool.data.batch import Batch, Level, Lists
from cliquepool.grid import clique_pool_schedule, grid_graph
from cliquepool.nn.arithmetic import Arithmetic
from cliquepool.nn.layers import GCN, SAGE, CliqueLift, CliquePool, PyGConvolution, Readout
from cliquepool.nn.network import GraphClassifier
from cliquepool.nn.pool_once import CliquePooled, clique_pool
from cliquepool.nn.replace_pools import replace_pools
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
    from cliquepool.nn.image_network import FittedImageNetwork
    from cliquepool.nn.image_settings import ImageSettings
    from cliquepool.nn.image_training import train_images
    from cliquepool.nn.settings import PRESETS, ClassifierSettings, RegressorSettings

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
    "CliquePooled",
    "CoarsenedData",
    "FittedImageNetwork",
    "GraphClassifier",
    "ImageSettings",
    "Level",
    "Lists",
    "PyGConvolution",
    "Readout",
    "RegressorSettings",
    "clique_pool",
    "clique_pool_schedule",
    "grid_graph",
    "replace_pools",
    "train_images",
    "vgg",
]


# What needs more than torch comes when it is asked for: its module, and the extra that it needs.
_LATER: Final = {
    "CliqueCoarsening": ("coarsening", "pyg"),
    "CoarsenedData": ("coarsening", "pyg"),
    "FittedImageNetwork": ("image_network", "train"),
    "ImageSettings": ("image_settings", "train"),
    "train_images": ("image_training", "train"),
    "PRESETS": ("settings", "train"),
    "ClassifierSettings": ("settings", "train"),
    "RegressorSettings": ("settings", "train"),
}


def __getattr__(name: str) -> Any:
    """Import what needs more than torch where it is used: PyTorch Geometric takes seconds."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, extra = _LATER[name]
    require(extra, f"{__name__}.{name}")
    return getattr(import_module(f"{__name__}.{module}"), name)
