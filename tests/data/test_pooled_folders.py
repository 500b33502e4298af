"""Pooled data sets in folders: the same batches and the same training as in memory, without copies."""

from __future__ import annotations

import os
import pickle
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool.data import GraphDataset, PooledDataset, pooled_folders
from tests.helpers.graph_datasets import datasets
from tests.helpers.small_graphs import blow_up, cycle, path


@pytest.fixture(autouse=True)
def _few_graphs_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pooled_folders, "_GRAPHS_AT_ONCE", 2)
    monkeypatch.setattr(os, "fsync", lambda _: None)


def expect_same(found: PooledDataset, expected: PooledDataset) -> None:
    assert found.dataset.fingerprint == expected.dataset.fingerprint
    assert repr(found) == repr(expected)
    for field, array in expected.dataset._arrays().items():
        other = getattr(found.dataset, field)
        assert (other is None) == (array is None)
        if array is not None:
            assert (other.dtype.kind, other.tolist()) == (array.dtype.kind, array.tolist())
    if not len(expected):
        return
    chosen = np.random.default_rng(0).permutation(len(expected))
    assert found.collation.levels == expected.collation.levels
    for one, other in zip(found.collation.gather(chosen), expected.collation.gather(chosen), strict=True):
        assert np.array_equal(one, other)


@settings(max_examples=50)
@given(dataset=datasets(), levels=st.none() | st.integers(0, 3))
def test_batches_are_those_in_memory(dataset: GraphDataset, levels: int | None) -> None:
    expected = PooledDataset(dataset, levels)
    with tempfile.TemporaryDirectory() as parent:
        expect_same(PooledDataset.build(dataset, Path(parent, "built"), levels), expected)
        expected.save(Path(parent, "saved"))
        expect_same(PooledDataset.open(Path(parent, "saved"), validate=True), expected)
        manifests = [Path(parent, name, "manifest.json").read_bytes() for name in ("built", "saved")]
        assert manifests[0] == manifests[1]


@pytest.fixture
def data() -> PooledDataset:
    """Graphs of twins and without, of which some levels are worth factoring."""
    graphs = [blow_up(path(4), [5, 6, 7, 8]), cycle(5), path(6), blow_up(cycle(4), [3, 3, 3, 3])]
    return PooledDataset(GraphDataset.from_graphs([g.graph() for g in graphs] * 3, [0, 1, 1, 0] * 3))


def test_levels_with_and_without_factors_are_mapped(data: PooledDataset, tmp_path: Path) -> None:
    assert {level.worth_factoring for level in data.levels} == {True, False}
    data.save(tmp_path / "pooled")
    opened = PooledDataset.open(tmp_path / "pooled")
    expect_same(opened, data)
    assert not opened.levels[0].quotient.local.members.flags.owndata
    assert not opened.dataset.indices.flags.owndata
    assert opened.sizes.tolist() == data.sizes.tolist()
    for one, other in zip(opened.levels, data.levels, strict=True):
        assert np.array_equal(one.degrees, other.degrees)
        assert one.neighbours.local == other.neighbours.local


def test_a_pickle_of_mapped_data_names_the_folder(data: PooledDataset, tmp_path: Path) -> None:
    data.save(tmp_path / "pooled")
    opened = PooledDataset.open(tmp_path / "pooled")
    text = pickle.dumps(opened)
    assert len(text) < 1000
    for pickled in (text, pickle.dumps(data)):
        expect_same(pickle.loads(pickled), data)


def test_classifiers_train_on_mapped_data_as_on_data_in_memory(data: PooledDataset, tmp_path: Path) -> None:
    models = pytest.importorskip("cliquepool.models")
    data.save(tmp_path / "pooled")
    opened = PooledDataset.open(tmp_path / "pooled")
    fitted = [
        models.CliquePoolClassifier(epochs=2, patience=None, random_state=0, validation_fraction=0.5).fit(X)
        for X in (data, opened)
    ]
    scores = [model.predict_proba(X) for model, X in zip(fitted, (data, opened), strict=True)]
    assert np.array_equal(*scores)
    assert fitted[0].curves_ == fitted[1].curves_


@pytest.mark.parametrize(
    "name", ["0.quotient.members", "dataset.indices", "1.float_degrees", "manifest.json"]
)
def test_damage_names_the_file(data: PooledDataset, tmp_path: Path, name: str) -> None:
    data.save(tmp_path / "pooled")
    file = tmp_path / "pooled" / name
    content = file.read_bytes()
    file.write_bytes(content[:-2] + b"\x01\x01")
    with pytest.raises(cp.GraphError, match=f"{name}: expected"):
        PooledDataset.open(tmp_path / "pooled")
    file.write_bytes(content[:-4])
    with pytest.raises(cp.GraphError, match=f"{name}: expected"):
        PooledDataset.open(tmp_path / "pooled", validate=False)


def test_lists_that_leave_their_graph_are_refused(data: PooledDataset, tmp_path: Path) -> None:
    level = data.levels[0]
    members = level.quotient.local.members.copy()
    members[0] = 4  # a class of the next graph
    broken = cp.ragged.Ragged(level.quotient.local.offsets, members)
    object.__setattr__(level.quotient, "local", broken)
    data.save(tmp_path / "pooled")
    with pytest.raises(cp.GraphError, match="expected lists of items of the same graph at level 0"):
        PooledDataset.open(tmp_path / "pooled")


def test_what_cannot_be_saved_is_refused(data: PooledDataset, tmp_path: Path) -> None:
    data.save(tmp_path / "pooled")
    with pytest.raises(FileExistsError):
        data.save(tmp_path / "pooled")
    data.edge_values = []
    with pytest.raises(ValueError, match="edge_reduce: expected a data set without it"):
        data.save(tmp_path / "other")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pooled"]


def test_progress_counts_graphs(data: PooledDataset, tmp_path: Path) -> None:
    said: list[tuple[str, int, int]] = []
    PooledDataset.build(data.dataset, tmp_path / "pooled", progress=lambda *now: said.append(now))
    assert ("pooling graphs", 10, 12) in said
    assert ("writing level 2", 10, 12) in said
