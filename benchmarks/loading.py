"""Loading whole data sets, from their files and from the cache."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

from benchmarks.inputs import all_data_sets, data_set_file
from benchmarks.measuring import measure
from benchmarks.reporting import megabytes, milliseconds
from cliquepool.data import load_dataset

if TYPE_CHECKING:
    from benchmarks.measuring import Task
    from benchmarks.reporting import Report


def first_time(name: str) -> Task:
    def folder() -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory()

    return folder, lambda cache: load_dataset(data_set_file(name), cache_dir=cache.name).num_edges


def from_cache(name: str) -> Task:
    cache = tempfile.TemporaryDirectory()
    load_dataset(data_set_file(name), cache_dir=cache.name)
    return lambda: cache, lambda kept: load_dataset(data_set_file(name), cache_dir=kept.name).num_edges


def run(report: Report) -> None:
    rows = []
    for name in report.wanted(all_data_sets()):
        first = measure("benchmarks.loading:first_time", name, repeat=2)
        again = measure("benchmarks.loading:from_cache", name, repeat=3)
        cells = (milliseconds(first.seconds), megabytes(first.added_bytes), milliseconds(again.seconds))
        rows.append((name, f"{first.answer:,}", *cells))
        report.keep("loading", data_set=name, seconds=first.seconds, cached_seconds=again.seconds)
        if name == "COLLAB" and first.seconds and again.seconds and first.added_bytes:
            report.at_most("loading COLLAB, seconds", 20, first.seconds)
            report.at_most("loading COLLAB, MB added", 2000, first.added_bytes / 1e6)
            report.at_most("loading COLLAB from the cache, seconds", 1, again.seconds)
    if rows:
        report.table("Loading data sets", ["data set", "edges", "loading", "memory", "from the cache"], rows)
