"""The page of a vocabulary: a sortable table of words with drawings of examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool._version import version
from cliquepool._words import counted
from cliquepool.data.pooled import PooledDataset
from cliquepool.explain.drawing import MOST_NODES_DRAWN, draw_word
from cliquepool.explain.fields import pool_fields
from cliquepool.explain.names import node_texts
from cliquepool.view.html_page import html_page, text

if TYPE_CHECKING:
    from cliquepool.explain.fields import PoolFields
    from cliquepool.explain.vocabulary import Vocabulary, Word

__all__ = ["vocabulary_page"]

_MOST_WORDS: Final = 120
_ASSETS: Final = ("explain/explanation.css", "explain/drawing.css", "explain/vocabulary.js")


def vocabulary_page(words: Vocabulary) -> str:
    """Return one self-contained HTML page; the same vocabulary gives the same bytes."""
    shown = words.words[:_MOST_WORDS]
    title = f"The words of {words.graphs.name}" if words.graphs.name else "The words of these graphs"
    target = len(words.names) - 1
    data = {"names": words.names, "target": target, "words": [_described(word) for word in shown]}
    body = (
        f"<header><h1>{text(title)}</h1>{_summary(words, len(shown))}</header>\n"
        f'<main class="panel">{_tools(words, target)}{_table(words, shown)}</main>\n'
        f"<footer><p>{text(f'Made by cliquepool {version()}.')}</p></footer>"
    )
    return html_page(title, body, assets=_ASSETS, data=data)


def _described(word: Word) -> dict[str, Any]:
    known = bool(np.isfinite(word.low).all())
    return {
        "text": word.key.text,
        "level": word.key.level,
        "graphs": word.graphs,
        "support": word.support,
        "mean": word.mean.round(6).tolist(),
        "low": word.low.round(6).tolist() if known else None,
        "high": word.high.round(6).tolist() if known else None,
    }


def _summary(words: Vocabulary, shown: int) -> str:
    parts = f"{counted(len(words), 'word')} of {counted(len(words.graphs), 'graph')}"
    some = f"; the {shown} in the most graphs are shown" if shown < len(words) else ""
    return (
        f'<p class="quiet">{text(parts + some)}.</p>'
        "<p>A word is a kind of pool: a group of nodes that the network reads together, with the same labels "
        "and the same edges wherever it occurs. "
        '<b class="for">Orange</b> words speak for <b class="target-name"></b>, '
        '<b class="against">blue</b> ones against it. The mean contribution is in log-odds, with its 95 % '
        "interval over graphs.</p>"
    )


def _tools(words: Vocabulary, target: int) -> str:
    classes = "".join(
        f'<option value="{index}"{" selected" if index == target else ""}>{text(name)}</option>'
        for index, name in enumerate(words.names)
    )
    levels = "".join(f'<option value="{level}">{level}</option>' for level in range(1, words.level + 1))
    return (
        f'<div class="tools"><label>Contribution to <select id="target">{classes}</select></label>'
        f'<label>Level <select id="level"><option value="">all</option>{levels}</select></label></div>'
    )


def _table(words: Vocabulary, shown: tuple[Word, ...]) -> str:
    heads = (
        ("text", "word", ""),
        ("mean", "mean contribution", ""),
        ("strength", "95 % interval", "wide"),
        ("graphs", "graphs", "number"),
        ("support", "pools", "number wide"),
        ("level", "level", "number wide"),
    )
    head = '<th scope="col">example</th>' + "".join(
        f'<th scope="col" data-key="{key}" aria-sort="none" class="{css}">'
        f'<button type="button">{name}</button></th>'
        for key, name, css in heads
    )
    drawer = _Drawer(words)
    rows = "".join(_row(index, word, drawer) for index, word in enumerate(shown))
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead>'
        f'<tbody id="words">{rows}</tbody></table></div>'
    )


def _row(index: int, word: Word, drawer: _Drawer) -> str:
    where = ", ".join(str(graph) for graph, _ in word.examples)
    return (
        f'<tr data-word="{index}"><td class="examples">{drawer.draw(word)}</td>'
        f'<td><span class="word">{text(word.key.text)}</span><br>'
        f'<span class="quiet wide">graphs {text(where)}</span></td>'
        f'<td class="value"><span data-mean>{word.mean[-1]:+.3f}</span> <svg class="bar" '
        'viewBox="-50 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        '<line x1="0" x2="0" y1="0" y2="10"/><rect y="2" height="6"/>'
        '<line class="whisker" y1="5" y2="5"/></svg></td><td class="quiet wide" data-interval></td>'
        f'<td class="number">{word.graphs}</td><td class="number wide">{word.support}</td>'
        f'<td class="number wide">{word.key.level}</td></tr>'
    )


class _Drawer:
    """Draws the first example of a word; fields and labels of the data set are computed once."""

    def __init__(self, words: Vocabulary) -> None:
        self._graphs = words.graphs
        self._texts = node_texts(words.graphs, words.labels)
        data = PooledDataset(words.graphs, words.level, budget=words.budget)
        self._fields: list[list[PoolFields]] = [pool_fields(data, level) for level in range(words.level + 1)]

    def draw(self, word: Word) -> str:
        """Return the SVG of the smallest example; nothing where the graphs are too large to draw."""
        sizes = np.diff(self._graphs.node_start)
        graph, pool = min(word.examples, key=lambda example: (sizes[example[0]], example))
        if sizes[graph] > MOST_NODES_DRAWN:
            return ""
        first, end = self._graphs.node_start[graph : graph + 2].tolist()
        members = self._fields[word.key.level][graph].members[pool]
        return draw_word(self._graphs.graph(graph), members, self._texts[first:end], "for")
