"""Files of every kind: a flipped bit anywhere is noticed, and files of version 1 are still read."""

from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

import cliquepool as cp
from cliquepool.array_files import array_of_list, read_arrays, write_arrays
from cliquepool.data import GraphDataset
from cliquepool.data.images import ImageDataset
from cliquepool.models import CliquePoolClassifier
from cliquepool.training.checkpoint import read_tensors, write_tensors
from tests.helpers.small_images import two_images

if TYPE_CHECKING:
    from collections.abc import Callable

VERSION_1 = Path(__file__).parent / "saved_files" / "version_1"

STAR = cp.Graph.from_edges([(0, 1), (0, 2), (0, 3)])
CLIQUE = cp.Graph.from_edges([(0, 1), (1, 2), (0, 2)])


def arrays_as_lists(arrays: dict[str, Any]) -> dict[str, tuple[str, Any]]:
    return {name: (str(array.dtype), array.tolist()) for name, array in arrays.items()}


def content_of_hierarchy(path: Path) -> object:
    hierarchy = cp.Hierarchy.load(path)
    graphs = [hierarchy.graph(level) for level in range(len(hierarchy) + 1)]
    return (
        [(graph.indptr.tolist(), graph.indices.tolist()) for graph in graphs],
        [pooling.pools.tolist() for pooling in hierarchy],
        [pooling.seconds for pooling in hierarchy],
        None if graphs[0].labels is None else graphs[0].labels.tolist(),
    )


def content_of_dataset(path: Path) -> object:
    dataset = GraphDataset.load(path)
    return dataset.name, dataset.fingerprint


def content_of_images(path: Path) -> object:
    dataset = ImageDataset.load(path)
    return dataset.name, dataset.fingerprint


def content_of_model(path: Path) -> object:
    model = CliquePoolClassifier.load(path)
    weights = {name: value.numpy() for name, value in model.network_.network.state_dict().items()}
    return (
        {name: str(value) for name, value in model.get_params().items()},
        model.classes_.tolist(),
        arrays_as_lists(weights),
        model.curves_,
    )


def content_of_checkpoint(path: Path) -> object:
    tensors, described = read_tensors(path, "checkpoint")
    return arrays_as_lists({name: value.numpy() for name, value in tensors.items()}), described


KINDS: dict[str, Callable[[Path], object]] = {
    "hierarchy": content_of_hierarchy,
    "dataset": content_of_dataset,
    "images": content_of_images,
    "model": content_of_model,
    "checkpoint": content_of_checkpoint,
}


def write_one(kind: str, path: Path) -> None:
    """Write a small file of a kind."""
    if kind == "hierarchy":
        cp.clique_hierarchy(cp.Graph.from_edges([(0, 1), (1, 2), (2, 3)])).save(path)
    elif kind == "dataset":
        GraphDataset.from_graphs([STAR, CLIQUE], ["star", "clique"], name="two").save(path)
    elif kind == "images":
        two_images().save(path)
    elif kind == "model":
        model = CliquePoolClassifier(hidden=2, mlp=(2,), pools=1, epochs=1, validation_fraction=0)
        model.fit([STAR, CLIQUE] * 2, ["star", "clique"] * 2).save(path)
    else:
        tensors = {"network.weight": torch.arange(6.0).reshape(2, 3), "random": torch.arange(9).byte()}
        write_tensors(path, tensors, "checkpoint", {"identity": "x", "curves": {"loss": [0.5]}})


