"""The kinds of single files with graphs, data sets, hierarchies and images that the library reads."""

from __future__ import annotations

import contextlib
import io
import pickle
import tarfile
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import cliquepool as cp
from cliquepool import hierarchy
from tests.fuzz.kind import BUDGET, PACK, Kind, changed_bytes, resealed_bytes
from tests.fuzz.mutations import mutated
from tests.helpers.small_images import two_images

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from tests.fuzz.kind import Files

VERSION_1 = Path(__file__).parents[1] / "saved_files" / "version_1"


# ---- graphs ----

_GRAPHS = {
    "graph.txt": "# a comment\n0 1\n1 2 0.5\n".replace(" 0.5", "") + "2 0\n7 300\n",
    "graph.csv": "source,target,weight\n7,20,0.5\n20,300,1.5\n",
    "names.el": 'alice bob 1\n"b o b" carol 2\n10 alice 3\n',
    "names.tsv": 'source\ttarget\tsince\n"a ""x"" b"\té\t1999\né\td\t2001\n',
    "graph.clq": "c a comment\np edge 4 3\ne 1 2\ne 2 3\ne 3 4\n",
    "graph.mtx": "%%MatrixMarket matrix coordinate real symmetric\n% one\n4 4 3\n2 1 1.5\n3 2 0\n4 4 2e3\n",
    "graph.graph": "% one\n4 3 011 1\n1 2 5\n1 1 5 3 6\n2 2 6 4 7\n1 3 7\n",
}


_NAMED_GRAPHS = {
    "graph.txt": "# names\nalice bob\nbob é\n",
    "graph.csv": 'from,to\n"Doe, Jane",bob\n"the ""boss""",bob\nbob,x\n',
}


def _graph_kind(name: str) -> Kind:
    def samples(_: Path) -> list[Files]:
        text = _GRAPHS[name].encode()
        longer = (
            text if name.endswith((".mtx", ".graph")) else text + text.splitlines(keepends=True)[-1] * 200
        )
        plain: list[Files] = [{name: text}, {name: text}, {name: longer}]
        if name in _NAMED_GRAPHS:
            plain += [{name: _NAMED_GRAPHS[name].encode()}] * 2
        return plain + [{name + suffix: pack(longer)} for suffix, pack in PACK.items()]

    def load(folder: Path) -> object:
        (file,) = folder.iterdir()
        graph = cp.read_graph(file, budget=BUDGET)
        return graph.num_edges, repr(graph)

    return Kind(f"graph {Path(name).suffix}", samples, load, changed_bytes)


# ---- data sets ----

_TU = {
    "TOY_A.txt": "1, 2\n2, 1\n2, 3\n3, 1\n4, 5\n5, 4\n",
    "TOY_graph_indicator.txt": "1\n1\n1\n2\n2\n",
    "TOY_graph_labels.txt": "-1\n1\n",
    "TOY_node_labels.txt": "1\n2\n1\n0\n0\n",
    "TOY_node_attributes.txt": "0.5, 1\n1, 2\n0, 0\n1e3, -1\n2, 2\n",
    "TOY_edge_labels.txt": "1\n1\n2\n3\n0\n0\n",
    "TOY_edge_attributes.txt": "1.0\n2.0\n3\n4\n5\n6\n",
}
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2)


def _zip(texts: dict[str, bytes], method: int) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, text in texts.items():
            archive.writestr(f"TOY/{name}", text)
    return packed.getvalue()


def _tu_texts() -> dict[str, bytes]:
    return {name: text.encode() for name, text in _TU.items()}


def _changed_zip(_: str, content: bytes, draw: random.Random, others: list[bytes]) -> bytes:
    if draw.random() < 0.6:
        return mutated(content, draw, others)
    texts = _tu_texts()
    name = draw.choice(sorted(texts))
    texts[name] = mutated(texts[name], draw, list(texts.values()))
    return _zip(texts, draw.choice(_METHODS))


