"""Data sets in the text format of the TU collection, from a zip file or a folder."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cliquepool import _core
from cliquepool.budget import Budget
from cliquepool.data.dataset import GraphDataset, offsets_of
from cliquepool.data.joining import codes_of
from cliquepool.errors import GraphError

if TYPE_CHECKING:
    from os import PathLike

__all__ = ["read_tu"]


def read_tu(path: str | PathLike[str]) -> GraphDataset:
    """Read a data set of the TU collection from its zip file or folder."""
    texts: dict[str, str] = {}
    path = Path(path)
    if path.is_dir():
        texts = {file.name: file.read_text() for file in path.glob("*.txt")}
    else:
        with zipfile.ZipFile(path) as archive:
            texts = {Path(n).name: archive.read(n).decode() for n in archive.namelist() if n.endswith(".txt")}
    name = next(file.removesuffix("_A.txt") for file in texts if file.endswith("_A.txt"))

    def table(part: str, dtype: Any) -> Any:
        text = texts.get(f"{name}_{part}.txt")
        if text is None:
            return None
        return np.loadtxt(io.StringIO(text), delimiter=",", dtype=dtype, ndmin=2)

    indicator = table("graph_indicator", np.int64)[:, 0] - 1
    values = table("graph_labels", np.int64)[:, 0]
    pairs = table("A", np.int64) - 1
    if np.any(np.diff(indicator) < 0):
        raise GraphError("expected graphs in order")
    targets, classes = codes_of(values, "graph_labels")
    node_start = offsets_of(np.bincount(indicator, minlength=len(values)))
    limits = Budget(max_cliques=None, max_seconds=None, max_bytes=None)._limits()
    indptr, indices = _core.build_csr(pairs[:, 0], pairs[:, 1], len(indicator), limits)
    indices -= np.repeat(node_start[indicator], np.diff(indptr)).astype(np.int32)
    labels = table("node_labels", np.int64)
    codes, label_values = (None, None) if labels is None else codes_of(labels[:, 0], "node_labels")
    return GraphDataset(
        name=name,
        node_start=node_start,
        indptr=indptr,
        indices=indices,
        targets=targets.astype(np.int64),
        classes=classes,
        node_labels=codes,
        node_label_values=label_values,
        node_attributes=table("node_attributes", np.float32),
    )
