"""Networks over the parts of a graph: results and gradients of the whole graph, in the memory of a part."""

from __future__ import annotations

import contextlib
import mmap
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from cliquepool._input import array_of
from cliquepool.errors import GraphError, InputError
from cliquepool.scale.exchange import Consumer, Exchange
from cliquepool.scale.part_files import read_part
from cliquepool.scale.parted_model import PartedModel
from cliquepool.scale.partitioning import hierarchy_fingerprint
from cliquepool.scale.plan import Plan, plan_of
from cliquepool.scale.recomputation import run_recomputing
from cliquepool.scale.submission import mapping_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    import numpy.typing as npt

    from cliquepool.hierarchy import Hierarchy
    from cliquepool.scale.cluster import Cluster
    from cliquepool.scale.partitioning import Parts
    from cliquepool.scale.submission import Submits
    from cliquepool.threads import OnProgress

__all__ = ["PartedLoss", "accumulate_gradients", "run"]

_TYPES: Final = (torch.float32, torch.float64)


def run(
    model: nn.Module,
    parts: Parts,
    features: Any,
    *,
    composition: Tensor | None = None,
    executor: Cluster | Submits | int | None = None,
    folder: str | PathLike[str] | None = None,
    progress: OnProgress | None = None,
    recompute: Hierarchy | None = None,
) -> Tensor:
    """Run a network over the parts of a graph; return the output of ``model(batch)`` on the whole graph.

    The network runs stage by stage. In each, every part reads the features of its own nodes and of its halo
    from files, and writes those of its own nodes with copies for other parts. Results differ from those on
    the whole graph by rounding alone. No gradients are recorded; see `accumulate_gradients`.

    Parameters
    ----------
    model : Module
        A `GraphClassifier`, or any network with a method ``describe(plan)``; see `Plan`.
    parts : Parts
        The parts of the hierarchy, from `partition`.
    features : array of shape (nodes, features)
        The features of the nodes of the graph: NumPy, torch or memory-mapped.
    composition : Tensor, optional
        The standardised composition of the graph, for a `GraphClassifier` that reads it.
    executor : executor, Cluster or int, optional
        What runs the tasks: a `Cluster`; any object with ``submit(function, argument)`` that returns a
        future, such as ``concurrent.futures.ProcessPoolExecutor``; a number of processes; by default this
        process, one part after the other.
    folder : path, optional
        Where features are kept between stages, in a folder that all workers can read: a temporary one inside
        it, removed at the end.
    progress : function, optional
        Called with what is being done, and how many stages of how many.
    recompute : Hierarchy, optional
        A check: given the hierarchy of the parts, they exchange nothing, and each computes its whole halo
        itself, in this process. Slow, and of no use where halos cover most of the graph.
    """
    if recompute is not None:
        return _recomputed(model, parts, features, composition, recompute)
    started = _started(model, parts, features, composition, executor, folder, progress)
    with torch.no_grad(), started as parted:
        return parted.forward(training=False)


def _recomputed(
    model: nn.Module, parts: Parts, features: Any, composition: Tensor | None, hierarchy: Hierarchy
) -> Tensor:
    plan = plan_of(model, composition)
    _expect_levels(plan, parts)
    if hierarchy_fingerprint(hierarchy) != parts.header.hierarchy:
        raise GraphError(f"recompute: expected the hierarchy of the parts, got another, {hierarchy!r}")
    rows = torch.from_numpy(np.array(_checked_features(features, parts, plan)))
    with torch.no_grad():
        return run_recomputing(plan, parts, hierarchy, rows.to(_dtype_of(model)))


class PartedLoss(NamedTuple):
    """The loss and the output of a network over parts, both without gradients."""

    loss: Tensor
    output: Tensor


