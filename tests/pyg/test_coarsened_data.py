"""Data with levels, batched, taken apart, saved and moved; and transforms that leave no stale levels."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import pytest
import torch
import torch_geometric.transforms as T  # noqa: N812 (as everyone writes it)
from torch import Tensor
from torch_geometric.data import Batch, Data, InMemoryDataset
from torch_geometric.data.storage import GlobalStorage
from torch_geometric.loader import DataLoader

import cliquepool as cp
from cliquepool.nn import CliqueCoarsening, CliquePool, CoarsenedData
from tests.helpers.pyg_graphs import PAPER_FIGURE, data_of, with_edge_values
from tests.helpers.small_graphs import Sample, cycle, path

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SAMPLES = (PAPER_FIGURE, path(3), Sample(0, []), cycle(5), Sample(3, []))
NAMES = ("edge_index", "membership", "num_pools", "edge_attr", "edge_weight")
KEYS = [f"{name}_{level}" for name in NAMES for level in (1, 2)]


def coarsened(samples: tuple[Sample, ...] = SAMPLES) -> list[CoarsenedData]:
    return [CliqueCoarsening()(with_edge_values(sample, seed)) for seed, sample in enumerate(samples)]


def as_earlier_versions_kept_it(data: CoarsenedData) -> CoarsenedData:
    """Every level in entries of its own."""
    values = {key: value for key, value in data.to_dict().items() if not key.startswith("coarsening")}
    levels = {key: data[key] for key in KEYS}
    old: CoarsenedData = CoarsenedData.from_dict({**values, "edge_reduce": "sum", **levels})
    return old


def assert_same_levels(data: Any, other: Any) -> None:
    assert data.coarse_levels == other.coarse_levels == 2
    for key in KEYS:
        assert torch.equal(data[key], other[key])
    for place in range(3):
        level, expected = data.level(place), other.level(place)
        assert torch.equal(level.node_start, expected.node_start)
        assert torch.equal(level.edge_index, expected.edge_index)
        torch.testing.assert_close(level.edge_attr, expected.edge_attr)
        if place < 2:
            assert torch.equal(level.membership, expected.membership)


# ---- one entry for all levels ----


def test_all_levels_are_one_entry_and_are_read_like_many() -> None:
    data = CliqueCoarsening()(data_of(PAPER_FIGURE))
    assert sorted(data.keys()) == ["coarsening", "edge_index", "x", "y"]
    assert "edge_index_1" in data
    assert "edge_index_3" not in data
    assert "edge_attr_1" not in data
    assert data.num_pools_1.tolist() == data["num_pools_1"].tolist() == [4]
    assert data.get("num_pools_2").tolist() == [2]
    assert data.get("num_pools_3", "none") == "none"
    with pytest.raises(AttributeError, match="edge_index_3"):
        _ = data.edge_index_3
    with pytest.raises(KeyError):
        _ = data["edge_attr_1"]


def test_a_level_that_is_set_or_removed_alone_leaves_the_others() -> None:
    data = CliqueCoarsening()(with_edge_values(PAPER_FIGURE))
    other = data.clone()
    other.edge_attr_1 = 2 * data.edge_attr_1
    assert torch.equal(other.level(1).edge_attr, 2 * data.level(1).edge_attr)
    assert torch.equal(other.membership_2, data.membership_2)
    del other.edge_weight_2
    assert "edge_weight_2" not in other
    assert "edge_weight_1" in other
    assert_same_levels(data, CliqueCoarsening()(other))  # and a new coarsening has all again


def test_what_is_printed_is_one_line_with_the_levels() -> None:
    batch = Batch.from_data_list(coarsened())
    shown = repr(batch)
    assert shown.startswith("CoarsenedDataBatch(x=[21, 3], ")
    assert shown.endswith(", levels=[21, 14, 7])")
    assert "coarsening" not in shown
    assert repr(batch.clone().to("meta")) == shown
    assert repr(batch.level(0)) == "Level(5 graphs, 21 nodes, 22 edges, 14 pools)"
    assert repr(batch.level(2)) == "Level(5 graphs, 7 nodes, 1 edges, not pooled)"
    assert repr(batch.level(0).pools[0]) == "Incidence(14 lists, 28 members of 21)"


# ---- batches ----


def test_batches_come_apart_again() -> None:
    parts = coarsened()
    batch = Batch.from_data_list(parts)
    for index, part in enumerate(parts):
        assert_same_levels(batch[index], part)
        assert_same_levels(batch.get_example(index), part)
    assert_same_levels(Batch.from_data_list(batch[1:4]), Batch.from_data_list(parts[1:4]))
    assert_same_levels(Batch.from_data_list(batch.to_data_list()), batch)


def test_a_batch_of_batches_has_all_their_graphs() -> None:
    parts = coarsened()
    nested = Batch.from_data_list([Batch.from_data_list(parts[:2]), Batch.from_data_list(parts[2:])])
    assert_same_levels(nested, Batch.from_data_list(parts))


def test_entries_can_be_followed_or_left_out() -> None:
    parts = coarsened()
    batch = Batch.from_data_list(parts, follow_batch=["edge_attr", "x"], exclude_keys=["y", "edge_weight"])
    assert batch.x_batch.tolist() == batch.batch.tolist()
    assert batch.edge_attr_batch.shape == (batch.num_edges,)
    assert "y" not in batch
    assert torch.equal(batch.level(0).edge_attr, Batch.from_data_list(parts).level(0).edge_attr)
    for key, dim in (("edge_index_1", 1), ("membership_2", 1), ("num_pools_1", 0), ("edge_attr_2", 0)):
        followed = Batch.from_data_list(parts, follow_batch=[key])
        counts = [part[key].shape[dim] for part in parts]
        assert followed[f"{key}_batch"].bincount(minlength=len(parts)).tolist() == counts
    without = Batch.from_data_list(parts, exclude_keys=["coarsening"])
    with pytest.raises(cp.GraphError, match="expected data with levels, got none"):
        without.level(0)


@pytest.mark.parametrize("workers", [0, 1])
def test_loaders_follow_and_leave_out(workers: int) -> None:
    loader = DataLoader(
        coarsened(), batch_size=5, num_workers=workers, follow_batch=["y"], exclude_keys=["edge_weight"]
    )
    (batch,) = loader
    assert batch.y_batch.tolist() == [0, 1, 2, 3, 4]
    assert_same_levels(batch, Batch.from_data_list(coarsened()))


def test_graphs_coarsened_to_unequal_depth_make_no_batch() -> None:
    parts = [CliqueCoarsening(levels=levels)(data_of(path(4))) for levels in (1, 2)]
    with pytest.raises(cp.GraphError, match="graphs pooled 1 and 2 times; use one CliqueCoarsening for all"):
        Batch.from_data_list(parts)


# ---- on disk, and from earlier versions ----


class Kept(InMemoryDataset):  # type: ignore[misc]
    def __init__(self, path: Path) -> None:
        super().__init__(None)
        self.load(str(path))


@pytest.mark.parametrize("keep", [lambda data: data, as_earlier_versions_kept_it], ids=["now", "earlier"])
def test_data_sets_are_saved_and_loaded(
    keep: Callable[[CoarsenedData], CoarsenedData], tmp_path: Path
) -> None:
    parts = coarsened()
    InMemoryDataset.save([keep(part) for part in parts], str(tmp_path / "data.pt"))
    saved = torch.load(tmp_path / "data.pt", weights_only=True)
    assert f"{saved[2].__module__}.{saved[2].__name__}" == "cliquepool.nn.coarsening.CoarsenedData"
    dataset = Kept(tmp_path / "data.pt")
    for index, part in enumerate(parts):
        assert_same_levels(dataset[index], part)
    (batch,) = DataLoader(dataset, batch_size=len(parts))
    assert_same_levels(batch, Batch.from_data_list(parts))


def test_single_data_are_saved_and_loaded(tmp_path: Path) -> None:
    data = coarsened()[0]
    data.level(0)
    torch.save(data, tmp_path / "one.pt")
    # PyG's own Data are no plain weights either.
    assert_same_levels(torch.load(tmp_path / "one.pt", weights_only=False), data)


def test_data_pickled_by_an_earlier_version_are_data_of_today() -> None:
    data = coarsened()[0]
    store = GlobalStorage(_mapping=as_earlier_versions_kept_it(data).to_dict())
    old = CoarsenedData()
    old.__dict__["_store"] = store  # as it was, and as pickle finds it
    store._parent = old
    again = pickle.loads(pickle.dumps(old))
    assert_same_levels(again, data)
    again.edge_index = torch.tensor([[0], [1]])
    assert again.coarse_levels == 0


def test_pickles_name_the_modules_of_earlier_versions() -> None:
    data = coarsened()[0]
    data.level(0)
    pickled = pickle.dumps(data)
    for module in ("cliquepool.nn.coarsening", "cliquepool.nn.coarsened_data", "cliquepool.data.packed"):
        assert module.encode() in pickled
    assert b"cliquepool.pyg" not in pickled
    assert b"packed_levels" not in pickled
    assert_same_levels(pickle.loads(pickled), data)


def test_earlier_data_batch_with_one_another() -> None:
    old = Batch.from_data_list([as_earlier_versions_kept_it(part) for part in coarsened()])
    assert_same_levels(old, Batch.from_data_list(coarsened()))
    for index, part in enumerate(coarsened()):
        assert_same_levels(old[index], part)


@pytest.mark.parametrize(
    "again",
    [copy.copy, copy.deepcopy, lambda data: data.clone(), lambda data: pickle.loads(pickle.dumps(data))],
)
def test_copies_have_their_own_levels(again: Callable[[Any], Any]) -> None:
    for data in (coarsened()[0], Batch.from_data_list(coarsened())):
        other = again(data)
        assert_same_levels(other, data)
        other.edge_index = torch.tensor([[0], [1]])
        assert other.coarse_levels == 0
        assert data.coarse_levels == 2


# ---- what would leave stale levels ----


def directed() -> Data:
    """Two components, edges in one direction, an isolated node."""
    ends = torch.tensor([[0, 1, 0, 3, 4], [1, 2, 2, 4, 5]])
    return Data(
        x=torch.arange(7.0)[:, None], edge_index=ends, pos=torch.rand(7, 2), edge_attr=torch.ones(5, 1)
    )


CHANGES: dict[str, Callable[[Any], Any]] = {
    "subgraph": lambda data: data.subgraph(torch.tensor([0, 1, 2, 3])),
    "subgraph by mask": lambda data: data.subgraph(torch.arange(7) < 5),
    "edge_subgraph": lambda data: data.edge_subgraph(torch.tensor([0, 1])),
    "largest components": T.LargestConnectedComponents(),
    "undirected": T.ToUndirected(),
    "self loops": T.AddSelfLoops(),
    "remaining self loops": T.AddRemainingSelfLoops(),
    "without isolated nodes": T.RemoveIsolatedNodes(),
    "virtual node": T.VirtualNode(),
    "sparse": T.ToSparseTensor(),
    "two graphs in one": lambda data: data.concat(data),
    "assignment": lambda data: setattr(data, "edge_index", data.edge_index[:, 1:]) or data,
    "entry": lambda data: data.update({"edge_index": data.edge_index.flip(0)}),
    "deletion": lambda data: data.__delattr__("edge_index") or data,
    "fewer nodes": lambda data: data.update({"x": data.x[1:]}),
    "more nodes": lambda data: data.update({"num_nodes": 9}),
}


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_changes_nodes_or_edges_leaves_no_stale_levels(change: Callable[[Any], Any]) -> None:
    data = CliqueCoarsening()(directed())
    before = data.clone()
    changed = change(data.clone())
    with pytest.raises(cp.GraphError, match="put it last"):
        changed.level(0)
    assert torch.equal(data.membership_1, before.membership_1)  # what was given is as it was
    if "edge_index" in changed and isinstance(changed.edge_index, Tensor):
        assert CliqueCoarsening(edge_reduce=None)(changed).level(1).num_nodes > 0


HARMLESS: dict[str, Callable[[Any], Any]] = {
    "masks": T.RandomNodeSplit(num_val=1, num_test=1),
    "normalised features": T.NormalizeFeatures(),
    "more features": T.Constant(),
    "degrees": T.LocalDegreeProfile(),
    "the same edges": lambda data: data.update({"edge_index": data.edge_index.clone()}),
    "detached": lambda data: data.detach(),
    "contiguous": lambda data: data.contiguous(),
    "moved": lambda data: data.to("cpu"),
    "some entries moved": lambda data: data.to("cpu", "x"),
    "encoded features": lambda data: data.update({"x": torch.nn.Linear(1, 4)(data.x)}),
}


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_what_changes_neither_keeps_the_levels(change: Callable[[Any], Any]) -> None:
    data = CliqueCoarsening()(directed())
    changed = change(data.clone())
    for place in range(3):
        assert torch.equal(changed.level(place).edge_index, data.level(place).edge_index)
    assert CliquePool()(changed.x, changed.level(0)).shape[0] == int(data.num_pools_1)


def test_other_edge_values_drop_what_was_made_of_them_alone() -> None:
    data = CliqueCoarsening()(with_edge_values(PAPER_FIGURE))
    data.edge_attr = data.edge_attr.float()
    assert "edge_attr_1" not in data
    assert "edge_weight_1" in data
    assert data.level(0).num_nodes == 10
    assert data.level(1).edge_attr.shape == (8,)  # the weights, which are as they were


def test_coarsening_first_in_a_compose_is_an_error_that_names_the_order() -> None:
    data = T.Compose([CliqueCoarsening(), T.AddSelfLoops()])(directed())
    with pytest.raises(cp.GraphError, match="CliqueCoarsening makes the levels, and whatever changes"):
        data.level(1)
    with pytest.raises(AttributeError):
        _ = data.edge_index_1
