"""Classifiers and regressors as scikit-learn estimators, one file each."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from cliquepool._extras import require

require("train", __name__)

from cliquepool.models.clique_pool import CliquePoolClassifier
from cliquepool.models.clique_pool_regressor import CliquePoolRegressor
from cliquepool.models.vgg import VGGClassifier

if TYPE_CHECKING:
    from cliquepool.models.asap import ASAPClassifier
    from cliquepool.models.diff_pool import DiffPoolClassifier
    from cliquepool.models.diff_pool_det import DiffPoolDetClassifier
    from cliquepool.models.ecc import ECCClassifier
    from cliquepool.models.edge_pool import EdgePoolClassifier
    from cliquepool.models.ensemble import EnsembleClassifier
    from cliquepool.models.gin import GINClassifier
    from cliquepool.models.graclus import GraclusClassifier
    from cliquepool.models.graphlet_kernel import GraphletKernelClassifier
    from cliquepool.models.graphsage import GraphSAGEClassifier
    from cliquepool.models.k_mis import KMISClassifier
    from cliquepool.models.min_cut import MinCutClassifier
    from cliquepool.models.no_structure import NoStructureClassifier
    from cliquepool.models.patchy_san import PatchySANClassifier
    from cliquepool.models.sag_pool import SAGPoolClassifier
    from cliquepool.models.set2set import Set2SetClassifier
    from cliquepool.models.shortest_path_kernel import ShortestPathKernelClassifier
    from cliquepool.models.sort_pool import SortPoolClassifier
    from cliquepool.models.sparse_hgc import SparseHGCClassifier
    from cliquepool.models.wl_kernel import WLKernelClassifier
    from cliquepool.models.wl_oa_kernel import WLOAKernelClassifier

__all__ = [
    "ASAPClassifier",
    "CliquePoolClassifier",
    "CliquePoolRegressor",
    "DiffPoolClassifier",
    "DiffPoolDetClassifier",
    "ECCClassifier",
    "EdgePoolClassifier",
    "EnsembleClassifier",
    "GINClassifier",
    "GraclusClassifier",
    "GraphSAGEClassifier",
    "GraphletKernelClassifier",
    "KMISClassifier",
    "MinCutClassifier",
    "NoStructureClassifier",
    "PatchySANClassifier",
    "SAGPoolClassifier",
    "Set2SetClassifier",
    "ShortestPathKernelClassifier",
    "SortPoolClassifier",
    "SparseHGCClassifier",
    "VGGClassifier",
    "WLKernelClassifier",
    "WLOAKernelClassifier",
]

# The other models, and the module of each.
_LATER: Final = {
    "ASAPClassifier": "asap",
    "DiffPoolClassifier": "diff_pool",
    "DiffPoolDetClassifier": "diff_pool_det",
    "ECCClassifier": "ecc",
    "EdgePoolClassifier": "edge_pool",
    "EnsembleClassifier": "ensemble",
    "GINClassifier": "gin",
    "GraclusClassifier": "graclus",
    "GraphSAGEClassifier": "graphsage",
    "GraphletKernelClassifier": "graphlet_kernel",
    "KMISClassifier": "k_mis",
    "MinCutClassifier": "min_cut",
    "NoStructureClassifier": "no_structure",
    "PatchySANClassifier": "patchy_san",
    "SAGPoolClassifier": "sag_pool",
    "Set2SetClassifier": "set2set",
    "ShortestPathKernelClassifier": "shortest_path_kernel",
    "SortPoolClassifier": "sort_pool",
    "SparseHGCClassifier": "sparse_hgc",
    "WLKernelClassifier": "wl_kernel",
    "WLOAKernelClassifier": "wl_oa_kernel",
}


def __getattr__(name: str) -> Any:
    """Import such a model when it is first used: many need PyTorch Geometric, which takes seconds."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
