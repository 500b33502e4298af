"""Pickles of plain values and arrays of bytes, read without calling anything that they name."""

from __future__ import annotations

import struct
from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool._words import counted
from cliquepool.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["read_pickle"]

_STOP: Final = b"."
_PROTOCOLS: Final = range(2, 6)
_LONGEST_INTEGER: Final = 8  # bytes
_LONGEST_NAME: Final = 100
_MOST_DIMENSIONS: Final = 4
# Of each instruction comes at most a small object; a file of nothing but those would take a hundred
# times its size in memory. What we read is mostly pixels.
_FEWEST_BYTES: Final = 64  # to an instruction, beyond the first thousand
_FREE_INSTRUCTIONS: Final = 1000


def read_pickle(data: bytes) -> Any:
    r"""Return what a pickle of protocol 2 to 5 holds, if that is plain: nothing in it is ever run.

    A pickle is a program. Of its instructions, those are carried out here that make integers, floats,
    bytes, text, lists, tuples and dictionaries; and the few calls by which NumPy writes an array of uint8
    are recognised, not made. Text and bytes of Python 2 are bytes. Time and memory are proportional to
    the length of `data`.

    Raises GraphError for all else: another instruction or name, a pickle that is cut short or goes on.

    >>> read_pickle(b"\x80\x02}U\x06labels]K\x03as.")
    {b'labels': [3]}
    >>> read_pickle(b"\x80\x02cos\nsystem\nU\x02lsR.")
    Traceback (most recent call last):
    ...
    cliquepool.errors.GraphError: expected only arrays of bytes and plain values, got 'os.system'
    """
    return _Machine(data).run()


class _Callable:
    """A name that NumPy's arrays are written with, in the place of what it names."""

    def __init__(self, call: Callable[[tuple[Any, ...]], Any]) -> None:
        self.call = call


class _Bytes:
    """The type uint8, in the place of NumPy's."""


class _Array:
    """An array that is not filled yet, as it is written: first made empty, then given its state."""

    def __init__(self) -> None:
        self.content: np.ndarray[Any, np.dtype[np.uint8]] | None = None


