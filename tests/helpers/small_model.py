"""A small model that trains in epochs, for tests of protocols, records and processes."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import networkx as nx
import numpy as np

import cliquepool as cp
from cliquepool.data import GraphDataset
from cliquepool.evaluate import EpochReport

if TYPE_CHECKING:
    from collections.abc import Callable

    from cliquepool.data.selection import Selection


def rings_and_stars(graphs: int = 40, name: str = "rings and stars") -> GraphDataset:
    """Return graphs of two classes that differ in node counts and degrees, except for every tenth graph."""
    made = [
        nx.cycle_graph(4 + i // 2) if (i % 2 == 0) != (i % 10 == 9) else nx.star_graph(3 + i // 2)
        for i in range(graphs)
    ]
    targets = ["ring" if i % 2 == 0 else "star" for i in range(graphs)]
    return GraphDataset.from_graphs(map(cp.Graph.from_networkx, made), targets, name=name)


def leaf_features(dataset: GraphDataset) -> Any:
    """Return a constant and the share of leaves for each graph."""
    sizes = np.diff(dataset.node_start)
    leaves = np.add.reduceat(dataset.degrees == 1, dataset.node_start[:-1])
    return np.column_stack([np.ones(len(dataset)), leaves / sizes - 0.4])


@dataclass
class SmallModel:
    """Logistic regression by gradient steps; writes to a log file what it was shown, if it has one."""

    epochs: int = 5
    rate: float = 0.5
    log: str | None = None
    waits_without: tuple[int, ...] = ()  # a fold that is not shown one of these stops half-way, and waits
    fails_on: tuple[int, ...] | None = None  # the validation ids it fails on
    dies: bool = False
    diverges: bool = False
    random_state: int = 0

    preparation = "leaves"

    def describe(self) -> tuple[str, dict[str, Any]]:
        return "small", {"epochs": self.epochs, "rate": self.rate}

    def prepare(self, dataset: GraphDataset) -> Any:
        return leaf_features(dataset)

    def fit(
        self,
        X: Selection,
        y: Any,
        *,
        validation: tuple[Selection, Any],
        checkpoint: Path,
        on_epoch: Callable[[EpochReport], None],
    ) -> Self:
        held_out, held_out_y = validation
        self.tell("train", X.ids)
        self.tell("validation", held_out.ids)
        if self.fails_on is not None and set(self.fails_on) <= set(held_out.ids.tolist()):
            if self.dies:
                os._exit(7)
            raise ArithmeticError("the weights are not finite")
        waits = bool(set(self.waits_without) - set(X.ids.tolist()) - set(held_out.ids.tolist()))
        features, targets = X.source[X.ids], y == "star"
        weights = np.random.default_rng(self.random_state).normal(size=features.shape[1])
        losses: list[float] = []
        accuracies: list[float] = []
        if checkpoint.exists():
            saved = json.loads(checkpoint.read_text())
            losses, accuracies, weights = saved["losses"], saved["accuracies"], np.array(saved["weights"])
            self.tell("resumed", [len(losses)])
        while len(losses) < self.epochs:
            while waits and len(losses) == self.epochs // 2:
                time.sleep(1)
            chance = 1 / (1 + np.exp(-features @ weights))
            weights = weights + self.rate * features.T @ (targets - chance) / len(targets)
            losses.append(float(-np.log(np.where(targets, chance, 1 - chance)).mean()))
            accuracies.append(float((_classes(held_out, weights) == held_out_y).mean()))
            state = {"losses": losses, "accuracies": accuracies, "weights": weights.tolist()}
            fresh = checkpoint.with_suffix(".new")
            fresh.write_text(json.dumps(state))
            fresh.replace(checkpoint)
            on_epoch(EpochReport(len(losses), self.epochs, losses[-1], accuracies[-1]))
        if self.diverges:
            losses[1] = float("nan")
        self.best_epoch_ = accuracies.index(max(accuracies)) + 1
        self.curves_ = {"loss": losses, "validation_accuracy": accuracies}
        self.weights_ = weights
        return self

    def predict(self, X: Selection) -> Any:
        self.tell("test", X.ids)
        return _classes(X, self.weights_)

    def tell(self, what: str, ids: Any) -> None:
        if self.log is not None:
            with Path(self.log).open("a") as file:
                file.write(json.dumps({"what": what, "ids": [int(i) for i in ids]}) + "\n")


def _classes(X: Selection, weights: Any) -> Any:
    return np.where(X.source[X.ids] @ weights > 0, "star", "ring")


def told(log: Path) -> list[tuple[str, set[int]]]:
    """Read what `SmallModel` has written to its log: what it was shown, and which ids."""
    return [(line["what"], set(line["ids"])) for line in map(json.loads, log.read_text().splitlines())]
