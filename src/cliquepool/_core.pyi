"""The compiled core. Private: use the package's own functions."""

from collections.abc import Callable
from typing import TypeAlias, overload

import numpy as np
import numpy.typing as npt

_Nodes: TypeAlias = npt.NDArray[np.int32]
_Offsets: TypeAlias = npt.NDArray[np.int64]
_Matrix: TypeAlias = npt.NDArray[np.float32] | npt.NDArray[np.float64]
_Vector: TypeAlias = npt.NDArray[np.float32] | npt.NDArray[np.float64]
_Images: TypeAlias = _Matrix
_NodeMatrix: TypeAlias = npt.NDArray[np.int32]
_Bytes: TypeAlias = npt.NDArray[np.uint8]
_Limits: TypeAlias = tuple[int, float, int]  # Budget._limits()
_Progress: TypeAlias = Callable[[str, int, int], None] | None
_Csr: TypeAlias = tuple[_Offsets, _Nodes]
_Ragged: TypeAlias = tuple[_Offsets, _Nodes]
_Twins: TypeAlias = tuple[_Nodes, _Nodes, _Offsets, _Nodes]  # classes, sizes, quotient
_PerhapsImplied: TypeAlias = tuple[
    _Nodes, _Nodes, _Offsets | None, _Nodes | None
]  # the quotient may not be stored
_FlatTwins: TypeAlias = tuple[_Nodes, _Offsets, _Nodes, _Offsets, _Nodes]  # with class_start after classes

compiler: str
FLUSH_DENORMALS: int  # the mode that treats denormal numbers as zeros; 0 where the core cannot set it

@overload
def build_csr(
    sources: _Offsets, targets: _Offsets, num_nodes: int, threads: int, limits: _Limits
) -> _Csr: ...
@overload
def build_csr(sources: _Nodes, targets: _Nodes, num_nodes: int, threads: int, limits: _Limits) -> _Csr: ...
def compact_ids(ids: _Offsets, limits: _Limits) -> tuple[_Offsets, int, _Offsets | None]: ...
def validate_csr(indptr: _Offsets, indices: _Nodes, limits: _Limits) -> None: ...

class GraphParser:
    def __init__(
        self,
        format: str,  # noqa: A002 (the word for it)
        ids: str | None = None,
        header: bool | None = None,
    ) -> None: ...
    def feed(self, chunk: bytes) -> None: ...
    def finish(self, limits: _Limits) -> tuple[_Offsets, _Nodes, _Offsets | list[str] | None]: ...
    def take_pairs(self) -> _Nodes | _Offsets: ...
    def finish_ids(
        self, limits: _Limits
    ) -> tuple[int | None, _Nodes | None, tuple[bytes, _Offsets] | None]: ...
    def check_counts(self, num_pairs: int, num_edges: int) -> None: ...
    @property
    def nbytes(self) -> int: ...

class NumberTable:
    def __init__(self, type: str, columns: int) -> None: ...  # noqa: A002 (the word for it)
    def feed(self, lines: bytes) -> None: ...
    def take(self) -> npt.NDArray[np.int32 | np.int64 | np.float32]: ...
    @property
    def columns(self) -> int: ...
    @property
    def rows(self) -> int: ...

