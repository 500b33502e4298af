"""Files that are written whole or not at all: beside their place, synced, then moved there."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Iterator

    StrPath = str | os.PathLike[str]

__all__ = [
    "lock",
    "naming_errors",
    "remove_partial_files",
    "replacing",
    "unlock",
    "write_bytes",
    "write_text",
]

_PARTIAL: Final = ".partial"
_TOKEN_BYTES: Final = 8
_LOCK_BYTE: Final = 2**40
_LONGEST_BEGINNING: Final = 200
_BINARY: Final = getattr(os, "O_BINARY", 0)  # Windows would write other line ends
_CREATE_ONLY: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | _BINARY


@contextlib.contextmanager
def replacing(path: StrPath) -> Iterator[IO[bytes]]:
    """Open a binary file that takes the place of `path` when the block ends.

    It is written in the same folder under a name that nobody can guess, synced to the disk, and moved:
    readers, and a machine that stops at any moment, see the old content or the new one. A block that raises
    leaves the old content and nothing beside it. What a killed process left beside `path` is removed.

    A new file has the permissions that the user's umask gives; one that is replaced keeps its own. A link is
    followed. A device or a pipe is written to directly.

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
                if os.name != "nt":  # which moves no open file
                    partial.replace(target)
            if os.name == "nt":
                partial.replace(target)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
        _sync_folder(target.parent)


def write_bytes(path: StrPath, content: bytes) -> None:
    """Write `content` to `path`, all of it or nothing; see `replacing`."""
    with replacing(path) as file:
        file.write(content)


def write_text(path: StrPath, text: str) -> None:
    """Write `text` in UTF-8 to `path`, all of it or nothing; see `replacing`."""
    write_bytes(path, text.encode())


@contextlib.contextmanager
def naming_errors(path: StrPath) -> Iterator[None]:
    """Raise the errors of writing to `path` in one form: an OSError whose `filename` is `path`.

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


def lock(handle: int, *, wait: bool = False) -> None:
    """Lock an open file until it is closed or its process ends, in whatever way.

    Raises OSError where another process has the lock, unless told to wait.
    """
    if sys.platform == "win32":
        with _at_lock_byte(handle):
            msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def unlock(handle: int) -> None:
    """Let go of what `lock` locked, before the file is closed."""
    if sys.platform == "win32":
        with _at_lock_byte(handle):
            msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
    else:
        fcntl.flock(handle, fcntl.LOCK_UN)


@contextlib.contextmanager
def _at_lock_byte(handle: int) -> Iterator[None]:
    """Go to the byte that stands for the whole file where single bytes are locked: far behind its end."""
    position = os.lseek(handle, 0, os.SEEK_CUR)
    os.lseek(handle, _LOCK_BYTE, os.SEEK_SET)
    try:
        yield
    finally:
        os.lseek(handle, position, os.SEEK_SET)


def remove_partial_files(folder: Path, name: str) -> None:
    """Remove what killed processes left of writing the file `name` in `folder`.

    A process that still writes holds a lock on its partial file (on Windows, the file itself is held).
    """
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if entry.name.startswith(_beginning(name)) and _is_partial(entry.name):
                _remove_abandoned(Path(entry.path))


def _beginning(name: str) -> str:
    """Return how the names of partial files of `name` begin; a file system allows 255 bytes in all."""
    return f".{name}." if len(os.fsencode(name)) <= _LONGEST_BEGINNING else f".{name[:50]}."


def _is_partial(name: str) -> bool:
    token = name.removesuffix(_PARTIAL).rpartition(".")[2]
    return name.endswith(_PARTIAL) and len(token) == 2 * _TOKEN_BYTES


def _mode_of(target: Path) -> int | None:
    """Return the type and permissions of what is there, None for nothing; refuse what is read-only."""
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
            handle = os.open(partial, _CREATE_ONLY, 0o666)  # less what the umask takes
        except FileExistsError:
            continue
        try:
            with contextlib.suppress(OSError):  # a file system without locks
                lock(handle)
            if os.fstat(handle).st_nlink:  # else another process took it for abandoned before it was locked
                return handle, partial
        except BaseException:
            os.close(handle)
            partial.unlink(missing_ok=True)
            raise
        os.close(handle)


def _remove_abandoned(partial: Path) -> None:
    """Remove a partial file unless its writer is alive."""
    with contextlib.suppress(OSError):
        if os.name == "nt":  # which removes no open file
            partial.unlink()
            return
        handle = os.open(partial, os.O_RDWR | os.O_NOFOLLOW)
        try:
            lock(handle)
            partial.unlink()
        finally:
            os.close(handle)


def _sync_folder(folder: Path) -> None:
    """Make a move inside `folder` last: where the system can, which is not everywhere."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
