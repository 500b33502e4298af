"""Train networks to tell BREC's pairs apart, and record for which pairs they do.

The protocol is that of the paper (arXiv 2304.07702, "reliable paired comparisons"), for each pair on its own:
a new network is trained on q = 32 copies of both graphs, with their nodes in random order, so that the
embeddings of the two graphs have a low cosine similarity. Then Hotelling's T² test decides whether the mean
of the 32 differences of embeddings is zero. The same test on copies of one graph must not find a difference.

Networks compute in float64: rounding depends on the order of the nodes, and on regular graphs, whose nodes
have equal features, float32 and batch norm amplify it to differences that the graphs do not have.

``python -m benchmarks.brec_training --pairs basic,cfi --networks "GIN with clique pools"`` runs what is not
yet recorded in results/brec.json, and may be interrupted at any time.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from benchmarks.brec import CATEGORIES, RECORDS, read_pairs, read_records, write_records
from benchmarks.expressiveness import relabelled
from cliquepool.data import FeatureEncoder, GraphDataset, PooledDataset
from cliquepool.nn import PRESETS, ClassifierSettings, CliquePool, GraphClassifier
from cliquepool.nn.functional import sum_chain
from cliquepool.nn.layers import GIN
from cliquepool.nn.peer_layers import sum_nodes

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.brec import Pair
    from cliquepool.nn import Batch, Level


@dataclass(frozen=True)
class Protocol:
    """The constants of the paper and of its code, from which the published figures are."""

    copies: int = 32
    width: int = 16
    epochs: int = 20
    pairs_in_batch: int = 8
    learning_rate: float = 1e-3
    weight_decay: float = 1e-5
    enough_loss: float = 0.01
    """Training ends where the mean loss of an epoch is below this."""
    ridge: float = 1e-7
    """Added to the variances: without it, a network that gives all copies the same embedding has none."""
    threshold: float = 160.0
    """Of T². The authors' code compares T²/q with 5; by the F distribution this is a level of 0.1 %."""
    seed: int = 0
    most_nodes: int = 500_000
    """Pairs with more nodes than this, over all levels of all copies, are not run."""


class PooledGIN(nn.Module):
    """GIN with sums everywhere: convolutions on each level, sums over pools, and sums over nodes read out.

    Sums keep what means and maxima hide, such as the number of pools. With `lift`, a second pass goes down:
    the nodes of each level get the sums over their pools, and are convolved again.
    """

    def __init__(
        self, pools: int, num_outputs: int, *, hidden: int = 32, layers: int = 2, lift: bool = False
    ) -> None:
        super().__init__()
        self.pool = CliquePool("sum")
        self.up = nn.ModuleList(
            nn.ModuleList(GIN(1 if level == layer == 0 else hidden, hidden) for layer in range(layers))
            for level in range(pools + 1)
        )
        self.down = nn.ModuleList(
            nn.ModuleList(GIN(2 * hidden if layer == 0 else hidden, hidden) for layer in range(layers))
            for _ in range(pools if lift else 0)
        )
        num_read = (len(self.up) + len(self.down)) * layers
        self.heads = nn.ModuleList(nn.Linear(hidden, num_outputs) for _ in range(num_read))

    def forward(self, batch: Batch) -> Tensor:
        """Return an embedding of each graph."""
        x, read, of_levels = batch.x, [], []
        for index, convolutions in enumerate(self.up):
            level = batch.levels[index]
            if index > 0:
                x = self.pool(x, batch.levels[index - 1])
            for convolution in convolutions:
                x = convolution(x, level).relu()
                read.append(sum_nodes(x, level))
            of_levels.append(x)
        for index, convolutions in reversed(list(enumerate(self.down))):
            level = batch.levels[index]
            x = torch.cat([of_levels[index], _sum_of_pools(x, level)], dim=1)
            for convolution in convolutions:
                x = convolution(x, level).relu()
                read.append(sum_nodes(x, level))
        embedded: Tensor = sum(head(part) for head, part in zip(self.heads, read, strict=True))
        return embedded


def _sum_of_pools(of_pools: Tensor, level: Level) -> Tensor:
    """Return the sum over the pools of each node."""
    return sum_chain(tuple(lists.transposed for lists in reversed(level.pools)), of_pools)


PAPER = PRESETS["paper-dd"]
SUMS = ClassifierSettings(
    convolution="gin", hidden=32, pools=2, reduce="share", normalise=False, readout=("sum",), dropout=0.0
)

# The number of poolings of each network, and the function that makes it.
NETWORKS: dict[str, tuple[int, Callable[[int], nn.Module]]] = {
    "GIN": (0, lambda width: PooledGIN(0, width, layers=4)),
    "GIN with clique pools": (2, lambda width: PooledGIN(2, width)),
    "GIN with clique pools, up and down": (2, lambda width: PooledGIN(2, width, lift=True)),
    "network of the paper": (2, lambda width: GraphClassifier(PAPER, 1, width)),
    "the same with GIN, share and sums": (2, lambda width: GraphClassifier(SUMS, 1, width)),
}