def first_stray_edge(pairs: _Nodes, node_start: _Offsets) -> int | None: ...
def build_flat_graphs(pairs: _Nodes, node_start: _Offsets) -> _Csr: ...
def validate_flat_graphs(node_start: _Offsets, indptr: _Offsets, indices: _Nodes) -> None: ...
def twin_classes(
    indptr: _Offsets, indices: _Nodes, threads: int, with_quotient: bool
) -> tuple[_Nodes, _Nodes, _Offsets | None, _Nodes | None]: ...
def quotient_of(
    indptr: _Offsets, indices: _Nodes, classes: _Nodes, num_classes: int, threads: int
) -> _Csr: ...
def expand_graph(
    classes: _Nodes, sizes: _Nodes, indptr: _Offsets, indices: _Nodes, limits: _Limits
) -> _Csr: ...
def expand_lists(
    offsets: _Offsets, members: _Nodes, classes: _Nodes, sizes: _Nodes, limits: _Limits
) -> _Ragged: ...
def maximal_cliques(
    indptr: _Offsets, indices: _Nodes, min_size: int, threads: int, limits: _Limits, progress: _Progress
) -> _Ragged: ...
def count_by_size(
    indptr: _Offsets, indices: _Nodes, min_size: int, threads: int, limits: _Limits, progress: _Progress
) -> list[int]: ...
def pool(
    indptr: _Offsets,
    indices: _Nodes,
    sizes: _Nodes,
    threads: int,
    only_first_round: bool,
    limits: _Limits,
    progress: _Progress,
) -> _Ragged: ...
def pool_by_nodes(
    indptr: _Offsets,
    indices: _Nodes,
    classes: _Nodes,
    threads: int,
    limits: _Limits,
    progress: _Progress,
) -> _Ragged: ...
def orient(
    indptr: _Offsets, indices: _Nodes, limits: _Limits, progress: _Progress
) -> tuple[_Nodes, _Offsets, _Nodes]: ...
def cut_shard(
    offsets: _Offsets, later: _Nodes, owner: _Nodes, shard: int, limits: _Limits, progress: _Progress
) -> tuple[_Nodes, _Nodes, _Offsets, _Nodes, int, int]: ...
def count_closing_edges(offsets: _Offsets, later: _Nodes, limits: _Limits) -> _Nodes: ...
def sort_lists(offsets: _Offsets, members: _Nodes, limits: _Limits) -> _Ragged: ...

class ShardSearcher:
    def __init__(
        self, weights: _Nodes, own: _Nodes, offsets: _Offsets, later: _Nodes, limits: _Limits
    ) -> None: ...
    def find_bounds(self, live: _Bytes, most: int, limits: _Limits, progress: _Progress) -> int: ...
    def find_cliques(
        self, live: _Bytes, weight: int, limits: _Limits, progress: _Progress
    ) -> tuple[_Offsets, _Nodes, int]: ...
    def find_some(
        self,
        live: _Bytes,
        weight: int,
        first: int,
        most_bytes: int,
        limits: _Limits,
        progress: _Progress,
    ) -> tuple[_Offsets, _Nodes, int, int]: ...

def later_lists(
    indptr: _Offsets,
    indices: _Nodes,
    order: _Nodes,
    offsets: _Offsets,
    later: _Nodes,
    limits: _Limits,
    progress: _Progress,
) -> None: ...
def find_twin_classes(
    indptr: _Offsets, indices: _Nodes, limits: _Limits, progress: _Progress
) -> tuple[_Nodes, _Nodes]: ...
def quotient_offsets(
    indptr: _Offsets,
    indices: _Nodes,
    classes: _Nodes,
    offsets: _Offsets,
    limits: _Limits,
    progress: _Progress,
) -> None: ...
def quotient_neighbours(
    indptr: _Offsets,
    indices: _Nodes,
    classes: _Nodes,
    neighbours: _Nodes,
    limits: _Limits,
    progress: _Progress,
) -> None: ...

class RunMerger:
    def __init__(self, runs: list[_Ragged]) -> None: ...
    def take(self, most_members: int, limits: _Limits) -> _Ragged: ...

