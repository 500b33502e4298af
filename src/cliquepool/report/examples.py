"""A few graphs of each class, explained by a saved classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool.errors import InputError
from cliquepool.explain import explain
from cliquepool.explain.drawing import MOST_NODES_DRAWN, draw_contributions
from cliquepool.models.targets import ClassTarget
from cliquepool.view.html_page import text

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.data.dataset import GraphDataset
    from cliquepool.explain import Explanation

__all__ = ["ExplainedGraph", "examples_section", "explained_graphs"]

_MOST_CLASSES: Final = 10
_MOST_POOLS: Final = 4
_LEVEL: Final = 2
_BY_DELETION: Final = " All nodes have the same features: values are what the score loses without the pool."


@dataclass(frozen=True)
class ExplainedGraph:
    """A graph of a class with its explanation; `why_chosen` says why it is shown."""

    position: int
    true_class: str
    why_chosen: str
    explanation: Explanation


def explained_graphs(model: Any, dataset: GraphDataset) -> list[ExplainedGraph]:
    """Explain two graphs of each class: the surest one, and the least sure one, which may be wrong.

    Graphs too large to draw are left out, and so are classes after the first ten. Raises InputError for a
    model of other classes, GraphError for one of other features.
    """
    target = getattr(model, "target_", None)
    if not isinstance(target, ClassTarget):
        raise InputError("model: expected a fitted classifier of one class for each graph, got another model")
    known = [str(name) for name in dataset.classes.tolist()]
    learnt = [str(name) for name in model.classes_.tolist()]
    if learnt != known:
        raise InputError(
            f"model: expected a classifier of the classes of {dataset.name} ({_listed(known)}), "
            f"got one of {_listed(learnt)}"
        )
    probabilities = model.predict_proba(dataset)
    found = []
    for code, name in enumerate(known[:_MOST_CLASSES]):
        for position, why in _chosen(dataset, probabilities[:, code], code).items():
            found.append(ExplainedGraph(position, name, why, _explained(model, dataset, position)))
    return found


def _explained(model: Any, dataset: GraphDataset, position: int) -> Explanation:
    """Explain a graph by Shapley values; by deletion where all nodes have the same features."""
    graph = dataset[position]
    try:
        return explain(model, graph, level=_LEVEL, baseline=dataset)
    except InputError:
        return explain(model, graph, "delete", level=_LEVEL)


def _listed(names: list[str]) -> str:
    return ", ".join(names[:10]) + (", …" if len(names) > 10 else "")


def _chosen(dataset: GraphDataset, probabilities: npt.NDArray[Any], code: int) -> dict[int, str]:
    """Return the graphs of a class to show, and why: the probability of their class is highest, or lowest."""
    sizes = np.diff(dataset.node_start)
    ids = np.flatnonzero((dataset.targets == code) & (sizes <= MOST_NODES_DRAWN) & (sizes > 1))
    if not len(ids):
        return {}
    # Rounded, so that the choice does not depend on the last bits of a sum.
    order = ids[np.argsort(probabilities[ids].round(4), kind="stable")]
    surest, least = int(order[-1]), int(order[0])
    return {surest: "the surest of its class"} | (
        {least: "the least sure of its class"} if least != surest else {}
    )


def examples_section(examples: list[ExplainedGraph], dataset: str) -> str:
    """Return the drawings of explained graphs, with the pools that count most."""
    if not examples:
        return f'<p class="quiet">{text(f"No graph of {dataset} is small enough to draw.")}</p>'
    figures = "".join(_figure(example) for example in examples)
    return (
        "<p>Each pool of level 2 is a band in the colour of its contribution, a Shapley value in log-odds: "
        '<b class="for">orange</b> pools speak for the predicted class, <b class="against">blue</b> ones '
        "against it. What <code>cliquepool train --save</code> writes was trained on all graphs, these "
        "included: they show what a classifier looks at, not how good it is.</p>"
        f'<div class="examples">{figures}</div>'
    )


def _figure(example: ExplainedGraph) -> str:
    why = example.explanation
    contributions = why.contributions.of_pools[:, why.target]
    label = f"Graph {example.position} and its pools"
    drawn = draw_contributions(
        why.graph.graph(0),
        why.pools,
        why.names.nodes,
        why.node_scores,
        contributions=contributions,
        label=label,
    )
    names = dict(zip((str(name) for name in why.scale.names), why.names.scores, strict=True))
    true = names.get(example.true_class, example.true_class)
    is_right = why.answer.prediction == true
    said = f"predicted {why.answer}" if is_right else f"wrongly predicted {why.answer}"
    method = _BY_DELETION if why.method == "delete" else ""
    rows = "".join(
        f'<li><span class="number {"against" if row.contribution < 0 else "for"}">'
        f"{text(f'{row.contribution:+.3f}'.replace('-', '−'))}</span> "
        f"{text(row.text or 'nodes ' + ' '.join(map(str, row.nodes[:12])))}</li>"
        for row in why.table()[:_MOST_POOLS]
    )
    return (
        f'<figure class="panel">{drawn}<figcaption><b>Graph {example.position}, {text(true)}</b>: '
        f"{text(said)}, {text(example.why_chosen)}.{text(method)}<ul>{rows}</ul></figcaption></figure>"
    )
