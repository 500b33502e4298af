"""Graphs from text files, plain or compressed."""

from __future__ import annotations

import bz2
import io
import lzma
import os
import time
import zlib
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, Literal, get_args

from cliquepool import _core
from cliquepool._input import labels_of
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.errors import BudgetExceeded, GraphError
from cliquepool.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["check_budget", "file_pieces", "parser_for", "pieces_of", "read_graph"]

Format = Literal["edges", "csv", "dimacs", "mtx", "metis"]
IdKind = Literal["integers", "text"]

_FORMAT_OF_SUFFIX: Final[dict[str, Format]] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".clq": "dimacs",
    ".col": "dimacs",
    ".dimacs": "dimacs",
    ".mtx": "mtx",
    ".graph": "metis",
    ".metis": "metis",
}
_COMPRESSED_SUFFIXES: Final = (".gz", ".xz", ".bz2")
_MAGIC: Final = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"BZh": "bzip2"}

_PIECE_BYTES: Final = 2**18
_MOST_XZ_BYTES: Final = 2**29  # the highest preset of xz needs 65 MiB


def read_graph(
    path: str | os.PathLike[str],
    format: Format | None = None,  # noqa: A002 (the usual word)
    *,
    ids: IdKind | None = None,
    header: bool | None = None,
    budget: Budget = DEFAULT_BUDGET,
    progress: Callable[[int, int], None] | None = None,
) -> Graph:
    r"""Read a graph from a text file, plain or compressed by gzip, xz or bzip2.

    An edge list has an edge in each line: two node ids, separated by blanks, a comma or a semicolon, then
    any columns, which are ignored, but as many in every line. Comments begin with ``#``, ``%`` or ``//``.
    The nodes are the ids that occur, in ascending order; unless they are 0 … n−1, `Graph.labels` has them.
    An empty edge list is a graph of no nodes.

    The columns of a csv file are separated by the first comma, semicolon or tab of its first line, else by
    blanks; they may be in double quotes. The first line is a header if the columns of the ids have integers
    in the next line and not in the first. Where ids are text, it is a header if another column has a number
    in the next line and not in the first, or if it is a known pair such as ``source,target`` and neither word
    is an id later. Any other first line that may be a header is refused: pass `header`.

    In the other formats, which number nodes from 1, `Graph.labels` is 1 … n.

    Directions, weights, loops and repeated edges are dropped; so are entries of a matrix that are zero.

    Raises GraphError with the file, the line, what was expected and what was got.

    Parameters
    ----------
    path : str or path
        The file. It is read in pieces, never as a whole.
    format : {"edges", "csv", "dimacs", "mtx", "metis"}, optional
        By default by the suffix: ``.clq``, ``.col`` and ``.dimacs`` are DIMACS, ``.mtx`` Matrix
        Market, ``.graph`` and ``.metis`` METIS, ``.csv`` and ``.tsv`` csv, all else edge lists. A
        ``.gz``, ``.xz`` or ``.bz2`` after it is ignored: compression is recognised by the first bytes.
    ids : {"integers", "text"}, optional
        The type of the node ids of an edge list or csv file. By default that of the first edge: integers
        where both of its ids are integers, and then all must be; else text.
    header : bool, optional
        Whether the first line of an edge list or csv file has names of columns. By default recognised in
        csv files, as described above, and false for edge lists.
    budget : Budget
        Limits on the time and memory of reading.
    progress : callable, optional
        Called as ``progress(bytes read, bytes in the file)`` after each piece.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "three.csv")
    ...     _ = file.write_text("source,target,weight\n7,20,0.5\n20,300,1.5\n")
    ...     g = read_graph(file)
    >>> g, g.labels.tolist()
    (Graph(3 nodes, 2 edges), [7, 20, 300])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "friends.txt")
    ...     _ = file.write_text("bob carol\nalice bob\n")
    ...     read_graph(file).labels.tolist()
    ['alice', 'bob', 'carol']
    """
    path = Path(path)
    parser = parser_for(path, format, ids, header)
    max_cliques, max_seconds, max_bytes = budget._limits()
    start = time.monotonic()
    try:
        for piece in file_pieces(path, progress):
            parser.feed(piece)
            check_budget(budget, time.monotonic() - start, parser.nbytes)
        seconds_left = max_seconds - (time.monotonic() - start)
        indptr, indices, labels = parser.finish((max_cliques, seconds_left, max_bytes))
    except GraphError as error:
        raise GraphError(f"{path}: {error}") from None
    except BudgetExceeded as error:
        raise BudgetExceeded(error.limit, error.allowed, error.reached, f"reading {path}") from None
    return Graph._from_csr_trusted(indptr, indices, labels_of(labels) if isinstance(labels, list) else labels)


