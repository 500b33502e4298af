"""The shards of a graph in files with checksums and a version: cut by degeneracy ranges or by METIS."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

from cliquepool import _core
from cliquepool.array_files import read_arrays, write_arrays
from cliquepool.budget import Budget
from cliquepool.errors import InputError, MissingDependency
from cliquepool.scale.tasks import TASK_FORMAT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy.typing as npt

    from cliquepool.array_files import ArrayFile
    from cliquepool.threads import OnProgress
    from cliquepool.twins import TwinFactors

    Limits = tuple[int, float, int]

__all__ = [
    "CutShard",
    "OrientedGraph",
    "ShardArrays",
    "Sharding",
    "expect_ids",
    "read_part",
    "shard_owners",
    "write_part",
]

Sharding = Literal["ranges", "metis"]

_FORMAT: Final = "cliquepool.shards"
_NO_LIMITS: Final = Budget(max_cliques=None, max_seconds=None, max_bytes=None)._limits()
_INTEGERS: Final[dict[str, type[Any]]] = {"offsets": np.int64}  # others are int32


def write_part(path: Path, kind: str, run: str, arrays: Mapping[str, npt.NDArray[Any]], **about: int) -> None:
    """Write a file of a sharded graph, whole or not at all; `run` says of which graph, cut how."""
    metadata = {"format": _FORMAT, "version": str(TASK_FORMAT), "kind": kind, "run": run, "name": path.name}
    write_arrays(path, arrays, metadata | {name: str(value) for name, value in about.items()})


def read_part(
    path: Path, kind: str, run: str, names: tuple[str, ...], *, mapped: bool = True
) -> tuple[dict[str, npt.NDArray[Any]], dict[str, str]]:
    """Read a file that `write_part` wrote; return its arrays and metadata.

    Raises InputError for one that is truncated, damaged, of another version or run, or that was renamed.
    """
    try:
        file = read_arrays(path, mapped=mapped)
        file.expect(_FORMAT, TASK_FORMAT)
        _expect_part(file, {"kind": kind, "run": run, "name": path.name}, names)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return file.arrays, file.metadata


def _expect_part(file: ArrayFile, about: dict[str, str], names: tuple[str, ...]) -> None:
    for name, expected in about.items():
        if file.metadata.get(name) != expected:
            raise InputError(f"expected {name} {expected}, got {str(file.metadata.get(name))[:100]}")
    for name in names:
        array, dtype = file.arrays.get(name), _INTEGERS.get(name, np.int32)
        if array is None or array.ndim != 1 or array.dtype != dtype:
            raise InputError(f"expected a list {name} of {np.dtype(dtype)}, got another")


def expect_ids(path: Path, name: str, ids: npt.NDArray[np.int32], limit: int) -> None:
    """Raise InputError that names the file unless all ids are from 0 up to `limit`."""
    if len(ids) and not 0 <= ids.min() <= ids.max() < limit:
        raise InputError(f"{path}: {name}: expected numbers from 0 to {limit - 1}, got others")


class OrientedGraph(NamedTuple):
    """A graph between twin classes, oriented by a degeneracy order, with the shard of each vertex.

    Vertices are named by their ranks; `order` has the class of each.
    """

    order: npt.NDArray[np.int32]
    weights: npt.NDArray[np.int32]
    owner: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]
    later: npt.NDArray[np.int32]

    @classmethod
    def build(
        cls, factors: TwinFactors, shards: int, by: Sharding, limits: Limits, progress: OnProgress | None
    ) -> OrientedGraph:
        """Order the vertices of a graph, and share them out."""
        order, offsets, later = _core.orient(factors.indptr, factors.indices, limits, progress)
        owner = shard_owners(offsets, later, shards, by)
        return cls(order, factors.sizes[order], owner, offsets, later)

    @classmethod
    def read(cls, path: Path, run: str) -> OrientedGraph:
        """Map the graph from a file that `write` wrote."""
        arrays, _ = read_part(path, "oriented", run, cls._fields)
        graph = cls(*(arrays[name] for name in cls._fields))
        count = len(graph.order)
        expect_ids(path, "order", graph.order, count)
        if not len(graph.weights) == len(graph.owner) == len(graph.offsets) - 1 == count:
            raise InputError(f"{path}: expected arrays of {count} vertices, got others")
        return graph

    def write(self, path: Path, run: str) -> None:
        """Write the graph to a file, whole or not at all."""
        write_part(path, "oriented", run, self._asdict())


class CutShard(NamedTuple):
    """The edges of a shard: those that own vertices lead, and those that only close triangles."""

    own_edges: int
    halo_edges: int


@dataclass(frozen=True, slots=True)
class ShardArrays:
    """A shard: all that a search for the cliques that its own vertices lead needs.

    Vertices of the shard are its own and their later neighbours, by ascending rank. `later` has the later
    neighbours of own vertices, and those of others as far as they close triangles; lists are descending.
    """

    vertices: npt.NDArray[np.int32]  # the class of each
    weights: npt.NDArray[np.int32]
    own: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]
    later: npt.NDArray[np.int32]

    @classmethod
    def read(cls, path: Path, run: str) -> ShardArrays:
        """Map a shard from its file."""
        arrays, _ = read_part(path, "shard", run, cls.__slots__)
        return cls(*(arrays[name] for name in cls.__slots__))

    @staticmethod
    def cut(
        graph: OrientedGraph,
        shard: int,
        paths: ShardPaths,
        run: str,
        *,
        limits: Limits,
        progress: OnProgress,
    ) -> CutShard:
        """Cut a shard out of a graph and write it, unless its files are there and whole."""
        with contextlib.suppress(InputError, FileNotFoundError):
            ShardArrays.read(paths.shard, run)
            _, about = read_part(paths.ranks, "ranks", run, ("ranks",))
            return CutShard(int(about["own_edges"]), int(about["halo_edges"]))
        ranks, own, offsets, later, own_edges, halo_edges = _core.cut_shard(
            graph.offsets, graph.later, graph.owner, shard, limits, progress
        )
        cut = CutShard(own_edges, halo_edges)
        arrays: dict[str, npt.NDArray[Any]] = {
            "vertices": graph.order[ranks],
            "weights": graph.weights[ranks],
            "own": own,
            "offsets": offsets,
            "later": later,
        }
        write_part(paths.shard, "shard", run, arrays)
        write_part(paths.ranks, "ranks", run, {"ranks": ranks}, **cut._asdict())
        return cut


class ShardPaths(NamedTuple):
    """The files of a shard: all of it for the worker, the ranks of its vertices for the client."""

    shard: Path
    ranks: Path

    @classmethod
    def of(cls, folder: Path, number: int) -> ShardPaths:
        """Return the files of a shard, by its number from 0."""
        name = f"{number:04}.safetensors"
        return cls(folder / f"shard-{name}", folder / f"ranks-{name}")


def shard_owners(
    offsets: npt.NDArray[np.int64], later: npt.NDArray[np.int32], shards: int, by: Sharding
) -> npt.NDArray[np.int32]:
    """Return the shard of each vertex of an oriented graph.

    By ranges, a shard has consecutive ranks; METIS cuts few edges of triangles. Both balance the edges.
    """
    if by == "ranges":
        edges = offsets[1:] + np.arange(1, len(offsets))  # up to each vertex, which counts as one more
        total = int(edges[-1]) if len(edges) else 0
        return ((edges - 1) * shards // max(total, 1)).astype(np.int32)
    if by == "metis":
        return _metis(offsets, later, shards)
    raise InputError(f'by: expected "ranges" or "metis", got {by!r}')


def _metis(
    offsets: npt.NDArray[np.int64], later: npt.NDArray[np.int32], shards: int
) -> npt.NDArray[np.int32]:
    try:
        import pymetis  # noqa: PLC0415 (an optional dependency)
    except ImportError:
        raise MissingDependency(
            'by="metis" needs pymetis, which is not installed: pip install pymetis', name="pymetis"
        ) from None
    from scipy.sparse import csr_array  # noqa: PLC0415 (slow to import)

    n = len(offsets) - 1
    if shards == 1 or n <= shards:
        return (np.arange(n) % max(shards, 1)).astype(np.int32)
    # Cutting an edge copies the edges that close triangles with it into the shard of its leader.
    weights = _core.count_closing_edges(offsets, later, _NO_LIMITS) + 1
    forwards = csr_array((weights, later, offsets), shape=(n, n))
    both = (forwards + forwards.T).tocsr()
    rows = (both.indptr.astype(np.int64), both.indices.astype(np.int64))
    _, parts = pymetis.part_graph(
        shards,
        pymetis.CSRAdjacency(*rows),
        eweights=both.data.astype(np.int64),
        vweights=(np.diff(offsets) + 1).astype(np.int64),
    )
    return np.asarray(parts, dtype=np.int32)
