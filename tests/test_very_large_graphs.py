"""The page about very large graphs is computed from the figures beside it, by formulas that hold."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module that computes the tables."""
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("very_large_graphs")


def test_the_tables_of_the_page_are_those_of_its_figures(page: Any) -> None:
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.filled(text) == text


def test_a_power_law_goes_through_what_was_measured(page: Any) -> None:
    growth = page.Growth(last=4.0, edges=1e6, exponent=0.5)
    assert growth.total(1e6, grows=True) == growth.total(1e6, grows=False) == pytest.approx(4e6)
    assert growth.total(1e8, grows=True) == pytest.approx(10 * growth.total(1e8, grows=False))
    assert growth.total(growth.reaches(2**31), grows=False) == pytest.approx(2**31)
    assert page.Growth(4.0, 1e6, -0.5).total(1e8, grows=True) == pytest.approx(4e8), "nothing shrinks"


@pytest.mark.parametrize(
    ("function", "number", "words"),
    [
        ("power", 1e9, "10^9"),
        ("power", 2.4e8, "2.4·10^8"),
        ("power", 9.96e9, "10^10"),
        ("size", 1.26e12, "1.3 TB"),
        ("size", 3.4e11, "340 GB"),
        ("duration", 80, "80 s"),
        ("duration", 700_000, "8.1 days"),
    ],
)
def test_numbers_are_given_with_two_digits(page: Any, function: str, number: float, words: str) -> None:
    assert getattr(page, function)(number) == words
