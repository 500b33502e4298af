"""Expansion of lists kept by twin classes to lists of nodes, by torch on any device.

All sizes are given as integers, so that no value is read from the device. On the CPU, `cliquepool.nn.batch`
calls the compiled core instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from cliquepool.nn.incidence import Incidence

__all__ = ["members_of_pools", "neighbours_of_nodes"]


def neighbours_of_nodes(
    class_of_node: Incidence, quotient: Incidence, num_class_pairs: int, num_entries: int
) -> tuple[Tensor, Tensor]:
    """Return the targets and the sources of the edges between nodes, ordered by target, then source.

    `num_class_pairs` counts the neighbours of each node's class, `num_entries` those of each node.
    """
    classes, num_nodes = class_of_node.index, len(class_of_node)
    nodes = torch.arange(num_nodes, device=classes.device)
    pair_node, pair_class = _members_of(quotient, classes, num_class_pairs)
    # A class is a clique: the other nodes of a node's class are its neighbours too.
    pair_node, pair_class = torch.cat([pair_node, nodes]), torch.cat([pair_class, classes])
    pair, source = _members_of(class_of_node.transposed, pair_class, num_entries + num_nodes)
    target = pair_node[pair]
    # Loops get the largest key: they are sorted to the end and dropped there.
    keys = torch.where(source == target, num_nodes * num_nodes, target * num_nodes + source)
    keys = keys.sort().values[:num_entries]
    return keys.div(max(num_nodes, 1), rounding_mode="floor"), keys.remainder(max(num_nodes, 1))


def members_of_pools(
    class_of_node: Incidence, by_class: Incidence, num_members: int
) -> tuple[Tensor, Tensor]:
    """Return the pools and the nodes of all memberships, ordered by pool, then node."""
    num_nodes = max(len(class_of_node), 1)
    member, node = _members_of(class_of_node.transposed, by_class.index, num_members)
    keys = (by_class.list_of_member[member] * num_nodes + node).sort().values
    return keys.div(num_nodes, rounding_mode="floor"), keys.remainder(num_nodes)


def _members_of(lists: Incidence, chosen: Tensor, total: int) -> tuple[Tensor, Tensor]:
    """Concatenate the `total` members of the chosen lists; return the index into `chosen` and the member."""
    sizes = lists.offsets.diff()[chosen]
    choice = torch.repeat_interleave(
        torch.arange(chosen.numel(), device=chosen.device), sizes, output_size=total
    )
    first = lists.offsets[:-1][chosen] - (sizes.cumsum(0) - sizes)
    position = torch.arange(total, device=chosen.device) + first[choice]
    return choice, lists.index[position]
