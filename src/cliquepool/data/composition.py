"""The size and the composition of each graph of a data set, as numbers for a classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.data.features import FeatureEncoder, NodeFeatures
    from cliquepool.data.pooled import PooledDataset

__all__ = ["composition_width", "graph_compositions"]


def composition_width(encoder: FeatureEncoder, num_levels: int) -> int:
    """Return the number of columns of `graph_compositions`."""
    counted = _octaves(encoder.num_codes) if encoder.kind == "degree" else encoder.num_codes
    return num_levels + counted + (0 if encoder.shift is None else len(encoder.shift))


def graph_compositions(
    data: PooledDataset, encoder: FeatureEncoder, features: NodeFeatures, num_levels: int
) -> npt.NDArray[np.float32]:
    """Return the size and the composition of each graph (rows).

    The columns are the logarithm of the number of nodes of the first `num_levels` levels, 0 for a graph
    without nodes; log(1 + count) of the nodes of each label; and the sums of the nodes' attributes, as the
    encoder standardises them. Where the encoder counts degrees, degrees from 2^k to below 2^(k + 1) are
    counted together: most large degrees are of few graphs.

    >>> from cliquepool import Graph
    >>> from cliquepool.data import FeatureEncoder, GraphDataset, PooledDataset
    >>> star = GraphDataset.from_graphs([Graph.from_edges([(0, 1), (0, 2), (0, 3)])])
    >>> encoder = FeatureEncoder.fit(star)
    >>> rows = graph_compositions(PooledDataset(star, 1), encoder, encoder.encode(star), 2)
    >>> np.exp(rows).round(2).tolist()  # 4 nodes, 3 pools; 1 + nodes of degree 0, of 1, of 2 and 3
    [[4.0, 3.0, 1.0, 4.0, 2.0]]
    """
    sizes = np.log(np.maximum(data.sizes[:, :num_levels], 1))
    starts = data.dataset.node_start
    labels, attributes = _parts(features, encoder.num_codes)
    columns = [sizes]
    if labels is not None and encoder.kind == "degree":
        labels = np.frexp(labels.astype(np.float64))[1]  # the number of binary digits
        columns.append(np.log1p(_counts(starts, labels, _octaves(encoder.num_codes))))
    elif labels is not None:
        columns.append(np.log1p(_counts(starts, labels, encoder.num_codes)))
    if attributes is not None and encoder.shift is not None:
        columns.append(_sums(starts, attributes))
    return np.concatenate(columns, axis=1).astype(np.float32)


def _octaves(num_degrees: int) -> int:
    """Return the number of columns of degrees below `num_degrees`: of 0, 1, 2 and 3, 4 to 7 and so on."""
    return (num_degrees - 1).bit_length() + 1


def _parts(
    features: NodeFeatures, num_codes: int
) -> tuple[npt.NDArray[np.int32] | None, npt.NDArray[np.float32] | None]:
    """Return the label of each node, -1 for none, and the attributes."""
    if features.codes is not None or not num_codes:
        return features.codes, features.dense
    assert features.dense is not None  # labels that the encoder does not know are zeros in a dense part
    one_hot, attributes = features.dense[:, :num_codes], features.dense[:, num_codes:]
    return np.where(one_hot.any(axis=1), one_hot.argmax(axis=1), -1).astype(np.int32), attributes


def _counts(
    starts: npt.NDArray[np.int64], labels: npt.NDArray[np.int32], width: int
) -> npt.NDArray[np.int64]:
    """Return how many nodes of each graph (rows) have each label (columns)."""
    num_graphs = len(starts) - 1
    graphs = np.repeat(np.arange(num_graphs), np.diff(starts))
    known = labels >= 0
    cells = graphs[known] * width + labels[known]
    return np.bincount(cells, minlength=num_graphs * width).reshape(num_graphs, width)


def _sums(starts: npt.NDArray[np.int64], rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Return the sum over the nodes of each graph."""
    graphs = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    columns = [
        np.bincount(graphs, weights=rows[:, column], minlength=len(starts) - 1)
        for column in range(rows.shape[1])
    ]
    return np.stack(columns, axis=1) if columns else np.zeros((len(starts) - 1, 0))
