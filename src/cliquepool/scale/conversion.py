"""Conversion of graph files to folders of memory-mapped arrays, in constant memory."""

from __future__ import annotations

import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Self

import numpy as np

from cliquepool._input import MAX_NODES
from cliquepool.array_folders import FolderWriter, write_folder
from cliquepool.budget import Budget
from cliquepool.errors import BudgetExceeded, GraphError, InputError
from cliquepool.files import naming_errors
from cliquepool.graph import Graph
from cliquepool.graph_folders import FORMAT, VERSION, LabelWriter
from cliquepool.reading import Format, IdKind, check_budget, file_pieces, parser_for
from cliquepool.scale.external_sort import ExternalSort

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    import numpy.typing as npt

    from cliquepool import _core
    from cliquepool.threads import OnProgress

    Pairs = npt.NDArray[np.int32] | npt.NDArray[np.int64]

__all__ = ["DEFAULT_MEMORY", "convert_graph"]

DEFAULT_MEMORY: Final = 2**28
_LEAST_MEMORY: Final = 2**16
_BYTES_PER_EDGE: Final = 64  # of all arrays that are made of a block of edges at the same time
_BLOCK: Final = 2**18  # entries of arrays that are copied in pieces
_LOW: Final = np.uint64(32)
_UNLIMITED_TIME: Final = Budget(max_seconds=None)


def convert_graph(
    path: str | PathLike[str],
    folder: str | PathLike[str],
    format: Format | None = None,  # noqa: A002 (the usual word)
    *,
    ids: IdKind | None = None,
    header: bool | None = None,
    memory: int = DEFAULT_MEMORY,
    budget: Budget = _UNLIMITED_TIME,
    progress: OnProgress | None = None,
) -> Graph:
    r"""Convert a graph file to a folder of memory-mapped arrays, and return the graph, mapped.

    The graph equals that of `read_graph`, with the same labels, but is never in memory as a whole: edges are
    sorted in blocks, in files inside the folder, which take up to 40 bytes an edge until the end. Only
    ids that are text stay in memory while the file is read, all different ones, within `budget`; and text
    labels are decoded into memory where the graph is opened.

    The folder appears whole or not at all. Raises GraphError as `read_graph` does, and OSError that names the
    file: for a full disk, or a folder that exists.

    Parameters
    ----------
    path, format, ids, header
        The file; as for `read_graph`.
    folder : str or path
        The folder to write; its parent must exist.
    memory : int
        Bytes for blocks of edges, besides some ten megabytes. Less memory means more, shorter blocks.
    budget : Budget
        Limits on the time, and on the memory for ids that are text.
    progress : callable, optional
        Called as ``progress(stage, done, total)``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as parent:
    ...     file = Path(parent, "friends.txt")
    ...     _ = file.write_text("7 20\n20 300\n")
    ...     g = convert_graph(file, Path(parent, "friends"))
    ...     g, g.labels.tolist(), g.indices.tolist()
    (Graph(3 nodes, 2 edges), [7, 20, 300], [1, 0, 2, 1])
    """
    if memory < _LEAST_MEMORY:
        raise InputError(f"memory: expected at least {_LEAST_MEMORY} bytes, got {memory}")
    path = Path(path)
    parser = parser_for(path, format, ids, header)
    try:
        with write_folder(folder, FORMAT, VERSION) as writer:
            _Conversion(path, parser, writer, memory=memory, budget=budget, progress=progress).run()
    except GraphError as error:
        raise GraphError(f"{path}: {error}") from None
    except BudgetExceeded as error:
        raise BudgetExceeded(error.limit, error.allowed, error.reached, f"converting {path}") from None
    return Graph.open(folder, validate=False)


