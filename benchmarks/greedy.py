"""The greedy rounds over a list of all maximal cliques: the cost of pooling by listing first.

There are two implementations of the same rounds: in NumPy, for use with a Python library that lists, and in
C++, for use with our listing. Both take and return offsets and members.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from scipy import sparse

Ragged = tuple[np.ndarray, np.ndarray]


def with_numpy(num_nodes: int, offsets: np.ndarray, members: np.ndarray) -> Ragged:
    """Run the rounds with one pass over whole arrays for each size."""
    sizes = np.diff(offsets)
    cliques = sparse.csr_array(
        (np.ones(len(members), dtype=np.int8), members, offsets), shape=(len(sizes), num_nodes)
    )
    by_node = cliques.tocsc()
    left = sizes.copy()
    assigned = np.zeros(num_nodes, dtype=bool)
    rounds = []
    for size in range(int(sizes.max(initial=0)), 0, -1):
        chosen = np.flatnonzero(left == size)
        if not len(chosen):
            continue
        flat = members[_ranges(offsets[chosen], sizes[chosen])]
        parts = flat[~assigned[flat]].reshape(-1, size)
        shrunken = sizes[chosen] > size  # whole cliques are distinct, remainders may be equal
        if shrunken.any():
            distinct = np.unique(np.sort(parts[shrunken], axis=1), axis=0)
            parts = np.concatenate([parts[~shrunken], distinct])
        rounds.append(parts)
        fresh = np.zeros(num_nodes, dtype=bool)
        fresh[parts.ravel()] = True
        assigned |= fresh
        nodes = np.flatnonzero(fresh)
        touched = by_node.indices[
            _ranges(by_node.indptr[nodes], by_node.indptr[nodes + 1] - by_node.indptr[nodes])
        ]
        left -= np.bincount(touched, minlength=len(left))
    lengths = np.concatenate([np.zeros(1, dtype=np.int64), *(np.full(len(r), r.shape[1]) for r in rounds)])
    return np.cumsum(lengths), np.concatenate(
        [np.zeros(0, dtype=members.dtype), *(r.ravel() for r in rounds)]
    )


def compiled(num_nodes: int, offsets: np.ndarray, members: np.ndarray) -> Ragged:
    """Run the rounds in C++, in time linear in the total size of the cliques."""
    offsets = np.ascontiguousarray(offsets, dtype=np.int64)
    members = np.ascontiguousarray(members, dtype=np.int32)
    pool_offsets = np.empty(len(members) + 1, dtype=np.int64)
    pool_members = np.empty(len(members) + int(np.diff(offsets).max(initial=0)), dtype=np.int32)
    count = _library().greedy_pools(
        ctypes.c_int32(num_nodes),
        ctypes.c_int64(len(offsets) - 1),
        *(array.ctypes.data_as(ctypes.c_void_p) for array in (offsets, members, pool_offsets, pool_members)),
    )
    return pool_offsets[: count + 1], pool_members[: pool_offsets[count]]


def compile_now() -> None:
    """Compile before the measurement."""
    _library()


def _ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Concatenate the ranges of given starts and lengths."""
    ends = np.cumsum(lengths)
    if not len(ends):
        return np.zeros(0, dtype=np.int64)
    return np.repeat(starts - (ends - lengths), lengths) + np.arange(ends[-1])


def _compiler() -> str:
    found = next((path for name in ("c++", "g++", "clang++") if (path := shutil.which(name))), None)
    if found is None:
        raise SystemExit(
            "expected a C++ compiler (c++, g++ or clang++) for benchmarks/greedy.cpp, found none"
        )
    return found


@cache
def _library() -> ctypes.CDLL:
    source = Path(__file__).with_suffix(".cpp")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "greedy.so"
        command = [_compiler(), "-std=c++20", "-O3", "-shared", "-fPIC", str(source), "-o", str(target)]
        subprocess.run(command, check=True)
        library = ctypes.CDLL(str(target))
    library.greedy_pools.restype = ctypes.c_int64
    return library
