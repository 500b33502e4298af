"""Clique pooling in PyTorch: layers, the paper's networks, their training."""

from typing import TYPE_CHECKING, Any, Final

from cliquepool._extras import require
from cliquepool._upward import from_above

require("torch", __name__)

from cliquepool.grid import clique_pool_schedule, grid_graph
from cliquepool.nn.batch import Batch, Level
from cliquepool.nn.incidence import Incidence, Lists
from cliquepool.nn.layers import (
    GCN,
    GIN,
    SAGE,
    CliqueAttentionPool,
    CliqueLift,
    CliquePool,
    PyGConvolution,
    Readout,
)
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
    from cliquepool.nn.image_settings import ImageSettings
    from cliquepool.nn.settings import PRESETS, ClassifierSettings, RegressorSettings
    from cliquepool.pyg.coarsening import CliqueCoarsening, CoarsenedData
    from cliquepool.training.compute import Arithmetic
    from cliquepool.training.image_network import FittedImageNetwork
    from cliquepool.training.images import train_images

__all__ = [
    "GCN",
    "GIN",
    "PRESETS",
    "SAGE",
    "VGG",
    "Arithmetic",
    "Batch",
    "ClassifierSettings",
    "CliqueAttentionPool",
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
    "Incidence",
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


# Names of higher layers, or that need more than torch: the module of each, and the extra that it needs.
_LATER: Final = {
    "Arithmetic": ("training.compute", "torch"),
    "CliqueCoarsening": ("pyg.coarsening", "pyg"),
    "CoarsenedData": ("pyg.coarsening", "pyg"),
    "FittedImageNetwork": ("training.image_network", "train"),
    "ImageSettings": ("nn.image_settings", "train"),
    "train_images": ("training.images", "train"),
    "PRESETS": ("nn.settings", "train"),
    "ClassifierSettings": ("nn.settings", "train"),
    "RegressorSettings": ("nn.settings", "train"),
}


def __getattr__(name: str) -> Any:
    """Import such a name when it is first used: importing PyTorch Geometric takes seconds."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, extra = _LATER[name]
    require(extra, f"{__name__}.{name}")
    return from_above(module, name)
