"""Readouts and statistics combined from parts equal those of all rows."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import cliquepool as cp
from cliquepool.nn import Readout
from cliquepool.nn.functional import mean_and_max
from cliquepool.nn.peer_layers import BatchNorm
from cliquepool.scale.summaries import (
    combine_moments,
    combine_readouts,
    maxima_nodes,
    normalise,
    part_moments,
    part_readout,
    update_running,
)

COUNTS = [4, 0, 1, 7]


def rows_and_nodes() -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    rows = torch.randint(-2, 3, (sum(COUNTS), 5)).double()
    return rows, torch.randperm(len(rows))


def split(rows: torch.Tensor, order: torch.Tensor) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Return the rows and ascending nodes of each part."""
    nodes = [part.sort().values for part in order.split(COUNTS)]
    return [(rows[part], part) for part in nodes]


def test_the_gradient_of_equal_maxima_flows_to_the_first_node() -> None:
    rows, order = rows_and_nodes()
    whole, parted = rows.clone().requires_grad_(), rows.clone().requires_grad_()
    expected = mean_and_max(torch.tensor([0, len(rows)]), whole)
    parts = split(parted, order)
    found = combine_readouts(
        Readout(),
        [part_readout(x) for x, _ in parts],
        [maxima_nodes(x, nodes) for x, nodes in parts],
        COUNTS,
    )
    torch.testing.assert_close(found, expected)
    weights = torch.arange(10.0).double()
    (expected @ weights).sum().backward()
    (found @ weights).sum().backward()
    torch.testing.assert_close(parted.grad, whole.grad)


def test_a_level_without_nodes_reads_zeros() -> None:
    empty = torch.zeros(0, 2)
    read = combine_readouts(Readout(), [part_readout(empty)] * 2, [maxima_nodes(empty, empty)] * 2, [0, 0])
    assert read.tolist() == [[0.0] * 4]


@pytest.mark.parametrize("momentum", [0.1, None])
@pytest.mark.parametrize("affine", [True, False])
def test_statistics_are_those_of_all_rows(momentum: float | None, affine: bool) -> None:
    rows, order = rows_and_nodes()
    whole, parted = (nn.BatchNorm1d(5, momentum=momentum, affine=affine).double() for _ in range(2))
    for _ in range(2):
        expected = whole(rows)
        statistics = combine_moments(parted, [part_moments(x) for x, _ in split(rows, order)], COUNTS)
        torch.testing.assert_close(normalise(parted, rows, statistics), expected)
        update_running(parted, statistics, len(rows))
    for one, other in zip(parted.buffers(), whole.buffers(), strict=True):
        torch.testing.assert_close(one, other)


def test_one_row_is_normalised_by_the_running_statistics() -> None:
    norm = BatchNorm(3)
    norm.running_mean = torch.arange(3.0)
    statistics = combine_moments(norm, [part_moments(torch.ones(1, 3))], [1])
    torch.testing.assert_close(normalise(norm, torch.ones(1, 3), statistics), norm(torch.ones(1, 3)))
    update_running(norm, statistics, 1)
    assert norm.running_mean.tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(cp.InputError, match="expected two nodes or more to normalise while training, got 1"):
        combine_moments(nn.BatchNorm1d(3), [part_moments(torch.ones(1, 3))], [1])
