"""Atomic writing of files, and reading of files into memory or mapped into it.

A file is written beside its target under another name, synced to the disk, and then renamed.
"""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import secrets
import stat
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import numpy as np
from filelock import lock_descriptor

from cliquepool.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    StrPath = str | os.PathLike[str]

__all__ = [
    "naming_errors",
    "read_content",
    "remove_partial_files",
    "replacing",
    "write_bytes",
    "write_text",
]

_PARTIAL: Final = ".partial"
_TOKEN_BYTES: Final = 8
_LONGEST_BEGINNING: Final = 200
_BINARY: Final = getattr(os, "O_BINARY", 0)  # Windows would convert line ends
_CREATE_ONLY: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | _BINARY


@contextlib.contextmanager
def replacing(path: StrPath) -> Iterator[IO[bytes]]:
    """Open a binary file that replaces `path` when the block ends.

    It is written in the same folder under a random name, synced to the disk, and renamed: readers, and a
    machine that stops at any moment, see the old content or the new one. A block that raises leaves the old
    content and no other file. Partial files of killed processes beside `path` are removed.

    A new file has the permissions that the umask gives; a replaced one keeps its own. Links are followed.
    Devices and pipes are written to directly.

    Raises OSError that names `path`, for a full disk or a folder that is missing or read-only.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "greeting")) as file:
    ...         _ = file.write(b"hello")
    ...     Path(folder, "greeting").read_bytes()
    b'hello'
    """
    with naming_errors(path):
        target = Path(os.path.realpath(path))
        mode = _mode_of(target)
        if mode is not None and not stat.S_ISREG(mode):
            with target.open("wb") as file:
                yield file
            return
        remove_partial_files(target.parent, target.name)
        handle, partial = _open_beside(target)
        try:
            with os.fdopen(handle, "wb") as file:
                if mode is not None and hasattr(os, "fchmod"):
                    os.fchmod(handle, stat.S_IMODE(mode))
                yield file
                file.flush()
                os.fsync(handle)
                if os.name != "nt":  # Windows cannot rename an open file
                    partial.replace(target)
            if os.name == "nt":
                partial.replace(target)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
        sync_folder(target.parent)


def write_bytes(path: StrPath, content: bytes) -> None:
    """Write `content` to `path` atomically; see `replacing`."""
    with replacing(path) as file:
        file.write(content)


def write_text(path: StrPath, text: str) -> None:
    """Write `text` in UTF-8 to `path` atomically; see `replacing`."""
    write_bytes(path, text.encode())


@contextlib.contextmanager
def naming_errors(path: StrPath) -> Iterator[None]:
    """Re-raise errors of writing to `path` in one form: an OSError whose `filename` is `path`.

    >>> with naming_errors("graph.txt"):
    ...     raise OSError(errno.ENOSPC, "No space left on device")
    Traceback (most recent call last):
    OSError: [Errno 28] cannot write: No space left on device: 'graph.txt'
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        if reason.startswith("cannot write: "):
            raise
        # The constructor chooses the class by the number: PermissionError and so on.
        named = OSError(error.errno or errno.EIO, f"cannot write: {reason}", os.fspath(path))
        raise named.with_traceback(error.__traceback__) from None


def read_content(file: IO[bytes], begin: int, size: int, *, mapped: bool) -> npt.NDArray[np.uint8]:
    """Return the bytes of an open file from `begin`, its current position, up to its `size`.

    With `mapped` they stay in the file, mapped into memory and read-only. Raises InputError where the file
    changes its length at the same time.
    """
    if mapped and size > begin:
        mapping = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if len(mapping) != size:
            raise InputError("expected a file of constant length, got one that changed while it was read")
        return np.frombuffer(mapping, np.uint8, offset=begin)
    content = np.empty(size - begin, dtype=np.uint8)
    filled = 0
    while filled < len(content):
        count = file.readinto(content[filled:].data)  # type: ignore[attr-defined]
        if not count:
            raise InputError("expected a file of constant length, got one that changed while it was read")
        filled += count
    return content


def remove_partial_files(folder: Path, name: str) -> None:
    """Remove the partial files that killed processes left when writing the file `name` in `folder`.

    A process that still writes holds a lock on its partial file; on Windows an open file cannot be removed.
    """
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if entry.name.startswith(_beginning(name)) and _is_partial(entry.name):
                _remove_abandoned(Path(entry.path))


def _beginning(name: str) -> str:
    """Return the first part of the names of partial files of `name`, short enough for 255 bytes in all."""
    return f".{name}." if len(os.fsencode(name)) <= _LONGEST_BEGINNING else f".{name[:50]}."


def _is_partial(name: str) -> bool:
    token = name.removesuffix(_PARTIAL).rpartition(".")[2]
    return name.endswith(_PARTIAL) and len(token) == 2 * _TOKEN_BYTES


def _mode_of(target: Path) -> int | None:
    """Return the type and permissions of a file, None for no file; raise OSError for a read-only one."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return mode


def _open_beside(target: Path) -> tuple[int, Path]:
    """Create a partial file, locked as long as it is open."""
    while True:
        partial = target.with_name(f"{_beginning(target.name)}{secrets.token_hex(_TOKEN_BYTES)}{_PARTIAL}")
        try:
            handle = os.open(partial, _CREATE_ONLY, 0o666)  # minus the umask
        except FileExistsError:
            continue
        try:
            with contextlib.suppress(OSError):  # a file system without locks
                lock_descriptor(handle, blocking=False)
            if os.fstat(handle).st_nlink:  # else another process removed it before it was locked
                return handle, partial
        except BaseException:
            os.close(handle)
            partial.unlink(missing_ok=True)
            raise
        os.close(handle)


def _remove_abandoned(partial: Path) -> None:
    """Remove a partial file unless its writer is alive."""
    with contextlib.suppress(OSError):
        if os.name == "nt":  # fails for an open file
            partial.unlink()
            return
        handle = os.open(partial, os.O_RDWR | os.O_NOFOLLOW)
        try:
            if lock_descriptor(handle, blocking=False):
                partial.unlink()
        finally:
            os.close(handle)


def sync_folder(folder: Path) -> None:
    """Sync a rename inside `folder` to the disk, on systems that support it."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
