"""Texts for nodes and classes in tables and pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from cliquepool.errors import InputError

if TYPE_CHECKING:
    from cliquepool.data.dataset import GraphDataset
    from cliquepool.explain.scores import ScoreScale

__all__ = ["Names", "node_texts", "score_texts"]

# What the readme of the data set says of its codes.
_LABELS: Final[dict[str, dict[str, str]]] = {
    "MUTAG": dict(zip("0123456", ("C", "N", "O", "F", "I", "Cl", "Br"), strict=True)),
}
_CLASSES: Final[dict[str, dict[str, str]]] = {"MUTAG": {"-1": "not mutagenic", "1": "mutagenic"}}


@dataclass(frozen=True)
class Names:
    """The text of each node, empty where it has no label, and of each score."""

    nodes: tuple[str, ...]
    scores: tuple[str, ...]

    @classmethod
    def of(cls, graph: GraphDataset, scale: ScoreScale, labels: Any, classes: Any) -> Names:
        """Return the names of a graph and of scores; see `explain` for `labels` and `classes`."""
        return cls(node_texts(graph, labels), score_texts(scale, graph.name, classes))


def score_texts(scale: ScoreScale, dataset: str, classes: Any = None) -> tuple[str, ...]:
    """Return the text of each score: its name, renamed by `classes`."""
    return _renamed("classes", scale.names, classes, _CLASSES, dataset)


def node_texts(graph: GraphDataset, labels: Any = None) -> tuple[str, ...]:
    """Return the text of each node: its label, renamed by `labels`; empty where nodes have none."""
    if graph.node_labels is None or graph.node_label_values is None:
        return ("",) * graph.num_nodes
    values = tuple(str(value) for value in graph.node_label_values.tolist())
    texts = _renamed("labels", values, labels, _LABELS, graph.name)
    return tuple(texts[code] for code in graph.node_labels.tolist())


def _renamed(
    what: str, names: tuple[str, ...], given: Any, known: Mapping[str, Mapping[str, str]], dataset: str
) -> tuple[str, ...]:
    if given is None:
        given = known.get(dataset, {})
    if not isinstance(given, Mapping):
        raise InputError(f"{what}: expected a mapping of names to texts, got {type(given).__name__}")
    texts = {str(name): str(text) for name, text in given.items()}
    return tuple(texts.get(name, name) for name in names)
