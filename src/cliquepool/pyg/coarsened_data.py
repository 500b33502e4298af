"""`CoarsenedData`: PyG data with their coarse graphs, which are batched, moved and saved with them."""

from __future__ import annotations

import copy
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.data.data import size_repr
from torch_geometric.data.storage import GlobalStorage, recursive_apply

from cliquepool.errors import GraphError
from cliquepool.nn.batch import Level
from cliquepool.nn.packed_levels import UnpackedLevels, unpack_levels

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CARRIED", "PACKED", "CoarsenedData", "carried_key", "is_level_key"]

PACKED: Final = "coarsening"  # the key of all levels, packed into one tensor
CARRIED: Final = ("edge_attr", "edge_weight")
_OF_A_LEVEL: Final = re.compile(r"(edge_index|membership|num_pools|edge_attr|edge_weight)_([1-9]\d*)")
_ADVICE: Final = (
    "CliqueCoarsening makes the levels, and whatever changes nodes or edges after it drops them: put it last"
)


def carried_key(name: str) -> str:
    """Return the key of the `edge_attr` or `edge_weight` of all levels."""
    return f"{PACKED}_{name}"


_OWN_KEYS: Final = frozenset({PACKED, *map(carried_key, CARRIED)})


@lru_cache(maxsize=1024)
def _of_level(key: str) -> tuple[str, int] | None:
    """Return the name and the level of a key such as ``edge_index_1``; None for other keys."""
    match = _OF_A_LEVEL.fullmatch(key)
    return None if match is None else (match[1], int(match[2]))


def is_level_key(key: str) -> bool:
    """Return whether a key belongs to the coarse graphs."""
    return key in _OWN_KEYS or _of_level(key) is not None


class _CoarsenedStorage(GlobalStorage):  # type: ignore[misc]
    """A storage of PyG with all levels packed into one entry, because fewer entries collate faster.

    ``edge_index_1`` and the like are computed from it when they are read. When one of them is set or removed,
    all become separate entries, as in earlier versions.
    """

    def __getitem__(self, key: str) -> Any:
        try:
            return self._mapping[key]
        except KeyError:
            value = self._level_entry(key)
            if value is None:
                raise
            return value

    def __contains__(self, key: object) -> bool:
        return key in self._mapping or (isinstance(key, str) and self._level_entry(key) is not None)

    def get(self, key: str, value: Any = None) -> Any:
        """Return the value of a key, or `value`."""
        try:
            return self[key]
        except KeyError:
            return value

    @property
    def num_nodes(self) -> int | None:
        """The number of nodes, computed quickly: PyG reads it several times for each graph of a batch."""
        count = _counted_nodes(self._mapping)
        return super().num_nodes if count is None else count

    def __setitem__(self, key: str, value: Any) -> None:
        self._before_change(key, value)
        super().__setitem__(key, value)

    def __delitem__(self, key: str) -> None:
        if self._level_entry(key) is None and key not in self._mapping:
            return
        self._before_change(key, None)
        super().__delitem__(key)

    def _before_change(self, key: str, value: Any) -> None:
        if key in _OWN_KEYS:
            self._drop_unpacked()
        elif key == "edge_index":
            if not _is_same(self._mapping.get(key), value):
                self.drop_levels()
        elif key in CARRIED:
            if carried_key(key) in self._mapping and self._mapping.get(key) is not value:
                self._drop_unpacked()
                del self._mapping[carried_key(key)]
        elif _of_level(key) is not None and PACKED in self._mapping:
            self._unpack_entries()

    def drop_levels(self) -> None:
        """Remove all entries of the coarse graphs."""
        for key in [key for key in self._mapping if is_level_key(key)]:
            self._pop_cache(key)
            del self._mapping[key]
        self._drop_unpacked()

    def _drop_unpacked(self) -> None:
        for private in ("_unpacked", "_edge_rows", "_levels"):
            self.__dict__.pop(private, None)

    def is_node_attr(self, key: str) -> bool:
        """Return whether a key has a row for each node: never one of the levels, whatever its length."""
        return not is_level_key(key) and bool(super().is_node_attr(key))

    def is_edge_attr(self, key: str) -> bool:
        """Return whether a key has a row for each edge: never one of the levels, whatever its length."""
        return not is_level_key(key) and bool(super().is_edge_attr(key))

    def apply(self, func: Callable[[Any], Any], *args: str) -> Any:
        """Apply a function, such as a move to a device, to all tensors and to the unpacked levels."""
        with_levels = PACKED in self._mapping and (not args or bool({PACKED, "edge_index"} & set(args)))
        unpacked = self.unpacked() if with_levels else None
        for key, value in self.items(*args):
            super().__setitem__(key, recursive_apply(value, func))
        if unpacked is not None:
            rows = {name: func(values) for name, values in self._edge_rows.items()}
            self._keep(unpacked.apply(func), rows)
        return self

    def apply_(self, func: Callable[[Any], Any], *args: str) -> Any:
        """Apply a function that changes tensors in place, also to the unpacked levels."""
        super().apply_(func, *args)
        if not args and "_unpacked" in self.__dict__:
            unpacked = self.__dict__["_unpacked"]
            for tensor in (unpacked.wide, unpacked.narrow, *self._edge_rows.values()):
                func(tensor)
        return self

    def concat(self, other: Any) -> Any:
        """Concatenate two graphs into one, which has no levels."""
        other = copy.copy(other)
        for store in (self, other):
            if isinstance(store, _CoarsenedStorage):
                store.drop_levels()
        return super().concat(other)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        state.pop("_levels", None)
        return state

    def unpacked(self) -> UnpackedLevels | None:
        """Return all levels, unpacked on the first call; None where they are not packed."""
        if "_unpacked" not in self.__dict__:
            packed = self._mapping.get(PACKED)
            if packed is None:
                return None
            names = [name for name in CARRIED if carried_key(name) in self._mapping]
            levels, rows = unpack_levels(packed, [self._mapping[carried_key(name)] for name in names])
            self._keep(levels, dict(zip(names, rows, strict=True)))
        kept: UnpackedLevels = self.__dict__["_unpacked"]
        return kept

    def _keep(self, unpacked: UnpackedLevels, edge_rows: dict[str, Tensor]) -> None:
        self.__dict__.update(_unpacked=unpacked, _edge_rows=edge_rows, _levels={})

    def packed_level(self, level: int) -> Level:
        """Return a level of the packed ones; it is made on the first call."""
        unpacked = self.unpacked()
        assert unpacked is not None
        levels: dict[int, Level] = self.__dict__.setdefault("_levels", {})
        if level not in levels:
            rows = next(iter(self._edge_rows.values()), None)
            carried = None if rows is None else unpacked.edge_rows(rows, level)
            levels[level] = unpacked.level(level, carried)
        return levels[level]

    def _level_entry(self, key: str) -> Tensor | None:
        """Return the value of ``edge_index_1`` and the like; None for other keys and missing levels."""
        followed = key.removesuffix("_batch")  # PyG appends it for follow_batch=["membership_1"]
        of_level = _of_level(followed)
        if of_level is None or PACKED not in self._mapping:
            return None
        name, level = of_level
        unpacked = self.unpacked()
        assert unpacked is not None
        if level > unpacked.pooled or (name in CARRIED and name not in self._edge_rows):
            return None
        if followed != key:
            if name == "num_pools":
                return torch.arange(unpacked.num_graphs, device=unpacked.wide.device)
            pairs = unpacked.membership(level) if name == "membership" else unpacked.edge_index(level)
            return self.packed_level(level).batch[pairs[1]]
        if name in CARRIED:
            return unpacked.edge_rows(self._edge_rows[name], level)
        if name == "num_pools":
            return unpacked.node_start(level).diff()
        return unpacked.edge_index(level) if name == "edge_index" else unpacked.membership(level)

    def _unpack_entries(self) -> None:
        unpacked = self.unpacked()
        assert unpacked is not None
        names = ("edge_index", "membership", "num_pools", *self._edge_rows)
        keys = [f"{name}_{level}" for level in range(1, unpacked.pooled + 1) for name in names]
        entries = {key: self[key] for key in keys}
        self.drop_levels()
        self._mapping.update(entries)


