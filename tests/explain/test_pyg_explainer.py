from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch_geometric.explain import Explainer, fidelity, unfaithfulness
from torch_geometric.explain.metric import characterization_score, fidelity_curve_auc
from torch_geometric.nn import SAGEConv, global_mean_pool

from cliquepool.errors import GraphError, InputError
from cliquepool.explain import CliqueExplainer, ModelOfData
from cliquepool.explain.methods import shapley_of_answers
from cliquepool.nn import CliqueCoarsening, CliquePool
from tests.helpers.pyg_graphs import PAPER_FIGURE, data_of

CONFIG = {"mode": "multiclass_classification", "task_level": "graph", "return_type": "raw"}


class Pooled(nn.Module):
    def __init__(self, num_outputs: int = 2) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.first, self.second = SAGEConv(3, 8), SAGEConv(8, 8)
        self.pool, self.head = CliquePool(), nn.Linear(8, num_outputs)

    def forward(self, data: Any) -> torch.Tensor:
        x = self.first(data.x, data.edge_index).relu()
        x = self.pool(x, data.level(0))
        coarse = data.level(1)
        x = self.second(x, coarse.edge_index).relu()
        return self.head(global_mean_pool(x, coarse.batch, size=coarse.num_graphs))


@pytest.fixture(scope="module")
def data() -> Any:
    graph = data_of(PAPER_FIGURE)
    graph.x = graph.x.float()
    return CliqueCoarsening(levels=2)(graph)


def explainer_of(algorithm: Any, model: nn.Module | None = None, **config: Any) -> Explainer:
    return Explainer(
        model or ModelOfData(Pooled()).eval(),
        algorithm,
        explanation_type="model",
        node_mask_type=config.pop("node_mask_type", "object"),
        edge_mask_type=config.pop("edge_mask_type", None),
        model_config=CONFIG | config,
    )


def test_shapley_values_are_those_of_the_masked_model(data: Any) -> None:
    model = Pooled().eval()
    explanation = explainer_of(CliqueExplainer(level=1), ModelOfData(model))(
        data.x, data.edge_index, data=data
    )
    pools = [data.membership_1[0, data.membership_1[1] == pool] for pool in range(int(data.num_pools_1))]
    answers = np.zeros((1 << len(pools), 1))
    target = int(model(data).argmax())
    for row in range(len(answers)):
        masked = copy.copy(data)
        masked.x = torch.zeros_like(data.x)
        for index, nodes in enumerate(pools):
            if row >> index & 1:
                masked.x[nodes] = data.x[nodes]
        with torch.no_grad():
            outputs = model(masked)[0]
        answers[row] = float(outputs[target] - outputs[1 - target])
    assert np.allclose(explanation.pool_scores.numpy(), shapley_of_answers(answers)[:, 0], atol=1e-4)


@pytest.mark.parametrize("method", ["occlusion", "shapley", "gradient"])
@pytest.mark.parametrize("level", [0, 1, 2])
def test_masks_lie_between_zero_and_one(method: Any, level: int, data: Any) -> None:
    explanation = explainer_of(CliqueExplainer(method, level=level))(data.x, data.edge_index, data=data)
    assert explanation.node_mask.shape == (data.num_nodes, 1)
    assert 0 <= float(explanation.node_mask.min()) <= float(explanation.node_mask.max()) <= 1
    assert explanation.node_scores.shape == (data.num_nodes,)


def test_the_metrics_of_pyg_take_the_explanations(data: Any) -> None:
    explainer = explainer_of(CliqueExplainer(level=1))
    explanation = explainer(data.x, data.edge_index, data=data)
    positive, negative = fidelity(explainer, explanation)
    assert {positive, negative} <= {0.0, 1.0}
    assert 0 <= unfaithfulness(explainer, explanation) <= 1
    pairs = torch.tensor([0.9, 0.8]), torch.tensor([0.1, 0.2])
    assert 0 <= float(characterization_score(pairs[0][0], pairs[1][0])) <= 1
    assert float(fidelity_curve_auc(*pairs, torch.tensor([0.0, 1.0]))) > 0


@pytest.mark.parametrize(
    ("mode", "returns", "outputs"),
    [("binary_classification", "raw", 1), ("binary_classification", "probs", 1), ("regression", "raw", 1)],
)
def test_other_kinds_of_outputs(mode: str, returns: str, outputs: int, data: Any) -> None:
    model: nn.Module = ModelOfData(Pooled(outputs)).eval()
    if returns == "probs":
        model = ModelOfData(nn.Sequential(Pooled(outputs), nn.Sigmoid())).eval()
    explainer = explainer_of(CliqueExplainer(level=1), model, mode=mode, return_type=returns)
    explanation = explainer(data.x, data.edge_index, data=data)
    assert bool(explanation.pool_scores.isfinite().all())


def test_masks_without_effect_are_refused(data: Any) -> None:
    for wrong in ({"edge_mask_type": "object"}, {"node_mask_type": "attributes"}, {"task_level": "node"}):
        with pytest.raises(ValueError, match="does not support the given explanation settings"):
            explainer_of(CliqueExplainer(), **wrong)

    class ReadsData(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = Pooled()

        def forward(self, x: Any, edge_index: Any, data: Any) -> Any:  # noqa: ARG002
            return self.model(data)

    with pytest.raises(InputError, match="masks would have no effect"):
        explainer_of(CliqueExplainer(), ReadsData().eval())(data.x, data.edge_index, data=data)


def test_bad_arguments_are_named(data: Any) -> None:
    explainer = explainer_of(CliqueExplainer(level=5))
    with pytest.raises(InputError, match="level: expected 0 to 2, the levels of the data, got 5"):
        explainer(data.x, data.edge_index, data=data)
    with pytest.raises(InputError, match='expected "shapley", "occlusion" or "gradient", got "delete"'):
        CliqueExplainer("delete")
    plain = Explainer(
        Pooled(),
        CliqueExplainer(),
        explanation_type="model",
        node_mask_type="object",
        model_config=CONFIG,
    )
    with pytest.raises(GraphError, match="expected the coarsened data of the graph"):
        plain.algorithm(plain.model, data.x, data.edge_index, target=torch.tensor([0]))
