"""Adam: its quick steps are torch's steps."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

from cliquepool.training.adam import Adam


def network() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(5, 7), nn.ReLU(), nn.Linear(7, 3))


def learn(model: nn.Sequential, adam: torch.optim.Adam, steps: range) -> list[torch.Tensor]:
    for number in steps:
        x = torch.randn(4, 5, generator=torch.Generator().manual_seed(number))
        quick = isinstance(adam, Adam)
        adam.forget_gradients() if quick else adam.zero_grad()
        # In some steps a weight has no gradient, as where a layer is not used.
        (model(x) if number % 3 else model[0](x)).square().sum().backward()
        adam.take_step() if quick else adam.step()
    return [weight.detach().clone() for weight in model.parameters()]


def test_steps_are_those_of_torch_bit_for_bit() -> None:
    ours, theirs = network(), network()
    quick = Adam(ours.parameters(), lr=0.01, weight_decay=0.1)
    usual = torch.optim.Adam(theirs.parameters(), lr=0.01, weight_decay=0.1, fused=True)
    assert all(map(torch.equal, learn(ours, quick, range(9)), learn(theirs, usual, range(9))))


def test_a_state_goes_from_one_to_the_other() -> None:
    ours, theirs = network(), network()
    usual = torch.optim.Adam(theirs.parameters(), lr=0.01, weight_decay=0.1, fused=True)
    learn(theirs, usual, range(5))
    ours.load_state_dict(theirs.state_dict())
    quick = Adam(ours.parameters(), lr=0.01, weight_decay=0.1)
    quick.load_state_dict(copy.deepcopy(usual.state_dict()))
    assert all(map(torch.equal, learn(ours, quick, range(5, 9)), learn(theirs, usual, range(5, 9))))


def of_another_version(*arguments: object) -> None:
    raise TypeError("_fused_adam_() got an unexpected keyword argument")


@pytest.mark.parametrize("change", ["gone", "changed"])
def test_a_torch_without_the_private_function_takes_the_usual_steps(
    monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    usual_step = torch.optim.Adam.step
    theirs = network()
    usual = torch.optim.Adam(theirs.parameters(), lr=0.01, weight_decay=0.1)
    expected = learn(theirs, usual, range(6))
    if change == "gone":
        monkeypatch.delattr(torch, "_fused_adam_")
    else:
        monkeypatch.setattr(torch, "_fused_adam_", of_another_version)
    # Torch's own fused step calls the same function: the plain one stands in for it.
    ours = network()
    quick = Adam(ours.parameters(), lr=0.01, weight_decay=0.1)
    quick.param_groups[0]["fused"] = False
    steps: list[int] = []

    def step(self: torch.optim.Adam) -> None:
        steps.append(1)
        usual_step(self)

    monkeypatch.setattr(Adam, "step", step)
    found = learn(ours, quick, range(6))
    assert len(steps) == 6
    assert all(map(torch.equal, found, expected))
