"""Pickles of plain values and arrays of bytes, read by a restricted unpickler that runs nothing.

The unpickler is the standard library's Python implementation, `pickle._Unpickler`, with few instructions left
and with stand-ins for NumPy's functions. The documented `pickle.Unpickler`, written in C, does not suffice:
only `find_class` can be overridden there, while a file may contain instructions that allocate memory by a
number in the file (BYTEARRAY8, LONG_BINPUT) or that hash and compare nested tuples recursively.
"""

from __future__ import annotations

import io
import pickle
from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool._words import counted
from cliquepool.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["read_pickle"]

_PROTOCOLS: Final = range(2, 6)
_LONGEST_INTEGER: Final = 8  # bytes
_LONGEST_NAME: Final = 100
_MOST_DIMENSIONS: Final = 4
# An instruction makes at most a small object, but a file of nothing else would take a hundred times its size
# in memory. The files that we read are mostly pixels.
_FEWEST_BYTES: Final = 64  # for each instruction beyond the first thousand
_FREE_INSTRUCTIONS: Final = 1000


def read_pickle(data: bytes) -> Any:
    r"""Return the value in a pickle of protocol 2 to 5 if it is plain, without running anything in it.

    A pickle is a program. Only its instructions that make integers, floats, bytes, text, lists, tuples and
    dictionaries are executed; the few calls by which NumPy pickles an array of uint8 are recognised, and
    replaced by functions of this module. Text and bytes of Python 2 become bytes. Time and memory are
    proportional to the length of `data`.

    Raises GraphError for any other instruction or name, and for a pickle that is truncated or too long.

    >>> read_pickle(b"\x80\x02}U\x06labels]K\x03as.")
    {b'labels': [3]}
    >>> read_pickle(b"\x80\x02cos\nsystem\nU\x02lsR.")
    Traceback (most recent call last):
    ...
    cliquepool.errors.GraphError: expected only arrays of bytes and plain values, got 'os.system'
    """
    if data[:1] != b"\x80" or int.from_bytes(data[1:2], "little") not in _PROTOCOLS:
        raise GraphError(
            f"expected a pickle of protocol {_PROTOCOLS[0]} to {_PROTOCOLS[-1]}, "
            f"got bytes that begin with {data[:2]!r}"
        )
    file = _File(data)
    file.seek(2)
    try:
        return _PlainUnpickler(file).load()
    except UnicodeDecodeError as error:
        raise GraphError(f"expected text in UTF-8, got {error.object[error.start : error.end]!r}") from None
    except IndexError:  # of the unpickler's stack
        use = "remember" if data[file.instruction] in _MEMO_CODES else "work on"
        raise GraphError(f"expected a value to {use}, got none before byte {file.instruction:,}") from None
    except pickle.UnpicklingError:  # a length that is negative or beyond the address space
        raise file.truncated() from None


# ---- stand-ins for the functions that NumPy's arrays are pickled with ----


class _Callable:
    """Stands in for a function or class."""

    def __init__(self, call: Callable[[tuple[Any, ...]], Any]) -> None:
        self.call = call


class _Bytes:
    """Stands in for the dtype uint8."""


class _Array:
    """Stands in for an array that is still empty: a pickle makes it first, and then sets its state."""

    def __init__(self) -> None:
        self.content: np.ndarray[Any, np.dtype[np.uint8]] | None = None


def _filled(shape: Any, dtype: Any, order: str, content: Any) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Make an array of bytes that the file contains, so that no shape can allocate memory."""
    valid = isinstance(shape, tuple) and 0 < len(shape) <= _MOST_DIMENSIONS and isinstance(content, bytes)
    valid = valid and all(type(length) is int and 0 < length <= len(content) for length in shape)
    if not valid or prod(shape) != len(content) or not isinstance(dtype, _Bytes):
        got = counted(len(content), "byte") if isinstance(content, bytes) else _described(content)
        raise GraphError(f"expected an array of uint8, as many as its shape says, got {got}")
    return np.frombuffer(content, np.uint8).reshape(shape, order="F" if order == "F" else "C")


def _dtype(arguments: tuple[Any, ...]) -> _Bytes:
    if not arguments or not _is_one_of(arguments[0], "u1", b"u1"):
        raise GraphError(f"expected an array of uint8 (u1), got {_described(arguments[:1])}")
    return _Bytes()


def _reconstruct(arguments: tuple[Any, ...]) -> _Array:
    if len(arguments) != 3 or arguments[0] is not _NDARRAY:
        raise GraphError(f"expected an empty array to begin with, got {_described(arguments)}")
    return _Array()


def _encode(arguments: tuple[Any, ...]) -> bytes:
    """Return bytes that Python 3 pickled under protocol 2: as text, to be encoded as Latin-1."""
    if len(arguments) != 2 or not isinstance(arguments[0], str) or not _is_one_of(arguments[1], "latin1"):
        raise GraphError(f"expected text to encode as Latin-1, got {_described(arguments)}")
    try:
        return arguments[0].encode("latin-1")
    except UnicodeEncodeError as error:
        raise GraphError(f"expected text of Latin-1, got {error.object[error.start]!r}") from None


def _frombuffer(arguments: tuple[Any, ...]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return an array that NumPy pickled under protocol 5."""
    if len(arguments) != 4 or not _is_one_of(arguments[3], "C", "F"):
        raise GraphError(f"expected bytes, type, shape and order of an array, got {_described(arguments)}")
    content, dtype, shape, order = arguments
    return _filled(shape, dtype, order, content)


