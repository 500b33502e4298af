"""The rows of the comparison table: every model with its settings, by key; models of others join by name."""

from __future__ import annotations

import difflib
import inspect
import os
import re
import sys
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal

from cliquepool.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "MODELS",
    "MODEL_GROUP",
    "TRAINING",
    "RegisteredModel",
    "Tag",
    "clique_pool_ensembles",
    "is_source",
    "load_source",
    "registered_models",
    "select_models",
]

MODEL_GROUP: Final = "cliquepool.models"
"""The group of entry points by which other packages add models to the table."""

Tag = Literal["kernel", "flat", "pooler", "ours", "own"]
"""A kernel; a network without pooling or with one at its end; a network with a hierarchy; ours; a user's."""

TRAINING: Final[Mapping[str, Any]] = MappingProxyType(
    {"batch_size": 32, "epochs": 300, "patience": 50, "epoch_by": "brier", "averaging": 0.99}
)
"""The training of all networks of the table, alike: that of the default preset of CliquePool."""
_RATES: Final[tuple[Mapping[str, Any], ...]] = ({"learning_rate": 1e-2}, {"learning_rate": 1e-3})
_MOST_CANDIDATES: Final = 8
_SOURCE: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


@dataclass(frozen=True, slots=True)
class RegisteredModel:
    """A row of the comparison table: a model and the settings it is compared with.

    Attributes
    ----------
    key : str
        The name of the row in commands and file names.
    title : str
        The name of the model in tables.
    source : str
        Where the model is, as ``"module:name"``: an estimator class, or a function that returns an estimator,
        or several to choose from. It is imported when it is needed.
    settings : mapping
        Arguments of the estimator class.
    candidates : tuple of mapping
        Further arguments, one mapping for each candidate that validation samples choose from.
    tags : tuple of str
        The kinds of model, see `Tag`.
    seeds : int
        How often each fold is repeated, by default.
    """

    key: str
    title: str
    source: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    candidates: tuple[Mapping[str, Any], ...] = ({},)
    tags: tuple[Tag, ...] = ()
    seeds: int = 1

    def estimators(self, protocol: str = "fair") -> list[Any]:
        """Return the estimators to choose from; under `paper`, which cannot choose, the first one.

        Under `paper` networks train for all of their epochs. Raises ImportError where the model, or a package
        that it needs, is not installed.
        """
        made = self._made()
        if protocol != "paper":
            return made
        first = made[0]
        if hasattr(first, "get_params"):
            names = [name for name in first.get_params() if name.rpartition("__")[2] == "patience"]
            first.set_params(**dict.fromkeys(names))
        return [first]

    def _made(self) -> list[Any]:
        found = load_source(self.source)
        try:
            if inspect.isclass(found):
                return [found(**(dict(self.settings) | dict(more))) for more in self.candidates]
            made = found() if inspect.isroutine(found) else found
        except ImportError:  # a package that it needs is not installed
            raise
        except Exception as error:  # whatever a user's code raises
            raise InputError(
                f"{self.source}: expected an estimator, or a function that returns some, "
                f"got {type(error).__name__}: {error}"
            ) from error
        estimators = list(made) if isinstance(made, list | tuple) else [made]
        if not 1 <= len(estimators) <= _MOST_CANDIDATES:
            raise InputError(
                f"{self.source}: expected an estimator, or up to {_MOST_CANDIDATES} to choose from, "
                f"got {len(estimators)}"
            )
        return estimators

    @classmethod
    def of_user(cls, source: str) -> RegisteredModel:
        """Return the row of a user's model at ``"module:name"``; its title is that of its records."""
        row = cls(source.replace(":", "."), "", source, tags=("own",))
        try:
            first = row.estimators()[0]
        except ImportError as error:
            raise InputError(f"{source}: expected a module to import, got {error}") from error
        title = first.describe()[0] if hasattr(first, "describe") else type(first).__name__
        return cls(row.key, str(title), source, tags=row.tags)


def _network(
    key: str, title: str, source: str, *tags: Tag, seeds: int = 1, **settings: Any
) -> RegisteredModel:
    where = f"cliquepool.models.{source}"
    return RegisteredModel(key, title, where, {**TRAINING, **settings}, _RATES, tags, seeds)


def _kernel(key: str, title: str, source: str) -> RegisteredModel:
    # Kernels choose C inside the training part themselves.
    return RegisteredModel(key, title, f"cliquepool.models.{source}", tags=("kernel",))


def _clique_pool(key: str, title: str, **settings: Any) -> RegisteredModel:
    where = "cliquepool.models.clique_pool:CliquePoolClassifier"
    network = {**TRAINING, "learning_rate": 1e-3, "convolution": "gcn", "hidden": 64, **settings}
    # The paper's convolution: one that fits closely, and a smoother one; as many candidates as others have.
    candidates: tuple[Mapping[str, Any], ...] = (
        {"batch_norm": True, "weight_decay": 0.0},
        {"weight_decay": 1e-2},
    )
    return RegisteredModel(key, title, where, network, candidates, ("pooler", "ours"), seeds=3)


