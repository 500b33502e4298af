"""Estimators that take rows of numbers instead of graphs, to run scikit-learn's checks on."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

import cliquepool as cp
from cliquepool.data import GraphDataset
from cliquepool.models import CliquePoolClassifier, CliquePoolRegressor
from cliquepool.models.graph_estimator import GraphEstimator

__all__ = ["RowClassifier", "RowRegressor"]

DOT = cp.Graph.from_edges([], num_nodes=1)


def as_graphs(rows: Any) -> GraphDataset:
    """Return a graph of one node for each row, with the row as its attributes."""
    return GraphDataset.from_graphs(
        [DOT] * len(rows), node_attributes=[row[None] for row in np.asarray(rows)]
    )


class OnRows(GraphEstimator):
    """Converts rows to graphs; everything else is done by the estimator of graphs."""

    def __init__(self, **parameters: Any) -> None:
        super().__init__(**parameters)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        if y is None:
            # As in other estimators of rows: unlike data sets of graphs, rows have no classes.
            raise ValueError("requires y to be passed, but the target y is None")
        return super().fit(self._graphs(X, reset=True), y, sample_weight)

    def _outputs(self, X: Any) -> Any:
        check_is_fitted(self)
        return super()._outputs(self._graphs(X, reset=False))

    def _graphs(self, X: Any, *, reset: bool) -> GraphDataset:
        from sklearn.utils.validation import validate_data  # noqa: PLC0415 (1.5 has none)

        return as_graphs(validate_data(self, X, dtype=np.float32, reset=reset))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        tags.no_validation = False
        tags.target_tags.required = True
        return tags


class RowClassifier(CliquePoolClassifier, OnRows):
    __init__ = CliquePoolClassifier.__init__


class RowRegressor(CliquePoolRegressor, OnRows):
    __init__ = CliquePoolRegressor.__init__
