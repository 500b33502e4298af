"""Hierarchies of graphs larger than memory, written to a folder level by level; a killed run resumes."""

from __future__ import annotations

import operator
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool import _core
from cliquepool.array_folders import (
    ArrayFolder,
    is_array_folder,
    open_folder,
    replace_manifest,
    write_folder,
)
from cliquepool.atomic_folders import expect_free
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.errors import GraphError, InputError
from cliquepool.graph_folders import FORMAT as GRAPH_FORMAT
from cliquepool.graph_folders import VERSION as GRAPH_VERSION
from cliquepool.graph_folders import map_graph
from cliquepool.hierarchy import Hierarchy
from cliquepool.hierarchy_folders import FORMAT, GRAPH, POOLS, VERSION, map_factors, map_pools
from cliquepool.scale.disk_pooling import DiskPooling, Meter
from cliquepool.twins import TwinFactors

if TYPE_CHECKING:
    from os import PathLike

    import numpy.typing as npt

    from cliquepool.array_folders import FolderWriter
    from cliquepool.threads import OnProgress

__all__ = ["DEFAULT_MEMORY", "pool_out_of_core"]

DEFAULT_MEMORY: Final = 2**28
_LABELS: Final = ("labels", "label_text", "label_ends")


def pool_out_of_core(
    graph: str | PathLike[str],
    folder: str | PathLike[str],
    levels: int | None = None,
    *,
    memory: int = DEFAULT_MEMORY,
    budget: Budget = DEFAULT_BUDGET,
    progress: OnProgress | None = None,
) -> Hierarchy:
    r"""Build the clique hierarchy of a graph on disk, and write it to a folder, level by level.

    Equal to ``clique_hierarchy(Graph.open(graph), levels)``, byte for byte. Pooling takes up to 40 bytes of
    memory for each node, and `memory` bytes for blocks of cliques: everything that has the size of the edges
    is in files, mapped into memory, of which the system keeps in its cache what fits. The search of one
    vertex takes the square of its later neighbours in bits. The graph between the pools of a level, which can
    be far larger than the graph, is written to the folder too: to find its twin classes takes memory in
    proportion to the pools and their members, within `budget`. That of the last of `levels` is computed on
    first use.

    Every level appears whole or not at all. The same call on a folder that has some levels already, after a
    run that was killed or to add levels, continues after them.

    Raises GraphError for a folder that does not hold a graph, or holds the hierarchy of another one,
    BudgetExceeded with the levels so far in the folder, and OSError that names the file.

    Parameters
    ----------
    graph : str or path
        A folder that `convert_graph` or ``cliquepool convert`` wrote.
    folder : str or path
        The folder for the hierarchy; see `Hierarchy.open`.
    levels : int, optional
        How many times to pool; by default until every component is one node.
    memory : int
        Bytes for blocks of cliques.
    budget : Budget
        Limits on the pools and the time of the whole call, and on the memory of each step.
    progress : callable, optional
        Called as ``progress(stage, done, total)``.

    Examples
    --------
    >>> import tempfile
    >>> from cliquepool.scale import convert_graph
    >>> with tempfile.TemporaryDirectory() as parent:
    ...     _ = Path(parent, "path.txt").write_text("0 1\n1 2\n2 3\n")
    ...     _ = convert_graph(Path(parent, "path.txt"), Path(parent, "graph"))
    ...     pool_out_of_core(Path(parent, "graph"), Path(parent, "hierarchy"))
    Hierarchy(4 -> 3 -> 1)
    """
    if levels is not None and operator.index(levels) < 0:
        raise InputError(f"levels: expected 0 or more, got {levels}")
    if memory < 1:
        raise InputError(f"memory: expected at least 1 byte, got {memory}")
    _HierarchyRun(Path(graph), Path(folder), memory, Meter(budget, progress)).run(levels)
    return Hierarchy.open(folder, validate=False)


