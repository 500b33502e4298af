"""Data sets in the text format of the TU collection, from a zip file or a folder."""

from __future__ import annotations

import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool import _core
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.data.codes import codes_of
from cliquepool.data.dataset import GraphDataset
from cliquepool.data.edges import MergedEdges, simple_graphs
from cliquepool.data.zips import open_zip, pieces_of_member
from cliquepool.errors import BudgetExceeded, GraphError
from cliquepool.ragged import offsets_from_lengths

if TYPE_CHECKING:
    import zipfile
    from collections.abc import Callable, Iterator
    from os import PathLike

    import numpy.typing as npt

    from cliquepool.threads import OnProgress

__all__ = ["READER_VERSION", "read_tu", "tu_files"]

READER_VERSION: Final = 1  # increased when files are read differently, so that caches are invalid

_EDGES: Final = "_A.txt"
_PARTS: Final = (
    *("A", "graph_indicator", "graph_labels"),
    *("node_labels", "node_attributes", "edge_labels", "edge_attributes"),
)
_MERGING: Final = 12  # memory for merging labels and attributes of edges, relative to that of the edges
_PIECE_BYTES: Final = 2**16
_LONGEST_LINE: Final = 2**24


def read_tu(
    path: str | PathLike[str], *, budget: Budget = DEFAULT_BUDGET, progress: OnProgress | None = None
) -> GraphDataset:
    r"""Read a data set in the format of the TU collection from its zip file or its folder.

    Needed are ``NAME_A.txt`` (an edge in each line, node ids from 1), ``NAME_graph_indicator.txt`` (the graph
    of each node, from 1) and ``NAME_graph_labels.txt`` (the class of each graph, an integer). Optional are
    ``node_labels``, ``node_attributes``, ``edge_labels`` and ``edge_attributes``.

    - Self-loops are dropped; lines for the same edge, in either direction, are merged: the edge has the first
      of their labels and the mean of their attributes.
    - Labels of several columns are one-hot encoded, column by column, in front of the attributes.
    - Nodes are sorted by graph where the file does not have them so; their order within a graph stays.

    Raises GraphError with the file and the line, also for a missing file, and BudgetExceeded.

    Parameters
    ----------
    path : str or path
        A zip file (deflate or LZMA) with ``NAME_A.txt`` and the other files, in a folder or not; or a folder
        with these files, or with a folder ``raw`` or of the same name that has them.
    budget : Budget
        Limits on the time and memory of reading. Files longer than its ``max_bytes``, by their headers or
        when read, are not decompressed.
    progress : callable, optional
        Called while reading with the file, the number of bytes read, and the size of the file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "TWO_A.txt").write_text("1, 2\n2, 1\n3, 4\n")
    ...     _ = Path(folder, "TWO_graph_indicator.txt").write_text("1\n1\n2\n2\n")
    ...     _ = Path(folder, "TWO_graph_labels.txt").write_text("-1\n1\n")
    ...     read_tu(folder)
    GraphDataset(TWO: 2 graphs, 4 nodes, 2 edges, 2 classes)
    """
    path = Path(path)
    try:
        with tu_files(path) as (name, files):
            return _Reader(name, files, _Spent(budget), progress).read()
    except GraphError as error:
        raise GraphError(f"{path}: {error}") from None
    except BudgetExceeded as error:
        raise BudgetExceeded(error.limit, error.allowed, error.reached, f"reading {path}") from None


class _Spent:
    """The memory and time that reading has used, compared with a budget."""

    def __init__(self, budget: Budget) -> None:
        _, self._max_seconds, self._max_bytes = budget._limits()
        self._began = time.monotonic()
        self._kept = 0

    def keep(self, count: int) -> None:
        """Count bytes that stay allocated until the end."""
        self.check(count)
        self._kept += count

    def check(self, count: int) -> None:
        """Raise BudgetExceeded if `count` more bytes exceed the limit, or the time is over."""
        if self._kept + count > self._max_bytes:
            raise BudgetExceeded("max_bytes", self._max_bytes, self._kept + count)
        seconds = time.monotonic() - self._began
        if seconds > self._max_seconds:
            raise BudgetExceeded("max_seconds", self._max_seconds, seconds)


