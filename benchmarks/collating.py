"""Collation by PyG of data with two coarse levels, compared with the same data without levels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch_geometric.data import Batch

from benchmarks.inputs import data_set_file
from benchmarks.measuring import Measured, in_turn, measure
from benchmarks.reporting import milliseconds, times
from cliquepool.data import load_dataset
from cliquepool.nn import CliqueCoarsening

if TYPE_CHECKING:
    from benchmarks.measuring import Task
    from benchmarks.reporting import Report

GRAPHS = 128
DATA_SETS = {"MUTAG": "molecules with edge labels", "NCI1": "molecules", "PROTEINS": "proteins"}
BAR = 1.5


def collated_in_turn(name: str) -> Task:
    """Collate the first graphs of a data set with and without levels, and unpack the levels of a batch."""
    plain = load_dataset(data_set_file(name), cache=False).to_pyg()[:GRAPHS]
    coarsen = CliqueCoarsening(levels=2)
    coarsened = [coarsen(data) for data in plain]

    def with_levels_read(graphs: list[Batch]) -> int:
        batch = Batch.from_data_list(graphs)
        return sum(batch.level(level).num_nodes for level in range(3))

    tasks: dict[str, Task] = {
        "plain": (lambda: plain, lambda graphs: Batch.from_data_list(graphs).num_graphs),
        "coarsened": (lambda: coarsened, lambda graphs: Batch.from_data_list(graphs).num_graphs),
        "levels read": (lambda: coarsened, with_levels_read),
    }
    return lambda: tasks, lambda tasks: in_turn(tasks, rounds=40, seconds=20)


def run(report: Report) -> None:
    rows, bars = [], []
    for name in report.wanted(DATA_SETS):
        found = measure("benchmarks.collating:collated_in_turn", name, repeat=1)
        if found.seconds is None:
            raise SystemExit(f"{name}: {found.answer}")
        plain, coarsened, read = (Measured(*seconds, None, None) for seconds in found.answer.values())
        ratio = coarsened.per(plain)
        rows.append(
            (
                f"{name}, {DATA_SETS[name]}",
                milliseconds(plain.seconds),
                milliseconds(coarsened.seconds),
                times(ratio),
                milliseconds(read.seconds),
            )
        )
        seconds = {"plain": plain.seconds, "coarsened": coarsened.seconds, "read": read.seconds}
        report.keep("collating", data_set=name, graphs=GRAPHS, **seconds)
        bars.append((f"collating {name} with two levels, times as long as without", BAR, ratio))
    if rows:
        columns = ["data set", "plain", "two levels", "×", "and all levels read"]
        report.table(f"Collating {GRAPHS} graphs with PyG", columns, rows)
    for claim, bar, ratio in bars:
        report.at_most(claim, bar, ratio or float("nan"))