def accumulate_gradients(
    model: nn.Module,
    parts: Parts,
    features: Any,
    loss: Callable[[Tensor], Tensor],
    *,
    composition: Tensor | None = None,
    executor: Cluster | Submits | int | None = None,
    folder: str | PathLike[str] | None = None,
    progress: OnProgress | None = None,
) -> PartedLoss:
    """Add the gradients of ``loss(output)`` to ``grad`` of the model's parameters, as ``backward()`` does.

    Forward as in `run`, with the inputs of all stages kept in files; then backward stage by stage, where each
    part computes its stage again. Gradients equal those on the whole graph up to rounding. Features get none.

    Takes the arguments of `run`, and `loss`, a function of the output. Where a part fails, the gradients of
    the model are unchanged.

    Examples
    --------
    >>> from cliquepool import Graph, clique_hierarchy
    >>> from cliquepool.nn import ClassifierSettings, GraphClassifier
    >>> from cliquepool.scale import partition
    >>> h = clique_hierarchy(Graph.from_edges([(i, i + 1) for i in range(15)]), levels=2)
    >>> model = GraphClassifier(ClassifierSettings(composition=False), num_features=3, num_classes=2)
    >>> optimiser = torch.optim.Adam(model.parameters())
    >>> found = accumulate_gradients(
    ...     model, partition(h, 4), torch.ones(16, 3),
    ...     lambda scores: nn.functional.cross_entropy(scores, torch.tensor([1])),
    ... )
    >>> optimiser.step()
    >>> found.output.shape
    torch.Size([1, 2])
    """
    with _started(model, parts, features, composition, executor, folder, progress) as parted:
        output = parted.forward(training=True)
        with torch.enable_grad():
            value = loss(output)
        if value.numel() != 1:
            raise InputError(f"loss: expected a single number, got shape {tuple(value.shape)}")
        parted.backward(value)
    return PartedLoss(value.detach(), output.detach())


@contextlib.contextmanager
def _started(  # noqa: PLR0917 (the arguments of `run`)
    model: nn.Module,
    parts: Parts,
    features: Any,
    composition: Tensor | None,
    executor: Cluster | Submits | int | None,
    folder: str | PathLike[str] | None,
    progress: OnProgress | None,
) -> Iterator[PartedModel]:
    """Check the arguments, write the features of all parts, and remove all files at the end."""
    plan = plan_of(model, composition)
    _expect_levels(plan, parts)
    dtype = _dtype_of(model)
    rows = _checked_features(features, parts, plan)
    with (
        tempfile.TemporaryDirectory(prefix="cliquepool-run-", dir=folder) as scratch,
        mapping_parts(executor) as map_parts,
    ):
        exchange = Exchange(Path(scratch), parts.header, _consumers(plan))
        _write_features(rows, parts, exchange, dtype)
        yield PartedModel(model, plan, parts, exchange, map_parts, progress)


def _expect_levels(plan: Plan, parts: Parts) -> None:
    if plan.num_levels > parts.header.num_levels:
        raise InputError(
            f"parts: expected {plan.num_levels} levels for this network, got {parts.header.num_levels}"
        )


def _dtype_of(model: nn.Module) -> torch.dtype:
    dtype = next((p.dtype for p in model.parameters() if p.is_floating_point()), torch.float32)
    device = next((p.device for p in model.parameters()), torch.device("cpu"))
    if dtype not in _TYPES or device.type != "cpu":
        raise InputError(f"model: expected one of float32 or float64 on the CPU, got {dtype} on {device}")
    return dtype


def _checked_features(features: Any, parts: Parts, plan: Plan) -> npt.NDArray[Any]:
    rows = array_of(features, "features", "an array of numbers")
    if rows.ndim != 2 or len(rows) != parts.sizes[0]:
        raise GraphError(
            f"features: expected a row for each of {parts.sizes[0]:,} nodes of the graph, "
            f"got shape {rows.shape}"
        )
    if rows.dtype.kind not in "biuf":
        raise GraphError(f"features: expected numbers, got an array of {rows.dtype}")
    for stage in plan.stages:
        first = stage.steps[0]
        width = getattr(first.function, "in_features", None)
        if plan.input in first.inputs and width not in {None, rows.shape[1]}:
            raise GraphError(f"features: expected {width} of each node, got {rows.shape[1]}")
    return rows


def _consumers(plan: Plan) -> dict[int, tuple[Consumer, ...]]:
    """Return the stages that read each value."""
    found: dict[int, list[Consumer]] = {}
    for number, stage in enumerate(plan.stages):
        for index, given in enumerate(stage.inputs):
            found.setdefault(given.value.number, []).append(Consumer(number, index, given.view))
    return {value: tuple(consumers) for value, consumers in found.items()}


def _write_features(rows: npt.NDArray[Any], parts: Parts, exchange: Exchange, dtype: torch.dtype) -> None:
    number_type = np.float32 if dtype == torch.float32 else np.float64
    for number in range(len(parts)):
        part = read_part(parts.folder, number, parts.header)
        exchange.write_value(0, 0, part, np.asarray(rows[part.nodes(0)], dtype=number_type))
        _forget_pages(rows)


def _forget_pages(rows: npt.NDArray[Any]) -> None:
    """Let the system reuse the memory of mapped features: they are in a file."""
    mapping = getattr(rows.base, "_mmap", None)
    if isinstance(mapping, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED") and not rows.flags.writeable:
        mapping.madvise(mmap.MADV_DONTNEED)
