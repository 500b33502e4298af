"""Colour refinement (the 1-WL test) over all levels of a clique hierarchy.

Colours are 64-bit integers that depend on the graph alone, so that colours of different graphs, computed in
different processes and on different machines, can be compared. A multiset of colours is represented by the
sum of its mixed colours, modulo 2^64: such sums need neither sorting nor the expansion of twin classes.
"""

from __future__ import annotations

import hashlib
import operator
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from cliquepool._input import array_of, as_int64, listed, shown, text_of
from cliquepool._mixing import mix
from cliquepool._words import counted
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.errors import BudgetExceeded, GraphError, InputError
from cliquepool.graph_like import GraphLike, as_graph
from cliquepool.hierarchy import Hierarchy, clique_hierarchy
from cliquepool.ragged import Ragged

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Words = npt.NDArray[np.uint64]

__all__ = ["WLColours", "wl_colours"]

# The order in which colours are mixed is part of the result: a change gives other digests.

# The kinds of neighbours, and the kinds of first colours: each mixes in a number of its own.
_NEIGHBOURS, _POOLS, _MEMBERS = 1, 2, 3
_LEVEL, _INTEGER_LABEL, _TEXT_LABEL = 4, 5, 6

_DIGEST_BYTES: Final = 16


def wl_colours(
    graph: Hierarchy | GraphLike,
    levels: int | None = None,
    *,
    node_labels: Any = None,
    rounds: int | None = None,
    budget: Budget = DEFAULT_BUDGET,
) -> WLColours:
    """Refine the colours of all nodes of a hierarchy until they are stable: the 1-WL test over all levels.

    The first colour of a node is its level and, on level 0, its label. In each round, a node gets a new
    colour from its old one and three multisets: the colours of its neighbours on the same level, of its pools
    on the level above, and of its members on the level below. Refinement ends with the first round that gives
    no more colours than the one before.

    Isomorphic graphs have equal colours. Graphs with different colours are not isomorphic. Whatever 1-WL
    tells apart, these colours tell apart, and more: 1-WL cannot tell a six-cycle from two triangles.
    ``levels=0`` is 1-WL itself.

    The result is the same on every machine and for every numbering of the nodes. Colours are 64-bit hashes:
    N different colours have a collision with a probability of about N²/2^65, which is 3·10⁻⁸ for a million. A
    collision can only hide a difference. The hashes are not cryptographic.

    A round takes time linear in the nodes, memberships and quotient edges of all levels, apart from sorting
    the colours to count them: coarse graphs are not expanded. There are at most as many rounds as nodes: a
    long path without levels needs half as many, most graphs a few.

    Parameters
    ----------
    graph : Hierarchy, Graph, or a graph of another library
        A hierarchy, or a graph, whose hierarchy is computed first.
    levels : int, optional
        The number of poolings to use. By default all of a hierarchy; for a graph, until every component is
        one node.
    node_labels : sequence of integers or of text, optional
        The labels of the nodes of level 0.
    rounds : int, optional
        Stop after this many rounds. Compare only results that were computed with the same number.
    budget : Budget
        Limits the pooling of a graph; its time also limits the refinement.

    References
    ----------
    B. Weisfeiler, A. Leman, *The reduction of a graph to canonical form and the algebra which appears
    therein*, 1968.

    Examples
    --------
    >>> from cliquepool import Graph
    >>> six_cycle = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)])
    >>> two_triangles = Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
    >>> wl_colours(six_cycle, levels=0) == wl_colours(two_triangles, levels=0)
    True
    >>> wl_colours(six_cycle) == wl_colours(two_triangles)
    False
    >>> wl_colours(two_triangles)
    WLColours(6 -> 2 nodes, 1 -> 1 colours, 1 round, 048852c5...)
    """
    began = time.perf_counter()
    hierarchy = _hierarchy_of(graph, levels, budget)
    most_rounds = None if rounds is None else _count_of(rounds, "rounds")
    relations = [_Level.of(hierarchy, level) for level in range(len(hierarchy) + 1)]
    colours = [_first_colours(size, level) for level, size in enumerate(hierarchy.sizes)]
    if node_labels is not None:
        colours[0] = _combined(colours[0], *_label_words(node_labels, hierarchy.sizes[0]))
    done, found = 0, _count_distinct(colours)
    while done != most_rounds:
        _expect_time_left(began, budget)
        colours = _refined(relations, colours)
        before, found, done = found, _count_distinct(colours), done + 1
        if found == before:
            break
    return WLColours(colours, done)


