"""The results in the documentation are those of the records."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cliquepool.evaluate import read_records, summarise
from cliquepool.evaluate.pairs import recorded_pairs
from cliquepool.evaluate.tables import markdown_pairs, markdown_table, table_rows

ROOT = Path(__file__).parent.parent
RECORDS = sorted((ROOT / "results").glob("*.jsonl"))
IMAGE_RECORDS = sorted((ROOT / "results" / "images").glob("*.jsonl"))


def test_the_documented_table_is_made_from_the_records() -> None:
    page = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    table = re.search(r"(?s)<!-- table -->\n(.*?)\n<!-- end -->", page)
    assert table is not None
    assert table[1] == markdown_table(table_rows(read_records(RECORDS)))


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_every_recorded_run_is_complete_and_named_by_its_file(path: Path) -> None:
    (summary,) = summarise(read_records([path]))
    assert f"{summary.run.dataset}-{summary.run.protocol}" == path.stem
    assert summary.run.folds == 10
    assert summary.figure is not None, "a run with folds missing has no figure"


@pytest.mark.parametrize("path", IMAGE_RECORDS, ids=lambda path: path.stem)
def test_documented_comparisons_of_image_networks_are_made_from_their_records(path: Path) -> None:
    compared = recorded_pairs(path)
    assert compared.first.run.dataset == path.stem
    assert markdown_pairs(compared) in (ROOT / "docs" / "images.md").read_text(encoding="utf-8")