@pytest.mark.parametrize("kind", KINDS)
def test_a_flipped_bit_is_noticed_wherever_it_is(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "file.safetensors"
    write_one(kind, file)
    content, expected = file.read_bytes(), KINDS[kind](file)
    for position in [*range(300), *range(300, len(content), 4)]:
        bit = position // 4 % 8
        flipped = bytearray(content)
        flipped[position] ^= 1 << bit
        file.write_bytes(flipped)
        try:
            found = KINDS[kind](file)
        except (ValueError, OSError):
            continue
        assert found == expected, f"bit {bit} of byte {position}"


@pytest.mark.parametrize("kind", KINDS)
def test_damage_is_an_error_that_names_the_file(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "file.safetensors"
    write_one(kind, file)
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(cp.InputError, match="damaged") as caught:
        KINDS[kind](file)
    assert str(caught.value).startswith(str(file))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("kind", KINDS)
def test_a_full_disk_is_an_error_that_names_the_file(kind: str) -> None:
    with pytest.raises(OSError, match="cannot write: No space left on device") as caught:
        write_one(kind, Path("/dev/full"))
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, "/dev/full")


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
@pytest.mark.parametrize("kind", KINDS)
def test_files_have_the_permissions_of_the_umask(kind: str, tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write_one(kind, tmp_path / "file.safetensors")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file.safetensors").stat().st_mode) == 0o644
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_files_of_version_1_are_read(kind: str) -> None:
    assert KINDS[kind](VERSION_1 / f"{kind}.safetensors")


def test_files_of_version_1_hold_what_was_saved() -> None:
    assert cp.Hierarchy.load(VERSION_1 / "hierarchy.safetensors").sizes == (8, 7, 5, 1)
    dataset = GraphDataset.load(VERSION_1 / "dataset.safetensors")
    assert (dataset.name, len(dataset), dataset.classes.tolist()) == ("shapes", 8, ["clique", "star"])
    model = CliquePoolClassifier.load(VERSION_1 / "model.safetensors")
    assert model.predict([CLIQUE, STAR]).tolist() == ["clique", "star"]
    tensors, described = read_tensors(VERSION_1 / "checkpoint.safetensors", "checkpoint")
    assert tensors["network.convolutions.0.weight"].shape == (4, 4)
    assert described["curves"]["validation_accuracy"] == [1.0]


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_does_not_pass_for_version_1(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "file.safetensors"
    write_one(kind, file)
    content = file.read_bytes()
    assert content.count(b'"version": "2"') == 1
    file.write_bytes(content.replace(b'"version": "2"', b'"version": "1"'))
    with pytest.raises(cp.InputError, match="checksum"):
        KINDS[kind](file)
    file.write_bytes(content.replace(b"header_sha256", b"header_sha255"))
    with pytest.raises(cp.InputError, match="checksum"):
        KINDS[kind](file)


@given(
    st.dictionaries(
        st.text(max_size=5).filter(lambda name: name != "__metadata__"),
        arrays_of.arrays(
            st.sampled_from([np.float64, np.float32, np.int64, np.int32, np.int16, np.uint8, np.bool_]),
            arrays_of.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
        ),
        max_size=4,
    ),
    st.dictionaries(st.sampled_from(["a", "b", '"header_sha256": "']), st.text(max_size=9)),
    st.booleans(),
)
def test_arrays_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory,
    arrays: dict[str, np.ndarray],
    metadata: dict[str, str],
    mapped: bool,
) -> None:
    file = tmp_path_factory.mktemp("arrays") / "file"
    write_arrays(file, arrays, metadata)
    found = read_arrays(file, mapped=mapped)
    assert found.is_sealed
    assert found.metadata == metadata
    assert found.arrays.keys() == arrays.keys()
    for name, array in arrays.items():
        assert found.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(found.arrays[name], array)
        assert found.arrays[name].flags.writeable or mapped or not array.size


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "F32", "shape": [2**62, 2**62], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [10**30], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [1], "data_offsets": [0, 10**30]},
        {"dtype": "F32", "shape": [-1], "data_offsets": [0, -4]},
        {"dtype": "F32", "shape": [1.0], "data_offsets": [0, 4]},
        {"dtype": "F99", "shape": [1], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [1] * 100, "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": 1, "data_offsets": [0, 4]},
        {},
        None,
        [],
    ],
)
def test_sizes_are_compared_with_the_file_before_they_are_believed(entry: Any, tmp_path: Path) -> None:
    text = json.dumps({"x": entry}).encode()
    (tmp_path / "file").write_bytes(len(text).to_bytes(8, "little") + text + bytes(4))
    with pytest.raises(cp.InputError, match="expected an array inside the file"):
        read_arrays(tmp_path / "file")


def test_lists_of_a_header_are_bounded() -> None:
    assert array_of_list("x", [1, 2]).dtype == np.int64
    assert array_of_list("x", [1.5]).dtype == np.float64
    assert array_of_list("x", []).shape == (0,)
    for wrong in ({}, None, 3, "text", [[1]], [None], ["a", 1], [10**30], ["a" * 2**20] + ["b"] * 1000):
        with pytest.raises(cp.InputError, match=r"^x: expected"):
            array_of_list("x", wrong)


def test_a_model_that_asks_for_more_than_it_holds_is_refused_before_it_is_built(tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    write_one("model", file)
    tensors, described = read_tensors(file, "model")
    for name, value in {"pools": 2**31, "hidden": 2**40, "mlp": [2**40], "epochs": 10**30}.items():
        changed = described | {"parameters": described["parameters"] | {name: value}}
        write_tensors(file, tensors, "model", changed)
        with pytest.raises(cp.InputError, match=r"model\.safetensors: expected a saved classifier"):
            CliquePoolClassifier.load(file)
    for name, value in {"pools": 2, "hidden": 3, "mlp": [2, 2]}.items():
        changed = described | {"parameters": described["parameters"] | {name: value}}
        write_tensors(file, tensors, "model", changed)
        with pytest.raises(cp.InputError, match=r"expected .*, got"):
            CliquePoolClassifier.load(file)