def lay_out(
    indptr: _Offsets,
    indices: _Nodes,
    pivots: int,
    rounds: int,
    limits: _Limits,
    positions: npt.NDArray[np.float64],
) -> None: ...
def separate(distance: float, rounds: int, limits: _Limits, positions: npt.NDArray[np.float64]) -> None: ...
def coarsen(
    indptr: _Offsets,
    indices: _Nodes,
    pool_offsets: _Offsets,
    pool_members: _Nodes,
    limits: _Limits,
    progress: _Progress,
) -> _Twins: ...
def coarsen_into(
    indptr: _Offsets,
    indices: _Nodes,
    pool_offsets: _Offsets,
    pool_members: _Nodes,
    allocate: Callable[[int], _Nodes],
    limits: _Limits,
    progress: _Progress,
) -> tuple[_Nodes, _Nodes, _Offsets]: ...
def hierarchy(
    indptr: _Offsets,
    indices: _Nodes,
    sizes: _Nodes,
    levels: int,
    threads: int,
    most_stored: int,
    limits: _Limits,
    progress: _Progress,
) -> list[tuple[_Ragged, _PerhapsImplied, _Offsets | None, float]]: ...
def hierarchies(
    node_start: _Offsets,
    indptr: _Offsets,
    indices: _Nodes,
    levels: int,
    threads: int,
    limits: _Limits,
    progress: _Progress,
) -> tuple[_Nodes, _FlatTwins, list[tuple[_Offsets, _Ragged, _FlatTwins]]]: ...
def hierarchies_of_rows(
    rows: list[_Csr],
    levels: int,
    threads: int,
    limits: _Limits,
    progress: _Progress,
) -> tuple[_Offsets, _Nodes, list[tuple[_Offsets, _Ragged, _FlatTwins | None]]]: ...
def inherited_edges(
    indptr: _Offsets,
    indices: _Nodes,
    sizes: _Nodes,
    pool_offsets: _Offsets,
    pool_members: _Nodes,
    coarse_indptr: _Offsets,
    coarse_indices: _Nodes,
    limits: _Limits,
) -> npt.NDArray[np.int64]: ...
def sum_lists(
    offsets: _Offsets,
    members: _Nodes,
    x: _Matrix,
    list_scale: _Vector | None,
    row_scale: _Vector | None,
    values: _Vector | None,
    own: float,
    threads: int,
    y: _Matrix,
) -> None: ...
def max_lists(
    offsets: _Offsets, members: _Nodes, x: _Matrix, threads: int, y: _Matrix, where: _NodeMatrix
) -> None: ...
def scatter(where: _NodeMatrix, g: _Matrix, to: _Matrix) -> None: ...
def mean_and_max(starts: _Offsets, x: _Matrix, y: _Matrix, where: _NodeMatrix) -> None: ...
def mean_and_max_backward(starts: _Offsets, where: _NodeMatrix, g: _Matrix, to: _Matrix) -> None: ...
def relu_normalise(x: _Matrix, epsilon: float, y: _Matrix, divisor: _Vector) -> None: ...
def relu_normalise_backward(
    y: _Matrix, divisor: _Vector, epsilon: float, g: _Matrix, to: _Matrix
) -> None: ...
def relu_normalise_readout(
    starts: _Offsets,
    z: _Matrix,
    epsilon: float,
    divisor: _Vector,
    readout: _Matrix,
    first: int,
    where: _NodeMatrix,
) -> None: ...
def relu_normalise_readout_backward(
    starts: _Offsets,
    y: _Matrix,
    divisor: _Vector,
    epsilon: float,
    where: _NodeMatrix,
    g: _Matrix,
    first: int,
    to: _Matrix,
    sums: _Vector,
) -> None: ...

class Collator:
    def __init__(
        self,
        starts: list[_Offsets],
        lists: list[tuple[_Offsets, _Offsets, _Nodes, _Offsets]],
        values: list[tuple[_Offsets, npt.NDArray[np.float32]]],
    ) -> None: ...
    def collate(
        self, chosen: _Offsets
    ) -> tuple[_Offsets, list[int], _Nodes, list[int], npt.NDArray[np.float32], list[int]]: ...

def denormal_mode() -> int: ...  # of the calling thread
def set_denormal_mode(mode: int) -> None: ...
def gather_starts(start: _Offsets, chosen: _Offsets) -> _Offsets: ...
def gather_rows(start: _Offsets, rows: _Bytes, chosen: _Offsets, gathered: _Bytes) -> None: ...
def unpack_levels(
    packed: _Nodes,
) -> tuple[int, tuple[int, ...], tuple[int, ...], tuple[int, ...], _Offsets, _Nodes, _Offsets]: ...
def window_max(
    x: _Images, window: tuple[int, int, int], threads: int, y: _Images, where: _NodeMatrix | None
) -> None: ...
def window_max_backward(where: _NodeMatrix, g: _Images, threads: int, to: _Images) -> None: ...