MODELS: Final[tuple[RegisteredModel, ...]] = (
    _kernel("graphlet-kernel", "Graphlet kernel", "graphlet_kernel:GraphletKernelClassifier"),
    _kernel(
        "shortest-path-kernel", "Shortest-path kernel", "shortest_path_kernel:ShortestPathKernelClassifier"
    ),
    _kernel("wl-kernel", "1-WL kernel", "wl_kernel:WLKernelClassifier"),
    _kernel("wl-oa-kernel", "WL optimal assignment", "wl_oa_kernel:WLOAKernelClassifier"),
    _network("no-structure", "No-structure baseline", "no_structure:NoStructureClassifier", "flat", seeds=3),
    _network("patchy-san", "PatchySAN", "patchy_san:PatchySANClassifier", "flat"),
    _network("graphsage", "GraphSAGE", "graphsage:GraphSAGEClassifier", "flat"),
    _network("ecc", "ECC", "ecc:ECCClassifier", "flat"),
    _network("gin", "GIN", "gin:GINClassifier", "flat", seeds=3),
    _network("set2set", "Set2Set", "set2set:Set2SetClassifier", "flat"),
    _network("sort-pool", "SortPool (DGCNN)", "sort_pool:SortPoolClassifier", "flat"),
    _network(
        "diff-pool-det", "DiffPool, deterministic clusters", "diff_pool_det:DiffPoolDetClassifier", "pooler"
    ),
    _network(
        "diff-pool-no-lp",
        "DiffPool, no link prediction",
        "diff_pool:DiffPoolClassifier",
        "pooler",
        link_prediction=False,
    ),
    _network("diff-pool", "DiffPool", "diff_pool:DiffPoolClassifier", "pooler"),
    _network("sparse-hgc", "Sparse HGC (top-k)", "sparse_hgc:SparseHGCClassifier", "pooler"),
    _network("sag-pool", "SAGPool", "sag_pool:SAGPoolClassifier", "pooler"),
    _network("edge-pool", "EdgePool", "edge_pool:EdgePoolClassifier", "pooler"),
    _network("asap", "ASAP", "asap:ASAPClassifier", "pooler"),
    _network("min-cut", "MinCut", "min_cut:MinCutClassifier", "pooler"),
    _network("graclus", "Graclus", "graclus:GraclusClassifier", "pooler"),
    _network("k-mis", "k-MIS", "k_mis:KMISClassifier", "pooler"),
    _clique_pool("clique-pool", "CliquePool"),
    # With the inputs that the other rows have.
    _clique_pool("clique-pool-no-composition", "CliquePool, no composition", composition=False),
    # As many convolutions on every level as DiffPool has, of the same kind, with the norms and the candidates
    # of the other poolers.
    _network(
        "clique-pool-deep",
        "CliquePool, 3 convolutions a level",
        "clique_pool:CliquePoolClassifier",
        "pooler",
        "ours",
        seeds=3,
        convolution="sage",
        layers=3,
        batch_norm=True,
        normalise=False,
        weight_decay=0.0,
    ),
    RegisteredModel(
        "clique-pool-ensemble",
        "CliquePool, ensemble",
        "cliquepool.models.registry:clique_pool_ensembles",
        tags=("ours",),
    ),
)
"""The rows of the comparison table that come with the package, in its order."""


def clique_pool_ensembles() -> list[Any]:
    """Return an ensemble of each candidate of CliquePool."""
    ensemble = load_source("cliquepool.models.ensemble:EnsembleClassifier")
    (networks,) = [model for model in MODELS if model.key == "clique-pool"]
    return [ensemble(network) for network in networks.estimators()]


def registered_models() -> dict[str, RegisteredModel]:
    """Return all rows by key: those of the package, then those of entry points of `MODEL_GROUP`.

    >>> registered_models()["gin"].title
    'GIN'
    """
    found = {model.key: model for model in MODELS}
    for point in sorted(entry_points(group=MODEL_GROUP), key=lambda point: point.name):
        if point.name in found:
            raise InputError(
                f"entry point {point.name} of {MODEL_GROUP}: expected a new name, got that of another model"
            )
        # Not imported before it is run: a package that is broken must not stop the others.
        found[point.name] = RegisteredModel(point.name, point.name, point.value, tags=("own",))
    return found


def select_models(keys: Iterable[str] | None = None, sources: Iterable[str] = ()) -> list[RegisteredModel]:
    """Return the rows with these keys or tags, by default all, and those of ``"module:name"`` of a user.

    >>> [model.key for model in select_models(["gin", "ours"])]
    ['gin', 'clique-pool', 'clique-pool-no-composition', 'clique-pool-deep', 'clique-pool-ensemble']
    """
    known = registered_models()
    chosen = dict(known) if keys is None else {}
    for key in keys or ():
        tagged = {name: model for name, model in known.items() if key in model.tags}
        if key not in known and not tagged:
            close = difflib.get_close_matches(key, known)
            hint = f" (did you mean {close[0]}?)" if close else ""
            raise InputError(f"models: expected keys or tags of {', '.join(known)}, got {key!r}{hint}")
        chosen |= {key: known[key]} if key in known else tagged
    for source in sources:
        model = RegisteredModel.of_user(source)
        chosen[model.key] = model
    return list(chosen.values())


def is_source(words: str) -> bool:
    """Return whether words are of the form ``module:name``."""
    return _SOURCE.fullmatch(words) is not None


def load_source(source: str) -> Any:
    """Return the object at ``"module:name"``; modules of the current folder are found, too.

    >>> load_source("cliquepool.models.gin:GINClassifier").title
    'GIN'
    """
    if not is_source(source):
        raise InputError(f"expected package:name, such as my_models:make, got {source!r}")
    name, _, attribute = source.partition(":")
    if os.getcwd() not in sys.path:  # noqa: PTH109 (a command has the folder of the command there instead)
        sys.path.append(os.getcwd())  # noqa: PTH109
    try:
        found = import_module(name)
    except ImportError:
        raise
    except Exception as error:
        raise InputError(
            f"{source}: expected a module to import, got {type(error).__name__}: {error}"
        ) from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise InputError(f"{source}: expected {part} in {name}, got none")
        found = getattr(found, part)
    return found
