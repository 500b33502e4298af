"""`CliqueExplainer`: explanations by clique pools inside `torch_geometric.explain.Explainer`."""

from __future__ import annotations

import copy
import logging
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch
from torch_geometric.explain import ExplainerAlgorithm
from torch_geometric.explain import Explanation as PyGExplanation
from torch_geometric.explain.config import MaskType, ModelMode, ModelReturnType, ModelTaskLevel

from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.errors import GraphError, InputError
from cliquepool.explain.explainer import contributions_of, expect_method, integer_of
from cliquepool.explain.fields import PoolFields
from cliquepool.explain.game import MaskingGame
from cliquepool.explain.scores import ScoreScale, log_odds
from cliquepool.pyg.coarsened_data import CoarsenedData
from cliquepool.ragged import Ragged

if TYPE_CHECKING:
    from cliquepool.explain.explainer import Method

__all__ = ["CliqueExplainer", "ModelOfData"]

_COPIES: Final = 256
_LOG: Final = logging.getLogger(__name__)


class ModelOfData(nn.Module):
    """Call a model that takes PyG data as ``Explainer`` does: ``model(x, edge_index, data=data)``.

    The model gets a shallow copy of the data with the features that the explainer masks.
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: Tensor, edge_index: Tensor, data: Any) -> Tensor:  # noqa: ARG002 (PyG passes it)
        """Return what the model says of the data with other features."""
        masked = copy.copy(data)
        masked.x = x
        result: Tensor = self.model(masked)
        return result


class CliqueExplainer(ExplainerAlgorithm):  # type: ignore[misc]
    """Explain a PyG model of graphs by their clique pools: an algorithm of ``torch_geometric.explain``.

    The model is called with ``(x, edge_index, data=data)``, where `data` is a `CoarsenedData` of one graph;
    `ModelOfData` wraps a model that takes the data alone. Nodes outside the kept pools have features of zero,
    as PyG's masks make them. The explanation has a ``node_mask``: the contribution of each node to the
    target, 0 where it is negative, 1 where it is largest; and ``node_scores`` and ``pool_scores`` with sign.

    Only node masks of type "object" are supported: pools are sets of nodes, and a mask on edges would have no
    effect on pools that were computed before.

    Parameters
    ----------
    method : {"shapley", "occlusion", "gradient"}
        As of `cliquepool.explain.explain`.
    level : int
        The level of the pools, from 0 to the levels of the data.
    samples, steps, seed, budget
        As of `cliquepool.explain.explain`.
    """

    def __init__(
        self,
        method: Method = "shapley",
        *,
        level: int = 1,
        samples: int = 128,
        steps: int = 64,
        seed: int = 0,
        budget: Budget = DEFAULT_BUDGET,
    ) -> None:
        super().__init__()
        expect_method(method)
        if method == "delete":
            raise InputError('method: expected "shapley", "occlusion" or "gradient", got "delete"')
        self.method = method
        self.level = integer_of("level", level, 0)
        self.samples, self.steps = integer_of("samples", samples, 2), integer_of("steps", steps, 1)
        self.seed = seed
        self.budget = budget

    def supports(self) -> bool:
        """Return whether masks of the chosen kinds have an effect; say why where they have not."""
        problems = {
            "node_mask_type='object', because pools are sets of nodes": (
                self.explainer_config.node_mask_type == MaskType.object
            ),
            "edge_mask_type=None, because pools do not change with a mask on edges": (
                self.explainer_config.edge_mask_type is None
            ),
            "a model with task_level='graph'": self.model_config.task_level == ModelTaskLevel.graph,
        }
        for expected, holds in problems.items():
            if not holds:
                _LOG.error("CliqueExplainer: expected %s", expected)
        return all(problems.values())

    def forward(
        self,
        model: nn.Module,
        x: Tensor,
        edge_index: Tensor,
        *,
        target: Tensor,
        index: int | Tensor | None = None,
        **kwargs: Any,
    ) -> PyGExplanation:
        """Return the explanation of one graph; see the class."""
        if index is not None:
            raise InputError("index: expected None, because the model says something of the whole graph")
        masked = _MaskedPyGModel(model, x, edge_index, kwargs, self._scale_of)
        game = MaskingGame(masked, _fields(masked.data, self.level), self.budget)
        found = contributions_of(game, self.method, samples=self.samples, steps=self.steps, seed=self.seed)
        if np.array_equal(found.whole, found.nothing) and bool(x.any()):
            raise InputError(
                "model: expected one that reads the features x that it is called with, got the same outputs "
                "without them: masks would have no effect"
            )
        column, sign = self._column(target)
        of_pools = sign * found.of_pools[:, column]
        of_nodes = found.of_nodes
        if of_nodes is None:
            of_nodes = game.fields.mean_over_pools(found.of_pools)
        node_scores = torch.from_numpy(sign * of_nodes[:, column]).to(x)
        highest = node_scores.max().clamp(min=torch.finfo(x.dtype).tiny)
        return PyGExplanation(
            node_mask=(node_scores.clamp(min=0) / highest)[:, None],
            node_scores=node_scores,
            pool_scores=torch.from_numpy(of_pools).to(x),
        )

    def _scale_of(self, outputs: Tensor) -> tuple[ScoreScale, Tensor]:
        """Return the meaning of the outputs of the model, and its scores: log-odds, or numbers."""
        names = tuple(str(column) for column in range(outputs.shape[1]))
        mode, returns = self.model_config.mode, self.model_config.return_type
        if mode == ModelMode.regression:
            return ScoreScale("numbers", names), outputs.double()
        if mode == ModelMode.binary_classification:
            is_raw = returns == ModelReturnType.raw
            return ScoreScale("labels", names), outputs.double() if is_raw else outputs.double().logit()
        # Logarithms of probabilities and raw outputs have the same softmax.
        logs = outputs.double().log() if returns == ModelReturnType.probs else outputs.double()
        return ScoreScale("classes", names), log_odds(logs)

    def _column(self, target: Tensor) -> tuple[int, float]:
        """Return the score to explain, and −1 where the negative class of two is the target."""
        chosen = target.reshape(-1)
        if self.model_config.mode == ModelMode.multiclass_classification:
            return int(chosen[0]), 1.0
        if self.model_config.mode == ModelMode.binary_classification:
            return 0, 1.0 if bool(chosen[0] > 0) else -1.0
        return 0, 1.0


class _MaskedPyGModel:
    """A PyG model as a function of the features of one graph; see `MaskedModel`."""

    def __init__(
        self, model: nn.Module, x: Tensor, edge_index: Tensor, arguments: dict[str, Any], scale_of: Any
    ) -> None:
        self._model = model
        self._arguments = arguments
        self._scale_of = scale_of
        self.data = _coarsened(arguments, x)
        self.x = x.detach()
        self.baseline = torch.zeros_like(self.x[0])
        self.copies_at_once = _COPIES
        self._batches: dict[int, Any] = {}
        with torch.no_grad():
            outputs = _two_dimensional(model(x, edge_index, **arguments))
        self.scale: ScoreScale = scale_of(outputs)[0]

    def scores(self, x: Tensor) -> Tensor:
        """Return the scores of copies of the graph, given the features (copies, nodes, features)."""
        number = len(x)
        if number not in self._batches:
            while len(self._batches) > 1:
                self._batches.pop(next(iter(self._batches)))
            self._batches[number] = Batch.from_data_list([self.data] * number)
        batch = self._batches[number]
        arguments = {name: self._repeated(name, value, batch) for name, value in self._arguments.items()}
        outputs = _two_dimensional(self._model(x.reshape(-1, x.shape[2]), batch.edge_index, **arguments))
        if len(outputs) != number:
            raise InputError(f"model: expected an output for each of {number} graphs, got {len(outputs)}")
        scores: Tensor = self._scale_of(outputs)[1]
        return scores.cpu()

    def _repeated(self, name: str, value: Any, batch: Any) -> Any:
        """Return an argument of the model for a batch of copies."""
        if isinstance(value, CoarsenedData):
            return batch
        if name == "batch":
            return batch.batch
        if isinstance(value, Tensor):
            if value is getattr(self.data, name, None):
                return batch[name]
            raise InputError(f"{name}: expected a tensor that the data have under this name, got another")
        return value


def _coarsened(arguments: dict[str, Any], x: Tensor) -> CoarsenedData:
    found = [value for value in arguments.values() if isinstance(value, CoarsenedData)]
    if len(found) != 1:
        raise GraphError(
            "expected the coarsened data of the graph among the arguments of the model, as in "
            f"explainer(data.x, data.edge_index, data=data), got {len(found)}; CliqueCoarsening makes them"
        )
    data = found[0]
    if data.level(0).num_graphs != 1:
        raise GraphError(f"data: expected one graph, got a batch of {data.level(0).num_graphs}")
    if x.shape[0] != data.num_nodes:
        raise GraphError(f"x: expected {data.num_nodes} rows, one for each node, got {x.shape[0]}")
    return data.get_example(0) if isinstance(data, Batch) else data


def _fields(data: CoarsenedData, level: int) -> PoolFields:
    """Return the input nodes below each pool of a level."""
    if level > data.coarse_levels:
        raise InputError(f"level: expected 0 to {data.coarse_levels}, the levels of the data, got {level}")
    number = int(data.num_nodes)
    matrix = torch.eye(number, dtype=torch.bool)
    for below in range(level):
        member, pool = data.level(below).membership.cpu()
        above = torch.zeros(data.level(below + 1).num_nodes, number, dtype=torch.int32)
        matrix = above.index_add_(0, pool, matrix[member].int()) > 0
    pools, nodes = torch.nonzero(matrix, as_tuple=True)
    return PoolFields(Ragged.from_pairs(pools.numpy(), nodes.numpy(), len(matrix)), number)


def _two_dimensional(outputs: Tensor) -> Tensor:
    return outputs[:, None] if outputs.dim() == 1 else outputs
