"""Writes the results page's table and learning curves from the records: ``python docs/write_results.py``."""

import re
from pathlib import Path

from draw_images import IMAGES, make_small

from cliquepool.evaluate import read_records, summarise
from cliquepool.evaluate.tables import markdown_table, table_rows
from cliquepool.view.curves import draw_curves

DOCS = Path(__file__).parent
PAGE = DOCS / "results.md"
RECORDS = sorted((DOCS.parent / "results").glob("*.jsonl"))


def with_table(page: str) -> str:
    """The page with its table made anew from the records."""
    table = markdown_table(table_rows(read_records(RECORDS)))
    return re.sub(
        r"(?s)(<!-- table -->\n).*?(\n<!-- end -->)", lambda found: found[1] + table + found[2], page
    )


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    for summary in summarise(read_records(RECORDS)):
        picture = IMAGES / f"curves-{summary.run.dataset}-{summary.run.protocol}.png"
        draw_curves(summary, picture, dpi=90)
        make_small(picture)
