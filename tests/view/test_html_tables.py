from __future__ import annotations

import re

from cliquepool.view.html_tables import HtmlCell, HtmlColumn, HtmlRow, sortable_table

HOSTILE = '"><img src=x onerror=alert(1)>'
COLUMNS = [HtmlColumn("run"), HtmlColumn("accuracy", ("mean", "std")), HtmlColumn("note")]


def test_cells_have_the_number_that_they_are_sorted_by_and_the_values_of_csv() -> None:
    cell = HtmlCell("50.00 ± 2.00", 50, parts=(50, 2.0))
    table = sortable_table("Runs", COLUMNS, [HtmlRow(HtmlCell("first"), [cell, HtmlCell("–")], css="ours")])
    assert '<td data-value="50.0" data-parts="[50, 2.0]">50.00 ± 2.00</td>' in table
    assert '<tr class="ours"><th scope="row">first</th>' in table
    assert 'data-parts="[&quot;mean&quot;, &quot;std&quot;]"' in table
    assert table.count('aria-sort="none"') == table.count('<button type="button">') == 3


def test_every_table_has_a_caption_a_name_and_buttons_with_names() -> None:
    table = sortable_table("Runs", COLUMNS, [])
    assert "<caption>Runs</caption>" in table
    assert 'role="region" aria-label="Runs"' in table
    assert re.findall(r'data-copy="(\w+)" aria-label="([^"]*)"', table) == [
        ("markdown", "Copy as Markdown: Runs"),
        ("latex", "Copy as LaTeX: Runs"),
        ("csv", "Copy as CSV: Runs"),
    ]


def test_words_tips_and_captions_are_text() -> None:
    row = HtmlRow(HtmlCell(HOSTILE), [HtmlCell(HOSTILE, tip=HOSTILE), HtmlCell("x", markup="<b>x</b>")])
    table = sortable_table(HOSTILE, [*COLUMNS[:2], HtmlColumn(HOSTILE)], [row])
    assert "<img" not in table
    assert '<td data-words="x"><b>x</b></td>' in table
