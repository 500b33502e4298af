"""`explain`: divide what a network says of a graph over the pools of a level."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.data.pooled import PooledDataset
from cliquepool.errors import InputError
from cliquepool.explain.deletion import DeletionGame
from cliquepool.explain.explanation import Explanation
from cliquepool.explain.fields import pool_fields
from cliquepool.explain.game import MaskingGame
from cliquepool.explain.masked_model import MaskedNetwork, expect_network, one_graph
from cliquepool.explain.methods import (
    MOST_EXACT,
    Contributions,
    exact_shapley,
    integrated_gradients,
    occlusion,
    sampled_shapley,
)
from cliquepool.explain.names import Names

if TYPE_CHECKING:
    from cliquepool.data.dataset import GraphDataset
    from cliquepool.explain.fields import PoolFields
    from cliquepool.explain.masked_model import Baseline
    from cliquepool.explain.scores import ScoreScale

__all__ = ["Method", "contributions_of", "expect_method", "explain", "game_of", "integer_of"]

Method = Literal["occlusion", "shapley", "gradient", "delete"]

_SAMPLES: Final = 128
_STEPS: Final = 64


def explain(
    model: Any,
    graph: Any,
    method: Method = "shapley",
    *,
    level: int = 2,
    target: Any = None,
    baseline: Baseline = "zero",
    labels: Any = None,
    classes: Any = None,
    samples: int = _SAMPLES,
    steps: int = _STEPS,
    seed: int = 0,
    budget: Budget = DEFAULT_BUDGET,
) -> Explanation:
    """Explain what a fitted network says of a graph by the pools of a level.

    The score of a set of pools is that of the graph in which all nodes outside the receptive fields of these
    pools have baseline features; edges and pools stay as they are. Scores are log-odds of classes (for two
    classes the difference of the outputs), or numbers in the unit of y.

    Parameters
    ----------
    model : GraphEstimator
        A fitted network of `cliquepool.models`, such as `CliquePoolClassifier`.
    graph : GraphDataset of one graph, or a graph of any library
        The graph, with the features that the network was fitted with: ``dataset[3]``.
    method : {"shapley", "occlusion", "gradient", "delete"}
        ``"shapley"``: Shapley values, exact up to 16 pools; above, estimated with standard errors from
        `samples` pairs of random permutations. They sum to the difference between the graph and a graph of
        baseline features. ``"occlusion"``: the loss of score without this pool alone. ``"gradient"``:
        gradients, integrated in `steps` steps. ``"delete"``: the loss of score when the nodes of the pool are
        deleted and the rest is pooled anew.
    level : int
        The level of the pools; at level 0 every node is one.
    target : optional
        The class, label or number to explain, by its name; by default the predicted class.
    baseline : "zero", graphs or ndarray
        The features of masked nodes: zeros, the mean over the nodes of these graphs, or a row of features.
    labels, classes : mapping, optional
        Texts to show for node labels and classes; known for MUTAG.
    samples, steps, seed : int
        See `method`; the seed of the permutations.
    budget : Budget
        The limits of pooling and of the whole call.

    Raises
    ------
    InputError
        For a model or an argument of another kind; GraphError for a graph of other features.
    BudgetExceeded
        Where a limit is reached.

    Examples
    --------
    >>> from cliquepool import Graph
    >>> from cliquepool.models import CliquePoolClassifier
    >>> star = Graph.from_edges([(0, 1), (0, 2), (0, 3)])
    >>> kite = Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)])
    >>> model = CliquePoolClassifier(epochs=20, validation_fraction=0)
    >>> model = model.fit([star, kite] * 8, ["star", "kite"] * 8)
    >>> why = explain(model, kite, level=1)
    >>> why.pools.tolist(), why.answer.prediction
    ([[0, 1, 2], [3]], 'kite')
    >>> values = why.contributions
    >>> bool(abs(values.of_pools.sum(0) - (values.whole - values.nothing)).max() < 1e-4)
    True
    """
    estimator, dataset = expect_network(model), one_graph(graph)
    expect_method(method)
    depth = integer_of("level", level, 0)
    samples, steps = integer_of("samples", samples, 2), integer_of("steps", steps, 1)
    network = MaskedNetwork(estimator, dataset, baseline)
    fields = pool_fields(PooledDataset(dataset, depth, budget=budget), depth)[0]
    game = game_of(network, fields, budget, dataset, method)
    contributions = contributions_of(game, method, samples=samples, steps=steps, seed=seed)
    names = Names.of(dataset, network.scale, labels, classes)
    chosen = _target(target, network.scale, names.scores, contributions)
    return Explanation(method, depth, dataset, chosen, contributions, names, game)


def game_of(
    network: MaskedNetwork, fields: PoolFields, budget: Budget, graph: GraphDataset, method: Method
) -> MaskingGame:
    """Return the game of a method; raise InputError where masks would have no effect."""
    if method == "delete":
        return DeletionGame(network, fields, budget, graph)
    if bool((network.x == network.baseline).all()):
        raise InputError(
            "baseline: expected features that differ from those of some node, got those that all nodes "
            "have: masks would have no effect"
        )
    return MaskingGame(network, fields, budget)


def contributions_of(
    game: MaskingGame,
    method: Method,
    *,
    samples: int = _SAMPLES,
    steps: int = _STEPS,
    seed: int = 0,
    most_exact: int = MOST_EXACT,
) -> Contributions:
    """Return the contributions of the pools of a game by a method."""
    if method == "gradient":
        return integrated_gradients(game, steps)
    if method != "shapley":
        return occlusion(game)
    return exact_shapley(game) if len(game) <= most_exact else sampled_shapley(game, samples, seed)


def expect_method(method: Any) -> None:
    """Raise InputError unless it is one of the methods."""
    if method not in get_args(Method):
        raise InputError(f"method: expected one of {', '.join(get_args(Method))}, got {method!r}")


def integer_of(name: str, value: Any, least: int) -> int:
    """Return an integer argument; raise InputError for any other value and for one below `least`."""
    try:
        count = operator.index(value)
    except TypeError:
        count = least - 1
    if isinstance(value, bool) or count < least:
        raise InputError(f"{name}: expected an integer of at least {least}, got {value!r}")
    return count


def _target(target: Any, scale: ScoreScale, texts: tuple[str, ...], contributions: Contributions) -> int:
    """Return the score of this name or text; by default that of the predicted class, or the first number."""
    if target is None:
        return 0 if scale.kind == "numbers" else int(contributions.whole.argmax())
    for known in (scale.names, texts):
        if str(target) in known:
            return known.index(str(target))
    raise InputError(f"target: expected one of {', '.join(scale.names)}, got {target!r}")
