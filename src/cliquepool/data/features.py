"""Features of nodes: one-hot labels or degrees, and standardised attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, get_args

import numpy as np

from cliquepool.data.indexing import gather_rows
from cliquepool.errors import GraphError, InputError

if TYPE_CHECKING:
    from collections.abc import Sized

    import numpy.typing as npt

    from cliquepool.data.dataset import GraphDataset

__all__ = [
    "FeatureEncoder",
    "FeatureKind",
    "HandleUnknown",
    "NodeFeatures",
    "features_of",
    "one_hot_then_dense",
]

_Part = TypeVar("_Part")

_PARTS: Final = 16  # of the columns: all in 64 bits would take several times the memory of the features

FeatureKind = Literal["auto", "labels", "attributes", "both", "degree", "constant"]
HandleUnknown = Literal["error", "ignore"]


@dataclass(frozen=True)
class NodeFeatures:
    """The features of all nodes of a data set: a one-hot part, kept as codes, then a dense part.

    `precomputed` are the features that the first convolution, of the kind `precomputed_for`, gathers before
    it multiplies them with its weight (`cliquepool.nn.precompute`). `of_graphs` has a row for each graph of
    the data set, that a network reads besides those of nodes (`cliquepool.nn.composition`).
    """

    codes: npt.NDArray[np.int32] | None
    num_codes: int
    dense: npt.NDArray[np.float32] | None
    precomputed: npt.NDArray[np.float32] | None = None
    precomputed_for: str = ""
    of_graphs: npt.NDArray[np.float32] | None = None

    @property
    def width(self) -> int:
        """The number of features of a node."""
        return self.num_codes + (0 if self.dense is None else self.dense.shape[1])

    def to_dense(self) -> npt.NDArray[np.float32]:
        """Return the features of all nodes as one dense matrix."""
        dense = one_hot_then_dense(self.codes, range(self.num_codes), self.dense)
        if dense is None:
            raise InputError("expected codes or a dense part, got neither")
        return dense


def one_hot_then_dense(
    codes: npt.NDArray[np.int32] | None, values: Sized | None, dense: npt.NDArray[np.float32] | None
) -> npt.NDArray[np.float32] | None:
    """Concatenate the one-hot codes, with a column for each value, and the dense part; None without both.

    The row of a negative code is all zeros.
    """
    columns = [] if dense is None else [dense]
    if codes is not None and values is not None:
        one_hot = np.zeros((len(codes), len(values)), dtype=np.float32)
        known = np.flatnonzero(codes >= 0)
        one_hot[known, codes[known]] = 1
        columns.insert(0, one_hot)
    return np.concatenate(columns, axis=1) if columns else None


@dataclass(frozen=True)
class FeatureEncoder:
    """Encodes the nodes of data sets as features; fitted on some graphs, applied to any.

    Node labels become one-hot columns; attributes are shifted and scaled to mean 0 and standard deviation 1
    over the nodes of the fit. A data set with neither gets its degrees one-hot; a degree above the largest of
    the fit counts as the largest.

    All labels that the data set of the fit names are known, also those that no graph of it has. For any other
    label, `handle_unknown` ``"error"`` raises GraphError; with ``"ignore"`` all its columns are zero.

    >>> from cliquepool import Graph
    >>> from cliquepool.data import GraphDataset
    >>> star = GraphDataset.from_graphs([Graph.from_edges([(0, 1), (0, 2)])])
    >>> FeatureEncoder.fit(star).encode(star).to_dense().tolist()
    [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]
    """

    kind: FeatureKind
    codes: npt.NDArray[Any] | None = None
    shift: npt.NDArray[np.float32] | None = None
    scale: npt.NDArray[np.float32] | None = None
    handle_unknown: HandleUnknown = "error"

    @classmethod
    def fit(
        cls,
        dataset: GraphDataset,
        chosen: npt.NDArray[np.int64] | None = None,
        kind: FeatureKind = "auto",
        *,
        standardise: bool = True,
    ) -> FeatureEncoder:
        """Fit the columns on the data set; largest degree, mean and deviation on the chosen graphs alone."""
        kind = _resolved(dataset, kind)
        graphs = np.arange(len(dataset)) if chosen is None else np.asarray(chosen, dtype=np.int64)
        if kind == "constant":
            return cls(kind)
        if kind == "degree":
            degrees = gather_rows(dataset.node_start, dataset.degrees, graphs)
            return cls(kind, np.arange(int(degrees.max(initial=0)) + 1))
        codes = None
        if kind != "attributes":
            codes = _present(dataset.node_label_values, "node labels", dataset)
        if kind == "labels":
            return cls(kind, codes)
        attributes = _present(dataset.node_attributes, "node attributes", dataset)
        if not standardise:
            width = attributes.shape[1]
            return cls(kind, codes, np.zeros(width, np.float32), np.ones(width, np.float32))
        if not np.diff(dataset.node_start)[graphs].any():
            raise GraphError(f"{_prefix(dataset)}expected nodes to fit the features on, got none")
        mean, deviation = _mean_and_deviation(dataset.node_start, attributes, graphs)
        scale = np.where(deviation > 0, 1 / np.where(deviation > 0, deviation, 1), 1)
        return cls(kind, codes, mean.astype(np.float32), scale.astype(np.float32))

    @property
    def num_codes(self) -> int:
        """The number of one-hot columns."""
        return 0 if self.codes is None else len(self.codes)

    @property
    def width(self) -> int:
        """The number of features of a node."""
        if self.kind == "constant":
            return 1
        return self.num_codes + (0 if self.shift is None else len(self.shift))

    def encode(self, dataset: GraphDataset) -> NodeFeatures:
        """Return the features of all nodes of a data set."""
        if self.kind == "constant":
            return NodeFeatures(None, 0, np.ones((dataset.num_nodes, 1), dtype=np.float32))
        if self.kind == "degree":
            degrees = np.minimum(dataset.degrees, self.num_codes - 1)
            return NodeFeatures(degrees.astype(np.int32), self.num_codes, None)
        labels = None if self.codes is None else self._labels(dataset, self.codes)
        dense = None
        if self.shift is not None and self.scale is not None:
            attributes = _present(dataset.node_attributes, "node attributes", dataset)
            if attributes.shape[1] != len(self.shift):
                raise GraphError(
                    f"{_prefix(dataset)}expected {len(self.shift)} node attributes, got {attributes.shape[1]}"
                )
            dense = attributes - self.shift
            dense *= self.scale
        if labels is not None and len(labels) and labels.min() < 0:
            # Codes cannot express a row without a label, so the features are made dense.
            return NodeFeatures(None, 0, one_hot_then_dense(labels, range(self.num_codes), dense))
        return NodeFeatures(labels, self.num_codes, dense)

    def _labels(self, dataset: GraphDataset, known: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """Return the column of each node's label, −1 for an unknown one; codes differ between data sets."""
        labels = _present(dataset.node_labels, "node labels", dataset)
        values = _present(dataset.node_label_values, "node labels", dataset)
        if np.array_equal(values, known):
            return labels
        if len(values) and len(known) and (values.dtype.kind == "U") != (known.dtype.kind == "U"):
            expected, got = ("text" if one.dtype.kind == "U" else "numbers" for one in (known, values))
            raise GraphError(f"{_prefix(dataset)}expected node labels that are {expected}, got {got}")
        columns = {value: column for column, value in enumerate(known.tolist())}
        column_of = np.array([columns.get(value, -1) for value in values.tolist()], dtype=np.int32)
        mapped = column_of[labels]
        if self.handle_unknown == "error" and len(mapped) and mapped.min() < 0:
            strange = values[np.unique(labels[mapped < 0])[0]]
            raise GraphError(
                f"{_prefix(dataset)}expected node labels seen in training, got {strange} "
                '(handle_unknown="ignore" takes it as no label)'
            )
        return mapped