class _HierarchyRun:
    """One run: writes the levels that are missing."""

    def __init__(self, graph: Path, folder: Path, memory: int, meter: Meter) -> None:
        self._graph = graph
        self._folder = folder
        self._memory = memory
        self._meter = meter
        self._indptr, self._indices, _, self._source = map_graph(graph)
        self._metadata: dict[str, Any] = {"source": self._source, "levels": None, "seconds": [], "parts": {}}

    def run(self, levels: int | None) -> None:
        if is_array_folder(self._folder):
            self._metadata = self._known()
        else:
            expect_free(self._folder)
            with write_folder(self._folder, FORMAT, VERSION) as writer:
                writer.metadata.update(self._metadata)
        if self._metadata["levels"] is None:
            self._record(0, self._part("graph-0", GRAPH, self._write_bottom))
        level = int(self._metadata["levels"])
        while levels is None or level < levels:
            graph = self._graph_at(level)
            if levels is None and not _has_edges(graph):
                break
            level += 1
            self._add_pools(level, graph)

    def _known(self) -> dict[str, Any]:
        """Return what the folder says of the levels that it has."""
        metadata = open_folder(self._folder, FORMAT, VERSION).metadata
        if metadata.get("source") != self._source:
            raise GraphError(
                f"{self._folder}: expected the hierarchy of {self._graph}, got that of another graph"
            )
        return metadata

    def _graph_at(self, level: int) -> TwinFactors:
        """Return the graph of a level; join the pools below it, where that is not done yet."""
        name = f"graph-{level}"

        def write(writer: FolderWriter) -> None:
            self._meter.say(f"joining pools of level {level}")
            below = _factors(map_factors(self._folder / f"graph-{level - 1}"))
            pools = map_pools(self._folder / f"pools-{level}").arrays
            classes, sizes, indptr = _core.coarsen_into(
                below.indptr,
                below.indices,
                pools["offsets"],
                pools["members"],
                partial(writer.allocate, "indices", np.int32),
                self._meter.limits(),
                self._meter.repeat,
            )
            writer.finish_array("indices", np.int32)
            for field, array in (("classes", classes), ("sizes", sizes), ("indptr", indptr)):
                writer.append(field, array)

        part = self._part(name, GRAPH, write)
        if name not in self._metadata["parts"]:
            self._record(level, part)
        return _factors(part)

    def _add_pools(self, level: int, below: TwinFactors) -> None:
        began = time.monotonic()

        def write(writer: FolderWriter) -> None:
            writer.metadata["num_classes"] = below.num_classes
            name = f"pooling level {level}"
            DiskPooling(below, writer, self._meter, name=name, memory=self._memory).run()

        part = self._part(f"pools-{level}", POOLS, write)
        self._metadata["seconds"].append(time.monotonic() - began)
        self._record(level, part)

    def _part(self, name: str, format: str, write: Any) -> ArrayFolder:  # noqa: A002
        """Return a part of the folder; write it where it is missing. Parts of another run are left over."""
        path = self._folder / name
        if not is_array_folder(path):
            with write_folder(path, format, VERSION) as writer:
                write(writer)
        return (map_pools if format == POOLS else map_factors)(path)

    def _record(self, level: int, *parts: ArrayFolder) -> None:
        """Record in the manifest that these parts of a level are complete."""
        self._metadata["levels"] = level
        self._metadata["parts"].update({part.path.name: part.fingerprint for part in parts})
        replace_manifest(self._folder, FORMAT, VERSION, self._metadata)

    def _write_bottom(self, writer: FolderWriter) -> None:
        """Write the twin classes of the graph and the graph between them, and the labels of the nodes."""
        self._meter.say("finding twins")
        rows = (self._indptr, self._indices)
        classes, sizes = _core.find_twin_classes(*rows, self._meter.limits(), self._meter.repeat)
        writer.append("classes", classes)
        writer.append("sizes", sizes)
        if len(sizes) == len(classes):
            writer.link("indptr", self._graph / "indptr", np.int64)
            writer.link("indices", self._graph / "indices", np.int32)
        else:
            self._write_quotient(writer, classes, len(sizes))
        source = open_folder(self._graph, GRAPH_FORMAT, GRAPH_VERSION, validate=False)
        for name in _LABELS:
            if name in source.arrays:
                writer.link(name, self._graph / name, source.arrays[name].dtype)

    def _write_quotient(self, writer: FolderWriter, classes: npt.NDArray[np.int32], num_classes: int) -> None:
        how = (self._meter.limits(), self._meter.repeat)
        indptr = writer.allocate("indptr", np.int64, num_classes + 1)
        _core.quotient_offsets(self._indptr, self._indices, classes, indptr, *how)
        indices = writer.allocate("indices", np.int32, int(indptr[-1]))
        _core.quotient_neighbours(self._indptr, self._indices, classes, indices, *how)
        writer.finish_array("indptr", np.int64)
        writer.finish_array("indices", np.int32)


def _factors(folder: ArrayFolder) -> TwinFactors:
    return TwinFactors(*(folder.arrays[name] for name in TwinFactors._fields))


def _has_edges(graph: TwinFactors) -> bool:
    return bool(len(graph.indices)) or bool((graph.sizes > 1).any())
