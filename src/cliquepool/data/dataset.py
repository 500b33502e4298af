"""Many graphs as flat arrays: one store that slices, joins, saves and maps into memory."""

from __future__ import annotations

import dataclasses
import html
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool._words import counted, plural
from cliquepool.data.indexing import Ranges, checked_index, checked_indices, runs_of
from cliquepool.data.schema import (
    ARRAYS,
    VALUES,
    check_content,
    check_lengths,
    checked_array,
    checked_values,
    fingerprint_of,
)
from cliquepool.errors import GraphError
from cliquepool.graph import Graph
from cliquepool.ragged import offsets_from_lengths

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Codes = npt.NDArray[np.int32]
    Floats = npt.NDArray[np.float32]
    Values = npt.NDArray[Any]

__all__ = ["GraphDataset"]


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class GraphDataset:
    """Graphs with their labels, attributes and classes, end to end in flat arrays that never change.

    Made by `load_dataset`, `read_tu`, `from_graphs`, `from_networkx`, `from_pyg` or `load`; `from_arrays`
    takes arrays of your own. Indexing takes a part of it, which copies nothing where the part is a plain
    slice.

    >>> triangle, path = Graph.from_edges([(0, 1), (1, 2), (0, 2)]), Graph.from_edges([(0, 1)])
    >>> dataset = GraphDataset.from_graphs([triangle, path], ["ring", "chain"], name="two")
    >>> dataset
    GraphDataset(two: 2 graphs, 5 nodes, 4 edges, 2 classes)
    >>> dataset.node_start.tolist(), dataset.indices.tolist()
    ([0, 3, 5], [1, 2, 0, 2, 0, 1, 1, 0])
    >>> dataset.classes[dataset.targets].tolist()
    ['ring', 'chain']
    >>> dataset[1].graph(0)
    Graph(2 nodes, 1 edge)

    Attributes
    ----------
    name : str
        What it is called.
    node_start : ndarray of int64, one more than graphs
        The nodes of graph g are ``node_start[g]`` up to ``node_start[g + 1]``.
    indptr : ndarray of int64, one more than nodes
        The neighbours of node v are ``indices[indptr[v]:indptr[v + 1]]``.
    indices : ndarray of int32
        Neighbours, numbered from 0 inside their own graph, ascending; every edge from both ends, no loops.
    targets : ndarray of int64
        The class of each graph as a position in `classes`; −1 where it is not known.
    classes : ndarray
        The classes as they were called, ascending.
    node_labels, edge_labels : ndarray of int32, optional
        A position in `node_label_values` for each node, in `edge_label_values` for each of `indices`.
    node_attributes, edge_attributes : ndarray of float32, optional
        A row for each node, for each of `indices`.
    """

    name: str = ""
    node_start: Ints
    indptr: Ints
    indices: Codes
    targets: Ints
    classes: Values
    node_labels: Codes | None = None
    node_label_values: Values | None = None
    node_attributes: Floats | None = None
    edge_labels: Codes | None = None
    edge_label_values: Values | None = None
    edge_attributes: Floats | None = None
    _fingerprint: str | None = dataclasses.field(default=None, init=False)

    def __post_init__(self) -> None:
        """Check types and lengths, which costs nothing; `validate` checks what the arrays hold."""
        for field, (dtype, dimensions) in ARRAYS.items():
            array = getattr(self, field)
            if array is None and field in {"node_start", "indptr", "indices", "targets"}:
                raise GraphError(f"{field}: expected an array of {np.dtype(dtype)}, got None")
            if array is not None:
                self._keep(field, checked_array(field, array, dtype, dimensions))
        for field, coded in VALUES.items():
            values = getattr(self, field)
            if (values is None) != (getattr(self, coded) is None):
                raise GraphError(f"expected {coded} and {field} together, got one of them")
            if values is not None:
                self._keep(field, checked_values(field, values))
        check_lengths(self)

    def _keep(self, field: str, value: object) -> None:
        object.__setattr__(self, field, value)

    # ---- ways in ----

    @staticmethod
    def from_arrays(**arrays: Any) -> GraphDataset:
        """Make a data set of arrays of your own, named as the attributes are.

        They are checked whole, and taken without a copy where they have the right type.

        >>> GraphDataset.from_arrays(
        ...     node_start=np.array([0, 2]), indptr=np.array([0, 1, 2]), indices=np.array([1, 0], np.int32),
        ...     targets=np.array([0]), classes=np.array([7]))
        GraphDataset(1 graph, 2 nodes, 1 edge, 1 class)
        """
        dataset = GraphDataset(**arrays)
        dataset.validate()
        return dataset

    @staticmethod
    def from_graphs(
        graphs: Iterable[Any],
        targets: Sequence[Any] | npt.NDArray[Any] | None = None,
        *,
        node_labels: Sequence[Any] | None = None,
        node_attributes: Sequence[Any] | None = None,
        name: str = "",
    ) -> GraphDataset:
        """Make a data set of graphs of any kind, of which only the edges are taken.

        Parameters
        ----------
        graphs : iterable of Graph, networkx or igraph graph, SciPy sparse matrix or torch_geometric Data
            Graphs without edges or nodes may be among them. Attributes of theirs that are left out are
            named in a UserWarning: `from_networkx` and `from_pyg` take them.
        targets : sequence, optional
            The class of each graph: integers or text. By default not known.
        node_labels, node_attributes : sequence, optional
            For each graph a list of labels (integers or text), an array of shape (nodes, attributes).
        name : str
            What it is called.

        >>> edge = Graph.from_edges([(0, 1)])
        >>> dataset = GraphDataset.from_graphs([edge, edge], [1, -1], node_labels=[["C", "O"], ["C", "C"]])
        >>> dataset.node_label_values.tolist(), dataset.node_labels.tolist()
        (['C', 'O'], [0, 1, 0, 0])
        """
        from cliquepool.data.concatenate import join_graphs  # noqa: PLC0415 (it makes data sets)

        return join_graphs(graphs, targets, node_labels, node_attributes, name)

    @staticmethod
    def from_networkx(
        graphs: Iterable[Any],
        y: str | Sequence[Any] | npt.NDArray[Any] | None = None,
        *,
        node_labels: str | None = None,
        node_attributes: str | Iterable[str] | None = None,
        edge_labels: str | None = None,
        edge_attributes: str | Iterable[str] | None = None,
        ignore: bool | Iterable[str] = False,
        name: str = "",
    ) -> GraphDataset:
        """Make a data set of networkx graphs, with those attributes of nodes and edges that are named.

        Parameters
        ----------
        graphs : iterable of networkx graphs
            Of any kind. Directions and keys are dropped; where edges are merged, the first label is taken,
            and the mean of the attributes.
        y : sequence or str, optional
            The class of each graph, an integer or text; or the name of the attribute of the graphs
            (``graph.graph``) that has it. By default not known.
        node_labels, edge_labels : str, optional
            The attribute that is a label: integers or text.
        node_attributes, edge_attributes : str or list of str, optional
            The attributes that are numbers, or lists of as many numbers everywhere, in this order.
        ignore : bool or list of str
            Attributes to leave out. Any other that is not named is left out with a UserWarning that names
            it; True leaves all out without a warning.
        name : str
            What it is called.

        Raises GraphError, with the graph and the node or edge, where an attribute is missing or not of
        this kind.

        >>> import networkx
        >>> molecule = networkx.Graph([(0, 1, {"bond": 2})])
        >>> molecule.add_nodes_from([(0, {"atom": "C", "charge": 0.5}), (1, {"atom": "O", "charge": -0.5})])
        >>> dataset = GraphDataset.from_networkx(
        ...     [molecule], ["toxic"], node_labels="atom", node_attributes=["charge"], edge_labels="bond")
        >>> dataset
        GraphDataset(1 graph, 2 nodes, 1 edge, 1 class, 2 node labels, 1 node attribute, 1 edge label)
        """
        from cliquepool.data.networkx_graphs import from_networkx  # noqa: PLC0415 (it makes data sets)

        return from_networkx(
            graphs,
            y,
            node_labels=node_labels,
            node_attributes=node_attributes,
            edge_labels=edge_labels,
            edge_attributes=edge_attributes,
            ignore=ignore,
            name=name,
        )

    @staticmethod
    def concatenate(datasets: Iterable[GraphDataset], name: str | None = None) -> GraphDataset:
        """Join data sets end to end; where their classes or labels differ, all of them are kept.

        >>> edge = Graph.from_edges([(0, 1)])
        >>> parts = [GraphDataset.from_graphs([edge], [value]) for value in ("b", "a")]
        >>> joined = GraphDataset.concatenate(parts)
        >>> joined.classes.tolist(), joined.targets.tolist()
        (['a', 'b'], [1, 0])
        """
        from cliquepool.data.concatenate import join_datasets  # noqa: PLC0415 (it makes data sets)

        return join_datasets(datasets, name)

    @staticmethod
    def from_pyg(dataset: Iterable[Any], name: str | None = None) -> GraphDataset:
        """Make a data set of a PyG data set, or of a list of `torch_geometric.data.Data`.

        `x` becomes `node_attributes` as it is, though it be zeros and ones; `y` the class, an integer or
        none; `edge_attr` becomes `edge_attributes`, the mean of them where several edges are merged. Other
        tensors of nodes or edges (``pos``, ``edge_weight``) are left out with a UserWarning that names them.

        >>> from types import SimpleNamespace
        >>> import torch
        >>> data = SimpleNamespace(
        ...     x=torch.ones(3, 2), edge_index=torch.tensor([[0, 1], [1, 2]]), y=torch.tensor([1]))
        >>> GraphDataset.from_pyg([data, data])
        GraphDataset(2 graphs, 6 nodes, 4 edges, 1 class, 2 node attributes)
        """
        from cliquepool.pyg.datasets import from_pyg  # noqa: PLC0415 (it makes data sets)

        return from_pyg(dataset, name)

    @staticmethod
    def load(path: str | PathLike[str], *, mmap: bool = True) -> GraphDataset:
        """Read a data set that `save` wrote; by default it stays in the file, mapped into memory.

        Raises GraphError for a file that is cut short, damaged, or not such a file.
        """
        from cliquepool.data.storage import load_arrays  # noqa: PLC0415 (it makes data sets)

        return load_arrays(path, mapped=mmap)

    # ---- ways out ----

    def save(self, path: str | PathLike[str]) -> None:
        """Write the data set to one file, in the layout of safetensors; all of it, or nothing."""
        from cliquepool.data.storage import save_arrays  # noqa: PLC0415 (it makes data sets)

        save_arrays(self, path)

    def to_pyg(self) -> list[Any]:
        """Return a `torch_geometric.data.Data` for each graph.

        `x` is the labels as zeros and ones, then the attributes; `edge_attr` the same of the edges; `y` the
        code of the class. What there is none of is left out.
        """
        from cliquepool.pyg.datasets import to_pyg  # noqa: PLC0415 (it imports torch)

        return to_pyg(self)

    # ---- what it is ----

    def __len__(self) -> int:
        return len(self.node_start) - 1

    @property
    def num_nodes(self) -> int:
        """Number of nodes of all graphs together."""
        return len(self.indptr) - 1

    @property
    def num_edges(self) -> int:
        """Number of edges of all graphs together, each counted once."""
        return len(self.indices) // 2

    @property
    def num_classes(self) -> int:
        """Number of classes, those of the data set that this is a part of."""
        return len(self.classes)

    @property
    def degrees(self) -> Ints:
        """The number of neighbours of each node."""
        return np.diff(self.indptr)

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of all that the data set holds, but for its name: equal for equal content."""
        if self._fingerprint is None:
            self._keep("_fingerprint", fingerprint_of(self))
        assert self._fingerprint is not None
        return self._fingerprint

    def graph(self, index: int) -> Graph:
        """Take one graph out.

        >>> GraphDataset.from_graphs([Graph.from_edges([(0, 1), (1, 2)])]).graph(0).edges().tolist()
        [[0, 1], [1, 2]]
        """
        position = checked_index(index, len(self))
        begin, end = self.node_start[position : position + 2].tolist()
        offsets = self.indptr[begin : end + 1]
        return Graph._from_csr_trusted(offsets - offsets[0], self.indices[offsets[0] : offsets[-1]])

    def validate(self) -> None:
        """Raise GraphError unless the arrays hold simple graphs, codes in range and finite numbers."""
        check_content(self)

    # ---- parts ----

    def __getitem__(self, index: Any) -> GraphDataset:
        """Take a part: a graph by its number, a slice, an array of numbers, or one of truth values.

        Classes and labels keep their codes, so that parts agree. An integer gives a data set of one graph.

        >>> edge, dot = Graph.from_edges([(0, 1)]), Graph.from_edges([], num_nodes=1)
        >>> dataset = GraphDataset.from_graphs([edge, dot, edge, dot])
        >>> [len(dataset[part]) for part in (-1, slice(1, 4), [3, 0], dataset.targets < 0)]
        [1, 3, 2, 4]
        """
        if isinstance(index, slice):
            begin, end, step = index.indices(len(self))
            if step == 1:
                return self._slice(begin, max(begin, end))
            return self._take(np.arange(begin, end, step, dtype=np.int64))
        if np.ndim(index) == 0:
            position = checked_index(index, len(self))
            return self._slice(position, position + 1)
        return self._take(checked_indices(index, len(self)))

    def _slice(self, begin: int, end: int) -> GraphDataset:
        """The graphs from `begin` up to `end`, without a copy of what is large."""
        nodes = slice(int(self.node_start[begin]), int(self.node_start[end]))
        entries = slice(int(self.indptr[nodes.start]), int(self.indptr[nodes.stop]))
        return self._part(
            node_start=self.node_start[begin : end + 1] - nodes.start,
            indptr=self.indptr[nodes.start : nodes.stop + 1] - entries.start,
            indices=self.indices[entries],
            targets=self.targets[begin:end],
            node_labels=None if self.node_labels is None else self.node_labels[nodes],
            node_attributes=None if self.node_attributes is None else self.node_attributes[nodes],
            edge_labels=None if self.edge_labels is None else self.edge_labels[entries],
            edge_attributes=None if self.edge_attributes is None else self.edge_attributes[entries],
        )

    def _take(self, indices: Ints) -> GraphDataset:
        """Return the graphs of these indices; runs of consecutive ones are copied at once."""
        begins, ends = (self.node_start[bounds] for bounds in runs_of(indices))
        nodes, entries = Ranges(begins, ends), Ranges(self.indptr[begins], self.indptr[ends])
        return self._part(
            node_start=offsets_from_lengths(np.diff(self.node_start)[indices]),
            indptr=offsets_from_lengths(nodes.of(self.indptr[1:]) - nodes.of(self.indptr[:-1])),
            indices=entries.of(self.indices),
            targets=self.targets[indices],
            node_labels=nodes.of(self.node_labels),
            node_attributes=nodes.of(self.node_attributes),
            edge_labels=entries.of(self.edge_labels),
            edge_attributes=entries.of(self.edge_attributes),
        )

    def _part(self, **arrays: Any) -> GraphDataset:
        values = {field: getattr(self, field) for field in VALUES}
        return GraphDataset(name=self.name, **values, **arrays)

    # ---- as a value ----

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.init}
        return _restore, (arrays,)

    def __copy__(self) -> GraphDataset:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> GraphDataset:
        return self

    def _summary(self) -> dict[str, int]:
        counts = {
            "graph": len(self),
            "node": self.num_nodes,
            "edge": self.num_edges,
            "class": self.num_classes,
            "node label": 0 if self.node_label_values is None else len(self.node_label_values),
            "node attribute": 0 if self.node_attributes is None else self.node_attributes.shape[1],
            "edge label": 0 if self.edge_label_values is None else len(self.edge_label_values),
            "edge attribute": 0 if self.edge_attributes is None else self.edge_attributes.shape[1],
        }
        always = ("graph", "node", "edge")
        return {noun: count for noun, count in counts.items() if count or noun in always}

    def __repr__(self) -> str:
        counts = ", ".join(counted(count, noun) for noun, count in self._summary().items())
        return f"GraphDataset({self.name}: {counts})" if self.name else f"GraphDataset({counts})"

    def _repr_html_(self) -> str:
        rows = {plural(noun, 2): f"{count:,}" for noun, count in self._summary().items()}
        if len(self):
            rows["nodes"] += f" ({self.num_nodes / len(self):,.2f} a graph)"
            rows["edges"] += f" ({self.num_edges / len(self):,.2f} a graph)"
        if 0 < self.num_classes <= _CLASSES_SHOWN:
            sizes = np.bincount(self.targets[self.targets >= 0], minlength=self.num_classes).tolist()
            shown = (f"{value}: {size:,}" for value, size in zip(self.classes.tolist(), sizes, strict=True))
            rows["classes"] += f" ({', '.join(shown)})"
        cells = "".join(
            f"<tr><th>{name}</th><td>{html.escape(text)}</td></tr>" for name, text in rows.items()
        )
        return f"<table><caption>{html.escape(self.name or 'GraphDataset')}</caption>{cells}</table>"


_CLASSES_SHOWN: Final = 12


def _restore(arrays: dict[str, Any]) -> GraphDataset:
    """Make a pickled data set again; what a pickle holds is not to be trusted."""
    return GraphDataset.from_arrays(**arrays)
