"""The page of a report: one file without a network, and the same bytes from the same records."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cliquepool.errors import InputError
from cliquepool.report import html_report
from tests.helpers.fold_records import enzymes_paper_run, enzymes_run, record
from tests.helpers.html_reader import HtmlReader
from tests.helpers.reported_runs import DATA, HOSTILE, predicted_run

if TYPE_CHECKING:
    from pathlib import Path

    from cliquepool.data import GraphDataset


def report(*records: Any, **options: Any) -> str:
    return html_report(records, datasets=[DATA], **options).html()


def test_the_same_records_give_the_same_page_without_a_network() -> None:
    records = [*predicted_run(), *enzymes_run(), *enzymes_paper_run()]
    page = report(*records)
    assert page == report(*records)
    assert not re.search(r"""src=["']|url\(|@import|\sstyle=|\son\w+=|https?://""", page)
    assert all(link.startswith("#") for link in HtmlReader(page).values("href"))
    assert "default-src 'none'" in page


def test_every_id_is_there_once_and_every_link_and_label_leads_to_one() -> None:
    reader = HtmlReader(report(*predicted_run(), *enzymes_run()))
    ids = reader.values("id")
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in reader.values("href")} <= set(ids)
    assert set(reader.values("aria-labelledby")) <= set(ids)
    regions = [
        attributes["aria-label"] for _, attributes in reader.found if attributes.get("role") == "region"
    ]
    assert len(regions) == len(set(regions))


def test_runs_stand_side_by_side_with_what_is_missing() -> None:
    page = report(*enzymes_run(), *enzymes_paper_run(), *enzymes_run(10, model="other")[:7])
    assert "<h1>3 runs</h1>" in page
    assert "CliquePool on ENZYMES, fair" in page
    assert '<td class="number missing">no figure yet</td>' in page
    assert "7 of 10 folds × 1 seed" in page
    assert "What differs between the runs comes first" in page
    assert "A run with missing folds has no figure" in page


def test_the_table_of_figures_copies_mean_deviation_and_interval_as_numbers() -> None:
    page = report(*enzymes_run())
    assert 'data-parts="[51.5, 1.118]">51.50 ± 1.12</td>' in page
    assert "&quot;low&quot;, &quot;high&quot;" in page


def test_what_records_say_is_text() -> None:
    chosen = {HOSTILE: HOSTILE}
    hostile = {"model": HOSTILE, "dataset": HOSTILE, "versions": {HOSTILE: HOSTILE}, "finished_at": HOSTILE}
    page = report(record(settings=chosen, candidates=[chosen], **hostile), title=HOSTILE)
    assert "<img" not in page
    assert f"<title>{HOSTILE.replace('<', '&lt;').replace('>', '&gt;')}</title>" in page


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
CURVES = st.lists(st.tuples(st.floats(0, 1), st.floats(-1e300, 1e300)), min_size=1, max_size=400)


@settings(max_examples=12, deadline=None)
@given(st.dictionaries(st.text(), JSON, max_size=4), CURVES, st.text(), st.sampled_from(["fair", "paper"]))
def test_a_page_is_made_of_whatever_is_a_record(
    chosen: dict[str, Any], curves: list[tuple[float, float]], name: str, protocol: str
) -> None:
    accuracies, losses = ([pair[side] for pair in curves] for side in (0, 1))
    found = [
        record(
            fold,
            folds=2,
            protocol=protocol,
            dataset=name,
            model=f"my {name}",
            settings=chosen,
            candidates=[chosen],
            candidate_accuracies=[accuracies[0]],
            curves={"loss": losses, "validation_accuracy": accuracies, name: losses},
            best_epoch=1,
            validation_accuracy=accuracies[0],
            test_accuracy=accuracies[0] if protocol == "fair" else None,
            versions={name: name},
            finished_at=name,
        )
        for fold in (1, 2)
    ]
    page = report(*found)
    HtmlReader(page)
    assert not re.search(r"[^a-z](nan|inf)[^a-z]", "".join(re.findall(r"<svg class=.plot.*?</svg>", page)))


def test_without_a_model_the_page_says_how_to_get_one() -> None:
    assert "cliquepool train TOY --save model.safetensors" in report(*predicted_run())


def records_of(graphs: GraphDataset) -> list[Any]:
    return enzymes_run(dataset=graphs.name, fingerprint=graphs.fingerprint)


def test_a_model_explains_graphs_of_each_class(model: Any, graphs: GraphDataset, tmp_path: Path) -> None:
    model.save(tmp_path / "model.safetensors")
    pages = [
        html_report(records_of(graphs), datasets=[graphs], model=given).html()
        for given in (model, tmp_path / "model.safetensors")
    ]
    assert pages[0] == pages[1]
    assert pages[0].count("<figcaption><b>Graph") == 2 * len(graphs.classes)
    HtmlReader(pages[0])


def test_a_model_needs_the_one_data_set_of_the_records(model: Any, graphs: GraphDataset) -> None:
    with pytest.raises(InputError, match="expected records of one data set to explain, got ENZYMES, TOY"):
        report(*predicted_run(), *enzymes_run(), model=model)
    with pytest.raises(InputError, match="but the data set ENZYMES is not on this machine"):
        html_report(enzymes_run(), model=model, data_dir=None)
    with pytest.raises(InputError, match="expected a classifier of the classes of TOY"):
        report(*predicted_run(), model=model)


def test_a_report_is_saved_shown_and_described(tmp_path: Path) -> None:
    made = html_report(predicted_run(), datasets=[DATA])
    made.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == made.html()
    assert made._repr_html_().startswith('<iframe title="small on TOY, fair" srcdoc="&lt;!doctype html&gt;')
    assert repr(made).startswith("HtmlReport('small on TOY, fair', ")
