"""`Explanation`: which pools of a graph decided, and the answers without some of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from cliquepool._words import counted
from cliquepool.errors import InputError
from cliquepool.explain.methods import MOST_EXACT

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    import numpy.typing as npt

    from cliquepool.data.dataset import GraphDataset
    from cliquepool.explain.fields import PoolFields
    from cliquepool.explain.game import MaskingGame
    from cliquepool.explain.methods import Contributions
    from cliquepool.explain.names import Names
    from cliquepool.explain.scores import ScoreScale
    from cliquepool.ragged import Ragged

    Scores = npt.NDArray[np.float64]

__all__ = ["Answer", "Explanation", "PoolRow", "PoolTable"]

_FRAME_HEIGHT: Final = 860  # the answer, the drawing and the first pools, in a column of a notebook


@dataclass(frozen=True)
class Answer:
    """What a model says of a graph, or of what is left of it.

    Attributes
    ----------
    prediction : str
        The class of the highest score; of labels, those that are more likely than not; of numbers, the first.
    scores : dict
        By class or label the log-odds, or the predicted numbers.
    probabilities : dict
        By class or label; empty for numbers.
    """

    prediction: str
    scores: dict[str, float]
    probabilities: dict[str, float]

    @classmethod
    def of(cls, scores: Scores, scale: ScoreScale, names: tuple[str, ...]) -> Answer:
        """Return the answer of one row of scores."""
        by_name = dict(zip(names, scores.tolist(), strict=True))
        if scale.kind == "numbers":
            return cls(f"{scores[0]:.4g}", by_name, {})
        probabilities = dict(zip(names, scale.probabilities(scores).tolist(), strict=True))
        if scale.kind == "labels":
            return cls(
                ", ".join(name for name, score in by_name.items() if score > 0), by_name, probabilities
            )
        return cls(names[int(scores.argmax())], by_name, probabilities)

    def __str__(self) -> str:
        if not self.probabilities:
            return ", ".join(f"{name} = {value:.4g}" for name, value in self.scores.items())
        shares = ", ".join(f"{name} {100 * share:.1f} %" for name, share in self.probabilities.items())
        return f"{self.prediction or 'none'} ({shares})"


class PoolRow(NamedTuple):
    """One pool in the table of an explanation.

    `text` are the labels of its nodes; `without` is the score of the explained class without this pool alone.
    """

    pool: int
    nodes: tuple[int, ...]
    text: str
    contribution: float
    standard_error: float | None
    without: float


class PoolTable(tuple[PoolRow, ...]):
    """The pools of an explanation, the largest contributions first; prints as an aligned table."""

    __slots__ = ()

    def __repr__(self) -> str:
        with_error = any(row.standard_error is not None for row in self)
        head = ["pool", "contribution", *(["±"] if with_error else []), "without it", "nodes"]
        lines = [head]
        for row in self:
            error = [] if not with_error else [f"{row.standard_error or 0.0:.3f}"]
            nodes = " ".join(map(str, row.nodes[:12])) + (" …" if len(row.nodes) > 12 else "")
            text = f" ({row.text})" if row.text else ""
            lines.append(
                [str(row.pool), f"{row.contribution:+.3f}", *error, f"{row.without:+.3f}", nodes + text]
            )
        widths = [max(len(line[column]) for line in lines) for column in range(len(head) - 1)]
        return "\n".join(
            "  ".join([*(cell.rjust(width) for cell, width in zip(line[:-1], widths, strict=True)), line[-1]])
            for line in lines
        )


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """The contribution of every pool of a graph to what a model says of it; made by `explain`.

    Attributes
    ----------
    method : str
        "occlusion", "shapley", "gradient" or "delete".
    level : int
        The level of the pools.
    graph : GraphDataset
        The graph, as a data set of one.
    target : int
        The index of the score that `table` and `node_scores` explain.
    contributions : Contributions
        Of every pool to every score, with errors where the method has them.
    names : Names
        The texts of nodes and scores.
    """

    method: str
    level: int
    graph: GraphDataset
    target: int
    contributions: Contributions
    names: Names
    game: MaskingGame

    @property
    def fields(self) -> PoolFields:
        """The input nodes below each pool."""
        return self.game.fields

    @property
    def pools(self) -> Ragged:
        """The input nodes of each pool."""
        return self.fields.members

    @property
    def scale(self) -> ScoreScale:
        """The meaning of the scores."""
        return self.game.model.scale

    @property
    def answer(self) -> Answer:
        """What the model says of the whole graph."""
        return self._answer(self.contributions.whole)

    @property
    def node_scores(self) -> Scores:
        """The contribution of each node to the explained score.

        Integrated gradients give it directly. Otherwise it is the mean of the contributions of the node's
        pools: with their sum, a node would count more only because it lies in more pools.
        """
        of_nodes = self.contributions.of_nodes
        if of_nodes is None:
            of_nodes = self.fields.mean_over_pools(self.contributions.of_pools)
        scores: Scores = of_nodes[:, self.target]
        return scores

    @cached_property
    def without_one(self) -> Scores:
        """The scores without each pool alone (rows)."""
        answers, pools = self.contributions.answers, len(self.fields)
        if answers is not None:
            rows: Scores = answers[(1 << pools) - 1 - (1 << np.arange(pools))]
            return rows
        if self.method in {"occlusion", "delete"}:
            return self.contributions.whole - self.contributions.of_pools
        return self.game.restart().scores(~np.eye(pools, dtype=bool))

    @cached_property
    def answers(self) -> Scores | None:
        """The scores of all subsets of pools, row Σ 2^i over the kept pools i; None above 16 pools."""
        if self.contributions.answers is not None:
            return self.contributions.answers
        return self.game.restart().all_scores() if len(self.fields) <= MOST_EXACT else None

    def table(self) -> PoolTable:
        """Return the pools, those with the largest contributions, positive or negative, first."""
        values = self.contributions.of_pools[:, self.target]
        errors = self.contributions.standard_errors
        order = np.argsort(-np.abs(values), kind="stable")
        return PoolTable(
            PoolRow(
                pool,
                tuple(self.pools[pool].tolist()),
                self.text_of(pool),
                float(values[pool]),
                None if errors is None else float(errors[pool, self.target]),
                float(self.without_one[pool, self.target]),
            )
            for pool in order.tolist()
        )

    def text_of(self, pool: int) -> str:
        """Return the labels of the nodes of a pool; empty where nodes have none."""
        return " ".join(filter(None, (self.names.nodes[node] for node in self.pools[pool].tolist())))

    def what_if(self, without: Iterable[int]) -> Answer:
        """Return what the model says without these pools.

        After `method="delete"` their nodes are deleted and the rest is pooled anew; after every other method
        the nodes that lie in none of the other pools have baseline features.
        """
        pools, off = len(self.fields), list(without)
        for pool in off:
            if not 0 <= pool < pools:
                raise InputError(f"without: expected pools from 0 to {pools - 1}, got {pool!r}")
        kept = np.ones(pools, dtype=bool)
        kept[off] = False
        stored = self.contributions.answers
        if stored is not None:
            return self._answer(stored[int((kept << np.arange(pools)).sum())])
        return self._answer(self.game.restart().scores(kept[None])[0])

    def save(self, path: str | PathLike[str], *, title: str | None = None) -> None:
        """Write one self-contained HTML page: the graph, the table, and the answers without any pools.

        `title` says which graph it is; by default the name of its data set.
        """
        from cliquepool.explain.page import explanation_page  # noqa: PLC0415 (only who saves reads its files)
        from cliquepool.files import write_text  # noqa: PLC0415

        write_text(path, explanation_page(self, title))

    def _repr_html_(self) -> str:
        """Return the page that `save` writes, in a frame: notebooks show it below the cell."""
        from cliquepool.explain.page import explanation_page  # noqa: PLC0415 (as in `save`)
        from cliquepool.view.page import framed  # noqa: PLC0415

        return framed(f"Why {self.names.scores[self.target]}?", explanation_page(self), _FRAME_HEIGHT)

    def _answer(self, scores: Scores) -> Answer:
        return Answer.of(scores, self.scale, self.names.scores)

    def __repr__(self) -> str:
        name = self.names.scores[self.target]
        return (
            f"Explanation({self.method}, {counted(len(self.fields), 'pool')} of level {self.level}, "
            f"{name}: {self.contributions.nothing[self.target]:+.3f} -> "
            f"{self.contributions.whole[self.target]:+.3f})"
        )
