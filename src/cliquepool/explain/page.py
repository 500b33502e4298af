"""The page of an explanation: the drawing, the table of pools, and switches with every answer stored."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool._version import version
from cliquepool._words import counted
from cliquepool.explain.drawing import MOST_NODES_DRAWN, draw_graph
from cliquepool.explain.game import all_subsets
from cliquepool.explain.methods import MOST_EXACT
from cliquepool.view.html_page import html_page, text

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.explain.explanation import Explanation, PoolRow

__all__ = ["explanation_page"]

_MOST_BATCHES: Final = 256
_ASSETS: Final = ("explain/explanation.css", "explain/drawing.css", "explain/explanation.js")
_METHODS: Final = {
    "shapley": "Shapley values: each pool gets its fair share of the difference between the whole graph and "
    "one in which no node has its features.",
    "occlusion": "Occlusion: what the score loses when this pool alone is switched off.",
    "gradient": "Integrated gradients of the node features, summed over each pool.",
    "delete": "Deletion: what the score loses when the nodes of this pool are deleted and the rest is pooled "
    "anew.",
}


def explanation_page(why: Explanation, graph_name: str | None = None) -> str:
    """Return one self-contained HTML page; the same explanation gives the same bytes."""
    switched = _switchable(why)
    name = why.names.scores[why.target]
    title = f"Why {name}?" if why.scale.kind != "numbers" else f"Why {name} = {why.answer.prediction}?"
    body = (
        f"<header><h1>{text(title)}</h1>{_summary(why, graph_name)}</header>\n"
        f'<main class="columns"><div class="stack">{_verdict(why)}{_drawing(why)}</div>\n'
        f'<section class="panel" aria-labelledby="pools-title">{_table(why, switched)}</section></main>\n'
        f"{_footer(why)}"
    )
    return html_page(title, body, assets=_ASSETS, data=_data(why, switched))


def _switchable(why: Explanation) -> list[int]:
    """Return the pools with switches: all up to 16, otherwise those with the largest contributions.

    Of a large graph fewer have one, so that the answers take seconds: 256 batches.
    """
    number = len(why.fields)
    if number > MOST_EXACT:
        number = min(MOST_EXACT, int(_MOST_BATCHES * why.game.model.copies_at_once).bit_length() - 1)
    return sorted(row.pool for row in why.table()[:number])


def _answers(why: Explanation, switched: list[int]) -> npt.NDArray[np.float64]:
    """Return the scores of all settings of the switches; pools without one are kept."""
    if why.answers is not None:
        return why.answers
    kept = np.ones((1 << len(switched), len(why.fields)), dtype=bool)
    kept[:, switched] = all_subsets(len(switched))
    return why.game.restart().scores(kept)


def _data(why: Explanation, switched: list[int]) -> dict[str, Any]:
    answers = _answers(why, switched)
    if why.scale.kind == "classes" and answers.shape[1] == 2:
        answers = answers[:, 1:]  # the other class has the negative log-odds
    values = why.contributions
    return {
        "kind": why.scale.kind,
        "names": why.names.scores,
        "target": why.target,
        "deletes": why.method == "delete",
        "pools": why.pools.tolist(),
        "contributions": _rounded(values.of_pools),
        "errors": None if values.standard_errors is None else _rounded(values.standard_errors),
        "without": _rounded(why.without_one),
        "columns": answers.shape[1],
        "answers": base64.b64encode(answers.astype("<f4").tobytes()).decode(),
    }


def _rounded(values: npt.NDArray[np.float64]) -> Any:
    return values.round(6).tolist()


def _summary(why: Explanation, graph_name: str | None) -> str:
    graph = why.graph
    shown = graph_name or graph.name
    of_what = f"{shown}: " if shown else ""
    parts = [
        f"{of_what}a graph of {counted(graph.num_nodes, 'node')} and {counted(graph.num_edges, 'edge')}",
        f"{counted(len(why.fields), 'pool')} of level {why.level}",
    ]
    return (
        f'<p class="quiet">{text(", ".join(parts))}.</p>'
        "<p>A pool is a group of nodes that the network reads together. "
        '<b class="for">Orange</b> pools speak for <b class="target-name"></b>, '
        '<b class="against">blue</b> ones against it; strong colours count most.</p>'
    )


def _verdict(why: Explanation) -> str:
    rows = "".join(
        f"<span>{text(name)}</span>"
        + (
            "<span></span>"
            if why.scale.kind == "numbers"
            else '<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
            f'<rect data-share="{index}" height="8" width="0"/></svg>'
        )
        + f'<output data-score="{index}">{text(f"{why.contributions.whole[index]:+.3f}")}</output>'
        for index, name in enumerate(why.names.scores)
    )
    unit = (
        "" if why.scale.kind == "numbers" else '<p class="quiet">Probability, and log-odds in brackets.</p>'
    )
    return (
        '<section class="panel verdict"><h2>The network says</h2>'
        f'<p class="answer" id="answer" aria-live="polite">{text(why.answer)}</p>'
        f'<div class="shares">{rows}</div>{unit}</section>'
    )


def _drawing(why: Explanation) -> str:
    if why.graph.num_nodes > MOST_NODES_DRAWN:
        most = f"Graphs of more than {MOST_NODES_DRAWN} nodes are not drawn: the table has all pools."
        return f'<p class="quiet">{most}</p>'
    picture = draw_graph(why.graph.graph(0), why.pools, why.names.nodes, why.node_scores)
    return (
        f'<section class="panel drawing"><h2>The graph and its pools</h2>{picture}'
        '<p class="quiet" id="drawing-text">Each pool is a wide band along its edges, coloured by its '
        "contribution; bands overlap where a node is in several pools. Dashed nodes are switched off.</p>"
        "</section>"
    )


def _table(why: Explanation, switched: list[int]) -> str:
    bits = {pool: bit for bit, pool in enumerate(switched)}
    with_error = why.contributions.standard_errors is not None
    head = (
        '<th scope="col">on</th><th scope="col">nodes</th><th scope="col">contribution</th>'
        + ('<th scope="col" class="number wide">error</th>' if with_error else "")
        + '<th scope="col" class="number">without it</th>'
    )
    rows = "".join(_row(row, bits.get(row.pool), with_error) for row in why.table())
    choices = "".join(
        f'<option value="{index}"{" selected" if index == why.target else ""}>{text(name)}</option>'
        for index, name in enumerate(why.names.scores)
    )
    chooser = (
        f'<label>Explain <select id="target">{choices}</select></label>' if len(why.names.scores) > 1 else ""
    )
    return (
        '<h2 id="pools-title">The pools, by their contribution</h2>'
        f'<p class="quiet">Switch pools off and read the answer{_what_off_means(why)} All '
        f"{1 << len(switched):,} answers are stored in this page.{_not_all(why, switched)}</p>"
        f'<div class="tools">{chooser}<button type="button" class="plain" data-all="on">All on</button>'
        '<button type="button" class="plain" data-all="off">All off</button></div>'
        "<noscript><p>The switches need JavaScript; the table has the score without each pool.</p></noscript>"
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead>'
        f'<tbody id="pools">{rows}</tbody></table></div>'
    )


def _what_off_means(why: Explanation) -> str:
    if why.method == "delete":
        return ": the nodes of a pool that is off are deleted, and the rest is pooled anew."
    return ": nodes that are in no pool that is on lose their features; edges and pools stay."


def _not_all(why: Explanation, switched: list[int]) -> str:
    others = len(why.fields) - len(switched)
    if others < 2:
        return " The pool with the smallest contribution always stays on." if others else ""
    return f" The {others} pools with the smallest contributions always stay on."


def _row(row: PoolRow, bit: int | None, with_error: bool) -> str:
    name = row.text or " ".join(map(str, row.nodes[:12])) + (" …" if len(row.nodes) > 12 else "")
    box = (
        f'<label class="switch"><input type="checkbox" checked disabled data-bit="{bit}" '
        f'data-pool="{row.pool}" aria-label="{text(f"pool {row.pool}: {name}")}">{row.pool}</label>'
        if bit is not None
        else f'<span class="quiet">{row.pool}</span>'
    )
    error = f'<td class="number wide" data-error>± {row.standard_error or 0:.3f}</td>' if with_error else ""
    return (
        f'<tr data-pool="{row.pool}"><td>{box}</td>'
        f'<td title="{text("nodes " + " ".join(map(str, row.nodes[:60])))}"><span class="word">{text(name)}'
        f'</span></td><td class="value"><span data-value>{row.contribution:+.3f}</span> <svg class="bar" '
        'viewBox="-50 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<line x1="0" x2="0" y1="0" y2="10"/><rect y="1" height="8"/></svg></td>{error}'
        f'<td class="number" data-without>{row.without:+.3f}</td></tr>'
    )


def _footer(why: Explanation) -> str:
    parts = [_METHODS[why.method]]
    if why.method == "shapley":
        exact = why.contributions.standard_errors is None
        parts.append(
            "They are exact and sum to the difference."
            if exact
            else "They are estimated from random orders, with standard errors."
        )
    if why.contributions.gap is not None:
        gap = why.contributions.gap[why.target]
        parts.append(f"They miss the difference of the scores by {gap:+.3f} (completeness gap).")
    unit = "Values are in the unit of y." if why.scale.kind == "numbers" else "Values are in log-odds."
    made = f"Made by cliquepool {version()}."
    return f"<footer><p>{text(' '.join([*parts, unit]))}</p><p>{text(made)}</p></footer>"