def _filled(shape: Any, dtype: Any, order: str, content: Any) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Make an array of bytes that are there already: a shape can ask for no more."""
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
    """What bytes are under protocol 2 of Python 3: text, to be encoded as Latin-1."""
    if len(arguments) != 2 or not isinstance(arguments[0], str) or not _is_one_of(arguments[1], "latin1"):
        raise GraphError(f"expected text to encode as Latin-1, got {_described(arguments)}")
    try:
        return arguments[0].encode("latin-1")
    except UnicodeEncodeError as error:
        raise GraphError(f"expected text of Latin-1, got {error.object[error.start]!r}") from None


def _frombuffer(arguments: tuple[Any, ...]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """How NumPy writes an array under protocol 5."""
    if len(arguments) != 4 or not _is_one_of(arguments[3], "C", "F"):
        raise GraphError(f"expected bytes, type, shape and order of an array, got {_described(arguments)}")
    content, dtype, shape, order = arguments
    return _filled(shape, dtype, order, content)


def _not_called(arguments: tuple[Any, ...]) -> None:
    raise GraphError(f"expected an array by its parts, got one by {_described(arguments)}")


_NDARRAY: Final = _Callable(_not_called)
# NumPy's inner modules were renamed by its version 2.
_NAMES: Final = {
    ("numpy", "ndarray"): _NDARRAY,
    ("numpy", "dtype"): _Callable(_dtype),
    ("numpy.core.multiarray", "_reconstruct"): _Callable(_reconstruct),
    ("numpy._core.multiarray", "_reconstruct"): _Callable(_reconstruct),
    ("numpy.core.numeric", "_frombuffer"): _Callable(_frombuffer),
    ("numpy._core.numeric", "_frombuffer"): _Callable(_frombuffer),
    ("_codecs", "encode"): _Callable(_encode),
}


class _Machine:
    """The stack machine that a pickle is written for, with the instructions that plain values need."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0
        self._stack: list[Any] = []
        self._below: list[list[Any]] = []  # the stacks that were begun before, one for each open mark
        self._memo: dict[int, Any] = {}
        self._made = 0  # bytes that calls have made

    def run(self) -> Any:
        self._expect_protocol()
        most = _FREE_INSTRUCTIONS + len(self._data) // _FEWEST_BYTES
        for _ in range(most):
            code = self._take(1)
            if code == _STOP:
                return self._result()
            if code not in _INSTRUCTIONS:
                place = self._place - 1
                raise GraphError(
                    f"expected instructions that make plain values, got {code!r} at byte {place:,}"
                )
            instruction, *arguments = _INSTRUCTIONS[code]
            instruction(self, *arguments)
        raise GraphError(f"expected a pickle that is mostly an array, got more than {most:,} instructions")

    def _expect_protocol(self) -> None:
        if self._data[:1] != b"\x80" or int.from_bytes(self._data[1:2], "little") not in _PROTOCOLS:
            raise GraphError(
                f"expected a pickle of protocol {_PROTOCOLS[0]} to {_PROTOCOLS[-1]}, "
                f"got bytes that begin with {self._data[:2]!r}"
            )
        self._place = 2

    def _result(self) -> Any:
        if len(self._stack) != 1 or self._below:
            raise GraphError(f"expected one value when the pickle stops, got {len(self._stack):,}")
        if self._place != len(self._data):
            more = counted(len(self._data) - self._place, "byte")
            raise GraphError(f"expected the pickle to stop at its end, got {more} more")
        return _plain(self._stack.pop())

    # ---- bytes in, values on the stack ----

    def _take(self, count: int) -> bytes:
        taken = self._data[self._place : self._place + count]
        if len(taken) < count:
            raise GraphError(f"expected a whole pickle, got its first {len(self._data):,} bytes: cut short")
        self._place += count
        return taken

    def _number(self, width: int) -> int:
        return int.from_bytes(self._take(width), "little")

    def _pop(self) -> Any:
        if not self._stack:
            raise GraphError(f"expected a value to work on, got none before byte {self._place - 1:,}")
        return self._stack.pop()

    def _pop_to_mark(self) -> list[Any]:
        if not self._below:
            raise GraphError(f"expected a mark to go back to, got none before byte {self._place - 1:,}")
        marked, self._stack = self._stack, self._below.pop()
        return marked

    # ---- instructions ----

    def push(self, value: Any) -> None:
        self._stack.append(value)

    def push_new(self, kind: type[Any]) -> None:
        self.push(kind())

    def push_integer(self, width: int, signed: bool) -> None:
        self.push(int.from_bytes(self._take(width), "little", signed=signed))

    def push_long(self) -> None:
        width = self._number(1)
        if width > _LONGEST_INTEGER:
            raise GraphError(f"expected integers of up to {_LONGEST_INTEGER} bytes, got one of {width}")
        self.push_integer(width, signed=True)

    def push_float(self) -> None:
        self.push(struct.unpack(">d", self._take(8))[0])

    def push_bytes(self, width: int) -> None:
        self.push(self._take(self._number(width)))

    def push_text(self, width: int) -> None:
        self.push(_text(self._take(self._number(width))))

    def mark(self) -> None:
        self._below.append(self._stack)
        self._stack = []

    def make_tuple(self, length: int | None = None) -> None:
        items = self._pop_to_mark() if length is None else [self._pop() for _ in range(length)][::-1]
        self.push(tuple(items))

    def append(self, to_mark: bool) -> None:
        items = self._pop_to_mark() if to_mark else [self._pop()]
        target = self._pop()
        if type(target) is not list:
            raise GraphError(f"expected a list to append to, got {_described(target)}")
        target += map(_plain, items)
        self.push(target)

    def set_items(self, to_mark: bool) -> None:
        items = self._pop_to_mark() if to_mark else [self._pop(), self._pop()][::-1]
        target = self._pop()
        if type(target) is not dict or len(items) % 2:
            raise GraphError(f"expected a dictionary and pairs to put in it, got {_described(target)}")
        for key, value in zip(items[::2], items[1::2], strict=True):
            # To hash a tuple that is nested deeply would end the process.
            if type(key) not in (bytes, str, int):
                raise GraphError(f"expected keys that are text or integers, got {_described(key)}")
            target[key] = _plain(value)
        self.push(target)

    def remember(self, width: int | None = None) -> None:
        if not self._stack:
            raise GraphError(f"expected a value to remember, got none before byte {self._place - 1:,}")
        self._memo[len(self._memo) if width is None else self._number(width)] = self._stack[-1]

    def recall(self, width: int) -> None:
        key = self._number(width)
        if key not in self._memo:
            raise GraphError(f"expected a value that was remembered, got none of number {key:,}")
        value = self._memo[key]
        filled = isinstance(value, _Array) and value.content is not None
        self.push(value.content if filled else value)

    def skip_frame(self) -> None:
        self._take(8)  # frames tell how to read ahead; all is here already

    def push_name(self) -> None:
        module, name = self._line(), self._line()
        self.push(_named(module, name))

    def _line(self) -> str:
        end = self._data.find(b"\n", self._place, self._place + _LONGEST_NAME + 1)
        if end < 0:
            raise GraphError(f"expected a name in a line, got none after byte {self._place - 1:,}")
        line = self._take(end - self._place)
        self._take(1)
        return _text(line)

    def name_from_stack(self) -> None:
        name, module = self._pop(), self._pop()
        self.push(_named(module, name))

    def call(self) -> None:
        arguments, called = self._pop(), self._pop()
        if not isinstance(called, _Callable) or type(arguments) is not tuple:
            raise GraphError(f"expected a call that makes an array, got one of {_described(called)}")
        made = called.call(arguments)
        if isinstance(made, bytes):
            self._made += len(made)
        if self._made > len(self._data):  # a text that is remembered and encoded again and again
            raise GraphError(f"expected no more bytes than the pickle has, {len(self._data):,}, got more")
        self.push(made)

    def set_state(self) -> None:
        state, target = self._pop(), self._pop()
        if isinstance(target, _Array) and type(state) is tuple and len(state) == 5:
            _, shape, dtype, by_columns, content = state
            target.content = _filled(shape, dtype, "F" if by_columns is True else "C", content)
            self.push(target.content)
        elif isinstance(target, _Bytes):
            self.push(target)  # of one byte, the order says nothing
        else:
            raise GraphError(f"expected the state of an array, got that of {_described(target)}")


