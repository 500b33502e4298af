"""Tables of several runs side by side: settings, identity and versions, with what differs marked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from cliquepool._words import counted
from cliquepool.evaluate.records import canonical
from cliquepool.view.html_page import text
from cliquepool.view.html_tables import HtmlCell, HtmlColumn, HtmlRow, sortable_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cliquepool.report.runs import ReportedRun

__all__ = ["Fact", "identity_facts", "settings_facts", "side_by_side", "version_facts"]

_NOTHING: Final = "–"


@dataclass(frozen=True, slots=True)
class Fact:
    """A property with its words for each run, "–" where a run does not have it, and whether runs differ."""

    name: str
    words: tuple[str, ...]
    differs: bool

    @classmethod
    def of(cls, name: str, words: Iterable[str]) -> Fact:
        """Return a property in which runs differ wherever their words do."""
        found = tuple(words)
        return cls(name, found, len(set(found)) > 1)


def settings_facts(runs: Sequence[ReportedRun]) -> list[Fact]:
    """Return every setting of any run, in the order of the records; of several candidates all values."""
    names = dict.fromkeys(name for run in runs for settings in run.candidates for name in settings)
    return [_settings_fact(name, runs) for name in names]


def _settings_fact(name: str, runs: Sequence[ReportedRun]) -> Fact:
    """Return a setting; another model that does not have it does not differ in it."""
    words = tuple(_setting(run, name) for run in runs)
    by_model: dict[str, set[str]] = {}
    for run, said in zip(runs, words, strict=True):
        by_model.setdefault(run.summary.run.model, set()).add(said)
    differs = any(len(said) > 1 for said in by_model.values()) or len(set(words) - {_NOTHING}) > 1
    return Fact(name, words, differs)


def _setting(run: ReportedRun, name: str) -> str:
    values = [settings.get(name, _Absent) for settings in run.candidates]
    words = dict.fromkeys(_NOTHING if value is _Absent else _value(value) for value in values)
    return " or ".join(words)


class _Absent:
    """Stands for a setting that a candidate does not have."""


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_value, value)) or "none"
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    return value if isinstance(value, str) else canonical(value)


def identity_facts(runs: Sequence[ReportedRun]) -> list[Fact]:
    """Return what identifies a run: the data, the folds, the seeds and the splits, with their hashes."""

    def fact(name: str, words: Any) -> Fact:
        return Fact.of(name, (str(words(run)) for run in runs))

    return [
        fact("data set", lambda run: run.summary.run.dataset),
        fact("fingerprint of the data set", lambda run: run.summary.run.fingerprint),
        fact("model", lambda run: run.summary.run.model),
        fact("protocol", lambda run: run.summary.run.protocol),
        fact("folds", lambda run: run.summary.run.folds),
        fact("source of the folds", lambda run: run.splits_name),
        fact("seeds", lambda run: ", ".join(map(str, run.summary.seeds))),
        fact("hash of all splits", lambda run: run.splits_sha256),
        fact("settings to choose from", lambda run: len(run.candidates)),
        fact("hash of the run", lambda run: run.summary.run.sha256),
    ]


def version_facts(runs: Sequence[ReportedRun]) -> list[Fact]:
    """Return the versions and the machine; where folds of a run differ, how many folds each has."""
    names = dict.fromkeys(name for run in runs for record in run.summary.records for name in record.versions)
    return [Fact.of(name, (_version(run, name) for run in runs)) for name in names]


def _version(run: ReportedRun, name: str) -> str:
    counts = Counter(record.versions.get(name, _NOTHING) for record in run.summary.records)
    if len(counts) == 1:
        return next(iter(counts))
    return "; ".join(f"{version} ({counted(number, 'fold')})" for version, number in sorted(counts.items()))


def side_by_side(caption: str, what: str, facts: Sequence[Fact], runs: Sequence[ReportedRun]) -> str:
    """Return a table with a column for each run; what differs comes first, marked in words and in colour."""
    several = len(runs) > 1
    ordered = sorted(facts, key=lambda fact: not (several and fact.differs))
    heads = [HtmlColumn(what), *([HtmlColumn("differs")] if several else [])]
    heads += [HtmlColumn(f"{run.number}: {run.name}" if several else run.name) for run in runs]
    rows = []
    for fact in ordered:
        mark = [HtmlCell("yes" if fact.differs else _NOTHING)] if several else []
        cells = [*mark, *(_cell(words) for words in fact.words)]
        rows.append(HtmlRow(HtmlCell(fact.name), cells, css="differs" if several and fact.differs else ""))
    return sortable_table(caption, heads, rows)


def _cell(words: str) -> HtmlCell:
    """Return a cell; of a hash it shows the beginning, and copies the whole."""
    if len(words) == 64 and set(words) <= set("0123456789abcdef"):
        return HtmlCell(words, tip=words, markup=f"<code>{text(words[:12])}…</code>")
    return HtmlCell(words)