class WLColours:
    """The colours of the nodes of all levels of a hierarchy, made by `wl_colours`; immutable.

    Equal where every level has the same multiset of colours, whatever the numbers of the nodes.
    """

    __slots__ = ("_colours", "_digest", "_digests", "_rounds")

    def __init__(self, colours: Sequence[Words], rounds: int) -> None:
        for array in colours:
            array.flags.writeable = False
        self._colours = tuple(colours)
        self._rounds = rounds
        # Sorted, and in little-endian order: the digest depends neither on node numbers nor on the machine.
        self._digests = tuple(_digest(np.sort(array).astype("<u8").tobytes()) for array in self._colours)
        self._digest = _digest("".join(self._digests).encode())

    @property
    def rounds(self) -> int:
        """The number of rounds of refinement."""
        return self._rounds

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of nodes at every level."""
        return tuple(map(len, self._colours))

    @property
    def num_colours(self) -> tuple[int, ...]:
        """The number of different colours at every level."""
        return tuple(len(np.unique(array)) for array in self._colours)

    @property
    def digests(self) -> tuple[str, ...]:
        """For each level, a 128-bit hash of its multiset of colours, in hexadecimal."""
        return self._digests

    @property
    def digest(self) -> str:
        """A 128-bit hash of the multisets of all levels, in hexadecimal; equal where the colours are."""
        return self._digest

    def of_nodes(self, level: int = 0) -> Words:
        """Return the colour of each node of a level, uint64, read-only.

        >>> from cliquepool import Graph
        >>> colours = wl_colours(Graph.from_edges([(0, 1), (1, 2)])).of_nodes(0)
        >>> bool(colours[0] == colours[2]), bool(colours[0] == colours[1])
        (True, False)
        """
        return self._colours[self._index(level)]

    def multiset(self, level: int = 0) -> tuple[Words, npt.NDArray[np.int64]]:
        """Return the different colours of a level, ascending, and how many nodes have each.

        >>> from cliquepool import Graph
        >>> wl_colours(Graph.from_edges([(0, 1), (1, 2)])).multiset(0)[1].tolist()
        [1, 2]
        """
        colours, counts = np.unique(self._colours[self._index(level)], return_counts=True)
        return colours, counts.astype(np.int64, copy=False)

    def _index(self, level: int) -> int:
        if not 0 <= level < len(self._colours):
            raise GraphError(f"expected a level from 0 to {len(self._colours) - 1}, got {level}")
        return level

    def __len__(self) -> int:
        """Return the number of levels, level 0 included."""
        return len(self._colours)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WLColours):
            return NotImplemented
        return self._digest == other._digest

    def __hash__(self) -> int:
        return hash(self._digest)

    def __reduce__(self) -> tuple[type[WLColours], tuple[tuple[Words, ...], int]]:
        return WLColours, (self._colours, self._rounds)

    def __repr__(self) -> str:
        sizes, colours = (
            " -> ".join(f"{number:,}" for number in numbers) for numbers in (self.sizes, self.num_colours)
        )
        rounds = counted(self._rounds, "round")
        return f"WLColours({sizes} nodes, {colours} colours, {rounds}, {self._digest})"


class _Level(NamedTuple):
    """The neighbours, pools and members of the nodes of one level, by twin classes.

    Nodes of a class have the same neighbours apart from themselves, and the same pools; they may have
    different members, and so different colours.
    """

    class_of_node: npt.NDArray[np.int32]
    nodes_of_class: Ragged | None  # None where each node is a class
    quotient: Ragged  # the neighbours of each class
    pools_of_class: Ragged | None  # None on the highest level
    members_of_node: Ragged | None  # classes of the level below; None on level 0

    @classmethod
    def of(cls, hierarchy: Hierarchy, level: int) -> _Level:
        """Return the relations of a level of a hierarchy."""
        factors = hierarchy.graph(level)._factors()
        nodes_of_class = None
        if factors.num_classes < factors.num_nodes:
            nodes_of_class = Ragged.from_pairs(
                factors.classes, np.arange(factors.num_nodes), factors.num_classes
            )
        pools_of_class = members_of_node = None
        if level < len(hierarchy):
            pools_of_class = hierarchy[level]._by_class.transpose(factors.num_classes)
        if level > 0:
            members_of_node = hierarchy[level - 1]._by_class
        quotient = Ragged(factors.indptr, factors.indices)
        return cls(factors.classes, nodes_of_class, quotient, pools_of_class, members_of_node)

    def class_sums(self, words: Words) -> Words:
        """Return the sum over the nodes of each class."""
        return words if self.nodes_of_class is None else _sums(self.nodes_of_class, words)

    def neighbour_sums(self, words: Words) -> Words:
        """Return the sum over the neighbours of each node: the product of C Q Cᵀ − I and `words`."""
        of_classes = self.class_sums(words)
        closed = _sums(self.quotient, of_classes) + of_classes
        sums: Words = closed[self.class_of_node] - words
        return sums


def _refined(levels: Sequence[_Level], colours: Sequence[Words]) -> list[Words]:
    """Return the colours after one more round."""
    refined = []
    for index, (level, own) in enumerate(zip(levels, colours, strict=True)):
        new = _combined(own, level.neighbour_sums(mix(own, _NEIGHBOURS)), _NEIGHBOURS)
        if level.pools_of_class is not None:
            of_classes = _sums(level.pools_of_class, mix(colours[index + 1], _POOLS))
            new = _combined(new, of_classes[level.class_of_node], _POOLS)
        if level.members_of_node is not None:
            of_classes = levels[index - 1].class_sums(mix(colours[index - 1], _MEMBERS))
            new = _combined(new, _sums(level.members_of_node, of_classes), _MEMBERS)
        refined.append(new)
    return refined


# ---- words of 64 bits ----


def _combined(colours: Words, words: Words, kind: int) -> Words:
    """Return new colours, made of the old ones and a word for each."""
    return mix(colours ^ mix(words, kind), kind)


def _sums(lists: Ragged, words: Words) -> Words:
    """Return the sum over each list modulo 2^64; int64 wraps around to the same bits."""
    return lists.sum_over(words.view(np.int64)).view(np.uint64)


def _first_colours(num_nodes: int, level: int) -> Words:
    return mix(np.full(num_nodes, level, dtype=np.uint64), _LEVEL)


def _count_distinct(colours: Sequence[Words]) -> int:
    return sum(len(np.unique(array)) for array in colours)


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES).hexdigest()


# ---- arguments ----


def _hierarchy_of(graph: Hierarchy | GraphLike, levels: int | None, budget: Budget) -> Hierarchy:
    count = None if levels is None else _count_of(levels, "levels")
    if not isinstance(graph, Hierarchy):
        return clique_hierarchy(as_graph(graph), count, budget=budget)
    if count is None:
        return graph
    if count > len(graph):
        raise InputError(f"levels: expected at most the {len(graph)} of the hierarchy, got {count}")
    return Hierarchy(graph.graph(0), graph[:count])


def _count_of(value: Any, name: str) -> int:
    try:
        count = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        count = None
    if count is None or count < 0:
        raise InputError(f"{name}: expected an integer of at least 0 or None, got {shown(value)}")
    return count


def _label_words(node_labels: Any, num_nodes: int) -> tuple[Words, int]:
    """Return a word for each label, and the kind of the labels: integers or text."""
    values = listed(node_labels)
    labels = array_of(values, "node_labels", "integers or text")
    if labels.shape != (num_nodes,):
        raise GraphError(
            f"node_labels: expected one for each of {counted(num_nodes, 'node')} of level 0, "
            f"got an array of shape {labels.shape}"
        )
    text = text_of(labels, values, "node_labels")
    if text is None:
        return as_int64(labels, values, "node_labels").view(np.uint64), _INTEGER_LABEL
    hashed = {label: hashlib.blake2b(label.encode(), digest_size=8).digest() for label in set(text.tolist())}
    words = np.frombuffer(b"".join(hashed[label] for label in text.tolist()), dtype="<u8")
    return words.astype(np.uint64), _TEXT_LABEL


def _expect_time_left(began: float, budget: Budget) -> None:
    seconds = time.perf_counter() - began
    if budget.max_seconds is not None and seconds > budget.max_seconds:
        raise BudgetExceeded("max_seconds", budget.max_seconds, seconds, "refining colours")
