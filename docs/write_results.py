"""Write tables and learning curves from the records into the pages: ``python docs/write_results.py``."""

import re
from pathlib import Path

from draw_images import IMAGES, make_small

from cliquepool.evaluate import read_records, summarise
from cliquepool.evaluate.pairs import recorded_pairs
from cliquepool.evaluate.tables import markdown_pairs, markdown_table, table_rows
from cliquepool.view.curves import draw_curves

DOCS = Path(__file__).parent
RESULTS = DOCS.parent / "results"
RECORDS = sorted(RESULTS.glob("*.jsonl"))
IMAGE_RECORDS = sorted((RESULTS / "images").glob("*.jsonl"))


def write_table(page: Path, table: str) -> None:
    """Replace the text between the marks "table" and "end" of a page."""
    text = page.read_text(encoding="utf-8")
    marked = r"(?s)(<!-- table -->\n).*?(\n<!-- end -->)"
    page.write_text(re.sub(marked, lambda found: found[1] + table + found[2], text), encoding="utf-8")


if __name__ == "__main__":
    write_table(DOCS / "results.md", markdown_table(table_rows(read_records(RECORDS))))
    write_table(DOCS / "images.md", "\n".join(markdown_pairs(recorded_pairs(path)) for path in IMAGE_RECORDS))
    for summary in summarise(read_records(RECORDS)):
        picture = IMAGES / f"curves-{summary.run.dataset}-{summary.run.protocol}.png"
        draw_curves(summary, picture, dpi=90)
        make_small(picture)
