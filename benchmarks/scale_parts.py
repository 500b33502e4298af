"""A forward and backward pass of the two-level network in 8 parts, beside that on the whole graph.

Both run in new processes on one thread, from the same files: the saved hierarchy or its parts, and the
features. Memory is the peak over that after importing everything and training on a small graph. All parts run
one after the other in one process: its peak is that of the largest part, with the caller's own memory.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import cliquepool as cp
from benchmarks.inputs import GRAPHS_OF_A_MILLION_EDGES, graph_file
from benchmarks.measuring import measure
from benchmarks.reporting import megabytes, milliseconds

if TYPE_CHECKING:
    from benchmarks.measuring import Task
    from benchmarks.reporting import Report
    from cliquepool.nn import Batch, GraphClassifier, Level

NUM_PARTS = 8
NUM_FEATURES = 16
LARGEST_DIFFERENCE = 1e-5
LARGEST_IN_FLOAT64 = 1e-10
LARGEST_SHARE = 0.45


def run(report: Report) -> None:
    """Measure all graphs and print the table and the bars."""
    measured = [measure_graph(name, report) for name in report.wanted(GRAPHS_OF_A_MILLION_EDGES)]
    columns = (
        "graph",
        "whole",
        "a part",
        "share",
        "time whole",
        f"{NUM_PARTS} parts",
        "whole",
        "parts",
        "float64",
    )
    report.table(
        f"A training step in {NUM_PARTS} parts: peak memory, time, largest relative difference",
        columns,
        [row.cells() for row in measured],
        "GCN of 64 features, two pools, mean. Differences of outputs and gradients: of the whole graph in "
        "float32 to float64; of the parts in float32 to the nearer of both; of the parts in float64.",
    )
    nothing = float("nan")
    difference = max((row.parts_difference for row in measured), default=nothing)
    report.at_most("parts: difference to the whole graph", LARGEST_DIFFERENCE, difference)
    report.at_most(
        "parts: the same in float64",
        LARGEST_IN_FLOAT64,
        max((row.in_float64 for row in measured), default=nothing),
    )
    report.at_most(
        "parts: memory of a part", LARGEST_SHARE, max((row.share for row in measured), default=nothing)
    )


class Row(NamedTuple):
    """What was measured on one graph: bytes, seconds, differences."""

    graph: str
    whole_bytes: float
    part_bytes: float
    whole_seconds: float
    parts_seconds: float
    whole_difference: float
    parts_difference: float
    in_float64: float

    @property
    def share(self) -> float:
        return self.part_bytes / self.whole_bytes

    def cells(self) -> tuple[str, ...]:
        memory = (megabytes(self.whole_bytes), megabytes(self.part_bytes), f"{self.share:.0%}")
        times = (milliseconds(self.whole_seconds), milliseconds(self.parts_seconds))
        differences = (self.whole_difference, self.parts_difference, self.in_float64)
        return (self.graph, *memory, *times, *(f"{difference:.1e}" for difference in differences))


def measure_graph(name: str, report: Report) -> Row:
    """Run the four passes over a graph, each in its own process."""
    with tempfile.TemporaryDirectory() as folder:
        prepare(name, Path(folder))
        passes = {}
        for dtype in ("float32", "float64"):
            for kind in ("whole", "parted"):
                passes[kind, dtype] = measure(f"benchmarks.scale_parts:{kind}_pass", folder, dtype, repeat=1)
                if passes[kind, dtype].seconds is None:
                    raise SystemExit(f"{name}, {kind}: {passes[kind, dtype].answer}")
        rounded, exact, parted_rounded, parted_exact = (
            np.load(Path(folder, f"{kind}-{dtype}.npz"))
            for kind in ("whole", "parted")
            for dtype in ("float32", "float64")
        )
        differences = (
            largest_difference(rounded, exact),
            largest_difference(parted_rounded, exact, rounded),
            largest_difference(parted_exact, exact),
        )
    whole, parted = passes["whole", "float32"], passes["parted", "float32"]
    numbers: Any = (whole.added_bytes, parted.added_bytes, whole.seconds, parted.seconds)
    row = Row(name, *numbers, *differences)
    report.keep("scale_parts", **row._asdict())
    return row


def prepare(name: str, folder: Path) -> None:
    """Write the hierarchy, its parts and features to a folder."""
    hierarchy = cp.clique_hierarchy(cp.read_graph(graph_file(name)), levels=2)
    hierarchy.save(folder / "hierarchy.safetensors")
    cp.scale.partition(hierarchy, NUM_PARTS, folder / "parts")
    features = np.random.default_rng(0).normal(size=(hierarchy.sizes[0], NUM_FEATURES))
    np.save(folder / "features.npy", features.astype(np.float32))


def largest_difference(found: Any, *expected: Any) -> float:
    """Return the largest difference of outputs and gradients, relative to the largest of each tensor.

    Of several expected results, the one that is nearer to a tensor counts.
    """
    return max(
        min(
            float(np.abs(found[name] - each[name]).max() / (np.abs(each[name]).max() or 1.0))
            for each in expected
        )
        for name in found.files
    )


# ---- in the new processes ----


def whole_pass(folder: str, dtype: str) -> Task:
    """Train a step on the whole graph."""

    def step(_: Any) -> None:
        model = make_model(dtype)
        output = model(whole_batch(Path(folder), dtype))
        loss_of(output).backward()
        write_result(Path(folder, f"whole-{dtype}.npz"), model, output)

    return warm_up, step


def parted_pass(folder: str, dtype: str) -> Task:
    """Train a step over the parts."""

    def step(_: Any) -> None:
        model = make_model(dtype)
        features = np.load(Path(folder, "features.npy"), mmap_mode="r")
        parts = cp.scale.Parts.open(Path(folder, "parts"))
        found = cp.scale.accumulate_gradients(model, parts, features, loss_of, folder=folder)
        write_result(Path(folder, f"parted-{dtype}.npz"), model, found.output)

    return warm_up, step


def warm_up() -> None:
    """Import everything and run it once, so that the memory of libraries is not counted."""
    graph = cp.Graph.from_edges([(i, j) for i in range(60) for j in range(i + 1, min(i + 4, 60))])
    hierarchy = cp.clique_hierarchy(graph, levels=2)
    features = np.ones((60, NUM_FEATURES), dtype=np.float32)
    model = make_model("float32")
    cp.scale.accumulate_gradients(model, cp.scale.partition(hierarchy, 2), features, loss_of)
    loss_of(model(batch_of(hierarchy, features))).backward()


def make_model(dtype: str) -> GraphClassifier:
    """Return the two-level network of the paper, always the same."""
    import torch  # noqa: PLC0415 (in the new process only)

    from cliquepool.nn import ClassifierSettings, GraphClassifier  # noqa: PLC0415

    torch.manual_seed(0)
    settings = ClassifierSettings(convolution="gcn", composition=False, dropout=0.0)
    return GraphClassifier(settings, NUM_FEATURES, 2).to(getattr(torch, dtype))


def loss_of(output: Any) -> Any:
    """Return the loss for class 1."""
    import torch  # noqa: PLC0415

    return torch.nn.functional.cross_entropy(output, torch.tensor([1]))


def write_result(path: Path, model: GraphClassifier, output: Any) -> None:
    """Write the output and all gradients."""
    gradients = {name: p.grad.numpy() for name, p in model.named_parameters() if p.grad is not None}
    np.savez(path, output=output.detach().numpy(), **gradients)


def whole_batch(folder: Path, dtype: str) -> Batch:
    """Read the whole graph with all its levels."""
    features = np.load(folder / "features.npy").astype(dtype, copy=False)
    return batch_of(cp.Hierarchy.load(folder / "hierarchy.safetensors"), features)


def batch_of(hierarchy: cp.Hierarchy, features: Any) -> Batch:
    """Return a batch of one graph, without copies of what is not needed."""
    import torch  # noqa: PLC0415

    from cliquepool.nn import Batch  # noqa: PLC0415
    from cliquepool.nn.batch import NodeInput  # noqa: PLC0415
    from cliquepool.scale.level_rows import rows_of_hierarchy  # noqa: PLC0415

    levels = [level_of(rows) for rows in rows_of_hierarchy(hierarchy)]
    return Batch(NodeInput(None, 0, torch.from_numpy(features)), torch.tensor([1]), levels)


def level_of(rows: Any) -> Level:
    """Return a level of the whole graph, by twin classes where that is less work."""
    import torch  # noqa: PLC0415

    from cliquepool.nn import Incidence, Level  # noqa: PLC0415

    def floats(numbers: Any) -> Any:
        return torch.from_numpy(numbers.astype(np.float32))

    lists = Incidence.from_ragged(rows.neighbours, rows.num_units, symmetric=True)
    one_each = cp.Ragged(np.arange(rows.num_nodes + 1), rows.unit_of_node)
    classes = Incidence.from_ragged(one_each, rows.num_units) if rows.factored else None
    pools = None if rows.pools is None else Incidence.from_ragged(rows.pools, rows.num_units)
    chain = () if pools is None else (pools,) if classes is None else (classes.transposed, pools)
    return Level(
        torch.tensor([0, rows.num_nodes]),
        floats(rows.degrees),
        None if rows.factored else lists,
        classes,
        lists if rows.factored else None,
        chain,
        None if rows.pools is None else floats(rows.pools.sum_over(rows.unit_sizes)),
    )
