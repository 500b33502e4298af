"""`GraphDataset`: many graphs as flat arrays that are sliced, concatenated, saved and memory-mapped."""

from __future__ import annotations

import dataclasses
import html
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool._upward import from_above
from cliquepool._words import counted, plural
from cliquepool.data.concatenate import concatenate_arrays, concatenate_graphs
from cliquepool.data.indexing import checked_index, checked_indices
from cliquepool.data.networkx_graphs import networkx_arrays
from cliquepool.data.schema import ARRAYS, VALUES, check_content, checked_arrays, fingerprint_of
from cliquepool.data.storage import StoredArrays, load_arrays, save_arrays
from cliquepool.data.subsets import slice_graphs, take_graphs
from cliquepool.errors import GraphError
from cliquepool.graph import Graph

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
    """Graphs with their labels, attributes and classes, end to end in immutable flat arrays.

    Made by `load_dataset`, `read_tu`, `from_graphs`, `from_networkx`, `from_pyg` or `load`; `from_arrays`
    takes the arrays themselves. Indexing gives a data set of some of the graphs; a slice copies nothing.

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
        The name of the data set.
    node_start : ndarray of int64, one more than graphs
        The nodes of graph g are ``node_start[g]`` up to ``node_start[g + 1]``.
    indptr : ndarray of int64, one more than nodes
        The neighbours of node v are ``indices[indptr[v]:indptr[v + 1]]``.
    indices : ndarray of int32
        Neighbours, numbered from 0 within their graph, ascending; every edge from both ends, no loops.
    targets : ndarray of int64
        The class of each graph as an index into `classes`; −1 where it is not known.
    classes : ndarray
        The names of the classes, ascending.
    node_labels, edge_labels : ndarray of int32, optional
        An index into `node_label_values` for each node, into `edge_label_values` for each of `indices`.
    node_attributes, edge_attributes : ndarray of float32, optional
        A row for each node, for each of `indices`.
    """

    # A field for each array of the schema; the methods are thin: other modules of this folder do the work.
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
        """Check dtypes and lengths, which takes no time; `validate` checks the content."""
        for field, array in checked_arrays(self._arrays()).items():
            self._keep(field, array)

    def _arrays(self) -> dict[str, Any]:
        return {field: getattr(self, field) for field in (*ARRAYS, *VALUES)}

    def _keep(self, field: str, value: object) -> None:
        object.__setattr__(self, field, value)

    # ---- constructors ----

    @staticmethod
    def from_arrays(**arrays: Any) -> GraphDataset:
        """Make a data set of its arrays, given by the names of the attributes.

        Their content is validated; arrays of the right dtype are not copied.

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
        """Make a data set of graphs of any library; only their edges are read.

        Parameters
        ----------
        graphs : iterable of Graph, networkx or igraph graph, SciPy sparse matrix or torch_geometric Data
            They may have no edges or no nodes. A UserWarning names attributes that are left out:
            `from_networkx` and `from_pyg` read them.
        targets : sequence, optional
            The class of each graph: integers or text. Not known by default.
        node_labels, node_attributes : sequence, optional
            For each graph a list of labels (integers or text), an array of shape (nodes, attributes).
        name : str
            The name of the data set.

        Examples
        --------
        >>> edge = Graph.from_edges([(0, 1)])
        >>> dataset = GraphDataset.from_graphs([edge, edge], [1, -1], node_labels=[["C", "O"], ["C", "C"]])
        >>> dataset.node_label_values.tolist(), dataset.node_labels.tolist()
        (['C', 'O'], [0, 1, 0, 0])
        """
        return GraphDataset(name=name, **concatenate_graphs(graphs, targets, node_labels, node_attributes))

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
        """Make a data set of networkx graphs, with the named attributes of their nodes and edges.

        Raises GraphError that names the graph and the node or edge where an attribute is missing or not of
        this kind.

        Parameters
        ----------
        graphs : iterable of networkx graphs
            Directed graphs and multigraphs too: directions and keys are dropped; merged edges have the
            first label, and the mean of the attributes.
        y : sequence or str, optional
            The class of each graph, an integer or text; or the name of the attribute of the graphs
            (``graph.graph``) that has it. Not known by default.
        node_labels, edge_labels : str, optional
            The name of the attribute with the label: integers or text.
        node_attributes, edge_attributes : str or list of str, optional
            The names of attributes with numbers, or with lists of as many numbers everywhere, in this order.
        ignore : bool or list of str
            Attributes to leave out. Any other that is not named is left out with a UserWarning that names
            it; True leaves all out without a warning.
        name : str
            The name of the data set.

        Examples
        --------
        >>> import networkx
        >>> molecule = networkx.Graph([(0, 1, {"bond": 2})])
        >>> molecule.add_nodes_from([(0, {"atom": "C", "charge": 0.5}), (1, {"atom": "O", "charge": -0.5})])
        >>> dataset = GraphDataset.from_networkx(
        ...     [molecule], ["toxic"], node_labels="atom", node_attributes=["charge"], edge_labels="bond")
        >>> dataset
        GraphDataset(1 graph, 2 nodes, 1 edge, 1 class, 2 node labels, 1 node attribute, 1 edge label)
        """
        arrays = networkx_arrays(
            graphs,
            y,
            node_labels=node_labels,
            node_attributes=node_attributes,
            edge_labels=edge_labels,
            edge_attributes=edge_attributes,
            ignore=ignore,
        )
        return GraphDataset(name=name, **arrays)

    @staticmethod
    def concatenate(datasets: Iterable[GraphDataset], name: str | None = None) -> GraphDataset:
        """Concatenate data sets; where their classes or labels differ, the result has all of them.

        >>> edge = Graph.from_edges([(0, 1)])
        >>> parts = [GraphDataset.from_graphs([edge], [value]) for value in ("b", "a")]
        >>> joined = GraphDataset.concatenate(parts)
        >>> joined.classes.tolist(), joined.targets.tolist()
        (['a', 'b'], [1, 0])
        """
        parts = list(datasets)
        if not parts:
            raise GraphError("expected at least one data set to concatenate, got none")
        if len(parts) == 1 and name in {None, parts[0].name}:
            return parts[0]
        if name is None:
            name = " + ".join(filter(None, dict.fromkeys(part.name for part in parts)))
        return GraphDataset(name=name, **concatenate_arrays([part._arrays() for part in parts]))

    @staticmethod
    def from_pyg(dataset: Iterable[Any], name: str | None = None) -> GraphDataset:
        """Make a data set of a PyG data set, or of a list of `torch_geometric.data.Data`.

        `x` becomes `node_attributes`, also where it is one-hot; `y`, an integer or None, the class;
        `edge_attr` becomes `edge_attributes`, their mean where edges are merged. Other tensors of nodes or
        edges (``pos``, ``edge_weight``) are left out with a UserWarning that names them.

        >>> from types import SimpleNamespace
        >>> import torch
        >>> data = SimpleNamespace(
        ...     x=torch.ones(3, 2), edge_index=torch.tensor([[0, 1], [1, 2]]), y=torch.tensor([1]))
        >>> GraphDataset.from_pyg([data, data])
        GraphDataset(2 graphs, 6 nodes, 4 edges, 1 class, 2 node attributes)
        """
        made: GraphDataset = from_above("pyg.datasets", "from_pyg")(dataset, name)
        return made

    @staticmethod
    def load(path: str | PathLike[str], *, mmap: bool = True) -> GraphDataset:
        """Read a data set that `save` wrote; by default its arrays are memory-mapped from the file.

        Raises GraphError for a file that is truncated, damaged, or of another kind.
        """
        return GraphDataset._from_stored(load_arrays(path, mapped=mmap))

    @staticmethod
    def _from_stored(stored: StoredArrays) -> GraphDataset:
        dataset = GraphDataset(name=stored.name, **stored.arrays)
        dataset._keep("_fingerprint", stored.fingerprint)
        return dataset

    def _stored(self) -> StoredArrays:
        return StoredArrays(self.name, self._arrays(), self.fingerprint)

    # ---- files and other libraries ----

    def save(self, path: str | PathLike[str]) -> None:
        """Write the data set to a safetensors file, whole or not at all."""
        save_arrays(self._stored(), path)

    def to_pyg(self) -> list[Any]:
        """Return a `torch_geometric.data.Data` for each graph.

        `x` is the labels, one-hot, then the attributes; `edge_attr` the same of the edges; `y` the code of
        the class. Fields that the data set does not have are left out.
        """
        graphs: list[Any] = from_above("pyg.datasets", "to_pyg")(self)
        return graphs

    # ---- content ----

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
        """Number of classes, including those that no graph of this part has."""
        return len(self.classes)

    @property
    def degrees(self) -> Ints:
        """The number of neighbours of each node."""
        return np.diff(self.indptr)

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of all arrays, without the name: equal for equal content."""
        if self._fingerprint is None:
            self._keep("_fingerprint", fingerprint_of(self._arrays()))
        assert self._fingerprint is not None
        return self._fingerprint

    def graph(self, index: int) -> Graph:
        """Return one of the graphs.

        >>> GraphDataset.from_graphs([Graph.from_edges([(0, 1), (1, 2)])]).graph(0).edges().tolist()
        [[0, 1], [1, 2]]
        """
        position = checked_index(index, len(self))
        begin, end = self.node_start[position : position + 2].tolist()
        offsets = self.indptr[begin : end + 1]
        return Graph._from_csr_trusted(offsets - offsets[0], self.indices[offsets[0] : offsets[-1]])

    def validate(self) -> None:
        """Raise GraphError unless the arrays hold simple graphs, codes in range and finite numbers."""
        check_content(self._arrays())

    # ---- parts ----

    def __getitem__(self, index: Any) -> GraphDataset:
        """Return a data set of some of the graphs: by an index, a slice, an array of indices, or a mask.

        Classes and labels keep their codes. An integer gives a data set of one graph.

        >>> edge, dot = Graph.from_edges([(0, 1)]), Graph.from_edges([], num_nodes=1)
        >>> dataset = GraphDataset.from_graphs([edge, dot, edge, dot])
        >>> [len(dataset[part]) for part in (-1, slice(1, 4), [3, 0], dataset.targets < 0)]
        [1, 3, 2, 4]
        """
        if isinstance(index, slice):
            begin, end, step = index.indices(len(self))
            if step == 1:
                return self._part(slice_graphs(self._arrays(), begin, max(begin, end)))
            return self._part(take_graphs(self._arrays(), np.arange(begin, end, step, dtype=np.int64)))
        if np.ndim(index) == 0:
            position = checked_index(index, len(self))
            return self._part(slice_graphs(self._arrays(), position, position + 1))
        return self._part(take_graphs(self._arrays(), checked_indices(index, len(self))))

    def _part(self, arrays: dict[str, Any]) -> GraphDataset:
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
    """Restore a pickled data set; the content of a pickle is not trusted, so it is validated."""
    return GraphDataset.from_arrays(**arrays)
