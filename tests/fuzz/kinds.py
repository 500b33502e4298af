"""Every kind of file that the library reads: small valid samples, ways to change them, and their loaders."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import hashlib
import io
import lzma
import pickle
import re
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import cliquepool as cp
from tests.fuzz.mutations import mutated

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    Files = dict[str, bytes]

BUDGET = cp.Budget(max_bytes=2**27, max_seconds=20, max_cliques=10**6)
VERSION_1 = Path(__file__).parents[1] / "saved_files" / "version_1"
_OPEN = {".gz": gzip.decompress, ".xz": lzma.decompress, ".bz2": bz2.decompress}
_PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda text: gzip.compress(text, 1, mtime=0),
    ".xz": lambda text: lzma.compress(text, preset=0),
    ".bz2": lambda text: bz2.compress(text, 1),
}


@dataclass(frozen=True)
class Kind:
    """Files that one loader reads.

    `samples` writes valid files into an empty folder, by name; `load` reads the files of a folder. `change`
    changes the bytes of a named file.
    """

    name: str
    samples: Callable[[Path], list[Files]]
    load: Callable[[Path], object]
    change: Callable[[str, bytes, random.Random, list[bytes]], bytes]
    needs_torch: bool = False

    def mutate(self, samples: list[Files], draw: random.Random) -> Files:
        """Change one of the files of one of the samples."""
        sample = draw.choice(samples)
        name = draw.choice(sorted(sample))
        others = [content for files in samples for content in files.values()]
        return sample | {name: self.change(name, sample[name], draw, others)}


def changed_bytes(name: str, content: bytes, draw: random.Random, others: list[bytes]) -> bytes:
    """Change the bytes of a file; if it is compressed, those before compression."""
    suffix = Path(name).suffix
    if suffix in _PACK and draw.random() < 0.5:
        return _PACK[suffix](mutated(_OPEN[suffix](content), draw, others))
    return mutated(content, draw, others)


def resealed_bytes(name: str, content: bytes, draw: random.Random, others: list[bytes]) -> bytes:
    """Change the bytes of a file of arrays and usually correct its checksums, so that the content is read."""
    length = 8 + int.from_bytes(content[:8], "little")
    how = draw.random()
    if how < 0.3:
        return mutated(content, draw, others)
    header, arrays = content[8:length], content[length:]
    if how < 0.7:
        header = mutated(header, draw, [header])
    else:
        whole, arrays = len(arrays), mutated(arrays, draw, [arrays])
        arrays = arrays[:whole].ljust(whole, b"\0") if draw.random() < 0.8 else arrays
    digest = hashlib.sha256(arrays).hexdigest().encode()
    header = re.sub(rb'(?<="content_sha256": ")[0-9a-f]{64}', digest, header)
    if header.startswith(b'{"__metadata__": {"header_sha256": "'):
        begin, end = 36, 100
        header = header[:begin] + b"0" * 64 + header[end:]
        seal = hashlib.sha256(len(header).to_bytes(8, "little") + header).hexdigest().encode()
        header = header[:begin] + seal + header[end:]
    return len(header).to_bytes(8, "little") + header + arrays


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
        return plain + [{name + suffix: pack(longer)} for suffix, pack in _PACK.items()]

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


def _dataset() -> Any:
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


def _saved(
    name: str, save: Callable[[Path], object], old: str | None = None
) -> Callable[[Path], list[Files]]:
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
    dataset = _dataset()
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


def _load_hierarchy(folder: Path) -> object:
    hierarchy = cp.Hierarchy.load(folder / "h.safetensors")
    for level, pooling in enumerate(hierarchy):
        pooling.memberships.tolist()
        pooling.reduce(np.ones(hierarchy.sizes[level]))
        hierarchy.graph(level + 1).expand(budget=BUDGET)
    if hierarchy.sizes[-1]:
        hierarchy.receptive_field(len(hierarchy), 0)
    hierarchy.check(budget=BUDGET)
    return repr(hierarchy)


# ---- images ----


def _images() -> Any:
    from cliquepool.data.images import ImageDataset  # noqa: PLC0415

    return ImageDataset(
        name="two",
        images=np.arange(2 * 1024, dtype=np.uint16).astype(np.uint8).reshape(2, 1, 32, 32),
        targets=np.array([1, 0]),
        classes=np.array(["cat", "dog"]),
        is_test=np.array([False, True]),
        mirrored=True,
    )


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
    return _PACK.get(Path(name).suffix, bytes)(_tar(files))


def _cifar_samples(_: Path) -> list[Files]:
    archive = _tar(_cifar_files())
    packed = [{f"cifar.tar{suffix}": pack(archive)} for suffix, pack in _PACK.items()]
    return [{"cifar.tar": archive}, *packed, _cifar_files(), _cifar_files()]


def _load_cifar(folder: Path) -> object:
    from cliquepool.data.cifar import read_cifar  # noqa: PLC0415

    return read_cifar(next(folder.glob("cifar.tar*"), folder)).fingerprint


# ---- trainings ----


def _model() -> Any:
    from cliquepool.models import CliquePoolClassifier  # noqa: PLC0415

    return CliquePoolClassifier(hidden=2, mlp=(2,), pools=1, epochs=1, validation_fraction=0)


def _load_model(folder: Path) -> object:
    from cliquepool.models import CliquePoolClassifier  # noqa: PLC0415

    model = CliquePoolClassifier.load(folder / "m.safetensors")
    with contextlib.suppress(cp.InputError):  # it may be one for other features
        model.predict(_dataset())
    return repr(model)


def _load_checkpoint(folder: Path) -> object:
    """Resume from the checkpoint of a finished training."""
    return _model().fit(_dataset(), checkpoint=folder / "c.safetensors").curves_


def _save_network(path: Path) -> None:
    from cliquepool.nn.image_settings import ImageSettings  # noqa: PLC0415
    from cliquepool.training.images import train_images  # noqa: PLC0415

    settings = ImageSettings(width=1 / 64, epochs=1, batch_size=2)
    train_images(_images(), [0, 1], settings=settings, seed=0).network.save(path)


def _load_network(folder: Path) -> object:
    from cliquepool.training.image_network import FittedImageNetwork  # noqa: PLC0415

    return FittedImageNetwork.load(folder / "n.safetensors").predict(_images().images[:1])


# ---- records ----


def _record(fold: int, protocol: str) -> str:
    from cliquepool.evaluate import FoldRecord  # noqa: PLC0415

    return FoldRecord(
        protocol=protocol,  # type: ignore[arg-type]
        dataset="TOY",
        fingerprint="0" * 64,
        model="small",
        settings={"rate": 0.5},
        candidates=[{"rate": 0.5}],
        candidate_accuracies=[0.5],
        folds=2,
        fold=fold,
        seed=0,
        split_seed=0,
        split_sha256=f"{fold:064}",
        curves={"loss": [1.5, 0.5, 0.25], "validation_accuracy": [0.25, 0.5, 0.5]},
        best_epoch=2,
        validation_accuracy=0.5,
        test_accuracy=0.75 if protocol == "fair" else None,
        seconds=1.5,
        finished_at="2020-01-01T00:00:00+00:00",
        versions={"cliquepool": "0"},
    ).model_dump_json()


def _record_samples(_: Path) -> list[Files]:
    return [
        {"r.jsonl": "".join(f"{_record(fold, protocol)}\n" for fold in (1, 2)).encode()}
        for protocol in ("paper", "fair")
    ]


def _load_records(folder: Path) -> object:
    from cliquepool.evaluate import read_records, summarise  # noqa: PLC0415
    from cliquepool.evaluate.tables import markdown_table, table_rows  # noqa: PLC0415

    records = read_records([folder / "r.jsonl"])
    return [str(summary.figure) for summary in summarise(records)], markdown_table(table_rows(records))


KINDS = {
    kind.name: kind
    for kind in (
        *map(_graph_kind, _GRAPHS),
        Kind(
            "TU zip", lambda _: [{"TOY.zip": _zip(_tu_texts(), m)} for m in _METHODS], _load_tu, _changed_zip
        ),
        Kind("TU folder", lambda _: [_tu_texts()], _load_tu, changed_bytes),
        Kind(
            "data set",
            _saved("d.safetensors", lambda path: _dataset().save(path), "dataset.safetensors"),
            _load_dataset,
            _changed_content,
        ),
        Kind("cache", _cache_samples, _load_cached, resealed_bytes),
        Kind(
            "hierarchy",
            _saved("h.safetensors", _save_hierarchy, "hierarchy.safetensors"),
            _load_hierarchy,
            resealed_bytes,
        ),
        Kind(
            "images",
            _saved("i.safetensors", lambda path: _images().save(path), "images.safetensors"),
            _load_images,
            resealed_bytes,
        ),
        Kind("CIFAR-10", _cifar_samples, _load_cifar, _changed_cifar),
        Kind("records", _record_samples, _load_records, changed_bytes, needs_torch=True),
        Kind(
            "model",
            _saved("m.safetensors", lambda path: _model().fit(_dataset()).save(path), "model.safetensors"),
            _load_model,
            resealed_bytes,
            needs_torch=True,
        ),
        Kind(
            "checkpoint",
            _saved("c.safetensors", lambda path: _model().fit(_dataset(), checkpoint=path)),
            _load_checkpoint,
            resealed_bytes,
            needs_torch=True,
        ),
        Kind(
            "image network",
            _saved("n.safetensors", _save_network),
            _load_network,
            resealed_bytes,
            needs_torch=True,
        ),
    )
}
