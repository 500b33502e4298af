from __future__ import annotations

from cliquepool.report.runs import reported_runs
from cliquepool.report.side_by_side import identity_facts, settings_facts, side_by_side, version_facts
from tests.helpers.fold_records import enzymes_run
from tests.helpers.reported_runs import HOSTILE


def run(model: str = "m", **settings: object) -> list[object]:
    return enzymes_run(model=model, candidates=[settings], settings=settings)


def differing(*runs: list[object]) -> dict[str, tuple[tuple[str, ...], bool]]:
    facts = settings_facts(reported_runs([record for one in runs for record in one]))  # type: ignore[misc]
    return {fact.name: (fact.words, fact.differs) for fact in facts}


def test_a_setting_differs_where_its_values_do() -> None:
    assert differing(run(a=1, b=[64, 32], c=None), run(a=2, b=[64, 32], c=True)) == {
        "a": (("1", "2"), True),
        "b": (("64, 32", "64, 32"), False),
        "c": (("none", "yes"), True),
    }


def test_a_setting_that_only_one_of_two_models_has_does_not_differ() -> None:
    assert differing(run("m", a=1), run("n", b=1)) == {"a": (("1", "–"), False), "b": (("–", "1"), False)}
    assert differing(run("m", a=1), run("m", b=1))["a"] == (("1", "–"), True)


def test_values_of_all_candidates_are_named() -> None:
    several = enzymes_run(candidates=[{"rate": 0.5}, {"rate": 0.1}], candidate_accuracies=[0.5, 0.1])
    (fact,) = settings_facts(reported_runs(several))
    assert fact.words == ("0.5 or 0.1",)


def test_versions_of_folds_that_differ_are_counted() -> None:
    mixed = [*enzymes_run()[:3], *enzymes_run(versions={"cliquepool": "1"})[3:]]
    (fact,) = version_facts(reported_runs(mixed))
    assert fact.words == ("0 (3 folds); 1 (1 fold)",)


def test_what_differs_comes_first_and_is_marked_and_hashes_copy_whole() -> None:
    runs = reported_runs([*enzymes_run(), *enzymes_run(model=HOSTILE)])  # type: ignore[list-item]
    table = side_by_side("Data", "property", identity_facts(runs), runs)
    rows = table.split("<tbody>")[1].split("</tr>")
    assert 'class="differs"><th scope="row">model</th><td>yes</td>' in rows[0]
    assert table.count('class="differs"') == 2  # the hash of the run is the other
    assert f'data-words="{"0" * 64}"' in table
    assert f"<code>{'0' * 12}…</code>" in table
    assert "<img" not in table


def test_a_single_run_has_no_mark() -> None:
    table = side_by_side(
        "Data", "property", identity_facts(reported_runs(enzymes_run())), reported_runs(enzymes_run())
    )
    assert "differs" not in table
