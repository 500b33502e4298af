"""Movable dataclasses move all their tensors; properties of `once` are computed again after a move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from cliquepool.nn.movable import Movable, once


class Sizes(NamedTuple):
    rows: int
    scale: Tensor


@dataclass
class Part(Movable):
    values: Tensor

    @once
    def total(self) -> Tensor:
        """The sum."""
        return self.values.sum()


@dataclass
class Whole(Movable):
    part: Part
    parts: tuple[Part, ...]
    listed: list[Tensor]
    sizes: Sizes
    name: str
    missing: Tensor | None = None


def whole() -> Whole:
    ones = torch.ones(3)
    return Whole(Part(ones), (Part(ones), Part(ones * 2)), [ones], Sizes(3, ones), "three")


def test_every_tensor_is_moved_wherever_it_is() -> None:
    moved = whole().to("meta")
    tensors = [moved.part.values, *(part.values for part in moved.parts), *moved.listed, moved.sizes.scale]
    assert [tensor.device.type for tensor in tensors] == ["meta"] * 5
    assert (moved.name, moved.sizes.rows, moved.missing) == ("three", 3, None)
    assert isinstance(moved.sizes, Sizes)
    assert isinstance(moved.listed, list)


def test_a_copy_leaves_the_original_as_it_is() -> None:
    original = whole()
    doubled = original.apply(lambda tensor: tensor * 2)
    assert doubled.part.values.tolist() == [2.0] * 3
    assert original.part.values.tolist() == [1.0] * 3


def test_a_property_is_computed_once_and_again_after_a_move() -> None:
    part = Part(torch.ones(3))
    assert part.total is part.total
    assert part.apply(lambda tensor: tensor * 2).total == 6
    part.remember(total=torch.tensor(7.0))
    assert part.total == 7
    assert Part.total.__doc__ == "The sum."