def _not_called(arguments: tuple[Any, ...]) -> None:
    raise GraphError(f"expected an array by its parts, got one by {_described(arguments)}")


_NDARRAY: Final = _Callable(_not_called)
# NumPy 2 renamed its inner modules.
_NAMES: Final = {
    ("numpy", "ndarray"): _NDARRAY,
    ("numpy", "dtype"): _Callable(_dtype),
    ("numpy.core.multiarray", "_reconstruct"): _Callable(_reconstruct),
    ("numpy._core.multiarray", "_reconstruct"): _Callable(_reconstruct),
    ("numpy.core.numeric", "_frombuffer"): _Callable(_frombuffer),
    ("numpy._core.numeric", "_frombuffer"): _Callable(_frombuffer),
    ("_codecs", "encode"): _Callable(_encode),
}


# ---- the unpickler ----


class _File(io.BytesIO):
    """The bytes of a pickle. A read of more bytes than there are is an error, not a shorter result."""

    instruction = 0  # the position of the current one

    def read(self, count: int | None = -1, /) -> bytes:
        taken = super().read(count)
        if count is not None and len(taken) < count:
            raise self.truncated()
        return taken

    def readline(self, _size: int | None = -1, /) -> bytes:
        line = super().readline(_LONGEST_NAME + 1)
        if not line.endswith(b"\n"):
            raise GraphError(f"expected a name in a line, got none after byte {self.instruction:,}")
        return line

    def truncated(self) -> GraphError:
        size = len(self.getbuffer())
        return GraphError(f"expected a whole pickle, got its first {size:,} bytes: cut short")


class _Memo(dict[int, Any]):
    """The values that a pickle refers to again. An array was remembered while it was still empty."""

    def __getitem__(self, key: int) -> Any:
        value = super().__getitem__(key)
        return value.content if isinstance(value, _Array) and value.content is not None else value

    def __missing__(self, key: int) -> Any:
        raise GraphError(f"expected a value that was remembered, got none of number {key:,}")


class _PlainUnpickler(pickle._Unpickler):
    """Executes the instructions that plain values need, each checked before it changes anything.

    The base class has the instructions that only read a value or move values on its stack.
    """

    stack: list[Any]
    metastack: list[list[Any]]  # the stacks below the open marks
    append: Callable[[Any], None]  # to the stack

    def __init__(self, file: _File) -> None:
        super().__init__(file, encoding="bytes")
        self.memo = _Memo()
        self.dispatch = self  # type: ignore[assignment, misc]  # so that `__getitem__` sees every instruction
        self._file = file
        self._size = len(file.getbuffer())
        self._most = _FREE_INSTRUCTIONS + self._size // _FEWEST_BYTES
        self._executed = 0
        self._encoded = 0  # bytes that calls have made

    def __getitem__(self, code: int) -> Callable[[_PlainUnpickler], None]:
        """Return the method that executes an instruction."""
        self._file.instruction = self._file.tell() - 1
        self._executed += 1
        if code not in _INSTRUCTIONS:
            raise GraphError(
                f"expected instructions that make plain values, got {bytes((code,))!r} "
                f"at byte {self._file.instruction:,}"
            )
        if self._executed > self._most:
            raise GraphError(
                f"expected a pickle that is mostly an array, got more than {self._most:,} instructions"
            )
        return _INSTRUCTIONS[code]

    def load_stop(self) -> None:
        if len(self.stack) != 1 or self.metastack:
            raise GraphError(f"expected one value when the pickle stops, got {len(self.stack):,}")
        if self._file.tell() != self._size:
            more = counted(self._size - self._file.tell(), "byte")
            raise GraphError(f"expected the pickle to stop at its end, got {more} more")
        _expect_plain(self.stack)
        super().load_stop()  # type: ignore[misc]  # not in the stubs

    def load_frame(self) -> None:
        self._file.read(8)  # a frame is a hint how much to read at once

    def load_long1(self) -> None:
        width = self._file.read(1)[0]
        if width > _LONGEST_INTEGER:
            raise GraphError(f"expected integers of up to {_LONGEST_INTEGER} bytes, got one of {width}")
        self.append(int.from_bytes(self._file.read(width), "little", signed=True))

    # The method of the base class allocates a bytearray of any length before it reads.
    load_bytearray8 = pickle._Unpickler.dispatch[pickle.BINBYTES8[0]]

    def pop_mark(self) -> Any:
        if not self.metastack:
            at = self._file.instruction
            raise GraphError(f"expected a mark to go back to, got none before byte {at:,}")
        return super().pop_mark()  # type: ignore[misc]  # not in the stubs

    def load_append(self) -> None:
        self._extend([self.stack.pop()])

    def load_appends(self) -> None:
        self._extend(self.pop_mark())

    def _extend(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) is not list:
            raise GraphError(f"expected a list to append to, got {_described(target)}")
        _expect_plain(items)
        target += items

    def load_setitem(self) -> None:
        value = self.stack.pop()
        self._set_items([self.stack.pop(), value])

    def load_setitems(self) -> None:
        self._set_items(self.pop_mark())

    def _set_items(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) is not dict or len(items) % 2:
            raise GraphError(f"expected a dictionary and pairs to put in it, got {_described(target)}")
        keys, values = items[::2], items[1::2]
        for key in keys:
            # The hash of a deeply nested tuple would overflow the C stack.
            if type(key) not in (bytes, str, int):
                raise GraphError(f"expected keys that are text or integers, got {_described(key)}")
        _expect_plain(values)
        target.update(zip(keys, values, strict=True))

    def load_stack_global(self) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        if not isinstance(module, str) or not isinstance(name, str):
            got = f"{_described(module)} and {_described(name)} in the place of a name"
            raise GraphError(f"expected only arrays of bytes and plain values, got {got}")
        self.append(self.find_class(module, name))

    def find_class(self, module: str, name: str) -> Any:
        """Return the stand-in for a name; import nothing."""
        if (module, name) not in _NAMES:
            got = _described(f"{module}.{name}")
            raise GraphError(f"expected only arrays of bytes and plain values, got {got}")
        return _NAMES[module, name]

    def load_reduce(self) -> None:
        arguments, called = self.stack.pop(), self.stack.pop()
        if not isinstance(called, _Callable) or type(arguments) is not tuple:
            raise GraphError(f"expected a call that makes an array, got one of {_described(called)}")
        made = called.call(arguments)
        if isinstance(made, bytes):
            self._encoded += len(made)
        if self._encoded > self._size:  # the same text, encoded again and again
            raise GraphError(f"expected no more bytes than the pickle has, {self._size:,}, got more")
        self.append(made)

    def load_build(self) -> None:
        state, target = self.stack.pop(), self.stack.pop()
        if isinstance(target, _Array) and type(state) is tuple and len(state) == 5:
            _, shape, dtype, by_columns, content = state
            target.content = _filled(shape, dtype, "F" if by_columns is True else "C", content)
            self.append(target.content)
        elif isinstance(target, _Bytes):
            self.append(target)  # the state is the byte order, which single bytes do not have
        else:
            raise GraphError(f"expected the state of an array, got that of {_described(target)}")