def _is_same(edge_index: Any, other: Any) -> bool:
    if edge_index is other:
        return True
    if not isinstance(edge_index, Tensor) or not isinstance(other, Tensor):
        return False
    if edge_index.is_meta or other.is_meta or edge_index.device != other.device:
        return False
    return edge_index.shape == other.shape and bool((edge_index == other).all())


class CoarsenedData(Data):  # type: ignore[misc]
    """A PyG ``Data`` with the coarse graphs above it; made by `CliqueCoarsening`, or a PyG batch of such.

    For each level l from 1, besides the entries of the data:

    edge_index_l : (2, e)
        The edges between the pools, both directions, ordered by target.
    membership_l : (2, m)
        The memberships of nodes of level l−1 (first row) in pools, the nodes of level l (second row).
    num_pools_l : (number of graphs,)
        The number of nodes of each graph at level l.
    edge_attr_l, edge_weight_l : (e, …)
        The values of the edges, where the data have some.

    All of them are stored in one tensor, ``coarsening``, so that PyG collates one for each graph. A batch
    unpacks it when it is collated (in a ``DataLoader`` with workers, in the worker); ``batch.level(l)`` only
    reads. Setting another ``edge_index`` drops the levels; setting ``edge_attr`` or ``edge_weight`` drops the
    values of the coarse edges.

    A subclass that overrides `__inc__` or `__cat_dim__` must call those of this class.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self.__dict__["_store"] = _CoarsenedStorage(_parent=self)
        given = dict(zip(("x", "edge_index", "edge_attr", "y", "pos", "time"), args, strict=False)) | kwargs
        for key, value in given.items():
            if value is not None:
                setattr(self, key, value)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if not isinstance(self._store, _CoarsenedStorage):  # pickled by an earlier version
            store = _CoarsenedStorage()
            store.__dict__.update(self._store.__dict__)
            self.__dict__["_store"] = store

    def __setattr__(self, key: str, value: Any) -> None:
        super().__setattr__(key, value)
        if key == "_inc_dict":  # the last attribute that Batch.from_data_list sets
            self._store.unpacked()

    def __contains__(self, key: str) -> bool:
        return key in self._store

    def __repr__(self) -> str:
        parts = [size_repr(key, value) for key, value in self._store.items() if key not in _OWN_KEYS]
        if PACKED in self._store:
            parts.append(f"levels={list(self._store.unpacked().num_nodes)}")
        return f"{type(self).__name__}({', '.join(parts)})"

    def __inc__(self, key: str, value: Any, *args: Any, **kwargs: Any) -> Any:
        if key in _OWN_KEYS:
            return 0
        of_level = _of_level(key)
        if of_level is None:
            return super().__inc__(key, value, *args, **kwargs)
        name, level = of_level
        if name == "edge_index":
            return self._num_nodes_at(level)
        if name == "membership":
            return torch.tensor([[self._num_nodes_at(level - 1)], [self._num_nodes_at(level)]])
        return 0

    def __cat_dim__(self, key: str, value: Any, *args: Any, **kwargs: Any) -> Any:
        of_level = _of_level(key)
        if of_level is None:
            return super().__cat_dim__(key, value, *args, **kwargs)
        return -1 if of_level[0] in {"edge_index", "membership"} else 0

    @property
    def coarse_levels(self) -> int:
        """The number of coarse graphs above the graph."""
        unpacked = self._store.unpacked()
        if unpacked is not None:
            return int(unpacked.pooled)
        found = (_of_level(key) for key in self._store)
        return sum(of_level is not None and of_level[0] == "membership" for of_level in found)

    def level(self, level: int) -> Level:
        """Return the graph at a level, as `cliquepool.nn` layers take it; level 0 is the graph of the data.

        It is the undirected simple graph that was pooled: at level 0 its `edge_index` may differ from that
        of the data. Its `edge_attr` are the values of the edges, or else their `edge_weight`. It is made
        once, on the device of the data, of tensors that were unpacked on the host before.

        Raises GraphError where there is no such level, where nodes were added or removed after coarsening,
        and where the tensors are not those of a coarsening.
        """
        if not 0 <= level <= self.coarse_levels or self.coarse_levels == 0:
            if self.coarse_levels == 0:
                raise GraphError(f"expected data with levels, got none above its edge_index; {_ADVICE}")
            raise GraphError(f"expected a level from 0 to {self.coarse_levels}, got {level}")
        unpacked = self._store.unpacked()
        if unpacked is None:
            return self._level_of_entries(level)
        nodes = _counted_nodes(self._store._mapping)
        if nodes is not None and nodes != unpacked.num_nodes[0]:
            raise GraphError(f"expected the {unpacked.num_nodes[0]} nodes pooled, got {nodes}; {_ADVICE}")
        made: Level = self._store.packed_level(level)
        return made

    def _level_of_entries(self, level: int) -> Level:
        """Return a level of separate entries, as earlier versions saved them; validated on the host."""
        suffix = f"_{level}" if level else ""
        above = f"_{level + 1}" if level < self.coarse_levels else None
        carried = [self[name + suffix] for name in CARRIED if name + suffix in self]
        reduce = self._store.get("edge_reduce", "sum")
        return Level.from_edge_index(
            self["edge_index" + suffix],
            self._node_start(level),
            membership=None if above is None else self["membership" + above],
            num_pools=0 if above is None else self._num_nodes_at(level + 1),
            edge_attr=next((value for value in carried if value is not None), None),
            edge_reduce=reduce if isinstance(reduce, str) else str(reduce[0]),
        )

    def _num_nodes_at(self, level: int) -> int:
        return int(self[f"num_pools_{level}"].sum()) if level else int(self.num_nodes)

    def _node_start(self, level: int) -> Tensor:
        if level:
            counts = self[f"num_pools_{level}"]
        elif "ptr" in self:
            starts: Tensor = self.ptr
            return starts
        else:
            counts = torch.tensor([self.num_nodes])
        return torch.cat([counts.new_zeros(1), counts.cumsum(0)])


def _counted_nodes(mapping: dict[str, Any]) -> int | None:
    """Return the number of nodes, where it is known without reading the edges."""
    count = mapping.get("num_nodes")
    x = mapping.get("x")
    if count is None and isinstance(x, Tensor) and x.dim() > 0:
        return x.shape[0]
    return count


# Pickles name classes by their modules: these are the names in files of earlier versions.
CoarsenedData.__module__ = "cliquepool.nn.coarsening"
_CoarsenedStorage.__module__ = "cliquepool.nn.coarsened_data"
# torch.load(weights_only=True), by which PyG reads data sets from disk, refuses all classes but those listed.
torch.serialization.add_safe_globals([CoarsenedData, _CoarsenedStorage, UnpackedLevels])
