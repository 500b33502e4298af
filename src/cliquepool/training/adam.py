"""Adam as torch has it, with less around each step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import nn

__all__ = ["Adam"]


class Adam(torch.optim.Adam):
    """torch's fused Adam, whose `take_step` gives the same weights as `step`, bit for bit.

    `step` looks through hooks, groups and kinds of tensors every time, which takes longer than the step
    itself where a network is small.
    """

    def __init__(self, weights: Iterable[nn.Parameter], *, lr: float, weight_decay: float) -> None:
        super().__init__(weights, lr=lr, weight_decay=weight_decay, fused=True)

    def forget_gradients(self) -> None:
        """What `zero_grad` does."""
        for group in self.param_groups:
            for weight in group["params"]:
                weight.grad = None

    @torch.no_grad()
    def take_step(self) -> None:
        """What `step` does."""
        (group,) = self.param_groups
        weights = [weight for weight in group["params"] if weight.grad is not None]
        states = [self.state[weight] for weight in weights]
        if not all(states):  # `step` makes them
            self.step()
            return
        steps = [state["step"] for state in states]
        torch._foreach_add_(steps, 1)
        beta1, beta2 = group["betas"]
        torch._fused_adam_(
            weights,
            [weight.grad for weight in weights],
            [state["exp_avg"] for state in states],
            [state["exp_avg_sq"] for state in states],
            [],
            steps,
            lr=group["lr"],
            beta1=beta1,
            beta2=beta2,
            weight_decay=group["weight_decay"],
            eps=group["eps"],
            amsgrad=False,
            maximize=False,
        )
