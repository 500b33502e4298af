"""Pooled data sets in folders of memory-mapped arrays: the data, its levels, and what batches are cut from.

A folder is written in two passes over parts of some thousand graphs: first the levels, then the lists and
values that a batch is gathered from, which depend on totals over all graphs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool import _core
from cliquepool.array_files import array_of_list
from cliquepool.array_folders import ArrayFolder, FolderWriter, open_folder, write_folder
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.data.dataset import GraphDataset
from cliquepool.data.pooled_level import PooledLevel, levels_from_core
from cliquepool.data.ragged_by_graph import RaggedByGraph
from cliquepool.data.schema import ARRAYS, VALUES
from cliquepool.errors import GraphError, InputError
from cliquepool.hierarchy import _UNTIL_CONVERGED, _level_count
from cliquepool.ragged import Ragged
from cliquepool.threads import OnProgress, thread_count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from os import PathLike

    import numpy.typing as npt

    from cliquepool.data.pooled import PooledDataset

__all__ = ["map_pooled", "write_levels", "write_pooled"]

_FORMAT: Final = "cliquepool.pooled-dataset"
_VERSION: Final = 1
_GRAPHS_AT_ONCE: Final = 8192
_FLAT: Final = ("class_of_node", "class_sizes")
_DTYPES: Final = {"i": np.int64, "f": np.float64, "U": np.str_}  # by the kind of values


# ---- writing ----


def write_pooled(
    dataset: GraphDataset,
    folder: str | PathLike[str],
    levels: int | None,
    *,
    threads: int | None = None,
    budget: Budget = DEFAULT_BUDGET,
    progress: OnProgress | None = None,
) -> None:
    """Pool a data set part by part, and write it to a folder."""
    how = (thread_count(threads), budget._limits(), None)
    count = _level_count(levels)

    def pooled(part: GraphDataset, number: int) -> tuple[npt.NDArray[np.int32], Any, Any]:
        return _core.hierarchies(part.node_start, part.indptr, part.indices, number, *how)

    if count == _UNTIL_CONVERGED:
        # Graphs that converge early keep their last level up to the depth of the deepest one.
        depths = (pooled(part, count)[0] for part in _parts(dataset))
        count = max((int(depth.max()) for depth in depths if len(depth)), default=0)

    def all_levels() -> Iterator[Sequence[PooledLevel]]:
        for begin, part in zip(range(0, max(len(dataset), 1), _GRAPHS_AT_ONCE), _parts(dataset), strict=True):
            if progress is not None:
                progress("pooling graphs", begin, len(dataset))
            yield levels_from_core(part.node_start, *pooled(part, count)[1:], budget)

    _write(dataset, folder, all_levels(), budget, progress)


def write_levels(data: PooledDataset, folder: str | PathLike[str]) -> None:
    """Write a pooled data set to a folder."""
    _write(data.dataset, folder, [data.levels], DEFAULT_BUDGET, None)


def _parts(dataset: GraphDataset) -> Iterator[GraphDataset]:
    """Yield some thousand graphs at a time; an empty data set is one part."""
    for begin in range(0, max(len(dataset), 1), _GRAPHS_AT_ONCE):
        yield dataset[begin : begin + _GRAPHS_AT_ONCE]


def _write(
    dataset: GraphDataset,
    folder: str | PathLike[str],
    parts: Iterable[Sequence[PooledLevel]],
    budget: Budget,
    progress: OnProgress | None,
) -> None:
    with write_folder(folder, _FORMAT, _VERSION) as writer:
        _write_dataset(dataset, writer)
        edge_counts: list[int] = []
        for levels in parts:
            edge_counts = edge_counts or [0] * len(levels)
            for index, level in enumerate(levels):
                _append_level(level, f"{index}.", writer)
                edge_counts[index] += level.edge_count
        writer.metadata["edge_counts"] = edge_counts
        _write_derived(writer, edge_counts, len(dataset), budget, progress)


def _write_derived(
    writer: FolderWriter,
    edge_counts: list[int],
    num_graphs: int,
    budget: Budget,
    progress: OnProgress | None,
) -> None:
    """Write what batches are gathered from, computed from the levels that are written."""
    for index, level in enumerate(_map_levels(writer.open_so_far(), edge_counts, budget._limits())):
        for begin in range(0, max(num_graphs, 1), _GRAPHS_AT_ONCE):
            if progress is not None:
                progress(f"writing level {index}", begin, num_graphs)
            end = min(begin + _GRAPHS_AT_ONCE, num_graphs)
            _append_derived(_slice(level, begin, end), level, f"{index}.", writer)


def _write_dataset(dataset: GraphDataset, writer: FolderWriter) -> None:
    arrays = {field: array for field, array in dataset._arrays().items() if array is not None}
    shapes = {field: list(arrays[field].shape) for field in ARRAYS if field in arrays}
    for field in shapes:
        writer.append(f"dataset.{field}", arrays[field])
    values = {
        field: [arrays[field].dtype.kind, arrays[field].tolist()] for field in VALUES if field in arrays
    }
    writer.metadata["dataset"] = {
        "name": dataset.name,
        "fingerprint": dataset.fingerprint,
        "shapes": shapes,
        "values": values,
    }


def _append_level(level: PooledLevel, prefix: str, writer: FolderWriter) -> None:
    _append_offsets(writer, f"{prefix}node_start", level.node_start)
    _append_offsets(writer, f"{prefix}class_start", level.class_start)
    for name in _FLAT:
        writer.append(prefix + name, getattr(level, name))
    _append_lists(writer, f"{prefix}quotient", level.quotient)
    if level.pools_by_class is not None:
        _append_lists(writer, f"{prefix}pools_by_class", level.pools_by_class)


def _append_derived(part: PooledLevel, whole: PooledLevel, prefix: str, writer: FolderWriter) -> None:
    """Append the lists and values that batches are gathered from, of some graphs; `whole` decides which."""
    writer.append(f"{prefix}float_degrees", part.float_degrees)
    if part.pools_by_class is not None:
        writer.append(f"{prefix}float_pool_sizes", part.float_pool_sizes)
    if whole.worth_factoring:
        _append_lists(writer, f"{prefix}classes", part.classes)
        _append_lists(writer, f"{prefix}nodes_of_class", part.classes.transposed)
        pools = part.pools_by_class
    else:
        pools = part.pools
        if whole.has_twins:
            _append_lists(writer, f"{prefix}neighbours", part.neighbours)
            if pools is not None:
                _append_lists(writer, f"{prefix}pools", pools)
    if pools is not None:
        _append_lists(writer, f"{prefix}memberships", pools.transposed)


def _append_offsets(writer: FolderWriter, name: str, offsets: npt.NDArray[np.int64]) -> None:
    """Append offsets that begin with 0 after those that are there."""
    last = writer.last(name)
    writer.append(name, offsets if last is None else offsets[1:] + last)


def _append_lists(writer: FolderWriter, name: str, lists: RaggedByGraph) -> None:
    _append_offsets(writer, f"{name}.offsets", lists.local.offsets)
    writer.append(f"{name}.members", lists.local.members)


# ---- reading ----


def map_pooled(
    folder: str | PathLike[str], *, validate: bool | None = None
) -> tuple[GraphDataset, list[PooledLevel]]:
    """Map a data set and its levels. Raises GraphError that names the folder or the file."""
    try:
        opened = open_folder(folder, _FORMAT, _VERSION, validate=validate, check=_check)
        return _map_dataset(opened), _map_all(opened)
    except InputError as error:
        raise GraphError(str(error)) from None
    except (KeyError, ValueError, TypeError, AttributeError, IndexError) as error:
        raise GraphError(
            f"{folder}: expected the arrays of a pooled data set, got others ({error})"
        ) from None


def _check(folder: ArrayFolder) -> None:
    """Check the content of a folder whose checksums are right."""
    _map_dataset(folder).validate()
    for index, level in enumerate(_map_all(folder)):
        if not all(map(_lists_fit, _stored_lists(level))) or not _sizes_fit(level):
            raise GraphError(f"{folder.path}: expected lists of items of the same graph at level {index}")


def _stored_lists(level: PooledLevel) -> Iterator[RaggedByGraph]:
    """Yield all lists of a level that the folder has, and none that would be computed."""
    each_node = np.arange(level.num_nodes + 1, dtype=np.int64)
    yield RaggedByGraph(level.node_start, Ragged(each_node, level.class_of_node), level.class_start)
    yield level.quotient
    named = (level.__dict__.get(name) for name in ("pools_by_class", "classes", "neighbours", "pools"))
    for lists in filter(None, named):
        yield lists
        if "transposed" in lists.__dict__:
            yield lists.transposed


def _sizes_fit(level: PooledLevel) -> bool:
    """Return whether the sizes of the twin classes are the numbers of their nodes."""
    counts = np.bincount(level._global_classes, minlength=len(level.class_sizes))
    return np.array_equal(counts, level.class_sizes)


def _lists_fit(lists: RaggedByGraph) -> bool:
    """Return whether all members are targets of the graph of their list."""
    local, starts = lists.local, (lists.list_start, lists.target_start)
    ascending = all(bool((np.diff(array) >= 0).all()) for array in (*starts, local.offsets))
    fits = len(local.offsets) == starts[0][-1] + 1 and local.offsets[-1] == len(local.members)
    if not ascending or not fits:
        return False
    most = np.repeat(np.diff(lists.target_start).astype(np.int32), np.diff(local.offsets[lists.list_start]))
    return bool(((local.members >= 0) & (local.members < most)).all())


def _map_dataset(folder: ArrayFolder) -> GraphDataset:
    about = folder.metadata["dataset"]
    arrays: dict[str, Any] = {
        field: folder.arrays[f"dataset.{field}"].reshape(shape) for field, shape in about["shapes"].items()
    }
    for field, (kind, listed) in about["values"].items():
        values = array_of_list(field, listed)
        arrays[field] = values if len(values) else np.empty(0, dtype=_DTYPES[kind])
    dataset = GraphDataset(name=about["name"], **arrays)
    dataset._keep("_fingerprint", about["fingerprint"])
    return dataset


def _map_all(folder: ArrayFolder) -> list[PooledLevel]:
    levels = _map_levels(folder.arrays, folder.metadata["edge_counts"], DEFAULT_BUDGET._limits())
    for index, level in enumerate(levels):
        _fill_derived(level, f"{index}.", folder.arrays)
    return levels


def _map_levels(
    arrays: dict[str, npt.NDArray[Any]], edge_counts: Sequence[int], limits: tuple[int, float, int]
) -> list[PooledLevel]:
    """Return the levels of arrays that are mapped."""
    levels = []
    for index, edge_count in enumerate(edge_counts):
        prefix = f"{index}."
        node_start, class_start = arrays[f"{prefix}node_start"], arrays[f"{prefix}class_start"]
        pools = None
        if index + 1 < len(edge_counts):
            pools = _lists(arrays, f"{prefix}pools_by_class", arrays[f"{index + 1}.node_start"], class_start)
        quotient = _lists(arrays, f"{prefix}quotient", class_start, class_start)
        flat = (arrays[prefix + name] for name in _FLAT)
        classes, sizes = flat
        level = PooledLevel(node_start, classes, class_start, sizes, quotient, pools, limits)
        level.__dict__["edge_count"] = int(edge_count)
        levels.append(level)
    return levels


def _fill_derived(level: PooledLevel, prefix: str, arrays: dict[str, npt.NDArray[Any]]) -> None:
    """Set the properties that batches are gathered from, which would otherwise be computed into memory."""
    known = level.__dict__
    by_class = level.pools_by_class
    known["float_degrees"] = arrays[f"{prefix}float_degrees"]
    if by_class is not None:
        known["float_pool_sizes"] = arrays[f"{prefix}float_pool_sizes"]
    pools, items = by_class, level.class_start
    if level.worth_factoring:
        known["classes"] = _lists(arrays, f"{prefix}classes", level.node_start, level.class_start)
        of_class = _lists(arrays, f"{prefix}nodes_of_class", level.class_start, level.node_start)
        known["classes"].__dict__["transposed"] = of_class
    elif level.has_twins:
        known["neighbours"] = _lists(arrays, f"{prefix}neighbours", level.node_start, level.node_start)
        items = level.node_start
        if by_class is not None:
            pools = known["pools"] = _lists(arrays, f"{prefix}pools", by_class.list_start, level.node_start)
    if pools is not None:
        back = _lists(arrays, f"{prefix}memberships", items, pools.list_start)
        pools.__dict__["transposed"] = back


def _lists(
    arrays: dict[str, npt.NDArray[Any]],
    name: str,
    list_start: npt.NDArray[np.int64],
    target_start: npt.NDArray[np.int64],
) -> RaggedByGraph:
    return RaggedByGraph(
        list_start, Ragged(arrays[f"{name}.offsets"], arrays[f"{name}.members"]), target_start
    )


def _slice(level: PooledLevel, begin: int, end: int) -> PooledLevel:
    """Return the same level of some graphs."""
    nodes, classes = level.node_start[[begin, end]].tolist(), level.class_start[[begin, end]].tolist()
    class_start = level.class_start[begin : end + 1] - classes[0]
    quotient = Ragged(*level.quotient.local.part(*classes))
    pools = None
    if level.pools_by_class is not None:
        pool_start = level.pools_by_class.list_start
        by_class = Ragged(*level.pools_by_class.local.part(int(pool_start[begin]), int(pool_start[end])))
        pools = RaggedByGraph(pool_start[begin : end + 1] - pool_start[begin], by_class, class_start)
    return PooledLevel(
        level.node_start[begin : end + 1] - nodes[0],
        level.class_of_node[nodes[0] : nodes[1]],
        class_start,
        level.class_sizes[classes[0] : classes[1]],
        RaggedByGraph(class_start, quotient, class_start),
        pools,
        level.limits,
    )
