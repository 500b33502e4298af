"""Models with these layers under ``torch.compile``: no graph break, and the same numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from torch._dynamo.testing import CompileCounterWithBackend
from torch_geometric.data import Batch

from cliquepool.nn import PRESETS, CliqueCoarsening, GraphClassifier, compiled_ops
from cliquepool.nn.functional import max_lists, mean_and_max, relu_normalise, sum_lists
from tests.helpers.example_networks import Documented, Ours
from tests.helpers.pyg_graphs import PAPER_FIGURE, with_edge_values
from tests.helpers.small_batches import drawn, kept, pooled
from tests.helpers.small_graphs import Sample, cycle, path
from tests.helpers.torch_lists import FOUR, STARTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import Tensor, nn


needs_recent_torch = pytest.mark.skipif(
    tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 13),
    reason="what an earlier torch can trace was not tried",
)


@pytest.fixture(autouse=True)
def fresh_compiler() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def batches() -> list[Any]:
    groups = [
        (PAPER_FIGURE, path(3), cycle(5)),
        (path(7), PAPER_FIGURE),
        (cycle(6), PAPER_FIGURE, Sample(3, []), path(4), path(9)),
    ]
    made = [[CliqueCoarsening()(with_edge_values(sample)) for sample in group] for group in groups]
    for data in (data for group in made for data in group):
        data.x = data.x.float()
    return [Batch.from_data_list(group) for group in made]


def gradients(network: nn.Module, result: Tensor) -> tuple[Tensor, ...]:
    return torch.autograd.grad(result.square().sum(), list(network.parameters()))


@needs_recent_torch
@pytest.mark.parametrize("make", [Documented, Ours])
def test_models_compile_without_a_graph_break(make: Callable[[], nn.Module]) -> None:
    torch.manual_seed(0)
    network = make()
    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(network, backend=counter, fullgraph=True, dynamic=True)
    graphs = []
    for batch in batches():
        result, expected = compiled(batch), network(batch)
        torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(
            gradients(network, result), gradients(network, expected), rtol=1e-3, atol=1e-4
        )
        graphs.append(counter.frame_count)
    assert graphs[-1] == graphs[0]  # batches of other sizes need no other graph


@needs_recent_torch
@pytest.mark.parametrize("by_classes", [False, True])
@pytest.mark.parametrize("preset", ["paper-proteins", "paper-enzymes"])
def test_the_papers_classifiers_compile_without_a_graph_break(preset: str, by_classes: bool) -> None:
    data = kept(pooled([PAPER_FIGURE, path(4), cycle(3), path(6)]), by_classes=by_classes)
    batch = data.batch(np.arange(4))
    torch.manual_seed(0)
    network = GraphClassifier(PRESETS[preset], batch.x.shape[1], 2)
    result = torch.compile(network, backend="aot_eager", fullgraph=True)(batch)
    expected = network(batch)
    torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(gradients(network, result), gradients(network, expected), rtol=1e-3, atol=1e-4)


@needs_recent_torch
def test_data_from_no_loader_compile_once_their_levels_are_read() -> None:
    data = CliqueCoarsening()(with_edge_values(PAPER_FIGURE))
    data.x = data.x.float()
    data.level(0)
    network = Documented()
    result = torch.compile(network, backend="eager", fullgraph=True)(data)
    torch.testing.assert_close(result, network(data), rtol=1e-4, atol=1e-5)


OPERATORS: dict[str, tuple[Callable[[Tensor], Tensor], Callable[[Tensor], Tensor]]] = {
    "sum": (
        lambda x: compiled_ops.sum_lists(FOUR, x, drawn(4, seed=1), drawn(4, seed=2), None, 0.5),
        lambda x: sum_lists(FOUR, x, list_scale=drawn(4, seed=1), row_scale=drawn(4, seed=2), own=0.5),
    ),
    "max": (lambda x: compiled_ops.max_lists(FOUR, x), lambda x: max_lists(FOUR, x)),
    "readout": (lambda x: compiled_ops.mean_and_max(STARTS, x), lambda x: mean_and_max(STARTS, x)),
    "rectify": (compiled_ops.relu_normalise, relu_normalise),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_give_what_eager_code_gives(name: str) -> None:
    operator, eager = OPERATORS[name]
    x = drawn(4, 5)
    x = torch.where(x.abs() < 0.05, 0.5, x).requires_grad_()
    assert torch.equal(operator(x), eager(x))
    assert torch.autograd.gradcheck(operator, (x,))
    if name == "sum":
        assert torch.autograd.gradgradcheck(operator, (x,))
