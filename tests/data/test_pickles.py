"""read_pickle: plain values read as they were written, and nothing that a pickle asks for is done."""

from __future__ import annotations

import copyreg
import os
import pickle
import struct
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool.data.pickles import read_pickle

if TYPE_CHECKING:
    from collections.abc import Callable

protocols = st.sampled_from(range(2, pickle.HIGHEST_PROTOCOL + 1))
int64s = st.integers(-(2**63), 2**63 - 1)


@st.composite
def byte_arrays(draw: st.DrawFn) -> np.ndarray[Any, Any]:
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    array = np.frombuffer(
        draw(st.binary(min_size=int(np.prod(shape)), max_size=int(np.prod(shape)))), np.uint8
    )
    return np.asarray(array.reshape(shape), order=draw(st.sampled_from(["C", "F"])))


leaves = st.one_of(
    st.none(),
    st.booleans(),
    int64s,
    st.floats(allow_nan=False),
    st.binary(min_size=1),  # none at all would be a call of bytes() under protocol 2
    st.text(),
    byte_arrays(),
)
plain = st.recursive(
    leaves,
    lambda inside: st.one_of(
        st.lists(inside),
        st.lists(inside).map(tuple),
        st.dictionaries(st.one_of(st.text(), st.binary(min_size=1), int64s), inside),
    ),
    max_leaves=15,
)


