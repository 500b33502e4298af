"""Classifiers and regressors as scikit-learn estimators, one file each."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from cliquepool._extras import require

require("train", __name__)

from cliquepool.models.clique_pool import CliquePoolClassifier
from cliquepool.models.clique_pool_regressor import CliquePoolRegressor
from cliquepool.models.vgg import VGGClassifier

if TYPE_CHECKING:
    from cliquepool.models.ecc import ECCClassifier
    from cliquepool.models.gin import GINClassifier
    from cliquepool.models.graphsage import GraphSAGEClassifier
    from cliquepool.models.no_structure import NoStructureClassifier
    from cliquepool.models.patchy_san import PatchySANClassifier
    from cliquepool.models.set2set import Set2SetClassifier
    from cliquepool.models.sort_pool import SortPoolClassifier

__all__ = [
    "CliquePoolClassifier",
    "CliquePoolRegressor",
    "ECCClassifier",
    "GINClassifier",
    "GraphSAGEClassifier",
    "NoStructureClassifier",
    "PatchySANClassifier",
    "Set2SetClassifier",
    "SortPoolClassifier",
    "VGGClassifier",
]

# The other models, and the module of each.
_LATER: Final = {
    "ECCClassifier": "ecc",
    "GINClassifier": "gin",
    "GraphSAGEClassifier": "graphsage",
    "NoStructureClassifier": "no_structure",
    "PatchySANClassifier": "patchy_san",
    "Set2SetClassifier": "set2set",
    "SortPoolClassifier": "sort_pool",
}


def __getattr__(name: str) -> Any:
    """Import such a model when it is first used: many need PyTorch Geometric, which takes seconds."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
