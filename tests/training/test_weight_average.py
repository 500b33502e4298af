from __future__ import annotations

import pytest
import torch
from torch import nn

from cliquepool.training.weight_average import WeightAverage


def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))


def test_the_average_follows_its_formula() -> None:
    trained = network()
    average = WeightAverage(trained, 0.5)
    expected = {name: value.clone() for name, value in trained.state_dict().items()}
    for step in range(20):
        with torch.no_grad():
            for value in trained.parameters():
                value.add_(step)
        average.update(step)
        decay = min(0.5, (1 + step) / (10 + step))
        for name, value in trained.state_dict().items():
            if value.is_floating_point():
                expected[name] = decay * expected[name] + (1 - decay) * value
    for name, value in average.network.state_dict().items():
        torch.testing.assert_close(value, expected[name].to(value.dtype), msg=name)


def test_counts_of_batch_norm_are_copied() -> None:
    trained = network()
    average = WeightAverage(trained, 0.9)
    for step in range(3):
        trained(torch.randn(5, 3))
        average.update(step)
    assert average.network[1].num_batches_tracked == 3
    assert average.network[1].running_mean.abs().sum() > 0


def test_the_network_itself_is_not_changed() -> None:
    trained = network()
    before = {name: value.clone() for name, value in trained.state_dict().items()}
    average = WeightAverage(trained, 0.99)
    average.update(0)
    assert all(torch.equal(value, before[name]) for name, value in trained.state_dict().items())
    assert not any(value.requires_grad for value in average.network.parameters())
    assert all(value.requires_grad for value in trained.parameters())


@pytest.mark.parametrize("decay", [0.9, 0.999])
def test_weights_that_stand_still_are_their_own_average(decay: float) -> None:
    trained = network()
    average = WeightAverage(trained, decay)
    for step in range(50):
        average.update(step)
    for name, value in trained.state_dict().items():
        torch.testing.assert_close(average.network.state_dict()[name], value, msg=name)
