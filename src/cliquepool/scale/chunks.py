"""Pooling of data sets of many graphs in chunks: workers get the path of a file and a range of graphs."""

from __future__ import annotations

import contextlib
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from cliquepool import _core
from cliquepool.array_files import read_arrays
from cliquepool.data.dataset import GraphDataset
from cliquepool.data.pooled import PooledDataset
from cliquepool.errors import GraphError, InputError
from cliquepool.hierarchy import _UNTIL_CONVERGED, _level_count
from cliquepool.ragged import offsets_from_lengths
from cliquepool.scale.chunk_files import ChunkFiles
from cliquepool.scale.connection import Task
from cliquepool.scale.tasks import Origin, ending_with

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from cliquepool.budget import Budget
    from cliquepool.data.edge_aggregation import EdgeReduction
    from cliquepool.scale.connection import Connection
    from cliquepool.threads import OnProgress

    Flat = tuple[npt.NDArray[Any], Any, list[Any]]

__all__ = ["ChunkTask", "chunk_starts", "pool_chunk", "pool_in_chunks"]

_CHUNKS_PER_WORKER: Final = 2
_LEAST_CHUNK: Final = 2**20  # nodes and neighbours; smaller chunks cost more to send than to pool


class ChunkTask(NamedTuple):
    """Pool the graphs from `begin` to `end` of a data set in a file."""

    origin: Origin
    path: Path
    fingerprint: str
    begin: int
    end: int
    levels: int
    only_depth: bool
    limits: tuple[int, float, int]


def pool_chunk(task: ChunkTask) -> Any:
    """Pool a chunk; return the arrays of its levels, or only the depth of the deepest graph.

    The client has verified the content of the file; here its header is, and the graphs of the chunk.
    """
    task.origin.expect_same_version()
    arrays = _mapped(task)
    first, last = (int(node) for node in arrays["node_start"][[task.begin, task.end]])
    node_start = arrays["node_start"][task.begin : task.end + 1] - first
    rows = arrays["indptr"][first : last + 1]
    indices = arrays["indices"][int(rows[0]) : int(rows[-1])]
    indptr = rows - rows[0]
    try:
        _core.validate_flat_graphs(node_start, indptr, indices)
    except GraphError as error:
        raise InputError(f"{task.path}: {error}") from None
    flat = _core.hierarchies(
        node_start, indptr, indices, task.levels, 1, task.limits, ending_with(task.origin.run)
    )
    return int(flat[0].max(initial=0)) if task.only_depth else flat


def _mapped(task: ChunkTask) -> dict[str, npt.NDArray[Any]]:
    """Map the arrays of the data set; raise InputError for another one, or a file that is not whole."""
    try:
        file = read_arrays(task.path, mapped=True)
        if file.metadata.get("fingerprint") != task.fingerprint:
            found = str(file.metadata.get("fingerprint"))[:16]
            raise InputError(f"expected the data set {task.fingerprint[:16]}, got {found}")  # noqa: TRY301
    except InputError as error:
        raise InputError(f"{task.path}: {error}") from None
    return file.arrays


def pool_in_chunks(
    connection: Connection,
    source: GraphDataset | Path,
    levels: int | None,
    *,
    folder: Path | None,
    edge_reduce: EdgeReduction | None,
    budget: Budget,
    progress: OnProgress | None,
) -> PooledDataset:
    """Pool all graphs of a data set, of which `source` may be the file."""
    with _in_a_file(source, folder) as (dataset, path):
        if not len(dataset):
            return PooledDataset(dataset, levels, edge_reduce=edge_reduce, threads=1, budget=budget)
        run = _ChunkRun(connection, dataset, path, budget, progress)
        count = _level_count(levels)
        if count == _UNTIL_CONVERGED:
            # Graphs that converge early keep their last level up to the depth of the deepest one.
            count = max(run.depths())
        files = ChunkFiles(folder, dataset.fingerprint, count)
        _, bottom, above = _concatenated(run.levels(count, files))
        files.remove()
    return PooledDataset._from_flat(dataset, bottom, above, edge_reduce=edge_reduce, budget=budget)


