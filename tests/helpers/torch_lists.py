"""Ragged arrays of torch with their transposes."""

from __future__ import annotations

import itertools

import torch

from cliquepool.nn import Incidence


def lists_of(members: list[list[int]], num_targets: int) -> Incidence:
    """Return lists with their transpose."""
    of_target = [[i for i, part in enumerate(members) for m in part if m == t] for t in range(num_targets)]
    flat, transposed = (
        (torch.tensor([0, *map(len, parts)]).cumsum(0), torch.tensor(list(itertools.chain(*parts))).int())
        for parts in (members, of_target)
    )
    return Incidence(*flat, num_targets, Incidence(*transposed, len(members)))


FOUR = lists_of([[0, 1], [2, 3, 1], [], [3]], 4)
STARTS = torch.tensor([0, 1, 4])