def _mean_and_deviation(
    start: npt.NDArray[np.int64], rows: npt.NDArray[np.float32], chosen: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the mean and the standard deviation of each column over the nodes of the chosen graphs."""
    mean, deviation = np.empty((2, rows.shape[1]))
    at_once = max(1, rows.shape[1] // _PARTS)
    for begin in range(0, rows.shape[1], at_once):
        part = slice(begin, begin + at_once)
        seen = gather_rows(start, np.ascontiguousarray(rows[:, part]), chosen).astype(np.float64)
        mean[part], deviation[part] = seen.mean(axis=0), seen.std(axis=0)
    return mean, deviation


def _resolved(dataset: GraphDataset, kind: FeatureKind) -> FeatureKind:
    if kind not in get_args(FeatureKind):
        raise InputError(f"features: expected one of {', '.join(get_args(FeatureKind))}, got {kind!r}")
    return features_of(dataset) if kind == "auto" else kind


def features_of(dataset: GraphDataset) -> FeatureKind:
    """Return the kind that ``"auto"`` means: labels and attributes, or degrees where there are neither."""
    has_labels, has_attributes = dataset.node_labels is not None, dataset.node_attributes is not None
    if has_labels and has_attributes:
        return "both"
    if has_labels:
        return "labels"
    return "attributes" if has_attributes else "degree"


def _present(part: _Part | None, what: str, dataset: GraphDataset) -> _Part:
    if part is None:
        raise GraphError(f"{_prefix(dataset)}expected {what}, got a data set without them")
    return part


def _prefix(dataset: GraphDataset) -> str:
    return f"{dataset.name}: " if dataset.name else ""
