"""Views of parts as levels of torch tensors, which layers take as they take those of whole graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import torch

from cliquepool.nn.batch import Level
from cliquepool.nn.incidence import Incidence
from cliquepool.nn.layers import GCN, GIN, SAGE
from cliquepool.ragged import Ragged

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt
    from torch import Tensor

    from cliquepool.scale.part_views import PartView

__all__ = ["apply_to_view", "level_of_view"]


_RETURNING_OWN_ROWS: Final = (GCN, SAGE, GIN)


def apply_to_view(
    layer: Callable[[Tensor, Level], Tensor], x: Tensor, view: PartView, *, factored: bool
) -> Tensor:
    """Apply a layer to the rows of a view; return the rows of the part's own nodes or pools.

    `factored` says whether units are twin classes. Our convolutions return own rows alone; others also return
    rows for the halo, which are dropped.
    """
    level = level_of_view(view, factored=factored)
    if view.kind != "neighbours" or len(view.own) == len(view.rows):
        return layer(x, level)
    own = torch.from_numpy(view.own.astype(np.int64))
    if type(layer) in _RETURNING_OWN_ROWS:
        level.own = own
        return layer(x, level)
    return layer(x, level)[own]


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
