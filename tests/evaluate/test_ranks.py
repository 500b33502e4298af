"""Mean ranks and the critical difference: by hand, and as the table of Demšar has them."""

from __future__ import annotations

import pytest

from cliquepool.evaluate.comparison_table import Cell, Column, ComparisonTable, Line
from cliquepool.evaluate.critical_difference import critical_difference_svg, ranks_in_words
from cliquepool.evaluate.ranks import MeanRanks, mean_ranks
from cliquepool.evaluate.summary import Figure


def table(**accuracies: list[float | None]) -> ComparisonTable:
    """Return a table of one model for each argument, with a figure on each data set, or none."""
    count = len(next(iter(accuracies.values())))
    columns = tuple(Column(f"D{number}", "") for number in range(count))
    cells = {
        (column.dataset, key): Cell("not run") if mean is None else Cell("figure", figure=Figure(mean, 1.0))
        for key, means in accuracies.items()
        for column, mean in zip(columns, means, strict=True)
    }
    return ComparisonTable("fair", tuple(Line(key, key.upper()) for key in accuracies), columns, cells)


def test_ties_share_their_ranks() -> None:
    ranks = mean_ranks(table(a=[90.0, 80.0, 70.0], b=[90.0, 70.0, 80.0], c=[50.0, 60.0, 80.0]))
    assert ranks is not None
    assert ranks.titles == ("B", "A", "C")
    assert ranks.ranks == pytest.approx((5 / 3, 5.5 / 3, 7.5 / 3))
    assert ranks.friedman is not None


@pytest.mark.parametrize(("models", "quantile"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)])
def test_quantiles_are_those_of_demsar(models: int, quantile: float) -> None:
    found = mean_ranks(table(**{f"m{number}": [float(number)] * 6 for number in range(models)}))
    assert found is not None
    scale = (models * (models + 1) / 36) ** 0.5
    assert found.critical_difference / scale == pytest.approx(quantile, abs=1e-3)


def test_ranks_are_over_the_most_figures_that_are_complete() -> None:
    found = mean_ranks(
        table(
            a=[1.0, 2.0, 3.0, None], b=[2.0, 3.0, 4.0, 5.0], c=[3.0, 1.0, 5.0, None], d=[None, None, 1.0, 2.0]
        )
    )
    assert found is not None
    assert found.datasets == ("D0", "D1", "D2")
    assert set(found.titles) == {"A", "B", "C"}


def test_too_few_figures_have_no_ranks() -> None:
    assert mean_ranks(table(a=[1.0], b=[2.0])) is None
    assert mean_ranks(table(a=[1.0, None], b=[None, 2.0])) is None


def test_groups_are_the_largest_without_a_significant_difference() -> None:
    ranks = MeanRanks(("a", "b", "c", "d"), (1.0, 2.0, 2.5, 4.0), ("x", "y"), None, 1.6)
    assert ranks.groups() == [(0, 2), (2, 3)]


def test_the_diagram_names_all_models_and_draws_a_bar_for_each_group() -> None:
    ranks = MeanRanks(("a < b", "c", "d"), (1.0, 1.5, 3.0), ("x", "y"), 0.25, 1.6)
    drawn = critical_difference_svg(ranks, "c")
    assert drawn.count('class="group"') == len(ranks.groups()) == 2
    for words in ("a &lt; b (1.00)", "c (1.50)", "d (3.00)", "critical difference 1.60"):
        assert words in drawn
    assert drawn.count('font-weight="700"') == 1
    assert "2 data sets (x, y)" in ranks_in_words(ranks)
    assert "p = 0.25" in ranks_in_words(ranks)


def test_models_that_never_differ_have_no_test_of_equality() -> None:
    found = mean_ranks(table(a=[1.0, 2.0], b=[1.0, 2.0], c=[1.0, 2.0]))
    assert found is not None
    assert found.friedman is None
    assert found.ranks == (2.0, 2.0, 2.0)
