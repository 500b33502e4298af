"""A model of a few lines that learns in epochs, for tests of what is around models."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

import cliquepool as cp
from cliquepool.data import GraphDataset
from cliquepool.evaluate import Epoch

if TYPE_CHECKING:
    from collections.abc import Callable


def rings_and_stars(graphs: int = 40, name: str = "rings and stars") -> GraphDataset:
    """Two classes that node counts and degrees tell apart, but for every tenth graph."""
    made = [
        nx.cycle_graph(4 + i // 2) if (i % 2 == 0) != (i % 10 == 9) else nx.star_graph(3 + i // 2)
        for i in range(graphs)
    ]
    targets = ["ring" if i % 2 == 0 else "star" for i in range(graphs)]
    return GraphDataset.from_graphs(map(cp.Graph.from_networkx, made), targets, name=name)


@dataclass
class Fitted:
    curves: dict[str, list[float]]
    best_epoch: int
    weights: Any
    prepared: Any
    model: SmallModel

    def accuracy(self, ids: Any) -> float:
        self.model.tell("test", ids)
        features, targets = self.prepared
        return float(((features[ids] @ self.weights > 0) == targets[ids]).mean())


@dataclass(frozen=True)
class SmallModel:
    """Logistic regression by gradient steps; tells a log file what it was shown, if it has one."""

    epochs: int = 5
    rate: float = 0.5
    log: str | None = None
    waits_without: tuple[int, ...] = ()  # a fold that is not shown one of these stops half-way, and waits
    fails_on: tuple[int, ...] | None = None  # the validation ids it fails on
    dies: bool = False
    diverges: bool = False

    name = "small"
    preparation = "degrees"

    @property
    def settings(self) -> dict[str, Any]:
        return {"epochs": self.epochs, "rate": self.rate}

    def prepare(self, dataset: GraphDataset) -> Any:
        sizes = np.diff(dataset.node_start)
        leaves = np.add.reduceat(dataset.degrees == 1, dataset.node_start[:-1])
        features = np.column_stack([np.ones(len(dataset)), leaves / sizes - 0.4])
        return features, dataset.targets == 1

    def fit(
        self,
        prepared: Any,
        train: Any,
        validation: Any,
        *,
        seed: int,
        checkpoint: Path,
        on_epoch: Callable[[Epoch], None],
    ) -> Fitted:
        self.tell("train", train)
        self.tell("validation", validation)
        if self.fails_on is not None and set(self.fails_on) <= set(validation.tolist()):
            if self.dies:
                os._exit(7)
            raise ArithmeticError("the weights are not finite")
        waits = bool(set(self.waits_without) - set(train.tolist()) - set(validation.tolist()))
        features, targets = prepared
        weights = np.random.default_rng(seed).normal(size=features.shape[1])
        losses: list[float] = []
        accuracies: list[float] = []
        if checkpoint.exists():
            saved = json.loads(checkpoint.read_text())
            losses, accuracies, weights = saved["losses"], saved["accuracies"], np.array(saved["weights"])
            self.tell("resumed", [len(losses)])
        while len(losses) < self.epochs:
            while waits and len(losses) == self.epochs // 2:
                time.sleep(1)
            chance = 1 / (1 + np.exp(-features[train] @ weights))
            weights = weights + self.rate * features[train].T @ (targets[train] - chance) / len(train)
            losses.append(float(-np.log(np.where(targets[train], chance, 1 - chance)).mean()))
            accuracies.append(float(((features[validation] @ weights > 0) == targets[validation]).mean()))
            state = {"losses": losses, "accuracies": accuracies, "weights": weights.tolist()}
            fresh = checkpoint.with_suffix(".new")
            fresh.write_text(json.dumps(state))
            fresh.replace(checkpoint)
            on_epoch(Epoch(len(losses), self.epochs, losses[-1], accuracies[-1]))
        if self.diverges:
            losses[1] = float("nan")
        best = accuracies.index(max(accuracies)) + 1
        return Fitted({"loss": losses, "validation_accuracy": accuracies}, best, weights, prepared, self)

    def tell(self, what: str, ids: Any) -> None:
        if self.log is not None:
            with Path(self.log).open("a") as file:
                file.write(json.dumps({"what": what, "ids": [int(i) for i in ids]}) + "\n")
