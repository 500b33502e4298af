"""Write tables and learning curves from the records into the pages: ``python docs/write_results.py``.

With ``--tables``, the tables alone.
"""

import sys

from result_tables import RECORDS, wanted_pages

from cliquepool.evaluate import read_records, summarise

if __name__ == "__main__":
    for page, text in wanted_pages().items():
        page.write_text(text, encoding="utf-8")
    if "--tables" not in sys.argv:
        from draw_images import IMAGES, make_small

        from cliquepool.view.curves import draw_curves

        for summary in summarise(read_records(RECORDS)):
            picture = IMAGES / f"curves-{summary.run.dataset}-{summary.run.protocol}.png"
            draw_curves(summary, picture, dpi=90)
            make_small(picture)
