"""Hierarchical poolers as classifiers: time of an epoch, peak memory of a training, pooling parameters.

Each pooler trains in a process of its own, on one thread, by the same code: `fit` of its classifier with its
default settings, with a tenth of the graphs held out. The time is that of the fastest epoch after the first,
with validation. Memory is the peak of the whole training above that of the data set and of the libraries:
levels, features, network, batches and gradients. It scatters by a megabyte and more, as the heap is left
fragmented by what the libraries did before: the figure is the median of three processes.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from benchmarks.inputs import data_set_file
from benchmarks.measuring import Measured, measure
from benchmarks.reporting import megabytes, milliseconds, times
from cliquepool import models
from cliquepool.data import GraphDataset, load_dataset

if TYPE_CHECKING:
    from benchmarks.measuring import Task
    from benchmarks.reporting import Report

# The share of each data set that is trained on.
PARTS = {"ENZYMES": "1", "PROTEINS": "1", "DD": "0.25", "COLLAB": "0.05"}
EPOCHS = 4
PROCESSES = 3
WARM_UP = 40
OURS = "CliquePool"
POOLERS: dict[str, tuple[str, dict[str, Any]]] = {
    OURS: ("CliquePoolClassifier", {}),
    "DiffPool": ("DiffPoolClassifier", {}),
    "DiffPool, no link prediction": ("DiffPoolClassifier", {"link_prediction": False}),
    "DiffPool, deterministic clusters": ("DiffPoolDetClassifier", {}),
    "Sparse HGC (top-k)": ("SparseHGCClassifier", {}),
    "SAGPool": ("SAGPoolClassifier", {}),
    "EdgePool": ("EdgePoolClassifier", {}),
    "ASAP": ("ASAPClassifier", {}),
    "MinCut": ("MinCutClassifier", {}),
    "Graclus": ("GraclusClassifier", {}),
    "k-MIS": ("KMISClassifier", {}),
}


def training(name: str, part: str, pooler: str) -> Task:
    """Train for some epochs; the answer is the time of the fastest, and the parameters of the pooling."""
    model, parameters = POOLERS[pooler]
    estimator = getattr(models, model)(**parameters, epochs=EPOCHS, patience=None)
    dataset = _part(name, part)
    # Whatever torch and other libraries load and allocate once is no part of the measured memory.
    clone(estimator).set_params(epochs=1, validation_fraction=0).fit(dataset[:: len(dataset) // WARM_UP])

    def run(dataset: GraphDataset) -> tuple[float, int | None]:
        ends: list[float] = []
        fitted = estimator.fit(dataset, on_epoch=lambda _: ends.append(time.process_time()))
        return min(np.diff(ends).tolist()), fitted.num_pooling_parameters_

    return lambda: dataset, run


def _part(name: str, part: str) -> GraphDataset:
    """Return a fixed random part of a data set."""
    dataset = load_dataset(data_set_file(name), cache=False)
    chosen = np.random.default_rng(0).permutation(len(dataset))[: round(float(part) * len(dataset))]
    return dataset if len(chosen) == len(dataset) else dataset[np.sort(chosen)]


def run(report: Report) -> None:
    bars = []
    for name in report.wanted(PARTS):
        found = {pooler: _measured(name, pooler) for pooler in POOLERS}
        _show(report, name, found)
        ours, *others = found.values()
        for what, of_one in (("time of an epoch", _epoch_seconds), ("memory", lambda one: one.added_bytes)):
            mine, least = of_one(ours), min((of_one(one) or math.inf for one in others), default=math.inf)
            bars.append((f"{what} on {name}, share of the least other", 1, (mine or math.nan) / least))
    for claim, bar, share in bars:
        report.at_most(claim, bar, share)


def _measured(name: str, pooler: str) -> Measured:
    """Return the fastest epoch and the median of the memory of some trainings, or one that failed."""
    runs = []
    for _ in range(PROCESSES):
        one = measure("benchmarks.poolers:training", name, PARTS[name], pooler, repeat=1)
        if one.seconds is None:
            return one
        runs.append(one)
    fastest = min(runs, key=lambda one: one.answer[0])
    in_order = sorted(one.added_bytes for one in runs if one.added_bytes is not None)
    return replace(fastest, added_bytes=in_order[len(in_order) // 2] if in_order else None)


def _epoch_seconds(found: Measured) -> float | None:
    return None if found.seconds is None else found.answer[0]


def _show(report: Report, name: str, found: dict[str, Measured]) -> None:
    ours = found[OURS]
    rows = []
    for pooler, one in found.items():
        seconds = _epoch_seconds(one)
        if seconds is None:
            rows.append((pooler, "failed", "–", "–", "–", str(one.answer)[:60]))
            continue
        parameters = one.answer[1]
        cells = (
            milliseconds(seconds),
            times(_ratio(seconds, _epoch_seconds(ours))),
            megabytes(one.added_bytes),
            times(_ratio(one.added_bytes, ours.added_bytes)),
        )
        rows.append((pooler, *cells, f"{parameters:,}"))
        report.keep(
            "poolers",
            data_set=name,
            part=PARTS[name],
            pooler=pooler,
            seconds=seconds,
            added_bytes=one.added_bytes,
            pooling_parameters=parameters,
        )
    columns = ["pooler", "an epoch", "×", "memory", "×", "parameters of the pooling"]
    report.table(f"Training on {name}, {float(PARTS[name]):.0%} of the graphs", columns, rows)


def _ratio(value: float | None, ours: float | None) -> float | None:
    return None if value is None or not ours else value / ours