@contextlib.contextmanager
def _in_a_file(source: GraphDataset | Path, folder: Path | None) -> Iterator[tuple[GraphDataset, Path]]:
    """Return a data set and its file, which is written unless it is there."""
    if isinstance(source, Path):
        yield GraphDataset.load(source), source.absolute()
        return
    with contextlib.ExitStack() as stack:
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cliquepool-")))
        folder.mkdir(parents=True, exist_ok=True)
        path = folder.absolute() / f"dataset-{source.fingerprint[:16]}.safetensors"
        source.save(path)
        stack.callback(path.unlink, missing_ok=True)
        yield source, path


class _ChunkRun:
    """The chunks of one data set on a cluster."""

    def __init__(
        self,
        connection: Connection,
        dataset: GraphDataset,
        path: Path,
        budget: Budget,
        progress: OnProgress | None,
    ) -> None:
        self._connection = connection
        self._origin = connection.origin()
        self._dataset = dataset
        self._path = path
        self._limits = budget._limits()
        self._progress = progress
        most = _CHUNKS_PER_WORKER * max(sum(connection.workers().values()), 1)
        self._starts = chunk_starts(dataset.node_start, dataset.indptr, most)

    def depths(self) -> list[int]:
        """Return the depth of the deepest graph of each chunk."""
        return [depth for _, depth in self._run(self._ranges(), _UNTIL_CONVERGED, only_depth=True)]

    def levels(self, count: int, files: ChunkFiles) -> list[Flat]:
        """Return the levels of all chunks, in their order; those on record are not computed again."""
        ranges = self._ranges()
        found = {
            number: flat for number, each in enumerate(ranges) if (flat := files.read(*each)) is not None
        }
        missing = [number for number in range(len(ranges)) if number not in found]
        for index, flat in self._run([ranges[number] for number in missing], count, only_depth=False):
            files.write(*ranges[missing[index]], flat)
            found[missing[index]] = flat
        return [found[number] for number in range(len(ranges))]

    def _ranges(self) -> list[tuple[int, int]]:
        return list(pairwise(self._starts))

    def _run(
        self, ranges: list[tuple[int, int]], levels: int, *, only_depth: bool
    ) -> Iterator[tuple[int, Any]]:
        """Pool chunks; yield the number and the result of each as soon as it is finished."""
        about = (self._origin, self._path, self._dataset.fingerprint)
        how = (levels, only_depth, self._limits)
        tasks = [
            Task(f"graphs {begin:,} to {end - 1:,}", pool_chunk, ChunkTask(*about, begin, end, *how))
            for begin, end in ranges
        ]
        done = len(self._dataset) - sum(end - begin for begin, end in ranges)
        for index, result in self._connection.run(tasks, self._origin):
            yield index, result
            begin, end = ranges[index]
            done += end - begin
            if self._progress is not None:
                self._progress("pooling", done, len(self._dataset))


def chunk_starts(node_start: npt.NDArray[np.int64], indptr: npt.NDArray[np.int64], most: int) -> list[int]:
    """Return the first graph of each chunk, and the end: up to `most` chunks of about the same size.

    >>> chunk_starts(np.array([0, 2, 4]), np.array([0, 1, 2, 3, 4]), 8)
    [0, 2]
    """
    size = node_start + indptr[node_start]
    chunks = int(min(most, max(1, size[-1] // _LEAST_CHUNK)))
    cuts = np.searchsorted(size, size[-1] * np.arange(1, chunks) / chunks)
    return sorted({0, *cuts.tolist(), len(node_start) - 1})


def _concatenated(chunks: Sequence[Flat]) -> Flat:
    """Join the results of `_core.hierarchies` on consecutive graphs."""
    depth = np.concatenate([chunk[0] for chunk in chunks])
    bottom = _twins([chunk[1] for chunk in chunks])
    above = []
    for level in zip(*(chunk[2] for chunk in chunks), strict=True):
        pools = [pools for _, pools, _ in level]
        above.append(
            (
                _offsets([pool_start for pool_start, _, _ in level]),
                (
                    _offsets([offsets for offsets, _ in pools]),
                    np.concatenate([members for _, members in pools]),
                ),
                _twins([coarse for _, _, coarse in level]),
            )
        )
    return depth, bottom, above


def _twins(parts: Sequence[Any]) -> tuple[npt.NDArray[Any], ...]:
    classes, class_start, sizes, offsets, neighbours = zip(*parts, strict=True)
    return (
        np.concatenate(classes),
        _offsets(class_start),
        np.concatenate(sizes),
        _offsets(offsets),
        np.concatenate(neighbours),
    )


def _offsets(parts: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    return offsets_from_lengths(np.concatenate([np.diff(part) for part in parts]))