def parser_for(
    path: Path,
    format: Format | None,  # noqa: A002
    ids: IdKind | None,
    header: bool | None,
) -> _core.GraphParser:
    """Return the parser of a file; raise GraphError for a folder, or for options that do not fit."""
    if path.is_dir():
        raise GraphError(f"{path}: expected a file, got a directory")
    form = _format_of(path) if format is None else _known(format)
    if form not in {"edges", "csv"} and (ids, header) != (None, None):
        raise GraphError(f"{path}: expected ids and header for edge lists and csv only, got {form}")
    if ids is not None and ids not in get_args(IdKind):
        raise GraphError(f"ids: expected one of {', '.join(get_args(IdKind))}, got {ids!r}")
    return _core.GraphParser(form, ids, header)


def file_pieces(path: Path, progress: Callable[[int, int], None] | None) -> Iterator[bytes]:
    """Yield the text of the file at `path` in pieces; call `progress` after each has been used."""
    with io.BufferedReader(io.FileIO(path), _PIECE_BYTES) as file:
        size = os.fstat(file.fileno()).st_size
        for piece in pieces_of(file):
            yield piece
            if progress is not None and file.seekable():
                progress(file.tell(), size)


def check_budget(budget: Budget, seconds: float, held: int) -> None:
    """Raise BudgetExceeded after too many seconds, or where too many bytes are held."""
    if budget.max_seconds is not None and seconds > budget.max_seconds:
        raise BudgetExceeded("max_seconds", budget.max_seconds, seconds)
    if budget.max_bytes is not None and held > budget.max_bytes:
        raise BudgetExceeded("max_bytes", budget.max_bytes, held)


def _known(format: str) -> Format:  # noqa: A002
    for name in get_args(Format):
        if format == name:
            return name  # type: ignore[no-any-return]
    raise GraphError(f"format: expected one of {', '.join(get_args(Format))}, got {format!r}")


def _format_of(path: Path) -> Format:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in _COMPRESSED_SUFFIXES:
        suffixes.pop()
    return _FORMAT_OF_SUFFIX.get(suffixes[-1], "edges") if suffixes else "edges"


def pieces_of(file: io.BufferedReader[io.FileIO]) -> Iterator[bytes]:
    """Yield the text of a file in pieces, decompressed if its first bytes are those of gzip, xz or bzip2."""
    start = file.peek(6)
    compression = next((name for magic, name in _MAGIC.items() if start.startswith(magic)), None)
    try:
        if compression == "gzip":
            yield from _gunzipped(file)
        elif compression == "xz":
            yield from _unxzed(file)
        elif compression == "bzip2":
            with bz2.open(file) as text:
                yield from _read(text)
        else:
            yield from _read(file)
    except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
        if compression is None or getattr(error, "errno", None) is not None:  # an error of the disk
            raise
        raise GraphError(f"expected whole {compression} data, got: {error}") from None


def _read(file: io.BufferedReader[io.FileIO] | bz2.BZ2File) -> Iterator[bytes]:
    while piece := file.read1(_PIECE_BYTES):
        yield piece


def _gunzipped(file: IO[bytes]) -> Iterator[bytes]:
    """Decompress gzip data of one or more members, faster than the gzip module."""
    stream = zlib.decompressobj(wbits=31)
    while True:
        data = stream.unused_data or stream.unconsumed_tail or file.read(_PIECE_BYTES)
        if stream.eof:
            data = data.lstrip(b"\0")  # some writers pad the end with zeros
            if not data and not (data := file.read(_PIECE_BYTES)):
                return
            stream = zlib.decompressobj(wbits=31)
        piece = stream.decompress(data, _PIECE_BYTES)
        if piece:
            yield piece
        elif not data:
            raise EOFError("its beginning only")


def _unxzed(file: IO[bytes]) -> Iterator[bytes]:
    """Decompress xz data of one or more streams in limited memory.

    The size of the dictionary is in the data: a few bytes can make the lzma module allocate 4 GiB.
    """
    while data := file.read(_PIECE_BYTES).lstrip(b"\0"):  # streams may be padded with zeros
        while data:
            stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MOST_XZ_BYTES)
            while not stream.eof:
                if piece := stream.decompress(data, _PIECE_BYTES):
                    yield piece
                data = b""
                if stream.needs_input:
                    data = file.read(_PIECE_BYTES)
                    if not data:
                        raise EOFError("its beginning only")
            data = stream.unused_data.lstrip(b"\0")
