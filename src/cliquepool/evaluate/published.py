"""Published accuracies, in percent, by protocol, model and data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cliquepool.evaluate.records import Protocol

__all__ = ["PUBLISHED", "PUBLISHED_IMAGES", "PUBLISHED_IMAGES_P", "SOURCES", "published"]

_DATASETS: Final = ("ENZYMES", "DD", "PROTEINS", "COLLAB")


SOURCES: Final[Mapping[Protocol, str]] = {"paper": "Luzhnica et al. 2019", "fair": "Errica et al. 2020"}


def _row(*figures: float | None) -> dict[str, float]:
    row = zip(_DATASETS, figures, strict=True)
    return {dataset: figure for dataset, figure in row if figure is not None}


PUBLISHED: Final[Mapping[Protocol, Mapping[str, Mapping[str, float]]]] = {
    # Luzhnica, Day, Liò: Clique Pooling for Graph Classification (2019), its table of accuracies.
    "paper": {
        "Graphlet kernel": _row(41.03, 74.85, 64.66, 72.91),
        "Shortest-path kernel": _row(42.32, 78.86, 59.10, 76.43),
        "1-WL kernel": _row(53.43, 74.02, 78.61, 73.76),
        "WL optimal assignment": _row(60.13, 79.04, 80.74, 75.26),
        "PatchySAN": _row(None, 76.27, 72.60, 75.00),
        "GraphSAGE": _row(54.25, 75.42, 68.25, 70.48),
        "ECC": _row(53.50, 74.10, 67.79, 72.65),
        "Set2Set": _row(60.15, 78.12, 71.75, 74.29),
        "SortPool (DGCNN)": _row(57.12, 79.37, 73.76, 75.54),
        "DiffPool, deterministic clusters": _row(58.33, 75.47, 82.13, 75.62),
        "DiffPool, no link prediction": _row(61.95, 79.98, 76.22, 75.58),
        "DiffPool": _row(62.53, 80.64, 76.25, 75.48),
        "Sparse HGC (top-k)": _row(64.17, 78.59, 74.54, 75.46),
        "CliquePool": _row(60.71, 77.33, 72.59, 74.50),
    },
    # Errica, Podda, Bacciu, Micheli: A Fair Comparison of Graph Neural Networks for Graph
    # Classification (2020); COLLAB with node degrees.
    "fair": {
        "No-structure baseline": _row(65.2, 78.4, 75.8, 70.2),
        "SortPool (DGCNN)": _row(38.9, 76.6, 72.9, 71.2),
        "DiffPool": _row(59.5, 75.0, 73.7, 68.9),
        "ECC": _row(29.5, 72.6, 72.3, None),
        "GIN": _row(59.6, 75.3, 73.3, 75.6),
        "GraphSAGE": _row(58.2, 72.9, 73.0, 73.9),
    },
}

PUBLISHED_IMAGES: Final[Mapping[str, str]] = {"VGG": "92.0 ± 0.5", "VGG, clique pools": "92.4 ± 0.3"}
"""The paper's two image networks at full width on all of CIFAR-10, ten runs of each."""
PUBLISHED_IMAGES_P: Final = 0.02
"""The p-value of the paper's test of their difference."""


def published(protocol: Protocol, model: str, dataset: str) -> float | None:
    """Return the published accuracy of a model on a data set under a protocol, or None.

    >>> published("paper", "CliquePool", "ENZYMES")
    60.71
    >>> published("fair", "CliquePool", "ENZYMES") is None
    True
    """
    return PUBLISHED[protocol].get(model, {}).get(dataset)
