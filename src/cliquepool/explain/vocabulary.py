"""`vocabulary`: which cliques speak for which class, over a data set."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from cliquepool._words import counted
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.data.pooled import PooledDataset
from cliquepool.errors import GraphError, InputError
from cliquepool.explain.explainer import contributions_of, expect_method, game_of, integer_of
from cliquepool.explain.fields import pool_fields
from cliquepool.explain.game import expect_time_left
from cliquepool.explain.masked_model import MaskedNetwork, baseline_row, expect_network
from cliquepool.explain.names import node_texts, score_texts
from cliquepool.explain.scores import ScoreScale
from cliquepool.explain.words import WordKey, words_of_pools
from cliquepool.models.graphs import as_dataset

if TYPE_CHECKING:
    from os import PathLike

    import numpy.typing as npt

    from cliquepool.data.dataset import GraphDataset
    from cliquepool.explain.explainer import Method
    from cliquepool.explain.masked_model import Baseline
    from cliquepool.models.graph_estimator import GraphEstimator

    Scores = npt.NDArray[np.float64]

__all__ = ["Vocabulary", "Word", "vocabulary"]

_EXAMPLES: Final = 3
_MOST_EXACT: Final = 10  # a mean over many pools needs no more
_SAMPLES: Final = 16


class Word(NamedTuple):
    """A kind of pool, with its mean contribution to each score.

    Attributes
    ----------
    key : WordKey
        What the pools have in common.
    support, graphs : int
        The number of pools, and of graphs that have one.
    mean, low, high : ndarray
        The mean contribution to each score, and its 95 % interval over graphs; NaN for a single graph.
    examples : tuple of pairs
        Some graphs and pools: those with the largest contributions.
    """

    key: WordKey
    support: int
    graphs: int
    mean: Scores
    low: Scores
    high: Scores
    examples: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False, repr=False)
class Vocabulary:
    """The words of a data set: kinds of cliques, and what they contribute to each score.

    Attributes
    ----------
    words : tuple of Word
        Those in the most graphs first.
    names : tuple of str
        The classes, labels or numbers that words contribute to.
    level : int
        The highest level of the words.
    """

    words: tuple[Word, ...]
    names: tuple[str, ...]
    level: int
    model: GraphEstimator
    graphs: GraphDataset
    labels: Any
    budget: Budget

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"Vocabulary({counted(len(self), 'word')} of {counted(len(self.graphs), 'graph')})"

    def strongest(self, target: Any, number: int = 10, *, least_graphs: int = 2) -> list[Word]:
        """Return the words that speak most for a class: by the end of the interval that is nearest to 0."""
        index = self.index_of(target)
        known = [word for word in self.words if word.graphs >= least_graphs]
        return sorted(known, key=lambda word: -float(word.low[index]))[:number]

    def index_of(self, target: Any) -> int:
        """Return the position of a class, label or number among the scores."""
        if str(target) not in self.names:
            raise InputError(f"target: expected one of {', '.join(self.names)}, got {target!r}")
        return self.names.index(str(target))

    def counts(self, graphs: Any) -> npt.NDArray[np.int64]:
        """Return how often each word (columns) is in each graph (rows); other words are not counted."""
        dataset = as_dataset(graphs)
        columns = {word.key: column for column, word in enumerate(self.words)}
        counts = np.zeros((len(dataset), len(self)), dtype=np.int64)
        texts = node_texts(dataset, self.labels)
        data = PooledDataset(dataset, self.level, budget=self.budget)
        for level in range(1, self.level + 1):
            for row, keys in enumerate(words_of_pools(dataset, texts, level, pool_fields(data, level))):
                for key in keys:
                    if key in columns:
                        counts[row, columns[key]] += 1
        return counts

    def predict(self, graphs: Any) -> npt.NDArray[Any]:
        """Predict what the model predicts, from counts of words alone: by a logistic regression.

        It is fitted to the predictions of the model for the graphs of the vocabulary.
        """
        predicted: npt.NDArray[Any] = self._regression.predict(self.counts(graphs))
        return predicted

    def fidelity(self, graphs: Any) -> float:
        """Return the share of graphs for which `predict` agrees with the model; use held-out graphs."""
        return float((self.predict(graphs) == self.model.predict(graphs)).mean())

    @cached_property
    def _regression(self) -> Any:
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 (slow to import)

        predicted = self.model.predict(self.graphs)
        if predicted.ndim != 1 or predicted.dtype.kind == "f" or len(np.unique(predicted)) < 2:
            raise InputError("model: expected predictions of two classes or more for the graphs, got others")
        return LogisticRegression(max_iter=5000).fit(self.counts(self.graphs), predicted)

    def save(self, path: str | PathLike[str]) -> None:
        """Write one self-contained HTML page: the words, their contributions, and examples as drawings."""
        from cliquepool.explain.vocabulary_page import vocabulary_page  # noqa: PLC0415
        from cliquepool.files import write_text  # noqa: PLC0415

        write_text(path, vocabulary_page(self))

    def _repr_html_(self) -> str:
        """Return the page that `save` writes, in a frame: notebooks show it below the cell."""
        from cliquepool.explain.vocabulary_page import vocabulary_page  # noqa: PLC0415
        from cliquepool.view.page import framed  # noqa: PLC0415

        return framed("The words of these graphs", vocabulary_page(self))


def vocabulary(
    model: Any,
    graphs: Any,
    *,
    level: int = 2,
    method: Method = "shapley",
    baseline: Baseline | None = None,
    labels: Any = None,
    classes: Any = None,
    samples: int = _SAMPLES,
    seed: int = 0,
    budget: Budget = DEFAULT_BUDGET,
) -> Vocabulary:
    """Return which kinds of cliques speak for which class, over the graphs of a data set.

    Words are the pools of the levels 1 to `level`: at level 1 the multiset of the labels of a clique, above
    that a canonical hash of its field. The contribution of a word is the mean over its pools; its interval
    is over graphs, because the pools of a graph are not independent.

    Parameters
    ----------
    model, method, baseline, labels, classes, seed, budget
        As of `cliquepool.explain.explain`. By default, the baseline is the mean over the nodes of `graphs`.
        Shapley values are exact up to 10 pools here.
    graphs : GraphDataset, or a list of graphs
        The graphs whose pools are the words.
    samples : int
        Pairs of permutations of a graph with more pools.

    Examples
    --------
    >>> from cliquepool import Graph
    >>> from cliquepool.models import CliquePoolClassifier
    >>> star = Graph.from_edges([(0, 1), (0, 2), (0, 3)])
    >>> kite = Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)])
    >>> model = CliquePoolClassifier(epochs=20, validation_fraction=0)
    >>> model = model.fit([star, kite] * 8, ["star", "kite"] * 8)
    >>> words = vocabulary(model, [star, kite], level=1)
    >>> [(word.key.text, word.support) for word in words.words]
    [('2 nodes', 3), ('1 node', 1), ('3 nodes', 1)]
    """
    estimator, dataset = expect_network(model), as_dataset(graphs)
    expect_method(method)
    depth, pairs = integer_of("level", level, 1), integer_of("samples", samples, 2)
    if not len(dataset) or not np.diff(dataset.node_start).all():
        raise GraphError("graphs: expected graphs with nodes, got none or one without")
    names = score_texts(ScoreScale.of(estimator.target_), dataset.name, classes)
    texts = node_texts(dataset, labels)
    row = baseline_row(estimator, dataset if baseline is None else baseline)
    data = PooledDataset(dataset, depth, budget=budget)
    fields = {at: pool_fields(data, at) for at in range(1, depth + 1)}
    words = {at: words_of_pools(dataset, texts, at, fields[at]) for at in fields}
    found: dict[WordKey, list[tuple[int, int, Scores]]] = defaultdict(list)
    began = time.perf_counter()
    for index in range(len(dataset)):
        expect_time_left(began, budget)
        network = MaskedNetwork(estimator, dataset[index], row)
        for at in fields:
            game = game_of(network, fields[at][index], budget, dataset[index], method)
            values = contributions_of(game, method, samples=pairs, seed=seed, most_exact=_MOST_EXACT).of_pools
            for pool, key in enumerate(words[at][index]):
                found[key].append((index, pool, values[pool]))
    made = [_word(key, pools) for key, pools in found.items()]
    made.sort(key=lambda word: (-word.graphs, -word.support, word.key))
    return Vocabulary(tuple(made), names, depth, estimator, dataset, labels, budget)


def _word(key: WordKey, pools: list[tuple[int, int, Scores]]) -> Word:
    from scipy.stats import t  # noqa: PLC0415 (slow to import)

    values = np.stack([value for _, _, value in pools])
    graphs, of_pool = np.unique([graph for graph, _, _ in pools], return_inverse=True)
    sums = np.zeros((len(graphs), values.shape[1]))
    np.add.at(sums, of_pool, values)
    of_graphs = sums / np.bincount(of_pool)[:, None]
    mean = values.mean(axis=0)
    half = np.full_like(mean, np.nan)
    if len(graphs) > 1:
        error = of_graphs.std(axis=0, ddof=1) / np.sqrt(len(graphs))
        half = error * t.ppf(0.975, len(graphs) - 1)
    examples: dict[int, int] = {}
    for index in np.argsort(-np.abs(values).max(axis=1), kind="stable").tolist():
        examples.setdefault(pools[index][0], pools[index][1])  # one of each graph
        if len(examples) == _EXAMPLES:
            break
    return Word(key, len(pools), len(graphs), mean, mean - half, mean + half, tuple(examples.items()))