class TextFile:
    """One text file of a data set, in a folder or an archive."""

    def __init__(self, name: str, size: int, pieces: Callable[[], Iterator[bytes]]) -> None:
        self.name = name
        self.size = size
        self._pieces = pieces

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes in order."""
        try:
            yield from self._pieces()
        except GraphError as error:
            raise GraphError(f"{self.name}: {error}") from None

    def lines(self) -> Iterator[tuple[bytes, int]]:
        """Yield blocks of whole lines, each with the number of bytes read so far."""
        rest, done = b"", 0
        for piece in self.pieces():
            if not done:
                piece = piece.removeprefix(b"\xef\xbb\xbf")  # noqa: PLW2901 (the byte order mark)
            done += len(piece)
            end = piece.rfind(b"\n") + 1
            if end:
                yield rest + piece[:end], done
                rest = piece[end:]
            else:
                rest += piece
            if len(rest) > _LONGEST_LINE:
                raise GraphError(
                    f"{self.name}: expected lines of text, got {len(rest):,} bytes without a newline"
                )
        if rest:
            yield rest + b"\n", done


@contextmanager
def tu_files(path: Path) -> Iterator[tuple[str, dict[str, TextFile]]]:
    """Open a zip file or a folder; yield the name of its data set and its files, by part."""
    if path.is_dir():
        yield _named(path.name, _files_of_folder(path))
        return
    if not path.exists():
        raise GraphError("expected a zip file or a folder of the TU collection, got no such file")
    with open_zip(path) as archive:
        yield _named(path.stem, _files_of_archive(archive))


def _files_of_folder(path: Path) -> list[TextFile]:
    for folder in (path, path / "raw", path / path.name):
        found = [file for file in sorted(folder.glob("*.txt")) if not file.name.startswith(".")]
        if any(file.name.endswith(_EDGES) for file in found):
            return [TextFile(file.name, file.stat().st_size, _pieces_of(file)) for file in found]
    return []


def _pieces_of(file: Path) -> Callable[[], Iterator[bytes]]:
    def pieces() -> Iterator[bytes]:
        with file.open("rb") as stream:
            while piece := stream.read(_PIECE_BYTES):
                yield piece

    return pieces


def _files_of_archive(archive: zipfile.ZipFile) -> list[TextFile]:
    found = []
    for member in archive.infolist():
        folder, _, name = member.filename.rpartition("/")
        if name.endswith(".txt") and not name.startswith(".") and not folder.startswith("__MACOSX"):
            found.append(TextFile(name, member.file_size, partial(pieces_of_member, archive, member)))
    return found


def _named(expected: str, files: list[TextFile]) -> tuple[str, dict[str, TextFile]]:
    names = [file.name.removesuffix(_EDGES) for file in files if file.name.endswith(_EDGES)]
    if not names:
        raise GraphError("NAME_A.txt: expected this file, got none whose name ends with _A.txt")
    if len(names) > 1 and expected not in names:
        raise GraphError(f"expected one data set, got {len(names)}: {', '.join(sorted(names))}")
    name = names[0] if len(names) == 1 else expected
    own = {file.name.removeprefix(f"{name}_").removesuffix(".txt"): file for file in files}
    return name, {part: file for part, file in own.items() if file.name == f"{name}_{part}.txt"}


def _one_hot(codes: npt.NDArray[np.int32], count: int) -> npt.NDArray[np.float32]:
    one_hot = np.zeros((len(codes), count), dtype=np.float32)
    one_hot[np.arange(len(codes)), codes] = 1
    return one_hot


class _Reader:
    """Reads the files of one data set: targets first, then graphs, edges, labels and attributes."""

    def __init__(
        self, name: str, files: dict[str, TextFile], spent: _Spent, progress: OnProgress | None
    ) -> None:
        self._name = name
        self._files = files
        self._spent = spent
        self._progress = progress

    def read(self) -> GraphDataset:
        self._spent.check(sum(self._files[part].size for part in _PARTS if part in self._files))
        targets, classes = self._targets()
        node_start, order = self._graphs(len(targets))
        pairs = self._edges(node_start, order)
        self._spent.keep(2 * pairs.nbytes + 8 * int(node_start[-1]))
        indptr, indices = simple_graphs(pairs, node_start)
        labels, values, attributes = self._labels_and_attributes("node", len(indptr) - 1)
        if order is not None:
            labels, attributes = (None if rows is None else rows[order] for rows in (labels, attributes))
        edge_labels, edge_values, edge_attributes = self._labels_and_attributes("edge", len(pairs) // 2)
        if edge_labels is not None or edge_attributes is not None:
            self._spent.check(_MERGING * pairs.nbytes)
            merged = MergedEdges(pairs, node_start, indptr, indices)
            edge_labels = None if edge_labels is None else merged.first(edge_labels)
            edge_attributes = None if edge_attributes is None else merged.mean(edge_attributes)
        return GraphDataset(
            name=self._name,
            node_start=node_start,
            indptr=indptr,
            indices=indices,
            targets=targets,
            classes=classes,
            node_labels=labels,
            node_label_values=values,
            node_attributes=attributes,
            edge_labels=edge_labels,
            edge_label_values=edge_values,
            edge_attributes=edge_attributes,
        )

    def _targets(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
        if "graph_labels" not in self._files and "graph_attributes" in self._files:
            raise GraphError(
                f"{self._name}_graph_labels.txt: expected this file with the class of each graph, got none "
                f"(numbers to predict, as in {self._name}_graph_attributes.txt, are not supported)"
            )
        try:
            values = self._table("graph_labels", "int64", 1, needed=True)
        except GraphError as error:
            if "expected an integer, got" in str(error):
                raise GraphError(
                    f"{error} (a graph has a class; numbers to predict are not supported)"
                ) from None
            raise
        if not len(values):
            raise GraphError(f"{self._name}_graph_labels.txt: expected the class of each graph, got no lines")
        codes, classes = codes_of(values[:, 0], "graph_labels")
        return codes.astype(np.int64), classes

    def _graphs(self, num_graphs: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64] | None]:
        """Return the first node of each graph, and the order that sorts nodes by graph, or None if sorted."""
        graph_of = self._table("graph_indicator", "int32", 1, needed=True)[:, 0]
        wrong = np.flatnonzero((graph_of < 1) | (graph_of > num_graphs))
        if len(wrong):
            expected = f"a graph from 1 to {num_graphs:,}, the lines of {self._name}_graph_labels.txt"
            raise self._error("graph_indicator", wrong[0] + 1, expected, graph_of[wrong[0]])
        sizes = np.bincount(graph_of, minlength=num_graphs + 1)[1:]
        empty = np.flatnonzero(sizes == 0)
        if len(empty):
            graph = f"graph {empty[0] + 1:,}"
            got = f"none in {self._name}_graph_indicator.txt"
            raise self._error("graph_labels", empty[0] + 1, f"{graph} to have nodes", got)
        order = None if np.all(graph_of[1:] >= graph_of[:-1]) else np.argsort(graph_of, kind="stable")
        return offsets_from_lengths(sizes), order

    def _edges(
        self, node_start: npt.NDArray[np.int64], order: npt.NDArray[np.int64] | None
    ) -> npt.NDArray[np.int32]:
        """Read the edges as u₀ v₀ u₁ v₁ …, with nodes numbered from 0 over all graphs."""
        pairs: npt.NDArray[np.int32] = self._table("A", "int32", 2, needed=True).reshape(-1)
        num_nodes = int(node_start[-1])
        pairs -= 1
        if order is not None:
            inside = (pairs >= 0) & (pairs < num_nodes)
            new_id = np.empty(num_nodes, dtype=np.int32)
            new_id[order] = np.arange(num_nodes, dtype=np.int32)
            pairs[inside] = new_id[pairs[inside]]
        stray = _core.first_stray_edge(pairs, node_start)
        if stray is not None:
            ends = pairs[2 * stray : 2 * stray + 2]
            outside = ends[(ends < 0) | (ends >= num_nodes)]
            if len(outside):
                expected = f"node ids from 1 to {num_nodes:,}, the lines of {self._name}_graph_indicator.txt"
                raise self._error("A", stray + 1, expected, outside[0] + 1)
            graphs = np.searchsorted(node_start, ends, side="right")
            raise self._error(
                "A",
                stray + 1,
                "two nodes of one graph",
                f"one of graph {graphs[0]:,} and one of {graphs[1]:,}",
            )
        return pairs

    def _labels_and_attributes(self, what: str, count: int) -> tuple[Any, Any, Any]:
        """Read labels and attributes of nodes or edges: return codes, their values, and rows of numbers."""
        labels = self._table(f"{what}_labels", "int64", 0, rows=count)
        attributes = self._table(f"{what}_attributes", "float32", 0, rows=count)
        if labels is None:
            return None, None, attributes
        if labels.shape[1] == 1:
            return *codes_of(labels[:, 0], f"{what}_labels"), attributes
        columns = [codes_of(column, f"{what}_labels") for column in labels.T]
        width = sum(len(values) for _, values in columns)
        self._spent.keep(2 * len(labels) * width * np.dtype(np.float32).itemsize)
        one_hot = [_one_hot(codes, len(values)) for codes, values in columns]
        return None, None, np.concatenate([*one_hot, *([] if attributes is None else [attributes])], axis=1)

    def _table(
        self, part: str, dtype: str, columns: int, *, needed: bool = False, rows: int | None = None
    ) -> Any:
        """Read a file of numbers into an array of rows; return None where there is no such file."""
        file = self._files.get(part)
        if file is None:
            if needed:
                raise GraphError(
                    f"{self._name}_{part}.txt: expected this file, got none beside {self._name}_A.txt"
                )
            return None
        table = _core.NumberTable(dtype, columns)
        width = np.dtype(dtype).itemsize
        try:
            for lines, done in file.lines():
                table.feed(lines)
                self._spent.check(table.rows * table.columns * width)
                if self._progress is not None:
                    self._progress(f"reading {file.name}", done, file.size)
        except GraphError as error:
            text = str(error)
            raise GraphError(text if text.startswith(file.name) else f"{file.name} {text}") from None
        if rows is not None and table.rows != rows:
            what = "line of " + (
                f"{self._name}_A.txt" if part.startswith("edge") else f"{self._name}_graph_indicator.txt"
            )
            line = min(rows, table.rows) + 1
            raise self._error(part, line, f"{rows:,} lines, one for each {what}", f"{table.rows:,}")
        self._spent.keep(table.rows * table.columns * width)
        return table.take().reshape(table.rows, -1 if table.rows else max(columns, 1))

    def _error(self, part: str, line: Any, expected: str, got: Any) -> GraphError:
        return GraphError(f"{self._name}_{part}.txt line {line:,}: expected {expected}, got {got}")
