"""Ranks by score: ties up to rounding, independence of the other graphs of a batch, numbers of kept nodes."""

from __future__ import annotations

import math

import pytest
import torch

from cliquepool.nn.ranking import kept_counts, ranks, top_nodes


def test_rows_rank_by_group_then_by_score() -> None:
    scores = torch.tensor([0.3, -1.0, 0.9, 0.5, 0.6])
    groups = torch.tensor([0, 0, 0, 1, 1])
    assert ranks(scores, groups).tolist() == [1, 2, 0, 4, 3]
    assert ranks(scores, torch.tensor([1, 0, 1, 0, 1])).tolist() == [4, 1, 2, 0, 3]


def test_scores_that_differ_by_rounding_are_ties_broken_by_position() -> None:
    scores = torch.tensor([0.5, 0.5 + 1e-7, 0.5 - 1e-7, 0.6])
    assert ranks(scores, torch.zeros(4, dtype=torch.long)).tolist() == [1, 2, 3, 0]


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_scores_of_any_size_that_differ_are_ranked(scale: float) -> None:
    scores = scale * torch.linspace(0.9, 1.0, 2000)
    alone = torch.zeros(2000, dtype=torch.long)
    assert ranks(scores, alone).tolist() == list(reversed(range(2000)))
    assert ranks(-scores, alone).tolist() == list(range(2000))
    assert ranks(
        torch.cat([scores, 1e6 * scores]), alone.repeat(2) + (torch.arange(4000) >= 2000)
    ).tolist() == [
        *reversed(range(2000)),
        *reversed(range(2000, 4000)),
    ]


def test_many_scores_that_differ_little_do_not_become_one_tie() -> None:
    scores = torch.rand(20_000, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    order = torch.argsort(ranks(scores, torch.zeros(20_000, dtype=torch.long)))
    assert (scores[order][1:] - scores[order][:-1]).max() < 1e-3


@pytest.mark.parametrize("scramble", [False, True])
def test_ranks_in_a_batch_are_those_of_each_graph_alone(scramble: bool) -> None:
    torch.manual_seed(0)
    parts = [torch.randint(0, 4, (count,)) / 4 for count in (5, 1, 0, 12, 30)]
    groups = torch.repeat_interleave(torch.arange(5), torch.tensor([len(part) for part in parts]))
    expected, before = [], 0
    for part in parts:
        alone = ranks(part, torch.zeros(len(part), dtype=torch.long), scramble=scramble)
        expected += (alone + before).tolist()
        before += len(part)
    assert ranks(torch.cat(parts), groups, scramble=scramble).tolist() == expected


def test_a_scrambled_order_has_no_long_runs() -> None:
    order = ranks(torch.zeros(1000), torch.zeros(1000, dtype=torch.long), scramble=True)
    assert sorted(order.tolist()) == list(range(1000))
    inner = order[1:-1]
    is_minimum = (inner < order[:-2]) & (inner < order[2:])
    assert is_minimum.sum() > 200


def test_kept_counts_are_exact_ceilings() -> None:
    for ratio in (0.1, 0.25, 0.5, 0.7, 0.8, 1.0):
        tenths = round(ratio * 100)
        expected = [-(-tenths * n // 100) for n in range(500)]
        assert kept_counts(torch.arange(500), ratio).tolist() == expected


def test_top_nodes_are_the_highest_of_each_graph() -> None:
    torch.manual_seed(1)
    counts = [7, 1, 0, 20]
    batch = torch.repeat_interleave(torch.arange(4), torch.tensor(counts))
    scores = torch.randn(len(batch))
    kept = top_nodes(scores, batch, 0.5)
    assert kept.tolist() == sorted(kept.tolist())
    for graph, count in enumerate(counts):
        nodes = torch.nonzero(batch == graph).view(-1)
        chosen = kept[batch[kept] == graph]
        assert len(chosen) == math.ceil(count / 2)
        left_out = [node for node in nodes.tolist() if node not in chosen.tolist()]
        if left_out:
            assert scores[chosen].min() >= scores[left_out].max()


def test_a_ratio_beyond_one_is_refused() -> None:
    with pytest.raises(ValueError, match="ratio: expected a number above 0 and up to 1"):
        top_nodes(torch.zeros(2), torch.zeros(2, dtype=torch.long), 1.5)
