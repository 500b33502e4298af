"""Named arrays in a folder, for data larger than memory: written in pieces, read by memory mapping.

A folder has a file for each array, little-endian values end to end, and ``manifest.json``: the format and
its version, metadata, and the dtype, shape and SHA-256 of each array, with a SHA-256 of the manifest itself.
It appears whole or not at all: see `cliquepool.atomic_folders`.

``validated.json`` records that checksums and content were verified, with the sizes and times of change of the
files: an unchanged folder is not verified again.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import mmap
import os
import shutil
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from cliquepool.atomic_folders import appearing_folder
from cliquepool.errors import InputError
from cliquepool.files import naming_errors, read_content, write_bytes, write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt

    StrPath = str | os.PathLike[str]

__all__ = [
    "ArrayFolder",
    "FolderWriter",
    "allocate_array",
    "is_array_folder",
    "open_folder",
    "replace_manifest",
    "write_folder",
]

_MANIFEST: Final = "manifest.json"
_RECORD: Final = "validated.json"
_SCRATCH: Final = "scratch"
_DIGEST: Final = "sha256"
_LONGEST_MANIFEST: Final = 2**24
_BLOCK: Final = 2**20
_DTYPES: Final = frozenset({"<i8", "<i4", "<f4", "<f8", "|u1"})


class ArrayFolder(NamedTuple):
    """The content of a folder: its arrays, mapped and read-only, and its metadata.

    `fingerprint` is the SHA-256 of the manifest, which covers the checksums of all arrays.
    """

    path: Path
    arrays: dict[str, npt.NDArray[Any]]
    metadata: dict[str, Any]
    fingerprint: str


# ---- writing ----


@contextlib.contextmanager
def write_folder(path: StrPath, format: str, version: int) -> Iterator[FolderWriter]:  # noqa: A002
    """Write a folder of arrays that appears at `path`, whole, when the block ends.

    A block that raises leaves nothing. What killed processes left beside `path` is removed. Raises OSError
    that names the file: for a full disk, or a `path` that exists (an empty folder is replaced).

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as parent:
    ...     with write_folder(Path(parent, "squares"), "example", 1) as writer:
    ...         writer.append("values", np.array([0, 1, 4]))
    ...         writer.append("values", np.array([9, 16]))
    ...     open_folder(Path(parent, "squares"), "example", 1).arrays["values"].tolist()
    [0, 1, 4, 9, 16]
    """
    target = Path(os.path.realpath(path))
    with appearing_folder(target) as partial:
        writer = FolderWriter(partial, target)
        try:
            yield writer
            manifest = writer._finish(format, version)
        finally:
            writer._close()
        with naming_errors(target / _MANIFEST), (partial / _MANIFEST).open("wb") as file:
            file.write(manifest)
            file.flush()
            os.fsync(file.fileno())
        shutil.rmtree(partial / _SCRATCH, ignore_errors=True)


class FolderWriter:
    """Writes the arrays of a folder, in pieces. `metadata` takes anything that JSON can express."""

    def __init__(self, folder: Path, target: Path) -> None:
        self.metadata: dict[str, Any] = {}
        self._folder = folder
        self._target = target
        self._parts: dict[str, _Part] = {}

    def append(self, name: str, values: npt.NDArray[Any]) -> None:
        """Append values to an array; the first call determines its dtype."""
        array = np.ascontiguousarray(values)
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        with naming_errors(self._target / name):
            part = self._parts.get(name)
            if part is None:
                part = self._parts[name] = _Part((self._folder / name).open("xb"), array.dtype)
            if array.dtype != part.dtype:
                raise InputError(f"{name}: expected {part.dtype}, got {array.dtype}")
            part.append(array.reshape(-1))

    def link(self, name: str, path: Path, dtype: npt.DTypeLike) -> None:
        """Add the file at `path` as an array, without a copy where the file system has hard links."""
        with naming_errors(self._target / name):
            mode = "rb"
            try:
                os.link(path, self._folder / name)
            except OSError:
                shutil.copyfile(path, self._folder / name)
                mode = "r+b"
            self._add_file(name, dtype, mode)

    def allocate(self, name: str, dtype: npt.DTypeLike, length: int) -> npt.NDArray[Any]:
        """Add an array of a known length, mapped into memory; call `finish_array` when it is filled."""
        with naming_errors(self._target / name):
            return allocate_array(self._folder / name, dtype, length)

    def finish_array(self, name: str, dtype: npt.DTypeLike) -> None:
        """Compute the checksum of an array that `allocate` returned, which is not to be changed any more."""
        with naming_errors(self._target / name):
            self._add_file(name, dtype, "r+b")

    def _add_file(self, name: str, dtype: npt.DTypeLike, mode: str) -> None:
        part = self._parts[name] = _Part((self._folder / name).open(mode), np.dtype(dtype))
        while block := part.file.read(_BLOCK):
            part.digest.update(block)
            part.size += len(block)

    def last(self, name: str) -> Any:
        """Return the last value of an array so far; None where there is none."""
        part = self._parts.get(name)
        return None if part is None else part.last

    def open_so_far(self) -> dict[str, npt.NDArray[Any]]:
        """Map what is written of all arrays; nothing may be appended to these any more."""
        for part in self._parts.values():
            part.file.flush()
        return {
            name: _map_array(self._folder, name, {"dtype": part.dtype.str, "length": self.length(name)})
            for name, part in self._parts.items()
        }

    def length(self, name: str) -> int:
        """Return how many values an array has so far."""
        return self._parts[name].size // self._parts[name].dtype.itemsize

    def scratch(self, name: str) -> Path:
        """Return the path of a file for intermediate results, which is removed at the end."""
        folder = self._folder / _SCRATCH
        folder.mkdir(exist_ok=True)
        return folder / name

    def _finish(self, format: str, version: int) -> bytes:  # noqa: A002
        """Close all files, synced; return the manifest."""
        for name, part in self._parts.items():
            with naming_errors(self._target / name):
                part.close()
        arrays = {
            name: {"dtype": part.dtype.str, "length": self.length(name), _DIGEST: part.digest.hexdigest()}
            for name, part in self._parts.items()
        }
        return _sealed({"format": format, "version": version, "metadata": self.metadata, "arrays": arrays})

    def _close(self) -> None:
        for part in self._parts.values():
            part.file.close()


def replace_manifest(folder: Path, format: str, version: int, metadata: dict[str, Any]) -> None:  # noqa: A002
    """Replace the metadata of a folder without arrays of its own, atomically."""
    body = {"format": format, "version": version, "metadata": metadata, "arrays": {}}
    write_bytes(folder / _MANIFEST, _sealed(body))


class _Part:
    """An array being written."""

    def __init__(self, file: IO[bytes], dtype: np.dtype[Any]) -> None:
        if dtype.str not in _DTYPES:
            file.close()
            raise InputError(f"expected an array of {', '.join(sorted(_DTYPES))}, got {dtype}")
        self.file = file
        self.dtype = dtype
        self.digest = hashlib.sha256()
        self.size = 0
        self.last: Any = None

    def append(self, array: npt.NDArray[Any]) -> None:
        content = array.view(np.uint8).data
        self.last = array[-1] if len(array) else self.last
        self.file.write(content)
        self.digest.update(content)
        self.size += len(content)

    def close(self) -> None:
        if self.file.writable():
            self.file.flush()
            os.fsync(self.file.fileno())
        self.file.close()


def allocate_array(path: Path, dtype: npt.DTypeLike, length: int) -> npt.NDArray[Any]:
    """Create a file and return it as a writable array, mapped into memory.

    The disk space is reserved at once: writing to a mapped file on a full disk would kill the process.
    """
    size = np.dtype(dtype).itemsize * length
    with naming_errors(path), path.open("x+b") as file:
        if size == 0:
            return np.empty(0, dtype=dtype)
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
        else:
            zeros = bytes(min(size, _BLOCK))
            for begin in range(0, size, _BLOCK):
                file.write(zeros[: size - begin])
            file.flush()
        return np.frombuffer(mmap.mmap(file.fileno(), size), dtype=dtype)


# ---- reading ----


def is_array_folder(path: StrPath) -> bool:
    """Return whether there is a folder of arrays at `path`, of any format."""
    return Path(path, _MANIFEST).is_file()


def open_folder(
    path: StrPath,
    format: str,  # noqa: A002 (the usual word)
    version: int,
    *,
    validate: bool | None = None,
    check: Callable[[ArrayFolder], None] | None = None,
) -> ArrayFolder:
    """Map the arrays of a folder that `write_folder` wrote; nothing is copied.

    Format, version and the sizes of all files are always checked. The checksums are verified, and `check` is
    called on the content, the first time and when a file has changed since; with `validate` True always, with
    False never.

    Raises FileNotFoundError for no folder, InputError that names the file for one that is damaged,
    truncated, of another format or version, or not complete.
    """
    folder = Path(path)
    body, fingerprint = _read_manifest(folder)
    if body.get("format") != format:
        raise InputError(
            f"{folder}: expected a folder of format {format}, got {str(body.get('format'))[:50]}"
        )
    if body.get("version") != version:
        raise InputError(f"{folder}: expected format version {version}, got {str(body.get('version'))[:20]}")
    try:
        arrays = {name: _map_array(folder, name, entry) for name, entry in body["arrays"].items()}
        opened = ArrayFolder(folder, arrays, dict(body["metadata"]), fingerprint)
        digests = {name: str(entry[_DIGEST]) for name, entry in body["arrays"].items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{folder / _MANIFEST}: expected a list of arrays, got other content ({error})"
        ) from None
    stamps = _stamps(folder, arrays)
    if validate is False or (validate is None and _read_record(folder) == (fingerprint, stamps)):
        return opened
    for name, array in arrays.items():
        if _digest_of_array(array) != digests[name]:
            raise InputError(
                f"{folder / name}: expected content that matches its checksum, got other: damaged"
            )
    if check is not None:
        check(opened)
    _write_record(folder, fingerprint, stamps)
    return opened


def _read_manifest(folder: Path) -> tuple[dict[str, Any], str]:
    """Return the manifest without its checksum, which is verified, and the checksum."""
    path = folder / _MANIFEST
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))
    if not path.is_file():
        raise InputError(f"{folder}: expected a folder with a {_MANIFEST}, got one without")
    with path.open("rb") as file:
        text = file.read(_LONGEST_MANIFEST + 1)
    try:
        body: dict[str, Any] = json.loads(text)
        digest = str(body.pop(_DIGEST))
        is_whole = len(text) <= _LONGEST_MANIFEST and digest == _digest_of(body)
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        is_whole = False
    if not is_whole:
        raise InputError(f"{path}: expected a manifest that matches its checksum, got another: damaged")
    return body, digest


def _sealed(body: dict[str, Any]) -> bytes:
    return json.dumps({**body, _DIGEST: _digest_of(body)}, indent=1).encode()


def _digest_of(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _map_array(folder: Path, name: str, entry: Any) -> npt.NDArray[Any]:
    """Map the file of an array, after checking its size."""
    path, dtype, length = folder / name, entry["dtype"], entry["length"]
    if path.parent != folder or path.name != name or name in {"..", _MANIFEST, _RECORD}:
        raise InputError(f"{folder / _MANIFEST}: expected the name of a file, got {name[:100]!r}")
    if dtype not in _DTYPES or type(length) is not int or length < 0:
        raise InputError(f"{path}: expected an array of {', '.join(sorted(_DTYPES))}, got {str(entry)[:100]}")
    expected = length * np.dtype(dtype).itemsize
    if not path.is_file():
        raise InputError(f"{path}: expected a file of {expected:,} bytes, got none")
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size != expected:
            raise InputError(f"{path}: expected {expected:,} bytes, got {size:,}: truncated or damaged")
        try:
            content = read_content(file, 0, size, mapped=True)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
    array: npt.NDArray[Any] = content.view(dtype)
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    array.flags.writeable = False
    return array


def _digest_of_array(array: npt.NDArray[Any]) -> str:
    digest = hashlib.sha256()
    little = array.astype(array.dtype.newbyteorder("<"), copy=False).view(np.uint8)
    for begin in range(0, len(little), _BLOCK):
        digest.update(little[begin : begin + _BLOCK].data)
    return digest.hexdigest()


def _stamps(folder: Path, names: dict[str, Any]) -> dict[str, list[int]]:
    """Return the size and the time of change of each file."""
    found = {name: (folder / name).stat() for name in names}
    return {name: [stat.st_size, stat.st_mtime_ns] for name, stat in found.items()}


def _read_record(folder: Path) -> tuple[str, dict[str, list[int]]] | None:
    try:
        record = json.loads((folder / _RECORD).read_text(encoding="utf-8"))
        return record["manifest"], record["files"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _write_record(folder: Path, fingerprint: str, stamps: dict[str, list[int]]) -> None:
    with contextlib.suppress(OSError):  # the folder may be read-only
        write_text(folder / _RECORD, json.dumps({"manifest": fingerprint, "files": stamps}))