class _Conversion:
    """One conversion: the edges of a file to blocks of pairs, to sorted keys, to rows."""

    def __init__(
        self,
        path: Path,
        parser: _core.GraphParser,
        writer: FolderWriter,
        *,
        memory: int,
        budget: Budget,
        progress: OnProgress | None,
    ) -> None:
        self._path = path
        self._parser = parser
        self._writer = writer
        self._memory = memory
        self._budget = budget
        self._progress = progress
        self._began = time.monotonic()
        self._num_nodes = 0
        self._relabel: Callable[[Pairs], Pairs] | None = None

    def run(self) -> None:
        with (
            _PairFile(self._writer.scratch("pairs")) as pairs,
            ExternalSort(self._writer.scratch("keys"), self._memory) as keys,
        ):
            self._read(pairs)
            for done, block in enumerate(pairs.blocks()):
                self._tell("sorting edges", done, len(pairs))
                keys.add(_keys_of(block if self._relabel is None else self._relabel(block)))
            num_edges = self._write_rows(keys, pairs.num_pairs)
        self._parser.check_counts(pairs.num_pairs, num_edges)

    def _tell(self, stage: str, done: int, total: int) -> None:
        check_budget(self._budget, time.monotonic() - self._began, 0)
        if self._progress is not None:
            self._progress(stage, done, total)

    def _read(self, pairs: _PairFile) -> None:
        """Parse the file; write its pairs to `pairs`, find its nodes, and write their labels."""
        block_edges = self._memory // _BYTES_PER_EDGE
        held: list[Pairs] = []
        num_held = 0

        def end_block() -> None:
            nonlocal num_held
            if not num_held:
                return
            block: Pairs = np.concatenate(held)  # type: ignore[assignment]
            pairs.append(block)
            held.clear()
            num_held = 0

        stage = f"reading {self._path.name}"
        for piece in file_pieces(self._path, lambda done, total: self._tell(stage, done, total)):
            self._parser.feed(piece)
            check_budget(self._budget, 0, self._parser.nbytes)
            held.append(self._parser.take_pairs())
            num_held += len(held[-1]) // 2
            if num_held >= block_edges:
                end_block()
        self._tell(stage, 0, 0)
        num_nodes, ranks, names = self._parser.finish_ids(self._budget._limits())
        held.append(self._parser.take_pairs())
        num_held += len(held[-1]) // 2
        end_block()
        self._find_nodes(num_nodes, ranks, names, pairs)

    def _find_nodes(
        self,
        num_nodes: int | None,
        ranks: npt.NDArray[np.int32] | None,
        names: tuple[bytes, npt.NDArray[np.int64]] | None,
        pairs: _PairFile,
    ) -> None:
        labels = LabelWriter(self._writer)
        if num_nodes is None:
            with ExternalSort(self._writer.scratch("ids"), self._memory) as ids:
                for done, block in enumerate(pairs.blocks()):
                    self._tell("sorting node ids", done, len(pairs))
                    ids.add(np.unique(block).astype(np.uint64))
                self._num_nodes, self._relabel = self._compact(ids, labels)
            return
        self._num_nodes = num_nodes
        if ranks is not None and names is not None:
            labels.write_text(*names)
            self._relabel = ranks.__getitem__
            return
        labels.append_integers(np.empty(0, np.int64))
        for begin in range(1, num_nodes + 1, _BLOCK):
            labels.append_integers(np.arange(begin, min(begin + _BLOCK, num_nodes + 1)))

    def _compact(self, ids: ExternalSort, labels: LabelWriter) -> tuple[int, Callable[[Pairs], Pairs] | None]:
        """Return the number of distinct ids, and the function from ids to nodes; write the labels."""
        path = self._writer.scratch("labels")
        count, highest = 0, -1
        with naming_errors(path), path.open("xb") as file:
            for block in ids.merged():
                self._tell("sorting node ids", 0, 0)
                count += len(block)
                highest = int(block[-1])
                file.write(block.astype(np.int64).data)
        if count > MAX_NODES:
            raise GraphError(f"expected at most {MAX_NODES} nodes, got {count} different ids")
        if highest == count - 1:
            return count, None
        known = np.memmap(path, np.int64, "r", shape=(count,))
        for begin in range(0, count, _BLOCK):
            labels.append_integers(known[begin : begin + _BLOCK])

        def relabel(pairs: Pairs) -> Pairs:
            distinct, position = np.unique(pairs, return_inverse=True)
            return np.searchsorted(known, distinct).astype(np.int32)[position.reshape(-1)]

        return count, relabel

    def _write_rows(self, keys: ExternalSort, num_pairs: int) -> int:
        """Write offsets and neighbours; return the number of edges."""
        rows = _RowWriter(self._writer)
        for block in keys.merged():
            self._tell("writing rows", rows.num_entries, 2 * num_pairs)
            rows.append(block)
        rows.end(self._num_nodes)
        return rows.num_entries // 2


class _PairFile:
    """Pairs of ids in a file, in blocks of their own dtype."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[bytes] = path.open("x+b")
        self._blocks: list[tuple[np.dtype[Any], int]] = []
        self.num_pairs = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()
        self._path.unlink(missing_ok=True)

    def __len__(self) -> int:
        return len(self._blocks)

    def append(self, pairs: Pairs) -> None:
        with naming_errors(self._path):
            self._file.write(pairs.data)
        self._blocks.append((pairs.dtype, len(pairs)))
        self.num_pairs += len(pairs) // 2

    def blocks(self) -> Iterator[Pairs]:
        with naming_errors(self._path):
            self._file.flush()
        self._file.seek(0)
        for dtype, length in self._blocks:
            yield np.frombuffer(self._file.read(length * dtype.itemsize), dtype)


def _keys_of(pairs: Pairs) -> npt.NDArray[np.uint64]:
    """Return both directions of the edges as keys, the source in the upper half; loops are dropped."""
    ends = pairs.reshape(-1, 2)
    ends = ends[ends[:, 0] != ends[:, 1]]
    keys = np.empty((2, len(ends)), np.uint64)
    keys[:] = ends.T
    keys <<= _LOW
    keys |= ends.T[::-1].astype(np.uint64)
    return keys.reshape(-1)


class _RowWriter:
    """Writes sorted keys as compressed rows."""

    def __init__(self, writer: FolderWriter) -> None:
        self._writer = writer
        self._row = 0  # the last row whose offset is written
        self.num_entries = 0
        writer.append("indptr", np.zeros(1, np.int64))
        writer.append("indices", np.empty(0, np.int32))

    def append(self, keys: npt.NDArray[np.uint64]) -> None:
        if not len(keys):
            return
        sources = (keys >> _LOW).astype(np.int64)
        last = int(sources[-1])
        for begin in range(self._row + 1, last + 1, _BLOCK):
            rows = np.arange(begin, min(begin + _BLOCK, last + 1))
            self._writer.append("indptr", self.num_entries + np.searchsorted(sources, rows))
        self._row = last
        self._writer.append("indices", keys.astype(np.uint32).view(np.int32))
        self.num_entries += len(keys)

    def end(self, num_nodes: int) -> None:
        for begin in range(self._row + 1, num_nodes + 1, _BLOCK):
            count = min(begin + _BLOCK, num_nodes + 1) - begin
            self._writer.append("indptr", np.full(count, self.num_entries, np.int64))
