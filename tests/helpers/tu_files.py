"""Files of the TU format, and the published averages of its collection."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from cliquepool.data import GraphDataset

# Numbers of graphs, of nodes and edges per graph, of classes, node labels and node attributes.
COLLECTION = {
    "COLLAB": (5000, 74.49, 2457.22, 3, 0, 0),  # without its 2,837 loops
    "DD": (1178, 284.32, 715.66, 2, 82, 0),
    "ENZYMES": (600, 32.63, 62.14, 6, 3, 18),
    "IMDB-BINARY": (1000, 19.77, 96.53, 2, 0, 0),
    "MUTAG": (188, 17.93, 19.79, 2, 7, 0),
    "NCI1": (4110, 29.87, 32.30, 2, 37, 0),
    "PROTEINS": (1113, 39.06, 72.82, 2, 3, 1),
    "PROTEINS_full": (1113, 39.06, 72.82, 2, 3, 29),
    "PTC_MR": (344, 14.29, 14.69, 2, 18, 0),
    "REDDIT-BINARY": (2000, 429.63, 497.75, 2, 0, 0),
}


def texts_of(dataset: GraphDataset, order: list[int], separator: str = ", ") -> dict[str, str]:
    """Return the TU files of a data set whose graphs all have nodes, with its edges in the given order."""

    def lines(rows: object) -> str:
        return "".join(separator.join(map(str, np.atleast_1d(row).tolist())) + "\n" for row in rows)

    sources = np.repeat(np.arange(dataset.num_nodes), dataset.degrees)
    graph_of = np.repeat(np.arange(len(dataset)), np.diff(dataset.node_start))
    targets = dataset.indices + dataset.node_start[graph_of[sources]]
    edges = np.stack((sources, targets), axis=1) + 1
    texts = {
        "A": lines(edges[order]),
        "graph_indicator": lines(graph_of + 1),
        "graph_labels": lines(dataset.classes[dataset.targets]),
    }
    for kind, rows in (("node", slice(None)), ("edge", order)):
        codes, values = getattr(dataset, f"{kind}_labels"), getattr(dataset, f"{kind}_label_values")
        if codes is not None:
            texts[f"{kind}_labels"] = lines(values[codes][rows])
        attributes = getattr(dataset, f"{kind}_attributes")
        if attributes is not None:
            texts[f"{kind}_attributes"] = lines(attributes[rows])
    return texts


def write_folder(folder: Path, texts: dict[str, str], name: str = "TOY") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for part, text in texts.items():
        (folder / f"{name}_{part}.txt").write_bytes(text.encode())
    return folder


def write_zip(path: Path, texts: dict[str, str], compression: int, name: str = "TOY") -> Path:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for part, text in texts.items():
            archive.writestr(f"{name}/{name}_{part}.txt", text)
        archive.writestr(f"__MACOSX/{name}/._{name}_A.txt", "rubbish")
    return path


TRIANGLE_AND_EDGE = {
    "A": "1, 2\n2, 3\n1, 3\n4, 5\n",
    "graph_indicator": "1\n1\n1\n2\n2\n",
    "graph_labels": "1\n-1\n",
}


def check_averages(dataset: GraphDataset, name: str) -> None:
    graphs, nodes, edges, classes, labels, attributes = COLLECTION[name]
    dataset.validate()
    assert (len(dataset), dataset.num_classes) == (graphs, classes)
    assert round(dataset.num_nodes / graphs, 2) == nodes
    assert round(dataset.num_edges / graphs, 2) == edges
    assert (0 if dataset.node_label_values is None else len(dataset.node_label_values)) == labels
    assert (0 if dataset.node_attributes is None else dataset.node_attributes.shape[1]) == attributes