def _load_tu(folder: Path) -> object:
    from cliquepool.data import read_tu  # noqa: PLC0415

    dataset = read_tu(folder / "TOY.zip" if (folder / "TOY.zip").exists() else folder, budget=BUDGET)
    dataset.validate()
    return dataset.fingerprint


def small_dataset() -> Any:
    """Return a small data set."""
    from cliquepool.data import GraphDataset  # noqa: PLC0415

    star, clique = (
        cp.Graph.from_edges([(0, 1), (0, 2), (0, 3)]),
        cp.Graph.from_edges([(0, 1), (1, 2), (0, 2)]),
    )
    return GraphDataset.from_graphs(
        [star, clique] * 2,
        ["star", "clique"] * 2,
        node_labels=[[1, 2, 1, 1], [2, 2, 3]] * 2,
        node_attributes=[np.ones((4, 2)), np.zeros((3, 2))] * 2,
        name="shapes",
    )


def saved(name: str, save: Callable[[Path], object], old: str | None = None) -> Callable[[Path], list[Files]]:
    def samples(folder: Path) -> list[Files]:
        save(folder / name)
        made = [{name: (folder / name).read_bytes()}]
        return made if old is None else [*made, *made, {name: (VERSION_1 / old).read_bytes()}]

    return samples


def _load_dataset(folder: Path) -> object:
    from cliquepool.data import GraphDataset  # noqa: PLC0415

    return [GraphDataset.load(folder / "d.safetensors", mmap=mapped).fingerprint for mapped in (False, True)]


def _changed_content(name: str, content: bytes, draw: random.Random, others: list[bytes]) -> bytes:
    """Change an array of a data set and write it again, with the correct fingerprint."""
    from cliquepool.data import GraphDataset  # noqa: PLC0415

    if draw.random() < 0.4:
        return resealed_bytes(name, content, draw, others)
    dataset = small_dataset()
    arrays = ("node_start", "indptr", "indices", "targets", "node_labels", "node_attributes", "classes")
    field = draw.choice(arrays)
    array = np.array(getattr(dataset, field))
    if array.dtype.kind != "U":
        array.reshape(-1)[draw.randrange(array.size)] = draw.choice((-1, 0, 1, 5, 2**31 - 1, -(2**31)))
    else:
        array = array[::-1]
    made = io.BytesIO()
    with contextlib.suppress(ValueError):
        wrong = replace(dataset, **{field: array})
        assert isinstance(wrong, GraphDataset)
        with tempfile.TemporaryDirectory() as folder:
            wrong.save(Path(folder, "d"))
            made.write(Path(folder, "d").read_bytes())
    return made.getvalue() or content


def _cache_samples(folder: Path) -> list[Files]:
    from cliquepool.data.cache import read_cached  # noqa: PLC0415

    (folder / "TOY.zip").write_bytes(_zip(_tu_texts(), zipfile.ZIP_DEFLATED))
    read_cached(folder / "TOY.zip", folder / "cache")
    (entry,) = (folder / "cache").iterdir()
    return [{entry.name: entry.read_bytes()}]


def _load_cached(folder: Path) -> object:
    """Load a data set with a damaged cache, which must give the same result."""
    from cliquepool.data.cache import read_cached  # noqa: PLC0415

    source = folder.parent / "source" / "TOY.zip"
    if not source.exists():
        source.parent.mkdir()
        source.write_bytes(_zip(_tu_texts(), zipfile.ZIP_DEFLATED))
    right = read_cached(source, folder.parent / "right").fingerprint
    if read_cached(source, folder).fingerprint != right:
        raise AssertionError("a damaged cache was believed")
    return right


# ---- hierarchies ----


def _save_hierarchy(path: Path) -> None:
    graph = cp.Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (3, 5), (6, 7)])
    cp.clique_hierarchy(graph).save(path)


