"""An epoch of training on one thread, compared with PyG: same convolutions, readouts, MLP and optimiser.

Ours does what `cliquepool.training.graphs` does: shuffled batches gathered from flat arrays, forward,
backward, a step of Adam, denormal numbers flushed to zero. PyG's is the same network with PyG's
convolutions, another pooling and `DataLoader`.
"""

from __future__ import annotations

import time
from contextlib import nullcontext
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import (
    EdgePooling,
    GCNConv,
    SAGEConv,
    TopKPooling,
    global_max_pool,
    global_mean_pool,
)

from benchmarks.inputs import data_set_file
from benchmarks.measuring import Measured, in_turn, measure
from benchmarks.reporting import beside, milliseconds, times
from cliquepool.data import FeatureEncoder, GraphDataset, PooledDataset, load_dataset
from cliquepool.nn import PRESETS, GraphClassifier
from cliquepool.nn.precompute import precompute_gathered
from cliquepool.training.adam import Adam
from cliquepool.training.denormals import flushing_denormals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from benchmarks.measuring import Task
    from benchmarks.reporting import Report
    from cliquepool.nn import Batch, ClassifierSettings

# The share of each data set that is measured, and the share for EdgePooling.
PARTS = {"PROTEINS": ("1", "0.1"), "ENZYMES": ("1", "0.2"), "DD": ("1", "0.02"), "COLLAB": ("0.1", None)}
BARS = {"COLLAB": {"TopKPooling": 5, "no pooling": 10}}
USUAL_BARS = {"TopKPooling": 2.5, "no pooling": 3, "EdgePooling": 10}

# Long runs: the first and the last epochs of LONG_RUN_EPOCHS at this learning rate are measured.
LONG_RUNS = {"PROTEINS": "1"}
LONG_RUN_RATE = 1e-3
LONG_RUN_EPOCHS = 105
AT_EACH_END = 5
UNFLUSHED = "cliquepool, denormals kept"
WHO_RUNS_LONG = ("cliquepool", UNFLUSHED, "TopKPooling", "no pooling")


def ours(name: str, part: str, learning_rate: float | None = None, *, flush: bool = True) -> Task:
    """Train for an epoch as `cliquepool.training.graphs` does; the answer is the number of nodes."""
    settings, dataset = _settings(name, learning_rate), _part(name, part)
    data = PooledDataset(dataset, settings.pools, threads=1)
    encoder = FeatureEncoder.fit(dataset)
    features = encoder.encode(dataset)
    order = np.random.default_rng(0)
    torch.manual_seed(0)
    network = GraphClassifier(settings, encoder.width, dataset.num_classes)
    features = precompute_gathered(network.convolutions[0], data, features)
    adam = Adam(network.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay)
    epoch = _epoch(network, adam.forget_gradients, adam.take_step)

    def batches(data: PooledDataset) -> Iterator[Batch]:
        return data.batches(np.arange(len(data)), features, batch_size=settings.batch_size, shuffle=order)

    def run(data: PooledDataset) -> int:
        with flushing_denormals() if flush else nullcontext():
            epoch(batches(data))
        return dataset.num_nodes

    return lambda: data, run


def with_pyg(name: str, part: str, pooling: str, learning_rate: float | None = None) -> Task:
    """Train for an epoch with PyG; the answer is the number of nodes."""
    settings, dataset = _settings(name, learning_rate), _part(name, part)
    torch.manual_seed(0)
    graphs, width = _with_features(dataset)
    network = PyGNetwork(settings, width, dataset.num_classes, pooling)
    adam = torch.optim.Adam(
        network.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay, fused=True
    )
    epoch = _epoch(network, adam.zero_grad, adam.step)
    loader = DataLoader(graphs, batch_size=settings.batch_size, shuffle=True)
    return lambda: loader, lambda loader: epoch(loader) and dataset.num_nodes


def epochs_in_turn(name: str, part: str) -> Task:
    """Train with each, alternating epochs."""
    tasks = {"ours": ours(name, part)}
    tasks |= {pooling: with_pyg(name, part, pooling) for pooling in ("TopKPooling", "no pooling")}
    return lambda: tasks, lambda tasks: in_turn(tasks, rounds=4, seconds=25)


def long_run(name: str, part: str, who: str) -> Task:
    """Train for many epochs; the answer is the time of the fastest of the first and of the last epochs."""
    if who in {"cliquepool", UNFLUSHED}:
        make, epoch = ours(name, part, LONG_RUN_RATE, flush=who != UNFLUSHED)
    else:
        make, epoch = with_pyg(name, part, who, LONG_RUN_RATE)

    def run(made: Any) -> tuple[float, float]:
        seconds = []
        for _ in range(LONG_RUN_EPOCHS):
            began = time.process_time()
            epoch(made)
            seconds.append(time.process_time() - began)
        return min(seconds[:AT_EACH_END]), min(seconds[-AT_EACH_END:])

    return make, run


