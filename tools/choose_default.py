"""Compare candidates for the preset `default` by held-out parts of the training graphs alone.

For every fold of the fair protocol, the test part is left aside, and two tenths of the training part are held
out. Each candidate is trained on the rest; its loss and accuracy on both tenths are recorded after every
epoch. The epoch that one tenth chooses is judged by the other, and the other way round: so the way of
choosing the epoch is compared too, and no figure is of graphs that chose anything.

    python tools/choose_default.py --datasets MUTAG,PTC_MR --folds 10 --out FILE
    python tools/choose_default.py --report --out tools/default-preset.jsonl
    python tools/choose_default.py --report --choose gin-average,sage-wide-average --out FILE

The last prints how accurate the candidate is that one tenth chooses among several, as the rows of the
comparison table do: the epoch by the Brier score, the candidate by accuracy, of equal ones by the loss.

A candidate on a fold that the file has already is not trained again. The committed file has up to ten folds
of MUTAG and PTC_MR, four of IMDB-BINARY and one of NCI1 and REDDIT-BINARY, with fewer epochs on the larger
ones; its first lines were recorded without the Brier score.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn import functional

from cliquepool.data import PooledDataset, load_dataset
from cliquepool.evaluate.splits import derived_seed, held_out_split, outer_folds, paper_split
from cliquepool.nn.settings import ClassifierSettings
from cliquepool.training.graphs import train
from cliquepool.training.tasks import Classification

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from cliquepool.data import GraphDataset

_BATCH = {"batch_norm": True, "weight_decay": 0.0, "averaging": 0.99}  # as the other poolers are trained
BASE = ClassifierSettings(
    convolution="gcn",
    hidden=64,
    composition=True,
    dropout=0.5,
    learning_rate=1e-3,
    weight_decay=1e-3,
    epochs=200,
    batch_norm=False,
    readout=("mean", "max"),
    normalise=True,
    reduce="mean",
    patience=None,
    averaging=0.0,
)
CANDIDATES = {
    "gcn": {},
    "gcn-fast": {"learning_rate": 1e-2},
    "sage": {"convolution": "sage"},
    "sage-fast": {"convolution": "sage", "learning_rate": 1e-2},
    "gin": {"convolution": "gin"},
    "gin-average": {"convolution": "gin", "averaging": 0.99},
    "sage-average": {"convolution": "sage", "averaging": 0.99},
    "gcn-average": {"averaging": 0.99},
    "sage-wide-average": {"convolution": "sage", "hidden": 128, "averaging": 0.99},
    "gcn-decay-average": {"weight_decay": 1e-2, "averaging": 0.99},
    "gin-decay-average": {"convolution": "gin", "weight_decay": 1e-2, "averaging": 0.99},
    "gin-norm": {"convolution": "gin", "batch_norm": True, "normalise": False},
    "gcn-batch": {**_BATCH, "normalise": False},
    "gcn-batch-fast": {**_BATCH, "normalise": False, "learning_rate": 1e-2},
    "gcn-batch-decay": {**_BATCH, "normalise": False, "weight_decay": 1e-3},
    "sage-batch": {**_BATCH, "normalise": False, "convolution": "sage"},
    "gcn-batch-l2": _BATCH,
    "sage-batch-l2": {**_BATCH, "convolution": "sage"},
    "gcn-share": {"reduce": "share", "readout": ("mean", "max", "sum")},
    "gcn-plain": {"composition": False},
    "gcn-light": {"learning_rate": 3e-3, "weight_decay": 1e-4},
    "gin-light": {"convolution": "gin", "learning_rate": 3e-3, "weight_decay": 1e-4},
}
WAYS = ("score", "loss", "brier")
PATIENCE = 50


class TwoParts(Classification):
    """Classes of graphs; `score` also records loss and accuracy of two halves of the validation graphs."""

    def __init__(self, targets: Tensor, num_classes: int, first: int) -> None:
        super().__init__(targets, num_classes)
        self.first = first
        self.parts: list[dict[str, list[float]]] = [
            {"loss": [], "brier": [], "accuracy": []} for _ in range(2)
        ]

    def score(self, outputs: Tensor, targets: Tensor, weights: Tensor | None = None) -> float:
        """Return the accuracy on all, and record both halves."""
        for part, half in zip(self.parts, (slice(self.first), slice(self.first, None)), strict=True):
            part["loss"].append(round(float(self.loss(outputs[half], targets[half])), 4))
            wrong = outputs[half].softmax(1) - functional.one_hot(targets[half], self.num_classes)
            part["brier"].append(round(float(wrong.square().sum(dim=1).mean()), 4))
            part["accuracy"].append(round(super().score(outputs[half], targets[half]), 4))
        return super().score(outputs, targets, weights)


def trained(data: PooledDataset, fold: int, settings: ClassifierSettings, folds: int) -> dict[str, Any]:
    """Train on all but the test part and two tenths of the others; return the curves of both tenths."""
    targets = data.dataset.targets
    outer = paper_split(outer_folds(targets, folds, 0), fold)
    first = held_out_split(targets, outer.train, derived_seed(0, fold))
    second = held_out_split(targets, first.train, derived_seed(1, fold))
    parts = [first.validation, second.validation]
    task = TwoParts(torch.tensor(targets), data.dataset.num_classes, len(parts[0]))
    began = time.perf_counter()
    train(data, second.train, np.concatenate(parts), settings, seed=derived_seed(0, fold), task=task)
    return {"seconds": round(time.perf_counter() - began, 1), "parts": task.parts}


def run(dataset: GraphDataset, names: Sequence[str], folds: Sequence[int], epochs: int, out: Path) -> None:
    """Train what the file does not have yet, and append a line for each candidate and fold."""
    done = {(line["dataset"], line["fold"], line["candidate"]) for line in read(out)}
    data = PooledDataset(dataset, levels=BASE.pools)
    for fold in folds:
        for name in names:
            if (dataset.name, fold, name) in done:
                continue
            settings = BASE.model_copy(update={"epochs": epochs, **CANDIDATES[name]})
            line = {"dataset": dataset.name, "fold": fold, "candidate": name}
            line |= trained(data, fold, settings, 10) | {"settings": settings.recorded()}
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")


def read(path: Path) -> list[dict[str, Any]]:
    """Return the lines of the file, if it exists."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def chosen_epoch(part: dict[str, list[float]], by: str, patience: int | None) -> int:
    """Return the epoch, from 0, that `epoch_by` and `patience` keep."""
    ranks = [-value for value in part["accuracy"]] if by == "score" else part[by]
    ties = part["loss"]
    best = 0
    for epoch in range(len(ranks)):
        if (ranks[epoch], ties[epoch]) < (ranks[best], ties[best]):
            best = epoch
        if patience is not None and epoch - best >= patience:
            break
    return best


