"""Lists that are kept through twin classes, written out by torch on their own device.

All sizes are given as integers, so that no value is read from the device. On the CPU the core does the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from cliquepool.nn.batch import Lists

__all__ = ["members_of_pools", "neighbours_of_nodes", "offsets_of_sorted"]


def neighbours_of_nodes(
    class_of_node: Lists, quotient: Lists, num_class_pairs: int, num_entries: int
) -> tuple[Tensor, Tensor]:
    """The edges between nodes, ordered by target: targets and sources.

    `num_class_pairs` counts the neighbours of each node's class, `num_entries` those of each node.
    """
    classes, num_nodes = class_of_node.index, len(class_of_node)
    nodes = torch.arange(num_nodes, device=classes.device)
    pair_node, pair_class = _taken(quotient, classes, num_class_pairs)
    # A class is complete: the nodes of one's own class are neighbours too, but for the node itself.
    pair_node, pair_class = torch.cat([pair_node, nodes]), torch.cat([pair_class, classes])
    pair, source = _taken(class_of_node.transposed, pair_class, num_entries + num_nodes)
    target = pair_node[pair]
    keys = torch.where(source == target, num_nodes * num_nodes, target * num_nodes + source)
    keys = keys.sort().values[:num_entries]
    return keys.div(max(num_nodes, 1), rounding_mode="floor"), keys.remainder(max(num_nodes, 1))


def members_of_pools(class_of_node: Lists, by_class: Lists, num_members: int) -> tuple[Tensor, Tensor]:
    """The memberships of nodes in pools, ordered by pool: pools and nodes."""
    num_nodes = max(len(class_of_node), 1)
    member, node = _taken(class_of_node.transposed, by_class.index, num_members)
    keys = (by_class.list_of_member[member] * num_nodes + node).sort().values
    return keys.div(num_nodes, rounding_mode="floor"), keys.remainder(num_nodes)


def offsets_of_sorted(lists: Tensor, num_lists: int) -> Tensor:
    """Where each list begins when its members are ordered by list."""
    return torch.searchsorted(lists, torch.arange(num_lists + 1, device=lists.device))


def _taken(lists: Lists, chosen: Tensor, total: int) -> tuple[Tensor, Tensor]:
    """All members of the chosen lists end to end: which choice each belongs to, and the member."""
    sizes = lists.offsets.diff()[chosen]
    choice = torch.repeat_interleave(
        torch.arange(chosen.numel(), device=chosen.device), sizes, output_size=total
    )
    first = lists.offsets[:-1][chosen] - (sizes.cumsum(0) - sizes)
    position = torch.arange(total, device=chosen.device) + first[choice]
    return choice, lists.index[position]