def _epoch(
    network: nn.Module, forget_gradients: Callable[[], Any], take_step: Callable[[], Any]
) -> Callable[[Iterable[Any]], float]:
    """Return the loop that all share: the loss of a batch, its gradients, a step of Adam."""

    def epoch(batches: Iterable[Any]) -> float:
        network.train()
        total = torch.zeros((), dtype=torch.float64)
        for batch in batches:
            forget_gradients()
            loss = nn.functional.cross_entropy(network(batch), batch.y)
            loss.backward()
            take_step()
            total += loss.detach().double() * batch.num_graphs
        return float(total)

    return epoch


class PyGNetwork(nn.Module):
    """The paper's network, made of PyG's layers, with another pooling instead of clique pooling."""

    def __init__(self, settings: ClassifierSettings, features: int, classes: int, pooling: str) -> None:
        super().__init__()
        convolution = {"gcn": GCNConv, "sage": SAGEConv}[settings.convolution]
        widths = [features, *[settings.hidden] * (settings.pools + 1)]
        self.convolutions = nn.ModuleList(convolution(a, b) for a, b in pairwise(widths))
        pools: dict[str, Any] = {
            "TopKPooling": lambda: TopKPooling(settings.hidden, ratio=0.5),
            "EdgePooling": lambda: EdgePooling(settings.hidden),
            "no pooling": nn.Identity,
        }
        self.pools = nn.ModuleList(pools[pooling]() for _ in range(settings.pools))
        (hidden,) = settings.mlp
        self.head = nn.Sequential(
            nn.Linear(2 * settings.hidden * len(self.convolutions), hidden),
            nn.ReLU(),
            nn.Linear(hidden, classes),
        )

    def forward(self, data: Any) -> Tensor:
        x, edge_index, batch, graphs = data.x, data.edge_index, data.batch, data.num_graphs
        read = []
        for index, convolution in enumerate(self.convolutions):
            x = nn.functional.normalize(convolution(x, edge_index).relu())
            read += [global_mean_pool(x, batch, graphs), global_max_pool(x, batch, graphs)]
            pool = self.pools[index] if index < len(self.pools) else None
            if isinstance(pool, TopKPooling):
                x, edge_index, _, batch, _, _ = pool(x, edge_index, batch=batch)
            elif isinstance(pool, EdgePooling):
                x, edge_index, batch, _ = pool(x, edge_index, batch)
        return self.head(torch.cat(read, dim=1))  # type: ignore[no-any-return]


def our_batches(name: str, part: str) -> Task:
    """Collate all graphs into shuffled batches, with all levels and features, and do nothing with them."""
    settings, dataset = _settings(name), _part(name, part)
    data = PooledDataset(dataset, settings.pools, threads=1)
    features = FeatureEncoder.fit(dataset).encode(dataset)
    order = np.random.default_rng(0)

    def collate(data: PooledDataset) -> int:
        return sum(b.num_graphs for b in data.batches(np.arange(len(data)), features, shuffle=order))

    return lambda: data, collate


def pyg_batches(name: str, part: str) -> Task:
    """Collate the graphs, without levels, by PyG's DataLoader, and do nothing with the batches."""
    graphs, _ = _with_features(_part(name, part))
    loader = DataLoader(graphs, batch_size=_settings(name).batch_size, shuffle=True)
    return lambda: loader, lambda loader: sum(batch.num_graphs for batch in loader)


def batches_in_turn(name: str, part: str) -> Task:
    """Make batches, and pool everything once."""
    tasks = {task.__name__: task(name, part) for task in (our_batches, pyg_batches, pooling)}
    return lambda: tasks, lambda tasks: in_turn(tasks, rounds=4, seconds=5)


def pooling(name: str, part: str) -> Task:
    """Pool all graphs, to all levels that training uses."""
    settings, dataset = _settings(name), _part(name, part)
    return lambda: dataset, lambda dataset: len(PooledDataset(dataset, settings.pools, threads=1))


def _settings(name: str, learning_rate: float | None = None) -> ClassifierSettings:
    preset = PRESETS[f"paper-{name.lower()}"]
    return preset if learning_rate is None else preset.model_copy(update={"learning_rate": learning_rate})


def _part(name: str, part: str) -> GraphDataset:
    """Return a fixed random part of a data set."""
    dataset = load_dataset(data_set_file(name), cache=False)
    count = round(float(part) * len(dataset))
    return (
        dataset
        if count == len(dataset)
        else dataset[np.random.default_rng(0).permutation(len(dataset))[:count]]
    )


def _with_features(dataset: GraphDataset) -> tuple[list[Data], int]:
    """Return the graphs for PyG, with the same features as ours, and the number of features."""
    x = torch.from_numpy(FeatureEncoder.fit(dataset).encode(dataset).to_dense())
    graphs = [
        Data(x=rows.clone(), edge_index=graph.edge_index, y=graph.y)
        for graph, rows in zip(dataset.to_pyg(), x.split(np.diff(dataset.node_start).tolist()), strict=True)
    ]
    return graphs, x.shape[1]


