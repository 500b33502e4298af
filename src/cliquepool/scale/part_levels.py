"""Views of parts as levels of torch tensors, which layers take as they take those of whole graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from cliquepool.nn.batch import Level
from cliquepool.nn.incidence import Incidence
from cliquepool.ragged import Ragged

if TYPE_CHECKING:
    import numpy.typing as npt
    from torch import Tensor

    from cliquepool.scale.part_views import PartView

__all__ = ["level_of_view"]


def level_of_view(view: PartView, *, factored: bool) -> Level:
    """Return the level that a layer reads; its nodes are the rows of the view, or the own nodes for a lift.

    `factored` says whether units are twin classes. What a step of this kind does not read is None, or NaN.
    """
    num_nodes = len(view.units)
    num_units = int(view.units.max(initial=-1)) + 1
    classes = _one_each(view.units, num_units) if factored else None
    neighbours = quotient = pool_sizes = None
    pools: tuple[Incidence, ...] = ()
    degrees = torch.full((num_nodes,), torch.nan)
    if view.kind == "neighbours":
        lists = Incidence.from_ragged(view.lists, num_units)
        neighbours, quotient = (None, lists) if factored else (lists, None)
        degrees = _floats(view.numbers)
    else:
        by_unit = Incidence.from_ragged(view.lists, num_units if view.kind == "pools" else len(view.rows))
        if view.kind == "lift":
            by_unit = by_unit.transposed
        pools = (by_unit,) if classes is None else (classes.transposed, by_unit)
        if view.kind == "pools":
            sizes = np.bincount(view.units, minlength=num_units)
            pool_sizes = _floats(view.lists.sum_over(sizes))
    node_start = torch.tensor([0, num_nodes])
    level = Level(node_start, degrees, neighbours, classes, quotient, pools, pool_sizes)
    if view.kind == "pools":
        level.remember(share_scale=_floats(view.numbers).reciprocal())
    return level


def _one_each(units: npt.NDArray[np.int32], num_units: int) -> Incidence:
    """Return the one unit of each node, as a list."""
    return Incidence.from_ragged(Ragged(np.arange(len(units) + 1), units), num_units)


def _floats(numbers: npt.NDArray[np.integer]) -> Tensor:
    return torch.from_numpy(numbers.astype(np.float32))