def _hierarchy_samples(folder: Path) -> list[Files]:
    """Return files of versions 2 and 1, and one of version 3: with levels without stored rows."""
    samples = saved("h.safetensors", _save_hierarchy, "hierarchy.safetensors")(folder)
    stored, hierarchy._MOST_STORED = hierarchy._MOST_STORED, 0
    try:
        implied = saved("h.safetensors", _save_hierarchy)(folder)
    finally:
        hierarchy._MOST_STORED = stored
    return [*samples, *implied, *implied]


def _load_hierarchy(folder: Path) -> object:
    loaded = cp.Hierarchy.load(folder / "h.safetensors")
    for level, pooling in enumerate(loaded):
        pooling.memberships.tolist()
        pooling.reduce(np.ones(loaded.sizes[level]))
        loaded.graph(level + 1).expand(budget=BUDGET)
    if loaded.sizes[-1]:
        loaded.receptive_field(len(loaded), 0)
    loaded.check(budget=BUDGET)
    return repr(loaded)


# ---- images ----


def _load_images(folder: Path) -> object:
    from cliquepool.data.images import ImageDataset  # noqa: PLC0415

    return [ImageDataset.load(folder / "i.safetensors", mmap=mapped).fingerprint for mapped in (False, True)]


def _cifar_files() -> Files:
    def batch(count: int, protocol: int) -> bytes:
        data = np.arange(count * 3072, dtype=np.uint32).astype(np.uint8).reshape(count, 3072)
        return pickle.dumps({b"data": data, b"labels": [n % 10 for n in range(count)]}, protocol=protocol)

    names = [
        name.encode() for name in ("plane", "car", "bird", "cat", "deer", "dog", "frog", "horse", "a", "b")
    ]
    meta = pickle.dumps({b"label_names": names}, protocol=2)
    return {"data_batch_1": batch(1, 2), "test_batch": batch(1, 4), "batches.meta": meta}


def _tar(files: Files) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(f"cifar-10-batches-py/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def _changed_cifar(name: str, content: bytes, draw: random.Random, others: list[bytes]) -> bytes:
    if not name.startswith("cifar.tar") or draw.random() < 0.4:
        return changed_bytes(name, content, draw, others)
    files = _cifar_files()
    chosen = draw.choice(sorted(files))
    files[chosen] = mutated(files[chosen], draw, list(files.values()))
    return PACK.get(Path(name).suffix, bytes)(_tar(files))


def _cifar_samples(_: Path) -> list[Files]:
    archive = _tar(_cifar_files())
    packed = [{f"cifar.tar{suffix}": pack(archive)} for suffix, pack in PACK.items()]
    return [{"cifar.tar": archive}, *packed, _cifar_files(), _cifar_files()]


def _load_cifar(folder: Path) -> object:
    from cliquepool.data.cifar import read_cifar  # noqa: PLC0415

    return read_cifar(next(folder.glob("cifar.tar*"), folder)).fingerprint


FILE_KINDS = (
    *map(_graph_kind, _GRAPHS),
    Kind("TU zip", lambda _: [{"TOY.zip": _zip(_tu_texts(), m)} for m in _METHODS], _load_tu, _changed_zip),
    Kind("TU folder", lambda _: [_tu_texts()], _load_tu, changed_bytes),
    Kind(
        "data set",
        saved("d.safetensors", lambda path: small_dataset().save(path), "dataset.safetensors"),
        _load_dataset,
        _changed_content,
    ),
    Kind("cache", _cache_samples, _load_cached, resealed_bytes),
    Kind(
        "hierarchy",
        _hierarchy_samples,
        _load_hierarchy,
        resealed_bytes,
    ),
    Kind(
        "images",
        saved("i.safetensors", lambda path: two_images().save(path), "images.safetensors"),
        _load_images,
        resealed_bytes,
    ),
    Kind("CIFAR-10", _cifar_samples, _load_cifar, _changed_cifar),
)
