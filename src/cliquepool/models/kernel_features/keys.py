"""Keys of structures: 64-bit hashes that are equal for equal structures in every data set and process.

A key stands for its structure: two of a million structures get the same key with a probability of 3e-8.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cliquepool._mixing import mix
from cliquepool.errors import GraphError

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.data.dataset import GraphDataset

    Keys = npt.NDArray[np.uint64]

__all__ = ["LabelKind", "NodeLabels", "keys_of_labels", "label_kind", "ordered_key"]

NodeLabels = Literal["auto", "labels", "degree", "none"]
# The labels that nodes have in fact: those of the data set, which are numbers or text, or others.
LabelKind = Literal["numbers", "text", "degree", "none"]


def ordered_key(first: Keys, second: Keys) -> Keys:
    """Return the keys of pairs, which differ from those of the reversed pairs."""
    return mix(mix(first) + second)


def label_kind(dataset: GraphDataset, labels: NodeLabels, otherwise: LabelKind) -> LabelKind:
    """Return the kind of node labels to use; `otherwise` is what "auto" means where there are none."""
    if labels in {"degree", "none"}:
        return "degree" if labels == "degree" else "none"
    values = dataset.node_label_values
    if values is None:
        if labels == "labels":
            name = f"{dataset.name}: " if dataset.name else ""
            raise GraphError(f"{name}expected node labels, got a data set without them")
        return otherwise
    return "text" if values.dtype.kind == "U" else "numbers"


def keys_of_labels(dataset: GraphDataset, kind: LabelKind) -> Keys:
    """Return a key for each node: of its label, of its degree, or the same for all nodes."""
    if kind == "none":
        return np.zeros(dataset.num_nodes, dtype=np.uint64)
    if kind == "degree":
        return mix(dataset.degrees.view(np.uint64))
    assert dataset.node_labels is not None
    assert dataset.node_label_values is not None
    return _keys_of_values(dataset.node_label_values)[dataset.node_labels]


def _keys_of_values(values: npt.NDArray[Any]) -> Keys:
    """Return the key of each value; equal numbers have equal keys, whether stored as integers or not."""
    if values.dtype.kind == "U":
        digests = b"".join(hashlib.blake2b(text.encode(), digest_size=8).digest() for text in values.tolist())
        return np.frombuffer(digests, dtype="<u8").astype(np.uint64)
    if values.dtype.kind == "f":
        # The bits of a number that is no integer; one beyond int64 would not survive the cast.
        whole = (values == np.floor(values)) & (np.abs(values) < 2.0**63)
        integers = np.where(whole, values, 0).astype(np.int64)
        return mix(np.where(whole, integers.view(np.uint64), values.view(np.uint64)))
    return mix(values.view(np.uint64))