def judged(line: dict[str, Any], by: str, patience: int | None) -> list[tuple[float, float, int]]:
    """Return accuracies on the tenth that did not choose the epoch and on the one that did, and the epoch."""
    found = []
    for chooser, judge in (line["parts"], line["parts"][::-1]):
        epoch = chosen_epoch(chooser, by, patience)
        found.append((judge["accuracy"][epoch], chooser["accuracy"][epoch], epoch + 1))
    return found


def report(lines: list[dict[str, Any]]) -> None:
    """Print the accuracies of each candidate on each data set, by what chooses the epoch.

    In brackets: by how much more accurate the network was on the tenth that chose the epoch, and the epoch.
    """
    figures: dict[tuple[str, str], dict[str, list[tuple[float, float, int]]]] = {}
    for line in lines:
        ways = figures.setdefault((line["dataset"], line["candidate"]), {by: [] for by in WAYS})
        for by in WAYS:
            if by == "score" or by in line["parts"][0]:
                ways[by] += judged(line, by, PATIENCE)
    for (dataset, candidate), ways in sorted(figures.items()):
        cells = [f"{dataset:14} {candidate:10} {len(ways['loss']) // 2:2} folds"]
        for by, found in ways.items():
            if found:
                accuracy, on_chooser, epoch = np.mean(found, axis=0)
                more = on_chooser - accuracy
                cells.append(f"by {by} {100 * accuracy:.2f} ({100 * more:+.1f}, {epoch:.0f})")
        print("   ".join(cells))


def report_choice(lines: list[dict[str, Any]], names: Sequence[str]) -> None:
    """Print the accuracy of the candidate that each tenth chooses among `names`, on the other tenth."""
    folds: dict[tuple[str, int], dict[str, list[dict[str, list[float]]]]] = {}
    for line in lines:
        if line["candidate"] in names and "brier" in line["parts"][0]:
            folds.setdefault((line["dataset"], line["fold"]), {})[line["candidate"]] = line["parts"]
    figures: dict[str, list[float]] = {}
    for (dataset, _), found in folds.items():
        if len(found) == len(names):
            figures.setdefault(dataset, []).extend(
                _chosen_accuracy([parts[::step] for parts in found.values()]) for step in (1, -1)
            )
    for dataset, accuracies in sorted(figures.items()):
        print(f"{dataset:14} {len(accuracies) // 2:2} folds   {100 * np.mean(accuracies):.2f}")


def _chosen_accuracy(candidates: Sequence[Sequence[dict[str, list[float]]]]) -> float:
    """Return the accuracy on the second tenth of the candidate that the first one chooses."""
    ranked = []
    for chooser, judge in candidates:
        epoch = chosen_epoch(chooser, "brier", PATIENCE)
        ranked.append((-chooser["accuracy"][epoch], chooser["loss"][epoch], judge["accuracy"][epoch]))
    return min(ranked)[-1]


def main() -> None:
    """Train what is asked for, and print all figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--datasets", default="MUTAG,PTC_MR", metavar="A,B")
    parser.add_argument("--candidates", default=",".join(CANDIDATES), metavar="A,B")
    parser.add_argument("--folds", type=int, default=10, metavar="N", help="the first N of ten folds")
    parser.add_argument("--epochs", type=int, default=200, metavar="N")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parser.add_argument("--report", action="store_true", help="only print what the file has")
    parser.add_argument("--choose", metavar="A,B", help="print figures of a choice among these")
    given = parser.parse_args()
    if not given.report:
        for name in given.datasets.split(","):
            run(
                load_dataset(name),
                given.candidates.split(","),
                range(1, given.folds + 1),
                given.epochs,
                given.out,
            )
    if given.choose:
        report_choice(read(given.out), given.choose.split(","))
    else:
        report(read(given.out))


if __name__ == "__main__":
    main()