def _named(module: Any, name: Any) -> _Callable:
    if not isinstance(module, str) or not isinstance(name, str):
        got = f"{_described(module)} and {_described(name)} in the place of a name"
        raise GraphError(f"expected only arrays of bytes and plain values, got {got}")
    if (module, name) not in _NAMES:
        raise GraphError(
            f"expected only arrays of bytes and plain values, got {_described(f'{module}.{name}')}"
        )
    return _NAMES[module, name]


def _plain(value: Any) -> Any:
    if isinstance(value, (_Array, _Bytes, _Callable)):
        raise GraphError("expected plain values and whole arrays, got a part of an array")
    return value


def _is_one_of(value: Any, *choices: str | bytes) -> bool:
    """Whether a value is one of these; an array would answer for each of its elements."""
    return isinstance(value, (str, bytes)) and value in choices


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise GraphError(f"expected text in UTF-8, got {error.object[error.start : error.end]!r}") from None


def _described(value: Any) -> str:
    """Tell in a few words what a value is; never all of it, which may be long or without end."""
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


_INSTRUCTIONS: Final[dict[bytes, tuple[Any, ...]]] = {
    b"N": (_Machine.push, None),
    b"\x88": (_Machine.push, True),
    b"\x89": (_Machine.push, False),
    b")": (_Machine.push, ()),
    b"]": (_Machine.push_new, list),
    b"}": (_Machine.push_new, dict),
    b"K": (_Machine.push_integer, 1, False),
    b"M": (_Machine.push_integer, 2, False),
    b"J": (_Machine.push_integer, 4, True),
    b"\x8a": (_Machine.push_long,),
    b"G": (_Machine.push_float,),
    # Strings of Python 2, bytes, and byte arrays; each with the width of its length.
    b"U": (_Machine.push_bytes, 1),
    b"T": (_Machine.push_bytes, 4),
    b"C": (_Machine.push_bytes, 1),
    b"B": (_Machine.push_bytes, 4),
    b"\x8e": (_Machine.push_bytes, 8),
    b"\x96": (_Machine.push_bytes, 8),
    b"\x8c": (_Machine.push_text, 1),
    b"X": (_Machine.push_text, 4),
    b"\x8d": (_Machine.push_text, 8),
    b"(": (_Machine.mark,),
    b"t": (_Machine.make_tuple,),
    b"\x85": (_Machine.make_tuple, 1),
    b"\x86": (_Machine.make_tuple, 2),
    b"\x87": (_Machine.make_tuple, 3),
    b"a": (_Machine.append, False),
    b"e": (_Machine.append, True),
    b"s": (_Machine.set_items, False),
    b"u": (_Machine.set_items, True),
    b"q": (_Machine.remember, 1),
    b"r": (_Machine.remember, 4),
    b"\x94": (_Machine.remember,),
    b"h": (_Machine.recall, 1),
    b"j": (_Machine.recall, 4),
    b"\x95": (_Machine.skip_frame,),
    b"c": (_Machine.push_name,),
    b"\x93": (_Machine.name_from_stack,),
    b"R": (_Machine.call,),
    b"b": (_Machine.set_state,),
}
