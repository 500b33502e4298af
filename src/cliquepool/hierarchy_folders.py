"""Hierarchies in folders of memory-mapped arrays: a folder for each graph and for the pools below it.

Folder ``graph-0`` has the lowest graph by its twin classes; ``pools-1`` its pools, as lists of twin classes;
``graph-1`` the graph between them, and so on; the last graph may be left out. The manifest of the whole
folder says how many levels there are and names the fingerprints of all parts. Works on arrays alone;
`cliquepool.hierarchy` imports this module.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool import _core
from cliquepool.array_folders import ArrayFolder, open_folder
from cliquepool.errors import GraphError, InputError
from cliquepool.graph_folders import expect_array, labels_in, offsets_in
from cliquepool.ragged import Ragged
from cliquepool.storage import StoredHierarchy
from cliquepool.twins import TwinFactors

if TYPE_CHECKING:
    from os import PathLike

__all__ = ["FORMAT", "GRAPH", "POOLS", "VERSION", "map_factors", "map_hierarchy", "map_pools"]

FORMAT: Final = "cliquepool.hierarchy"
GRAPH: Final = "cliquepool.hierarchy.graph"
POOLS: Final = "cliquepool.hierarchy.pools"
VERSION: Final = 1
_NO_LIMITS: Final = (2**63 - 1, float("inf"), 2**63 - 1)


def map_hierarchy(path: str | PathLike[str], *, validate: bool | None = None) -> StoredHierarchy:
    """Map all arrays of a hierarchy. Raises GraphError that names the file where they do not fit together."""
    folder = Path(path)
    try:
        metadata = open_folder(folder, FORMAT, VERSION).metadata
        levels, seconds, parts = metadata.get("levels"), metadata.get("seconds"), metadata.get("parts")
        if type(levels) is not int or not isinstance(seconds, list) or not isinstance(parts, dict):
            raise GraphError(f"{folder}: expected at least one graph, got a folder that was only begun")
        graph = _expect_part(folder, parts, map_factors(folder / "graph-0", validate=validate))
        graphs, pools = [_factors(graph)], []
        for level in range(1, levels + 1):
            lists = _expect_part(folder, parts, map_pools(folder / f"pools-{level}", validate=validate))
            pools.append(_lists(lists, graphs[-1].num_classes))
            if level == levels and f"graph-{level}" not in parts:
                break  # it is computed on first use
            coarse = _expect_part(folder, parts, map_factors(folder / f"graph-{level}", validate=validate))
            graphs.append(_factors(coarse))
            if len(pools[-1]) != graphs[-1].num_nodes:
                got = f"{len(pools[-1])} pools of {graphs[-1].num_nodes} nodes"
                raise GraphError(f"{coarse.path}: expected a node for each pool, got {got}")
        labels = labels_in(graph, graphs[0].num_nodes)
        return StoredHierarchy(graphs, pools, [float(value) for value in seconds], labels)
    except InputError as error:
        raise GraphError(str(error)) from None


def map_factors(path: Path, *, validate: bool | None = None) -> ArrayFolder:
    """Map the folder of a graph by its twin classes."""
    return open_folder(path, GRAPH, VERSION, validate=validate, check=_check_graph)


def map_pools(path: Path, *, validate: bool | None = None) -> ArrayFolder:
    """Map the folder of the pools of a level."""
    return open_folder(path, POOLS, VERSION, validate=validate, check=_check_pools)


def _expect_part(folder: Path, parts: dict[str, Any], part: ArrayFolder) -> ArrayFolder:
    if parts.get(part.path.name) != part.fingerprint:
        raise GraphError(f"{part.path}: expected the part that {folder} names, got another")
    return part


def _factors(folder: ArrayFolder) -> TwinFactors:
    indptr, indices = offsets_in(folder, "indptr", "indices")
    sizes = expect_array(folder, "sizes", np.int32)
    if len(sizes) != len(indptr) - 1:
        raise GraphError(f"{folder.path / 'sizes'}: expected {len(indptr) - 1} of them, got {len(sizes)}")
    return TwinFactors(expect_array(folder, "classes", np.int32), sizes, indptr, indices)


def _lists(folder: ArrayFolder, num_classes: int) -> Ragged:
    if folder.metadata.get("num_classes") != num_classes:
        got = folder.metadata.get("num_classes")
        raise GraphError(f"{folder.path}: expected pools of {num_classes} twin classes, got those of {got}")
    return Ragged(*offsets_in(folder, "offsets", "members"))


def _check_graph(folder: ArrayFolder) -> None:
    classes, sizes, indptr, indices = _factors(folder)
    try:
        _core.validate_csr(indptr, indices, _NO_LIMITS)
    except GraphError as error:
        raise GraphError(f"{folder.path}: {error}") from None
    in_range = not len(classes) or (classes.min() >= 0 and classes.max() < len(sizes))
    if not in_range or not np.array_equal(np.bincount(classes, minlength=len(sizes)), sizes):
        raise GraphError(f"{folder.path / 'classes'}: expected twin classes of the sizes given, got others")
    first_seen = np.diff(np.maximum.accumulate(classes), prepend=-1)
    if first_seen.max(initial=0) > 1:
        raise GraphError(f"{folder.path / 'classes'}: expected classes numbered by their smallest nodes")


def _check_pools(folder: ArrayFolder) -> None:
    num_classes = folder.metadata.get("num_classes")
    if type(num_classes) is not int or num_classes < 0:
        raise GraphError(f"{folder.path}: expected the number of twin classes, got {str(num_classes)[:50]}")
    offsets, members = offsets_in(folder, "offsets", "members")
    if len(offsets) > 1 and np.diff(offsets).min() < 1:
        raise GraphError(f"{folder.path / 'offsets'}: expected pools that follow each other, none empty")
    if len(members) and not 0 <= members.min() <= members.max() < num_classes:
        raise GraphError(f"{folder.path / 'members'}: expected twin classes up to {num_classes - 1}")
    is_pooled = np.zeros(num_classes, np.bool_)
    is_pooled[members] = True
    falls = members[1:] <= members[:-1]
    falls[offsets[1:-1] - 1] = False
    if not is_pooled.all() or falls.any():
        raise GraphError(f"{folder.path / 'members'}: expected every class in a pool, members ascending")
