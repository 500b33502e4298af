"""The kinds of folders that the library reads: graphs, hierarchies, shards, parts, pooled data sets.

Half of the changes are sealed again: checksums are corrected, so that the content is read. The other half
must be refused by an error that names a file, or change nothing: another result is a finding.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import cliquepool as cp
from cliquepool.array_folders import _sealed
from tests.fuzz.kind import BUDGET, Kind, changed_parts, resealed
from tests.fuzz.mutations import mutated
from tests.helpers.in_process_workers import InProcessWorkers

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

    from tests.fuzz.kind import Files

DATA = "data"  # the folder of the files that are read
SEALED = "sealed"  # a file that says that checksums were corrected
MANIFEST = "manifest.json"


@dataclass(frozen=True)
class FolderKind(Kind):
    """Folders that one loader reads: files are changed, exchanged or removed."""

    def mutate(self, samples: list[Files], draw: random.Random) -> Files:
        """Change a file of one of the samples, or exchange or remove some."""
        files = dict(draw.choice(samples))
        names = sorted(files)
        name, other = draw.choice(names), draw.choice(names)
        how = draw.random()
        if how < 0.05:
            del files[name]
        elif how < 0.15:
            files[name], files[other] = files[other], files[name]
        else:
            others = [content for sample in samples for content in sample.values()]
            files[name] = self.change(name, files[name], draw, others)
        if draw.random() < 0.5:
            return sealed_again(files) | {SEALED: b""}
        return files


def changed_array(name: str, content: bytes, draw: random.Random, others: list[bytes]) -> bytes:
    """Change the bytes of an array, mostly without changing how many there are."""
    if name.endswith(".safetensors"):
        return changed_parts(content, draw)
    changed = mutated(content, draw, others)
    if name.endswith(MANIFEST) or draw.random() < 0.2:
        return changed
    return changed[: len(content)].ljust(len(content), b"\0")


def sealed_again(files: Files) -> Files:
    """Correct all checksums: of files of arrays, and of manifests, those of inner folders first."""
    files = {name: resealed(text) if name.endswith(".safetensors") else text for name, text in files.items()}
    fingerprints: dict[str, str] = {}
    for name in sorted(files, key=lambda name: -name.count("/")):
        if not name.endswith(MANIFEST):
            continue
        folder = name.removesuffix(MANIFEST)
        with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
            body = json.loads(files[name])
            body.pop("sha256", None)
            for array, entry in body["arrays"].items():
                content = files[folder + array]
                entry["length"] = len(content) // np.dtype(entry["dtype"]).itemsize
                entry["sha256"] = hashlib.sha256(content).hexdigest()
            for part in body["metadata"].get("parts", {}):
                body["metadata"]["parts"][part] = fingerprints[f"{folder}{part}/"]
            files[name] = _sealed(body)
            fingerprints[folder] = json.loads(files[name])["sha256"]
    return files


def files_in(folder: Path) -> Files:
    """Read all files of a folder and of those inside."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock")
    return {f"{DATA}/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in paths}


class _Right:
    """The results of the valid files, which are loaded first."""

    def __init__(self, read: Callable[[Path], object]) -> None:
        self._read = read
        self._expected = 0
        self._results: list[object] = []

    def load(self, folder: Path) -> object:
        """Read a folder; fail if a changed one is taken for right, or if an error names no file."""
        try:
            found = self._read(folder / DATA)
        except (cp.InputError, OSError) as error:
            if not (folder / SEALED).exists() and str(folder) not in str(error):
                raise AssertionError("the error names no file") from error
            raise
        if len(self._results) < self._expected:
            self._results.append(found)
        elif not (folder / SEALED).exists() and found not in self._results:
            raise AssertionError("damaged files were taken for right")
        return found

    def samples(self, write: Callable[[Path], list[Path]], parent: Path) -> list[Files]:
        """Write the valid files."""
        found = [files_in(folder) for folder in write(parent)]
        self._expected = len(found)
        return found


def folder_kind(
    name: str,
    write: Callable[[Path], list[Path]],
    read: Callable[[Path], object],
    *,
    needs_torch: bool = False,
) -> FolderKind:
    """Return the kind of the folders that `write` writes and `read` reads, into something comparable."""
    right = _Right(read)
    return FolderKind(name, partial(right.samples, write), right.load, changed_array, needs_torch)


def _bytes(*arrays: Any) -> bytes:
    return b"|".join(np.ascontiguousarray(array).tobytes() for array in arrays)


# ---- graphs and hierarchies ----

_EDGES = "0 1\n1 2\n0 2\n2 3\n3 4\n3 5\n6 7\n4 5\n5 6\n"


def _write_graphs(parent: Path) -> list[Path]:
    from cliquepool.scale import convert_graph  # noqa: PLC0415

    (parent / "numbers.txt").write_text(_EDGES)
    (parent / "names.txt").write_text("ann bob\nbob cat\ncat ann\ncat \u00e9\n", encoding="utf-8")
    for name in ("numbers", "names"):
        convert_graph(parent / f"{name}.txt", parent / name)
    return [parent / "numbers", parent / "names"]


def _read_graph(folder: Path) -> object:
    graph = cp.Graph.open(folder)
    pools = cp.clique_pool(graph, budget=BUDGET).pools
    labels = None if graph.labels is None else graph.labels.tolist()
    return _bytes(graph.indptr, graph.indices), labels, pools.tolist()


def _write_hierarchies(parent: Path) -> list[Path]:
    from cliquepool.scale import pool_out_of_core  # noqa: PLC0415

    graph, _ = _write_graphs(parent)
    pool_out_of_core(graph, parent / "whole")
    pool_out_of_core(graph, parent / "first", 1)
    return [parent / "whole", parent / "first"]


def _read_hierarchy(folder: Path) -> object:
    hierarchy = cp.Hierarchy.open(folder)
    content = []
    for level, pooling in enumerate(hierarchy):
        pooling.memberships.tolist()
        pooling.reduce(np.ones(hierarchy.sizes[level]))
        hierarchy.graph(level + 1).expand(budget=BUDGET)
        content.append((pooling.pools.tolist(), _bytes(*pooling.coarse._factors())))
    hierarchy.check(budget=BUDGET)
    return content


# ---- a graph in shards ----


class _Interrupted(InProcessWorkers):
    """Workers that fail at their fifteenth task: some rounds are finished, and on record."""

    def run(self, tasks: Any, origin: Any) -> Any:
        for found in super().run(tasks, origin):
            if self.tasks == 15:
                raise cp.errors.ClusterError("interrupted")
            yield found


def _pools_in_shards(folder: Path, workers: InProcessWorkers) -> tuple[Any, ...]:
    from cliquepool.scale.rounds import pool_in_shards  # noqa: PLC0415

    draw = np.random.default_rng(1)
    cliques = [np.stack(np.triu_indices(size, 1), axis=1) + 5 * size for size in range(3, 9)]
    graph = cp.Graph.from_edges(np.concatenate([draw.integers(0, 50, (80, 2)), *cliques]))
    return pool_in_shards(
        workers,  # type: ignore[arg-type]
        graph._factors(),
        folder=folder,
        shards=2,
        by="ranges",
        budget=BUDGET,
        progress=None,
    )


def _write_shards(parent: Path) -> list[Path]:
    folder = parent / "work"
    with contextlib.suppress(cp.errors.ClusterError):
        _pools_in_shards(folder, _Interrupted())
    return [folder]


def _resume_in_shards(folder: Path) -> object:
    """Go on from the shards and rounds of a folder."""
    try:
        return _bytes(*_pools_in_shards(folder, InProcessWorkers())[:2])
    except cp.errors.ClusterError as error:
        raise cp.InputError(str(error)) from error


# ---- parts ----


def _write_parts(parent: Path) -> list[Path]:
    from cliquepool.scale import partition  # noqa: PLC0415

    edges = np.random.default_rng(2).integers(0, 40, (90, 2))
    partition(cp.clique_hierarchy(cp.Graph.from_edges(edges, 40), levels=2), 3, parent / "parts")
    return [parent / "parts"]


def _read_parts(folder: Path) -> object:
    from cliquepool.scale import Parts  # noqa: PLC0415

    parts = Parts.open(folder)
    parts.check()
    content: list[Any] = [parts.sizes]
    for part in parts:
        for level in range(len(parts.sizes)):
            content += [_bytes(part.nodes(level), part.halo(level)), part.num_edges(level)]
    return content


def _run_over_parts(folder: Path) -> object:
    import torch  # noqa: PLC0415

    from cliquepool.nn import ClassifierSettings, GraphClassifier  # noqa: PLC0415
    from cliquepool.scale import Parts, run  # noqa: PLC0415

    torch.manual_seed(0)
    parts = Parts.open(folder)
    settings = ClassifierSettings(composition=False, dropout=0, hidden=2)
    model = GraphClassifier(settings, num_features=3, num_classes=2)
    features = np.ones((parts.sizes[0], 3), dtype=np.float32)
    return run(model, parts, features).detach().numpy().tobytes()


# ---- pooled data sets ----


def _write_pooled(parent: Path) -> list[Path]:
    from cliquepool.data import GraphDataset, PooledDataset  # noqa: PLC0415

    star, clique = [(0, 1), (0, 2), (0, 3)], [(0, 1), (1, 2), (0, 2), (2, 3)]
    graphs = [cp.Graph.from_edges(edges) for edges in (star, clique, clique)]
    PooledDataset.build(GraphDataset.from_graphs(graphs, ["star", "clique", "clique"]), parent / "pooled")
    return [parent / "pooled"]


def _read_pooled(folder: Path) -> object:
    from cliquepool.data import PooledDataset  # noqa: PLC0415

    pooled = PooledDataset.open(folder)
    chosen = np.arange(len(pooled))
    return repr(pooled), _bytes(*pooled.collation.gather(chosen)), _bytes(pooled.dataset.targets)


FOLDER_KINDS = (
    folder_kind("graph folder", _write_graphs, _read_graph),
    folder_kind("hierarchy folder", _write_hierarchies, _read_hierarchy),
    folder_kind("shards", _write_shards, _resume_in_shards),
    folder_kind("parts", _write_parts, _read_parts),
    folder_kind("pooled data set", _write_pooled, _read_pooled),
    folder_kind("network over parts", _write_parts, _run_over_parts, needs_torch=True),
)
