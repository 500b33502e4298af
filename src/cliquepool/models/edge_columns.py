"""The columns that labels and attributes of edges have as features, as a fitted model saves them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from cliquepool.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cliquepool.data.dataset import GraphDataset
    from cliquepool.data.features import HandleUnknown

__all__ = ["EdgeColumns"]

_LABEL: Final = "edge label "
_ATTRIBUTES: Final = "edge attributes"


@dataclass(frozen=True)
class EdgeColumns:
    """The features of edges: a column for each label, then the attributes.

    `measured` has the column of each label, by a name with the label in it, and the number of attributes:
    sizes that a model saves (`NetworkSizes.measured`).
    """

    measured: Mapping[str, int]

    @classmethod
    def of(cls, dataset: GraphDataset) -> EdgeColumns:
        """Return the columns that `PooledDataset` gives the edges of this data set."""
        values = [] if dataset.edge_label_values is None else dataset.edge_label_values.tolist()
        width = 0 if dataset.edge_attributes is None else dataset.edge_attributes.shape[1]
        labels = {f"{_LABEL}{value}": column for column, value in enumerate(values)}
        return cls(labels | {_ATTRIBUTES: width})

    @property
    def labels(self) -> list[str]:
        """The labels, by column."""
        return [name.removeprefix(_LABEL) for name in self.measured if name.startswith(_LABEL)]

    @property
    def num_attributes(self) -> int:
        """The number of attributes of an edge."""
        return self.measured[_ATTRIBUTES]

    @property
    def count(self) -> int:
        """The number of features of an edge."""
        return len(self.labels) + self.num_attributes

    def encode(self, dataset: GraphDataset, handle_unknown: HandleUnknown) -> GraphDataset:
        """Return the graphs with the labels of their edges in these columns.

        Raises GraphError where edges have other features, and for unknown labels unless these are ignored.
        """
        found = EdgeColumns.of(dataset)
        if not len(dataset.indices):
            return self._without_edges(dataset)
        if bool(found.labels) != bool(self.labels) or found.num_attributes != self.num_attributes:
            raise GraphError(f"X: expected graphs with {self}, as those fitted on, got {found}")
        if not self.labels or dataset.edge_labels is None:
            return dataset
        columns = {label: column for column, label in enumerate(self.labels)}
        column_of = np.array([columns.get(label, -1) for label in found.labels], dtype=np.int32)
        codes = column_of[dataset.edge_labels]
        if handle_unknown == "error" and (codes < 0).any():
            strange = found.labels[dataset.edge_labels[codes < 0][0]]
            raise GraphError(
                f"X: expected edge labels seen in training, got {strange} "
                '(handle_unknown="ignore" takes it as no label)'
            )
        return dataclasses.replace(dataset, edge_labels=codes, edge_label_values=np.array(self.labels))

    def _without_edges(self, dataset: GraphDataset) -> GraphDataset:
        """Return graphs without edges, which have the features of any, with these columns."""
        has_labels, width = bool(self.labels), self.num_attributes
        return dataclasses.replace(
            dataset,
            edge_labels=np.zeros(0, dtype=np.int32) if has_labels else None,
            edge_label_values=np.array(self.labels) if has_labels else None,
            edge_attributes=np.zeros((0, width), dtype=np.float32) if width else None,
        )

    def __str__(self) -> str:
        labels = "edge labels" if self.labels else "no edge labels"
        return f"{labels} and {self.num_attributes or 'no'} edge attributes"
