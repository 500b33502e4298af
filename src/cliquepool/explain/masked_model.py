"""A fitted network with the features of a graph as its only argument: many masked copies in one batch."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
import torch
from torch import Tensor

from cliquepool.data.dataset import GraphDataset
from cliquepool.data.pooled import PooledDataset
from cliquepool.errors import GraphError, InputError
from cliquepool.explain.scores import ScoreScale
from cliquepool.explain.soft_composition import soft_compositions
from cliquepool.models.graph_estimator import GraphEstimator
from cliquepool.models.graphs import Graphs, as_dataset
from cliquepool.nn.batch import NodeInput
from cliquepool.nn.composition import Composition

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.nn.batch import Batch

    Floats = npt.NDArray[np.float32]

__all__ = ["Baseline", "MaskedModel", "MaskedNetwork", "baseline_row", "expect_network", "one_graph"]

Baseline = Any
"""``"zero"``, graphs whose mean features are used, or a row of features."""

# Rows of nodes and entries of edges in one batch, over all copies and levels: about 30 MB with 64 features.
_ROWS_AT_ONCE: Final = 1 << 15


class MaskedModel(Protocol):
    """A model as a function of the node features of one graph."""

    @property
    def x(self) -> Tensor:
        """The features of the nodes, a row for each."""

    @property
    def baseline(self) -> Tensor:
        """The features of a masked node."""

    @property
    def scale(self) -> ScoreScale:
        """The meaning of the scores."""

    @property
    def copies_at_once(self) -> int:
        """How many copies of the graph a batch should have at most."""

    def scores(self, x: Tensor) -> Tensor:
        """Return the scores of copies of the graph, given the features (copies, nodes, features)."""


class MaskedNetwork:
    """A fitted estimator of `cliquepool.models` as a function of the features of one graph.

    Nothing is precomputed: the first convolution sums the features that it is given. Edges, pools and the
    sizes of the graph stay as they are. Counts of labels and sums of attributes, which a network with
    `composition` reads, are those of the features that it is given: a node with features of zero is not
    counted, one with mean features counts as a share of each label.
    """

    def __init__(self, estimator: GraphEstimator, graph: GraphDataset, baseline: Baseline) -> None:
        self.estimator = estimator
        self.scale = ScoreScale.of(estimator.target_)
        self._fitted = estimator.network_
        estimator._expect_fitted_features(graph)
        self._data = estimator._levels_of(Graphs.of(graph), estimator.settings_)
        features = self._fitted.encoder.encode(graph)
        self.x = torch.from_numpy(features.to_dense())
        self.baseline = torch.from_numpy(baseline_row(estimator, baseline))
        self._batches: dict[int, Batch] = {}
        sizes = [level.num_nodes + len(level.quotient.local.members) for level in self._data.levels]
        self.copies_at_once = max(1, _ROWS_AT_ONCE // max(1, sum(sizes)))
        self._fitted.network.eval()

    def scores(self, x: Tensor) -> Tensor:
        """Return the scores of copies of the graph, given the features (copies, nodes, features)."""
        return self.scale.scores(self.outputs(x).cpu())

    def outputs(self, x: Tensor) -> Tensor:
        """Return the outputs of the network for copies of the graph, as `scores`."""
        template = self._copies(len(x))
        device = self._fitted.device
        nodes = NodeInput(None, 0, x.reshape(-1, x.shape[2]).to(device))
        batch = replace(template, nodes=nodes, composition=self._composition(x))
        result = self._fitted.network(batch)
        outputs: Tensor = result[0] if isinstance(result, tuple) else result
        return outputs

    def _copies(self, number: int) -> Batch:
        """Return a batch of `number` copies of the graph; the last two sizes asked for are kept."""
        if number not in self._batches:
            while len(self._batches) > 1:
                self._batches.pop(next(iter(self._batches)))
            batch = self._data.batch(np.zeros(number, dtype=np.int64))
            self._batches[number] = batch.to(self._fitted.device)
        return self._batches[number]

    def _composition(self, x: Tensor) -> Tensor | None:
        composition = getattr(self._fitted.network, "composition", None)
        if not isinstance(composition, Composition):
            return None
        sizes = self._data.sizes[0, : composition.num_levels]
        rows = soft_compositions(sizes, self._fitted.encoder, x)
        return composition.standardised(rows.float().to(composition.shift.device))


def expect_network(model: Any) -> GraphEstimator:
    """Return a fitted network over graphs; raise InputError for any other model."""
    if not isinstance(model, GraphEstimator):
        raise InputError(
            "model: expected a fitted network over graphs, such as CliquePoolClassifier, got "
            f"{type(model).__name__}; a PyG model is explained by CliqueExplainer"
        )
    model._expect_fitted()
    return model


def one_graph(graph: Any) -> GraphDataset:
    """Return a single graph as a data set; raise GraphError where it is several or none."""
    is_many = isinstance(graph, list | tuple | GraphDataset | PooledDataset)
    dataset = as_dataset(graph if is_many else [graph])
    if len(dataset) != 1:
        raise GraphError(f"graph: expected one graph, got {len(dataset)}; dataset[3] is one of a data set")
    if not dataset.num_nodes:
        raise GraphError("graph: expected a graph with nodes, got one without")
    return dataset


def baseline_row(estimator: GraphEstimator, baseline: Baseline) -> Floats:
    """Return the features of a masked node.

    `baseline` is ``"zero"``, a row of features, or graphs: then the mean features over all their nodes.
    """
    encoder = estimator.network_.encoder
    if isinstance(baseline, str):
        if baseline != "zero":
            raise InputError(
                f'baseline: expected "zero", graphs whose mean features are used, or a row of features, '
                f"got {baseline!r}"
            )
        return np.zeros(encoder.width, dtype=np.float32)
    if isinstance(baseline, np.ndarray) and baseline.dtype.kind == "f":
        if baseline.shape != (encoder.width,) or not np.isfinite(baseline).all():
            raise InputError(
                f"baseline: expected {encoder.width} finite numbers, a feature each, "
                f"got shape {baseline.shape}"
            )
        return baseline.astype(np.float32)
    dataset = as_dataset(baseline)
    if not dataset.num_nodes:
        raise GraphError("baseline: expected graphs with nodes, got none")
    estimator._expect_fitted_features(dataset)
    mean: Floats = encoder.encode(dataset).to_dense().mean(axis=0, dtype=np.float64).astype(np.float32)
    return mean
