"""Learning curves of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from cliquepool.evaluate import evaluate, summarise
from cliquepool.view.curves import draw_curves
from tests.helpers.small_model import SmallModel, rings_and_stars

if TYPE_CHECKING:
    from pathlib import Path


def test_curves_are_drawn_into_the_axes_that_are_given(tmp_path: Path) -> None:
    records = evaluate(
        [SmallModel()], rings_and_stars(), "fair", tmp_path / "runs.jsonl", folds=2, seeds=1, jobs=1
    )
    figure = Figure(figsize=(8, 6))
    above, below = figure.subplots(2, 1)
    assert draw_curves(summarise(records)[0], ax=(above, below)) is figure
    assert (above.get_title(loc="left"), below.get_title(loc="left")) == ("loss", "accuracy, %")
    assert figure.get_suptitle() == ""