_PLAIN_CODES: Final = b"".join(
    (
        *(pickle.NONE, pickle.NEWTRUE, pickle.NEWFALSE),
        *(pickle.BININT, pickle.BININT1, pickle.BININT2, pickle.LONG1, pickle.BINFLOAT),
        *(pickle.SHORT_BINSTRING, pickle.BINSTRING, pickle.SHORT_BINBYTES, pickle.BINBYTES),
        *(pickle.BINBYTES8, pickle.BYTEARRAY8),
        *(pickle.SHORT_BINUNICODE, pickle.BINUNICODE, pickle.BINUNICODE8),
        *(pickle.MARK, pickle.TUPLE, pickle.EMPTY_TUPLE, pickle.TUPLE1, pickle.TUPLE2, pickle.TUPLE3),
        *(pickle.EMPTY_LIST, pickle.APPEND, pickle.APPENDS),
        *(pickle.EMPTY_DICT, pickle.SETITEM, pickle.SETITEMS),
        *(pickle.BINPUT, pickle.LONG_BINPUT, pickle.MEMOIZE, pickle.BINGET, pickle.LONG_BINGET),
        *(pickle.GLOBAL, pickle.STACK_GLOBAL, pickle.REDUCE, pickle.BUILD, pickle.FRAME, pickle.STOP),
    )
)
_MEMO_CODES: Final = pickle.BINPUT + pickle.LONG_BINPUT + pickle.MEMOIZE
_INSTRUCTIONS: Final[dict[int, Callable[[_PlainUnpickler], None]]] = {
    code: getattr(_PlainUnpickler, pickle._Unpickler.dispatch[code].__name__) for code in _PLAIN_CODES
}


def _expect_plain(values: list[Any]) -> None:
    if any(isinstance(value, (_Array, _Bytes, _Callable)) for value in values):
        raise GraphError("expected plain values and whole arrays, got a part of an array")


def _is_one_of(value: Any, *choices: str | bytes) -> bool:
    """Tell whether a value is one of these; an array would compare each of its elements."""
    return isinstance(value, (str, bytes)) and value in choices


def _described(value: Any) -> str:
    """Describe a value for an error in a few words; the whole of it may be long or cyclic."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_described_inside, value[:4]))}{', …' * (len(value) > 4)})"
    return _described_inside(value)


def _described_inside(value: Any) -> str:
    if isinstance(value, (str, bytes)):
        return repr(value[:_LONGEST_NAME]) + "…" * (len(value) > _LONGEST_NAME)
    if value is None or isinstance(value, (int, float)):
        return repr(value)
    name = type(value).__name__.lstrip("_").lower()
    return f"{'an' if name.startswith('a') else 'a'} {name}"
