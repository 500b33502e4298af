"""Clique pools in the places of halving ones: in order, checked, and nothing else touched."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from cliquepool.nn import (
    CliqueMaxPool1d,
    CliqueMaxPool2d,
    CliqueMaxPool3d,
    replace_pools,
    vgg,
)


def network(pools: int, *, side: int, padding: int = 1) -> nn.Sequential:
    """Convolutions, each followed by a pool of stride 2, and a linear layer."""
    layers: list[nn.Module] = []
    for number in range(pools):
        layers += [nn.Conv2d(1 if number == 0 else 2, 2, 3, padding=padding), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(2 * side * side, 3))


class OutOfOrder(nn.Module):
    """Runs its pools in another order than that of their registration."""

    def __init__(self) -> None:
        super().__init__()
        self.second, self.first = nn.MaxPool1d(2), nn.MaxPool1d(2)

    def forward(self, x: Tensor) -> Tensor:
        return self.second(self.first(x))  # type: ignore[no-any-return]


class Again(nn.Module):
    """Runs one pool as often as it is told."""

    def __init__(self, runs: int) -> None:
        super().__init__()
        self.pool, self.runs = nn.MaxPool2d(2), runs

    def forward(self, x: Tensor) -> Tensor:
        for _ in range(self.runs):
            x = self.pool(x)
        return x


def test_pools_are_replaced_in_order_and_the_rest_is_kept() -> None:
    model = network(3, side=1)
    replaced = replace_pools(model, input_shape=(2, 1, 8, 8))
    assert [layer.window for layer in replaced.modules() if isinstance(layer, CliqueMaxPool2d)] == [2, 3, 5]
    assert sum(isinstance(layer, nn.MaxPool2d) for layer in model.modules()) == 3
    for ours, theirs in zip(replaced.state_dict().items(), model.state_dict().items(), strict=True):
        assert ours[0] == theirs[0]
        assert torch.equal(ours[1], theirs[1])
        assert ours[1].data_ptr() != theirs[1].data_ptr()
    assert replaced(torch.zeros(2, 1, 8, 8)).shape == (2, 3)


@pytest.mark.parametrize(
    ("pool", "clique_pool", "dimensions"),
    [
        (nn.MaxPool1d(2), CliqueMaxPool1d, 1),
        (nn.MaxPool2d((2, 2), (2, 2)), CliqueMaxPool2d, 2),
        (nn.MaxPool3d(2, 2), CliqueMaxPool3d, 3),
    ],
)
def test_every_dimension_has_its_pool(pool: nn.Module, clique_pool: type[nn.Module], dimensions: int) -> None:
    replaced = replace_pools(nn.Sequential(pool), input_shape=(1, 1, *[2] * dimensions))
    assert type(replaced[0]) is clique_pool  # type: ignore[index]
    assert type(replace_pools(pool)) is clique_pool


def test_the_baseline_of_the_paper_becomes_its_clique_network() -> None:
    torch.manual_seed(0)
    baseline = vgg("max2", width=1 / 16).eval()
    replaced = replace_pools(baseline, input_shape=(1, 3, 32, 32))
    clique = vgg("clique", width=1 / 16).eval()
    clique.load_state_dict(baseline.state_dict())
    x = torch.randn(2, 3, 32, 32)
    assert torch.equal(replaced(x), clique(x))


def test_training_and_running_means_stay_as_they_are() -> None:
    model = vgg("max2", width=1 / 16)
    model.features[2].eval()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    replaced = replace_pools(model, input_shape=(1, 3, 32, 32))
    assert all(torch.equal(value, before[name]) for name, value in replaced.state_dict().items())
    assert replaced.training
    assert [m.training for m in replaced.modules()] == [m.training for m in model.modules()]
    assert not any(m._forward_hooks for m in [*model.modules(), *replaced.modules()])


def test_with_an_input_pools_are_numbered_as_they_run() -> None:
    assert replace_pools(OutOfOrder()).second.number == 1  # type: ignore[union-attr]
    replaced = replace_pools(OutOfOrder(), input_shape=(1, 1, 4))
    assert (replaced.first.number, replaced.second.number) == (1, 2)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("pool", "got"),
    [
        (nn.MaxPool2d(3, stride=2), "MaxPool2d with kernel_size=3"),
        (nn.MaxPool2d(2, stride=1), "MaxPool2d with stride=1"),
        (nn.MaxPool2d((2, 1)), r"MaxPool2d with kernel_size=\(2, 1\)"),
        (nn.MaxPool1d(2, padding=1), "MaxPool1d with padding=1"),
        (nn.MaxPool3d(2, dilation=2), "MaxPool3d with dilation=2"),
        (nn.MaxPool2d(2, ceil_mode=True), "MaxPool2d with ceil_mode=True"),
        (nn.MaxPool2d(2, return_indices=True), "MaxPool2d with return_indices=True"),
    ],
)
def test_other_pools_are_refused_by_name(pool: nn.Module, got: str) -> None:
    model = nn.Sequential(nn.Sequential(nn.MaxPool2d(2), pool))
    expected = rf"'0\.1': expected a max pool of kernel 2 and stride 2 .* got {got}"
    with pytest.raises(ValueError, match=expected):
        replace_pools(model)


def test_a_network_without_pools_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected a network with MaxPool1d, .* got ReLU without any"):
        replace_pools(nn.ReLU())


def test_a_pool_in_two_places_is_refused() -> None:
    pool = nn.MaxPool2d(2)
    with pytest.raises(
        ValueError, match=r"a separate pool module at every position, got the same one as '0' and '1'"
    ):
        replace_pools(nn.Sequential(pool, pool))


@pytest.mark.parametrize("runs", [0, 2])
def test_a_pool_that_does_not_run_once_is_refused(runs: int) -> None:
    with pytest.raises(ValueError, match=f"'pool': expected a pool that runs once, got {runs} runs"):
        replace_pools(Again(runs), input_shape=(1, 1, 4, 4))


def test_sides_that_end_elsewhere_are_refused() -> None:
    model = nn.Sequential(nn.MaxPool2d(2), nn.MaxPool2d(2))
    expected = r"'1': expected the last pool to give \(1, 1\) as with stride 2, got \(4, 3\) with clique"
    with pytest.raises(ValueError, match=expected):
        replace_pools(model, input_shape=(1, 1, 7, 6))


def test_networks_that_no_longer_run_are_refused() -> None:
    expected = r"takes inputs of shape \(1, 1, 9, 9\) .* gives \(1, 1\) as with stride 2; got the error"
    with pytest.raises(ValueError, match=expected):
        replace_pools(network(3, side=1), input_shape=(1, 1, 9, 9))
