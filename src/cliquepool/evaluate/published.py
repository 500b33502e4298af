"""Published accuracies, in percent, by protocol, model and data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from cliquepool.evaluate.records import Protocol

__all__ = [
    "EXCHANGED",
    "PUBLISHED",
    "PUBLISHED_IMAGES",
    "PUBLISHED_IMAGES_P",
    "SOURCES",
    "footnote",
    "published",
]

_DATASETS: Final = ("ENZYMES", "DD", "PROTEINS", "COLLAB")


SOURCES: Final[Mapping[Protocol, str]] = {"paper": "Luzhnica et al. 2019", "fair": "Errica et al. 2020"}


def _row(*figures: float | None) -> dict[str, float]:
    row = zip(_DATASETS, figures, strict=True)
    return {dataset: figure for dataset, figure in row if figure is not None}


PUBLISHED: Final[Mapping[Protocol, Mapping[str, Mapping[str, float]]]] = {
    # Luzhnica, Day, Liò: Clique Pooling for Graph Classification (2019), its table of accuracies, with
    # PROTEINS and COLLAB as in its sources; see EXCHANGED.
    "paper": {
        "Graphlet kernel": _row(41.03, 74.85, 72.91, 64.66),
        "Shortest-path kernel": _row(42.32, 78.86, 76.43, 59.10),
        "1-WL kernel": _row(53.43, 74.02, 73.76, 78.61),
        "WL optimal assignment": _row(60.13, 79.04, 75.26, 80.74),
        "PatchySAN": _row(None, 76.27, 75.00, 72.60),
        "GraphSAGE": _row(54.25, 75.42, 70.48, 68.25),
        "ECC": _row(53.50, 74.10, 72.65, 67.79),
        "Set2Set": _row(60.15, 78.12, 74.29, 71.75),
        "SortPool (DGCNN)": _row(57.12, 79.37, 75.54, 73.76),
        "DiffPool, deterministic clusters": _row(58.33, 75.47, 75.62, 82.13),
        "DiffPool, no link prediction": _row(61.95, 79.98, 76.22, 75.58),
        "DiffPool": _row(62.53, 80.64, 76.25, 75.48),
        "Sparse HGC (top-k)": _row(64.17, 78.59, 75.46, 74.54),
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

EXCHANGED: Final = (
    "The paper prints the columns PROTEINS and COLLAB exchanged, in every row but DiffPool and DiffPool "
    "without link prediction; they are shown here as in the sources that it quotes (Ying et al. 2018, Cangea "
    "et al. 2018). Whether its CliquePool row is exchanged too (PROTEINS 74.50, COLLAB 72.59) cannot be "
    "told: it is shown as printed."
)
"""The footnote to published figures under the paper protocol on PROTEINS and COLLAB."""

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


def footnote(protocols: Iterable[Protocol], datasets: Iterable[str]) -> str | None:
    """Return the footnote that published figures under these protocols on these data sets need, if any.

    >>> footnote(["fair"], ["PROTEINS"]) is None, footnote(["paper"], ["DD"]) is None
    (True, True)
    """
    return EXCHANGED if "paper" in protocols and {"PROTEINS", "COLLAB"} & set(datasets) else None