def copies_of(pair: Pair, pools: int, protocol: Protocol) -> PooledDataset:
    """Return q copies of the first graph, q of the second, and q more of the first."""
    draw = np.random.default_rng([protocol.seed, pair.number])
    first, second = pair.graphs
    graphs = [relabelled(g, draw) for g in (first, second, first) for _ in range(protocol.copies)]
    return PooledDataset(GraphDataset.from_graphs(graphs), pools, threads=1)


def train(network: nn.Module, data: PooledDataset, protocol: Protocol) -> tuple[int, float]:
    """Train a network to give both graphs different embeddings; return the epochs and the last loss."""
    optimiser = torch.optim.Adam(
        network.parameters(), lr=protocol.learning_rate, weight_decay=protocol.weight_decay
    )
    schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimiser)
    loss_of = nn.CosineEmbeddingLoss(margin=0.0)
    apart = torch.full((protocol.pairs_in_batch,), -1.0, dtype=torch.float64)
    loss = float("inf")
    network.train()
    for epoch in range(1, protocol.epochs + 1):
        losses = []
        for begin in range(0, protocol.copies, protocol.pairs_in_batch):
            ids = np.arange(begin, begin + protocol.pairs_in_batch)
            embedded = network(_batch(data, np.concatenate([ids, ids + protocol.copies])))
            batch_loss = loss_of(*embedded.chunk(2), apart)
            optimiser.zero_grad()
            batch_loss.backward()
            optimiser.step()
            losses.append(batch_loss.item())
        loss = float(np.mean(losses))
        schedule.step(loss)
        if loss < protocol.enough_loss:
            return epoch, loss
    return protocol.epochs, loss


def _batch(data: PooledDataset, ids: np.ndarray) -> Batch:
    features = FeatureEncoder.fit(data.dataset, kind="constant").encode(data.dataset)
    batch = data.batch(ids, features)
    return batch.apply(lambda tensor: tensor.double() if tensor.is_floating_point() else tensor)


@torch.no_grad()
def embeddings(network: nn.Module, data: PooledDataset, protocol: Protocol) -> np.ndarray:
    """Return the embeddings of the three groups of copies: shape (3, q, width)."""
    network.eval()
    parts = [
        network(_batch(data, np.arange(begin, begin + protocol.pairs_in_batch)))
        for begin in range(0, 3 * protocol.copies, protocol.pairs_in_batch)
    ]
    return torch.cat(parts).numpy().reshape(3, protocol.copies, -1)


def hotelling_t2(differences: np.ndarray, ridge: float) -> float:
    """Return T² = q m' S⁻¹ m, with the mean m and the covariance S of q differences of embeddings."""
    mean = differences.mean(axis=0)
    covariance = np.atleast_2d(np.cov(differences, rowvar=False)) + ridge * np.eye(differences.shape[1])
    return float(len(differences) * mean @ np.linalg.solve(covariance, mean))


def compare(pair: Pair, network: str, protocol: Protocol) -> dict[str, Any]:
    """Train a network on a pair and test whether it tells the two graphs apart."""
    pools, make = NETWORKS[network]
    began = time.process_time()
    data = copies_of(pair, pools, protocol)
    num_nodes = int(np.sum(data.sizes))
    if num_nodes > protocol.most_nodes:
        return {"category": pair.category, "told_apart": False, "not_run": f"{num_nodes} nodes"}
    torch.manual_seed(protocol.seed)
    model = make(protocol.width).double()
    epochs, loss = train(model, data, protocol)
    first, second, control = embeddings(model, data, protocol)
    t2, of_control = (hotelling_t2(first - other, protocol.ridge) for other in (second, control))
    return {
        "category": pair.category,
        "told_apart": t2 > protocol.threshold > of_control,
        "t2": float(f"{t2:.4g}"),
        "t2_of_control": float(f"{of_control:.4g}"),
        "loss": float(f"{loss:.4g}"),
        "epochs": epochs,
        "seconds": round(time.process_time() - began, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.brec_training", description=__doc__)
    parser.add_argument(
        "--pairs", metavar="A,B", default=",".join(CATEGORIES), help="categories (default: all)"
    )
    parser.add_argument("--networks", nargs="+", choices=list(NETWORKS), default=list(NETWORKS))
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after about this long")
    parser.add_argument("--records", type=Path, default=RECORDS, metavar="PATH", help="file of records")
    arguments = parser.parse_args()
    ends = time.monotonic() + 60 * arguments.minutes
    protocol = Protocol()
    torch.set_num_threads(1)
    for category in arguments.pairs.split(","):
        pairs = read_pairs([category])
        for network in arguments.networks:
            for pair in pairs:
                if time.monotonic() > ends:
                    return
                records = read_records(arguments.records)
                done = records["networks"].setdefault(network, {"settings": asdict(protocol), "pairs": {}})
                if done["settings"] != asdict(protocol):
                    raise SystemExit(f"{network}: recorded with other settings, {done['settings']}")
                if str(pair.number) not in done["pairs"]:
                    done["pairs"][str(pair.number)] = compare(pair, network, protocol)
                    write_records(records, arguments.records)
            told = [p["told_apart"] for p in done["pairs"].values() if p["category"] == category]
            print(f"{category}, {network}: {sum(told)} of {len(told)} told apart", flush=True)


if __name__ == "__main__":
    main()