def same(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


@given(plain, protocols)
def test_plain_values_read_as_they_were_written(value: Any, protocol: int) -> None:
    assert same(read_pickle(pickle.dumps(value, protocol)), value)


@given(byte_arrays(), protocols)
def test_an_array_that_is_there_twice_is_read_twice(array: np.ndarray[Any, Any], protocol: int) -> None:
    assert same(read_pickle(pickle.dumps([array, {"again": array}], protocol)), [array, {"again": array}])


@pytest.mark.parametrize("module", [b"numpy.core.multiarray", b"numpy._core.multiarray"])
def test_arrays_of_python_2_and_of_every_numpy_are_read(module: bytes) -> None:
    data = (
        b"\x80\x02}U\x04datac" + module + b"\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R"
        b"(K\x01K\x02K\x03\x86cnumpy\ndtype\nU\x02u1K\x00K\x01\x87R(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff"
        b"\xff\xffK\x00tb\x89U\x06abcdeftbs."
    )
    assert read_pickle(data)[b"data"].tolist() == [[97, 98, 99], [100, 101, 102]]


def touch(path: str) -> None:
    Path(path).touch()


class Calling:
    """An object whose pickle makes a call."""

    def __init__(self, called: Any, *arguments: Any) -> None:
        self.made_by = called, arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return self.made_by


class Touching:
    """An object that makes a file when it is given its state."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __getstate__(self) -> str:
        return self.path

    def __setstate__(self, path: str) -> None:
        touch(path)


def text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value.encode())) + value.encode()


class Making:
    """An object that makes a file when it is made."""

    def __new__(cls, path: str) -> Self:
        touch(path)
        made = super().__new__(cls)
        made.path = path
        return made

    def __getnewargs__(self) -> tuple[str]:
        return (self.path,)


def opened(path: str) -> str:
    return f"open({path!r}, 'w').close()"


def echoed(path: str) -> str:
    return f'echo > "{path}"'


# Each makes a file at the path when Python reads it.
LIVE: dict[str, Callable[[str], bytes]] = {
    "os.system": lambda path: pickle.dumps(Calling(os.system, echoed(path)), 2),
    "eval": lambda path: pickle.dumps(Calling(eval, opened(path)), 2),
    "exec of protocol 4": lambda path: pickle.dumps(Calling(exec, opened(path)), 4),
    "exec inside of a batch": lambda path: pickle.dumps({"data": [Calling(exec, opened(path))]}, 5),
    "a function of ours": lambda path: pickle.dumps(Calling(touch, path), 2),
    "__setstate__": lambda path: pickle.dumps(Touching(path), 2),
    "__setstate__ of protocol 1": lambda path: pickle.dumps(Touching(path), 1),
    "numpy.save": lambda path: pickle.dumps(Calling(np.save, path, np.zeros(1, np.uint8)), 4),
    "ndarray.tofile": lambda path: pickle.dumps(Calling(np.ndarray.tofile, np.zeros(1, np.uint8), path), 4),
    "os by way of numpy": lambda path: (
        (b"\x80\x04" + text("numpy") + text("testing._private.utils.os.system") + b"\x93")
        + (text(echoed(path)) + b"\x85R.")
    ),
    "getattr": lambda path: (
        (b"\x80\x02cbuiltins\ngetattr\n(cnumpy\nndarray\n" + text("tofile") + b"tR(")
        + (pickle.dumps(np.zeros(1, np.uint8), 2)[2:-1] + text(path) + b"tR.")
    ),
    "INST": lambda path: b"\x80\x02(" + text(opened(path)) + b"ibuiltins\nexec\n.",
    "OBJ": lambda path: b"\x80\x02(cbuiltins\nexec\n" + text(opened(path)) + b"o.",
    "NEWOBJ": lambda path: pickle.dumps(Making(path), 2),
}


@pytest.mark.parametrize("kind", LIVE)
def test_nothing_that_a_pickle_asks_for_is_done(tmp_path: Path, kind: str) -> None:
    made = tmp_path / "made.npy"
    data = LIVE[kind](str(made))
    made.unlink(missing_ok=True)
    pickle.loads(data)
    assert made.exists(), "expected a pickle that does harm, got one that does none"
    made.unlink()
    with pytest.raises(cp.GraphError, match="expected") as caught:
        read_pickle(data)
    assert not made.exists()
    assert "\n" not in str(caught.value)


EMPTY_ARRAY = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R"
U1 = b"cnumpy\ndtype\nU\x02u1K\x00K\x01\x87R"
HUGE = b"J\xff\xff\xff\x7f"
DEEP = 10**5


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (b"cos\nsystem\n", "expected only arrays of bytes and plain values, got 'os.system'"),
        (b"ccopyreg\n_reconstructor\n", "got 'copyreg._reconstructor'"),
        (b"cnumpy\nload\n", "got 'numpy.load'"),
        (b"cnumpy.testing._private.utils\nrunstring\n", "got 'numpy.testing._private.utils.runstring'"),
        (b"cnumpy.core.multiarray\nfromfile\n", "got 'numpy.core.multiarray.fromfile'"),
        (text("numpy") + text("ndarray.tofile") + b"\x93", "got 'numpy.ndarray.tofile'"),
        (text("numpy") + text("dtype\nexpected") + b"\x93", r"got 'numpy.dtype\nexpected'"),
        (text("n" * 500) + text("x") + b"\x93", "got '" + "n" * 100 + "'…"),
        (b"K\x01K\x02\x93", "got 1 and 2 in the place of a name"),
        (b"cnumpy\n" + b"n" * 500 + b"\n", "expected a name in a line, got none"),
        (b"Pan id\n", "expected instructions that make plain values, got b'P' at byte 2"),
        (b"K\x01Q", "got b'Q' at byte 4"),
        (b"\x82\x01", r"got b'\x82' at byte 2"),
        (b"\x97", r"got b'\x97' at byte 2"),
        (
            b"cnumpy\nndarray\n(" + 3 * HUGE + b"t\x85R",
            "expected an array by its parts, got one by (a tuple)",
        ),
        (
            b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\ndtype\n" + HUGE + b"\x85U\x01b\x87R",
            "expected an empty array to begin with, got (a callable, a tuple, b'b')",
        ),
        (b"cnumpy\ndtype\nU\x01OK\x00K\x01\x87R", "expected an array of uint8 (u1), got (b'O')"),
        (b"cnumpy\ndtype\nU\x02f8K\x00K\x01\x87R", "expected an array of uint8 (u1), got (b'f8')"),
        (b"cnumpy\ndtype\n)R", "expected an array of uint8 (u1), got ()"),
        (
            EMPTY_ARRAY + b"(K\x01" + HUGE + HUGE + b"\x86" + U1 + b"\x89U\x01atb",
            "expected an array of uint8, as many as its shape says, got 1 byte",
        ),
        (EMPTY_ARRAY + b"(K\x01J\xff\xff\xff\xffJ\xff\xff\xff\xff\x86" + U1 + b"\x89U\x01atb", "got 1 byte"),
        (EMPTY_ARRAY + b"(K\x01K\x00\x85" + U1 + b"\x89U\x00tb", "got 0 bytes"),
        (EMPTY_ARRAY + b"(K\x01K\x01\x85N\x89U\x01atb", "got 1 byte"),
        (EMPTY_ARRAY + b"(K\x01K\x01\x85" + U1 + b"\x89]tb", "got a list"),
        (EMPTY_ARRAY, "expected plain values and whole arrays, got a part of an array"),
        (b"]" + U1 + b"a", "got a part of an array"),
        (b"}K\x01cnumpy\nndarray\ns", "got a part of an array"),
        (b"]K\x01b", "expected the state of an array, got that of a list"),
        (EMPTY_ARRAY + b"Nb", "expected the state of an array, got that of an array"),
        (b"c_codecs\nencode\n" + text("a") + text("rot13") + b"\x86R", "expected text to encode as Latin-1"),
        (b"c_codecs\nencode\nU\x01a" + text("latin1") + b"\x86R", "expected text to encode as Latin-1"),
        (b"c_codecs\nencode\n" + text("Ω") + text("latin1") + b"\x86R", "expected text of Latin-1, got 'Ω'"),
        (b"K\x01)R", "expected a call that makes an array, got one of 1"),
        (b"cnumpy\ndtype\n]R", "expected a call that makes an array"),
        (
            b"\x96\xff\xff\xff\xff\xff\xff\xff\x7f",
            "expected a whole pickle, got its first 12 bytes: cut short",
        ),
        (b"T\xff\xff\xff\xff", "cut short"),
        (b"\x8a\x09" + bytes(9), "expected integers of up to 8 bytes, got one of 9"),
        (b"X\x01\x00\x00\x00\xff", r"expected text in UTF-8, got b'\xff'"),
        (b"}NK\x01s", "expected keys that are text or integers, got None"),
        (b"})" + b"\x85" * 900 + b"K\x01s", "expected keys that are text or integers, got (a tuple)"),
        (b"}(K\x01u", "expected a dictionary and pairs to put in it, got a dict"),
        (b"]K\x01K\x02s", "expected a dictionary and pairs to put in it, got a list"),
        (b"}K\x01a", "expected a list to append to, got a dict"),
        (b"t", "expected a mark to go back to, got none before byte 2"),
        (b"\x85", "expected a value to work on, got none before byte 2"),
        (b"q\x00", "expected a value to remember, got none"),
        (b"h\x00", "expected a value that was remembered, got none of number 0"),
        (b"", "expected one value when the pickle stops, got 0"),
        (b"NN", "expected one value when the pickle stops, got 2"),
        (b"(N", "expected one value when the pickle stops, got 1"),
        (b"N.", "expected the pickle to stop at its end, got 1 byte more"),
    ],
)
def test_what_is_not_plain_is_reported_in_one_line(program: bytes, message: str) -> None:
    with pytest.raises(cp.GraphError) as caught:
        read_pickle(b"\x80\x02" + program + b".")
    assert message in str(caught.value)
    assert str(caught.value).startswith("expected")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"\x80", b"\x80\x01N.", b"\x80\x06N.", b"(dp0\n.", b"<html>"])
def test_other_files_and_protocols_are_reported(data: bytes) -> None:
    with pytest.raises(
        cp.GraphError, match="expected a pickle of protocol 2 to 5, got bytes that begin with"
    ):
        read_pickle(data)


def test_extensions_are_not_looked_up(tmp_path: Path) -> None:
    made = tmp_path / "made"
    data = b"\x80\x02\x82\xfa" + text(str(made)) + b"\x85R."
    copyreg.add_extension(touch.__module__, touch.__name__, 0xFA)
    try:
        with pytest.raises(cp.GraphError, match="expected instructions that make plain values"):
            read_pickle(data)
    finally:
        copyreg.remove_extension(touch.__module__, touch.__name__, 0xFA)
    assert not made.exists()


def test_lists_inside_themselves_and_deep_ones_do_no_harm() -> None:
    inside_itself = read_pickle(b"\x80\x02]q\x00h\x00a.")
    assert inside_itself[0] is inside_itself
    padding = b"B" + struct.pack("<I", 64 * 2 * DEEP) + bytes(64 * 2 * DEEP)
    depth, value = 0, read_pickle(b"\x80\x03(" + padding + b")" + b"\x85" * DEEP + b"t.")[1]
    while value:
        depth, value = depth + 1, value[0]
    assert depth == DEEP


def bombs() -> dict[str, bytes]:
    """Pickles of a megabyte or less that would be many times as large in memory."""
    many = 2**20
    again = b"h\x00h\x01h\x02\x86Ra"
    return {
        "empty lists": b"\x80\x02(" + b"]" * many + b"t.",
        "a large number to remember by": b"\x80\x02Nr\xff\xff\xff\x7f" + bytes(many),
        "a length": b"\x80\x04\x8e\xff\xff\xff\xff\xff\x00\x00\x00" + bytes(many),
        "text encoded again and again": (
            (
                b"\x80\x02c_codecs\nencode\nq\x00"
                + text("a" * many)
                + b"q\x01"
                + text("latin1")
                + b"q\x02\x86R\x85"
            )
            + (b"]" + again * 900 + b"\x86.")
        ),
    }


@pytest.mark.parametrize("kind", bombs())
def test_memory_is_bounded_by_the_length_of_a_pickle(kind: str) -> None:
    data = bombs()[kind]
    tracemalloc.start()
    try:
        with pytest.raises(cp.GraphError, match="expected"):
            read_pickle(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 6 * len(data)


VALID = [
    pickle.dumps({"data": np.arange(6, dtype=np.uint8).reshape(2, 3), "labels": [1, 2**40], "of": (1.5,)}, n)
    for n in range(2, pickle.HIGHEST_PROTOCOL + 1)
]


def is_plain(value: object) -> bool:
    """Return whether a value is made of numbers, text, arrays and containers alone."""
    if isinstance(value, dict):
        return all(map(is_plain, [*value, *value.values()]))
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(is_plain, value))
    return value is None or type(value) in {bool, int, float, str, bytes, np.ndarray}


@settings(max_examples=500)
@given(
    st.sampled_from(VALID),
    st.lists(
        st.tuples(st.integers(0, 300), st.integers(0, 3), st.binary(max_size=3)), min_size=1, max_size=4
    ),
)
def test_damaged_pickles_are_read_or_reported(data: bytes, changes: list[tuple[int, int, bytes]]) -> None:
    for place, cut, put in changes:
        data = data[:place] + put + data[place + cut :]
    try:
        value = read_pickle(data)
    except cp.GraphError:
        return
    assert is_plain(value)


@given(st.sampled_from(VALID), st.integers(0, 10**6))
def test_a_pickle_cut_short_anywhere_is_reported(data: bytes, length: int) -> None:
    with pytest.raises(cp.GraphError, match="expected"):
        read_pickle(data[: length % len(data)])