def run(report: Report) -> None:
    batches(report, beside_pyg(report))
    last_epochs(report)


def beside_pyg(report: Report) -> dict[str, Measured]:
    """Compare epochs; return the measurements of ours."""
    mine: dict[str, Measured] = {}
    rows, bars = [], []
    for name in report.wanted(PARTS):
        part, small_part = PARTS[name]
        peers = _in_turn("epochs_in_turn", name, part)
        epoch = mine[name] = peers.pop("ours")
        if small_part is not None:
            peers["EdgePooling"] = _scaled(name, small_part, _part(name, part).num_nodes)
        cells = [cell for peer in peers.values() for cell in beside(peer, epoch)]
        rows.append((name, part, milliseconds(epoch.seconds), *cells, *["–"] * (6 - len(cells))))
        seconds = {peer: other.seconds for peer, other in peers.items()}
        report.keep("training", data_set=name, part=part, seconds=epoch.seconds, **seconds)
        bars += [
            (f"an epoch of {name}, times faster than PyG with {peer}", bar, peers[peer].per(epoch))
            for peer, bar in BARS.get(name, USUAL_BARS).items()
        ]
    if rows:
        columns = [
            "data set",
            "share",
            "cliquepool",
            "TopKPooling",
            "×",
            "no pooling",
            "×",
            "EdgePooling",
            "×",
        ]
        note = "EdgePooling is measured on " + ", ".join(
            f"{float(small):.0%} of {name}" for name, (_, small) in PARTS.items() if small
        )
        report.table("An epoch of training", columns, rows, f"{note}, and scaled by the number of nodes.")
    for claim, bar, ratio in bars:
        report.at_least(claim, bar, ratio or float("nan"))
    return mine


def _in_turn(task: str, name: str, part: str) -> dict[str, Measured]:
    """Return the fastest run of each, measured in one new process."""
    found = measure(f"benchmarks.training:{task}", name, part, repeat=1, timeout=1800)
    if found.seconds is None:
        raise SystemExit(f"{name}: {found.answer}")
    return {who: Measured(*seconds, None, None) for who, seconds in found.answer.items()}


def _scaled(name: str, part: str, num_nodes: int) -> Measured:
    """Measure EdgePooling on a part of the graphs, and scale its time to all nodes."""
    few = measure("benchmarks.training:with_pyg", name, part, "EdgePooling", repeat=2)
    if few.seconds is None or few.wall_seconds is None:
        return few
    scale = num_nodes / few.answer
    return Measured(few.seconds * scale, few.wall_seconds * scale, few.added_bytes, num_nodes)


def batches(report: Report, mine: dict[str, Measured]) -> None:
    rows, bars = [], []
    for name, epoch in mine.items():
        part = PARTS[name][0]
        ours, pygs, pooled = _in_turn("batches_in_turn", name, part).values()
        share = pooled.per(epoch)
        cells = (
            milliseconds(ours.seconds),
            *beside(pygs, ours),
            milliseconds(pooled.seconds),
            times(share),
        )
        rows.append((name, part, *cells))
        report.keep(
            "batches",
            data_set=name,
            cut_seconds=ours.seconds,
            collate_seconds=pygs.seconds,
            pool_seconds=pooled.seconds,
        )
        bars.append((report.at_least, f"collating {name}, times faster than PyG", 10, pygs.per(ours)))
        bars.append((report.at_most, f"pooling all of {name}, epochs", 1, share))
    if rows:
        columns = ["data set", "share", "collating", "PyG's DataLoader", "×", "pooling all once", "epochs"]
        note = "Batches alone, no network. Ours have all levels, PyG's the graphs alone."
        report.table("Collating batches, and pooling before training", columns, rows, note)
    for hold, claim, bar, ratio in bars:
        hold(claim, bar, ratio or float("nan"))


def last_epochs(report: Report) -> None:
    """Compare the last epochs of a long run with its first."""
    rows, bars = [], []
    for name in report.wanted(LONG_RUNS):
        for who in WHO_RUNS_LONG:
            found = measure(
                "benchmarks.training:long_run", name, LONG_RUNS[name], who, repeat=1, timeout=1800
            )
            if found.seconds is None:
                raise SystemExit(f"{name}, {who}: {found.answer}")
            first, last = found.answer
            rows.append((name, who, milliseconds(first), milliseconds(last), times(last / first)))
            report.keep("long runs", data_set=name, who=who, first_seconds=first, last_seconds=last)
            if who == "cliquepool":
                bars.append((f"the last epochs of {name}, times as long as the first", 1.25, last / first))
    if rows:
        ends = (f"epochs 1–{AT_EACH_END}", f"{LONG_RUN_EPOCHS - AT_EACH_END + 1}–{LONG_RUN_EPOCHS}")
        note = f"Learning rate {LONG_RUN_RATE:g}; the fastest epoch of each few."
        report.table("The first and the last epochs of a long run", ["data set", "", *ends, "×"], rows, note)
    for claim, bar, ratio in bars:
        report.at_most(claim, bar, ratio)
