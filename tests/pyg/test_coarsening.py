"""Coarse graphs made ahead collate in PyTorch Geometric, and the layers run on them."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch_geometric.data import Batch, Data, HeteroData, InMemoryDataset
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GATConv, GCNConv, GINConv, SAGEConv, global_mean_pool
from torch_geometric.transforms import Compose, Constant, ToUndirected

import cliquepool as cp
from cliquepool.data import GraphDataset, PooledDataset
from cliquepool.nn import (
    GCN,
    SAGE,
    CliqueCoarsening,
    CliqueLift,
    CliquePool,
    CoarsenedData,
    PyGConvolution,
    Readout,
)
from cliquepool.nn.batch import Level
from cliquepool.nn.incidence import Incidence
from tests.helpers.pyg_graphs import PAPER_FIGURE, data_of, with_edge_values
from tests.helpers.small_graphs import Sample, cycle, graphs, path

if TYPE_CHECKING:
    from pathlib import Path

EMPTY, EDGELESS = Sample(0, []), Sample(3, [])


def coarse_keys(levels: int) -> list[str]:
    names = ("edge_index", "membership", "num_pools", "edge_attr", "edge_weight")
    return [f"{name}_{level}" for name in names for level in range(1, levels + 1)]


def dense_membership(level: Level) -> Tensor:
    S = torch.zeros(level.num_nodes, len(level.pool_lists), dtype=torch.float64)
    S[level.membership[0], level.membership[1]] = 1
    return S


lists_of_graphs = st.lists(
    st.one_of(graphs(7), st.sampled_from([EMPTY, EDGELESS, path(4), cycle(5)])), min_size=1, max_size=5
)


# ---- one graph ----


def test_the_papers_first_figure() -> None:
    data = CliqueCoarsening(levels=3)(data_of(PAPER_FIGURE))
    assert [int(data[f"num_pools_{level}"]) for level in (1, 2, 3)] == [4, 2, 1]
    pools = [[3, 4, 5, 6], [0, 1, 2], [2, 7, 9], [8]]
    assert data.membership_1.tolist() == [
        [v for pool in pools for v in pool],
        [i for i, pool in enumerate(pools) for _ in pool],
    ]
    assert data.edge_index_1.t().tolist() == [
        *([1, 0], [2, 0]),
        *([0, 1], [2, 1], [3, 1]),
        *([0, 2], [1, 2]),
        *([1, 3],),
    ]
    assert data.edge_index_3.shape == (2, 0)


@given(graphs())
def test_levels_are_those_of_the_hierarchy(sample: Sample) -> None:
    data = CliqueCoarsening(levels=3)(data_of(sample))
    for level, pooling in enumerate(cp.clique_hierarchy(sample.graph(), levels=3), start=1):
        assert data[f"num_pools_{level}"].tolist() == [pooling.num_pools]
        assert data[f"edge_index_{level}"].flip(0).tolist() == pooling.coarse.to_edge_index().tolist()
        nodes, pools = data[f"membership_{level}"].numpy()
        np.testing.assert_array_equal(nodes, pooling.pools.members)
        np.testing.assert_array_equal(np.bincount(pools, minlength=len(pooling)), pooling.pools.sizes)


def test_what_the_data_had_is_unchanged() -> None:
    given_data = data_of(PAPER_FIGURE, name="figure")
    before = copy.deepcopy(given_data)
    data = CliqueCoarsening()(given_data)
    assert type(given_data) is Data
    assert given_data.keys() == before.keys()
    assert isinstance(data, CoarsenedData)
    for key, value in before.to_dict().items():
        if isinstance(value, Tensor):
            assert torch.equal(data[key], value)
    assert data.name == "figure"
    assert data.num_nodes == 10


def test_loops_directions_and_parallel_edges_make_no_difference() -> None:
    once = torch.tensor([[0, 1, 2], [1, 2, 3]])
    messy = torch.tensor([[1, 0, 2, 2, 3, 0], [0, 1, 1, 2, 2, 1]])
    first, second = (CliqueCoarsening()(Data(edge_index=e, num_nodes=4)) for e in (once, messy))
    for key in ("edge_index_1", "membership_1", "edge_index_2", "membership_2"):
        assert torch.equal(first[key], second[key])
    assert torch.equal(second.edge_index, messy)
    assert torch.equal(first.level(0).edge_index, second.level(0).edge_index)


def test_a_graph_that_is_one_node_stays_so() -> None:
    data = CliqueCoarsening(levels=4)(data_of(Sample(2, [(0, 1)])))
    assert [int(data[f"num_pools_{level}"]) for level in range(1, 5)] == [1, 1, 1, 1]
    assert data.membership_4.tolist() == [[0], [0]]


def test_coarsening_again_replaces_the_levels() -> None:
    thrice = CliqueCoarsening(levels=3)(with_edge_values(path(5)))
    once = CliqueCoarsening(levels=1, edge_reduce=None)(thrice)
    assert (thrice.coarse_levels, once.coarse_levels) == (3, 1)
    assert [key for key in coarse_keys(3) if key in once] == ["edge_index_1", "membership_1", "num_pools_1"]


def test_number_of_nodes_is_taken_as_given() -> None:
    data = CliqueCoarsening(levels=1)(Data(edge_index=torch.tensor([[0], [1]]), num_nodes=4))
    assert data.num_pools_1.tolist() == [3]
    with pytest.warns(UserWarning, match="num_nodes"):
        data = CliqueCoarsening(levels=1)(Data(edge_index=torch.tensor([[0], [2]])))
    assert data.num_nodes == 3
    assert Batch.from_data_list([data, data]).level(1).node_start.tolist() == [0, 2, 4]


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1, got None: a transform sees one graph"):
        CliqueCoarsening(levels=None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least 1, got 0"):
        CliqueCoarsening(levels=0)
    with pytest.raises(ValueError, match="expected one of sum, mean, max, got 'min'"):
        CliqueCoarsening(edge_reduce="min")  # type: ignore[arg-type]
    with pytest.raises(cp.GraphError, match="expected a torch_geometric Data, got HeteroData"):
        CliqueCoarsening()(HeteroData())
    with pytest.raises(cp.GraphError, match=r"several kinds of nodes .*to_homogeneous"):
        CliqueCoarsening()(HeteroData())
    adjacency = torch.eye(3).to_sparse()
    with pytest.raises(cp.GraphError, match=r"got adj_t alone; put CliqueCoarsening before ToSparse"):
        CliqueCoarsening()(Data(x=torch.ones(3, 1), adj_t=adjacency))
    with pytest.raises(cp.GraphError, match=r"tensor of shape \(2, e\), got a sparse matrix"):
        CliqueCoarsening()(Data(x=torch.ones(3, 1), edge_index=adjacency))
    with pytest.raises(cp.GraphError, match="expected data with an edge_index, got none"):
        CliqueCoarsening()(Data(x=torch.ones(3, 1)))
    with pytest.raises(cp.BudgetExceeded, match="max_cliques"):
        CliqueCoarsening(budget=cp.Budget(max_cliques=2))(data_of(PAPER_FIGURE))
    assert repr(CliqueCoarsening(3)) == "CliqueCoarsening(levels=3, edge_reduce='sum')"


class PairData(Data):  # type: ignore[misc]
    def __inc__(self, key: str, value: Any, *args: Any, **kwargs: Any) -> Any:
        return 7 if key == "other" else super().__inc__(key, value, *args, **kwargs)


class CoarsenedPairData(CoarsenedData):
    def __inc__(self, key: str, value: Any, *args: Any, **kwargs: Any) -> Any:
        return 7 if key == "other" else super().__inc__(key, value, *args, **kwargs)


def test_data_with_a_collation_of_its_own_keeps_it_or_is_refused() -> None:
    with pytest.raises(cp.GraphError, match=r"PairData with its own __inc__; derive it from"):
        CliqueCoarsening()(PairData(edge_index=torch.tensor([[0], [1]]), num_nodes=2))
    data = CliqueCoarsening()(
        CoarsenedPairData(edge_index=torch.tensor([[0], [1]]), num_nodes=2, other=torch.tensor([1]))
    )
    batch = Batch.from_data_list([data, data])
    assert batch.other.tolist() == [1, 8]
    assert batch.edge_index_1.shape == (2, 0)
    assert batch.membership_1.tolist() == [[0, 1, 2, 3], [0, 0, 1, 1]]


# ---- batches ----


@given(lists_of_graphs, st.sampled_from(["sum", "mean", "max"]))
@settings(max_examples=60)
def test_a_batch_is_its_graphs_one_by_one(samples: list[Sample], reduce: Any) -> None:
    coarsen = CliqueCoarsening(levels=2, edge_reduce=reduce)
    parts = [coarsen(with_edge_values(sample, seed)) for seed, sample in enumerate(samples)]
    batch = Batch.from_data_list(parts)
    for back, part in zip(batch.to_data_list(), parts, strict=True):
        for key in coarse_keys(2):
            assert torch.equal(back[key], part[key])
    for place in range(3):
        level, alone = batch.level(place), [part.level(place) for part in parts]
        sizes = [one.num_nodes for one in alone]
        assert level.num_graphs == len(samples)
        assert level.node_start.diff().tolist() == sizes
        first = np.cumsum([0, *sizes])
        shifted = [one.edge_index + int(start) for one, start in zip(alone, first, strict=False)]
        assert torch.equal(level.edge_index, torch.cat(shifted, dim=1))
        edge_attr = [one.edge_attr for one in alone if one.edge_attr is not None]
        assert level.edge_attr is not None
        torch.testing.assert_close(level.edge_attr, torch.cat(edge_attr))


@given(lists_of_graphs)
@settings(max_examples=60)
def test_layers_on_a_batch_give_what_they_give_graph_by_graph(samples: list[Sample]) -> None:
    parts = [CliqueCoarsening()(data_of(sample, seed)) for seed, sample in enumerate(samples)]
    torch.manual_seed(0)
    gcn, sage = GCN(3, 4).double(), SAGE(4, 2).double()

    def run(data: Any) -> Tensor:
        bottom, middle, top = (data.level(place) for place in range(3))
        x = gcn(data.x, bottom)
        x = sage(CliquePool("max")(x, bottom), middle)
        lifted = CliqueLift()(CliquePool()(x, middle), middle)
        assert lifted.shape == x.shape
        return torch.cat([Readout()(lifted, middle), Readout()(CliquePool("sum")(x, middle), top)], dim=1)

    together = run(Batch.from_data_list(parts))
    assert together.shape == (len(samples), 8)
    torch.testing.assert_close(together, torch.cat([run(part) for part in parts]))


@given(lists_of_graphs)
@settings(max_examples=60)
def test_levels_are_those_of_a_pooled_data_set(samples: list[Sample]) -> None:
    pooled = PooledDataset(GraphDataset.from_graphs([sample.graph() for sample in samples]), levels=2)
    flat = pooled.batch(np.arange(len(samples)))
    batch = Batch.from_data_list([CliqueCoarsening(levels=2)(data_of(sample)) for sample in samples])
    for place, other in enumerate(flat.levels):
        level = batch.level(place)
        assert torch.equal(level.node_start, other.node_start)
        assert torch.equal(level.edge_index, other.edge_index)
        torch.testing.assert_close(level.degrees, other.degrees)
        if place < 2:
            assert torch.equal(level.membership, other.membership)


def test_pool_ids_of_different_graphs_do_not_collide() -> None:
    parts = [CliqueCoarsening()(data_of(sample)) for sample in (path(3), path(4), cycle(4))]
    batch = Batch.from_data_list(parts)
    assert batch.num_pools_1.tolist() == [2, 3, 4]
    assert batch.membership_1[1].unique().tolist() == list(range(9))
    level = batch.level(0)
    next_level = batch.level(1)
    nodes, pools = level.membership
    assert torch.equal(level.batch[nodes], next_level.batch[pools])


def test_a_node_in_several_pools_counts_in_each() -> None:
    data = CliqueCoarsening(levels=1)(data_of(path(3)))
    x = torch.tensor([[1.0], [10.0], [100.0]])
    level = data.level(0)
    assert level.membership.tolist() == [[0, 1, 1, 2], [0, 0, 1, 1]]
    assert CliquePool("sum")(x, level).tolist() == [[11.0], [110.0]]
    assert CliquePool("mean")(x, level).tolist() == [[5.5], [55.0]]
    assert CliquePool("max")(x, level).tolist() == [[10.0], [100.0]]
    assert CliqueLift()(torch.tensor([[2.0], [4.0]]), level).tolist() == [[2.0], [3.0], [4.0]]


@pytest.mark.parametrize("samples", [[path(3), EMPTY], [EMPTY, path(3), EMPTY, EMPTY], [EMPTY]])
def test_a_trailing_graph_without_nodes_is_there(samples: list[Sample]) -> None:
    batch = Batch.from_data_list([CliqueCoarsening()(data_of(sample)) for sample in samples])
    for place in range(3):
        level = batch.level(place)
        assert level.num_graphs == len(samples)
        read = Readout()(torch.ones(level.num_nodes, 1), level)
        assert read[:, 0].tolist() == [float(sample.num_nodes > 0) for sample in samples]
        mean = global_mean_pool(torch.ones(level.num_nodes, 1), level.batch, size=level.num_graphs)
        assert torch.equal(mean[:, 0], read[:, 0])


def test_graphs_left_without_edges_go_through_every_convolution() -> None:
    batch = Batch.from_data_list([CliqueCoarsening()(data_of(sample)) for sample in (EDGELESS, cycle(3))])
    assert batch.edge_index_1.shape == (2, 0)
    level = batch.level(1)
    x = CliquePool()(batch.x.float(), batch.level(0))
    for convolution in (GCNConv(3, 2), SAGEConv(3, 2), GATConv(3, 2), GINConv(nn.Linear(3, 2))):
        y = convolution(x, level.edge_index)
        assert y.shape == (4, 2)
        assert torch.isfinite(y).all()


# ---- the layers against dense matrices, and their gradients ----


@given(lists_of_graphs)
@settings(max_examples=60)
def test_pool_and_lift_are_the_dense_products(samples: list[Sample]) -> None:
    batch = Batch.from_data_list([CliqueCoarsening(levels=1)(data_of(sample)) for sample in samples])
    level, x = batch.level(0), batch.x
    S = dense_membership(level)
    torch.testing.assert_close(CliquePool("sum")(x, level), S.t() @ x)
    sizes = S.sum(dim=0)[:, None]
    torch.testing.assert_close(CliquePool("mean")(x, level), S.t() @ x / sizes, rtol=1e-6, atol=1e-6)
    inside = torch.where(S.t()[:, :, None] > 0, x[None], -torch.inf)
    largest = inside.amax(dim=1) if level.num_nodes else x
    assert torch.equal(CliquePool("max")(x, level), largest)
    y = torch.randn(S.shape[1], 2, dtype=torch.float64)
    pools_of_node = S.sum(dim=1)[:, None]
    torch.testing.assert_close(CliqueLift()(y, level), S @ y / pools_of_node, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("reduce", ["mean", "max", "sum"])
def test_gradients_of_pool_and_lift(reduce: Any) -> None:
    samples = (PAPER_FIGURE, EMPTY, cycle(5), EDGELESS)
    batch = Batch.from_data_list([CliqueCoarsening(levels=1)(data_of(sample)) for sample in samples])
    level, pool, lift = batch.level(0), CliquePool(reduce), CliqueLift()
    x = batch.x.clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda x: pool(x, level), (x,))
    assert torch.autograd.gradcheck(lambda x: lift(pool(x, level), level), (x,))
    assert torch.autograd.gradgradcheck(lambda x: pool(x, level).square(), (x,))


# ---- with PyG around it ----


class TwoConvolutions(nn.Module):
    def __init__(self, make: Any) -> None:
        super().__init__()
        self.first, self.second = make(3, 8), make(8, 8)
        self.pool = CliquePool()
        self.head = nn.Linear(8, 2)

    def forward(self, data: Any) -> Tensor:
        x = self.first(data.x, data.edge_index).relu()
        x = self.pool(x, data.level(0))
        level = data.level(1)
        x = self.second(x, level.edge_index).relu()
        result: Tensor = self.head(global_mean_pool(x, level.batch, size=level.num_graphs))
        return result


@pytest.mark.parametrize(
    "make",
    [GCNConv, SAGEConv, GATConv, lambda a, b: GINConv(nn.Linear(a, b))],
    ids=["gcn", "sage", "gat", "gin"],
)
def test_pooling_between_convolutions_trains_in_a_shuffling_loader(make: Any) -> None:
    samples = [path(4), cycle(3), EMPTY, cycle(6), EDGELESS, PAPER_FIGURE, path(2)]
    parts = [CliqueCoarsening()(data_of(s, seed)) for seed, s in enumerate(samples)]
    for part in parts:
        part.x = part.x.float()
    torch.manual_seed(0)
    network = TwoConvolutions(make)
    alone = torch.cat([network(part) for part in parts])
    seen = []
    for batch in DataLoader(parts, batch_size=3, shuffle=True):
        scores = network(batch)
        torch.testing.assert_close(scores, alone[batch.y], rtol=1e-4, atol=1e-5)
        scores.square().sum().backward()
        seen += batch.y.tolist()
    assert sorted(seen) == list(range(len(samples)))
    assert all(p.grad is not None and torch.isfinite(p.grad).all() for p in network.parameters())


def test_our_convolutions_and_pygs_agree_on_coarse_levels() -> None:
    batch = Batch.from_data_list([CliqueCoarsening()(data_of(s)) for s in (PAPER_FIGURE, path(6))])
    level, x = batch.level(1), CliquePool()(batch.x.float(), batch.level(0))
    ours, theirs = GCN(3, 4), GCNConv(3, 4)
    theirs.lin.weight.data = ours.weight.data.t()
    torch.testing.assert_close(PyGConvolution(theirs)(x, level), ours(x, level))


def test_it_composes_with_other_transforms() -> None:
    transform = Compose([ToUndirected(), Constant(), CliqueCoarsening(levels=1)])
    data = transform(Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3))
    assert data.x.shape == (3, 1)
    assert data.edge_index.shape == (2, 4)
    assert data.num_pools_1.tolist() == [2]


class SomeGraphs(InMemoryDataset):  # type: ignore[misc]
    samples = (path(5), EMPTY, PAPER_FIGURE, EDGELESS)

    def __init__(self, root: str, **transforms: Any) -> None:
        super().__init__(root, **transforms)
        self.load(self.processed_paths[0], data_cls=CoarsenedData)

    @property
    def processed_file_names(self) -> list[str]:
        return ["data.pt"]

    def process(self) -> None:
        graphs = [with_edge_values(sample, seed) for seed, sample in enumerate(self.samples)]
        self.save([self.pre_transform(data) for data in graphs], self.processed_paths[0])


def test_it_is_a_pre_transform_of_data_sets_on_disk(tmp_path: Path) -> None:
    coarsen = CliqueCoarsening(levels=2, edge_reduce="mean")
    for _ in ("made", "read"):
        dataset = SomeGraphs(str(tmp_path), pre_transform=coarsen)
        for seed, sample in enumerate(SomeGraphs.samples):
            made = coarsen(with_edge_values(sample, seed))
            assert isinstance(dataset[seed], CoarsenedData)
            for key in coarse_keys(2):
                assert torch.equal(dataset[seed][key], made[key])
        (batch,) = DataLoader(dataset, batch_size=4)
        assert batch.level(2).num_graphs == 4
        assert batch.num_pools_1.tolist() == [4, 0, 4, 3]


def test_data_and_batches_are_copied_moved_and_pickled() -> None:
    data = CliqueCoarsening()(with_edge_values(PAPER_FIGURE))
    batch = Batch.from_data_list([data, CliqueCoarsening()(with_edge_values(path(3)))])
    for original in (data, batch):
        for other in (original.clone(), original.to("cpu"), pickle.loads(pickle.dumps(original))):
            assert isinstance(other, CoarsenedData)
            for key in coarse_keys(2):
                assert torch.equal(other[key], original[key])
            assert torch.equal(other.level(1).edge_index, original.level(1).edge_index)
    meta = batch.to("meta")
    assert meta.edge_index_1.device.type == "meta"


def test_workers_hand_batches_over() -> None:
    parts = [CliqueCoarsening()(data_of(sample, seed)) for seed, sample in enumerate([path(4)] * 4)]
    here = next(iter(DataLoader(parts, batch_size=4)))
    there = next(iter(DataLoader(parts, batch_size=4, num_workers=1)))
    assert torch.equal(here.membership_1, there.membership_1)
    assert torch.equal(here.level(1).edge_index, there.level(1).edge_index)


# ---- tensors that are not those of a coarsening ----


def test_a_level_of_wrong_tensors_is_refused() -> None:
    data = CliqueCoarsening(levels=1)(data_of(path(3)))
    with pytest.raises(cp.GraphError, match="expected a level from 0 to 1, got 2"):
        data.level(2)
    cases = {
        "edge_index": (torch.tensor([[0, 9], [1, 0]]), 0, "expected data with levels, got none.*put it last"),
        "edge_index_1": (torch.tensor([[0, 1, 2]]), 1, r"shape \(2, e\), got shape \(1, 3\)"),
        "membership_1": (
            torch.tensor([[0, 1, 5], [0, 1, 1]]),
            0,
            "members: expected ids from 0 to 2, got 0 to 5",
        ),
        "num_pools_1": (torch.tensor([3]), 0, "expected every pool in it, got none of pool 2"),
    }
    for key, (wrong, level, message) in cases.items():
        broken = data.clone()
        broken[key] = wrong
        with pytest.raises(cp.GraphError, match=message):
            broken.level(level)
    for membership, message in (
        ([[0, 1, 1], [0, 0, 1]], "every node in it, got none of node 2"),
        ([[0, 1, 2, 2], [0, 0, 1, 1]], "each member once in a list, got one twice"),
        ([[0, 1, 2], [0, 0, -1]], "lists: expected ids from 0 to 1, got -1 to 0"),
        ([0, 1, 2], "membership: expected two rows"),
    ):
        broken = data.clone()
        broken.membership_1 = torch.tensor(membership)
        with pytest.raises(cp.GraphError, match=message):
            broken.level(0)


def test_node_starts_are_checked() -> None:
    none = torch.zeros(2, 0, dtype=torch.long)
    for wrong in ([], [1, 2], [0, 3, 2]):
        with pytest.raises(cp.GraphError, match="node_start: expected ascending numbers from 0"):
            Level.from_edge_index(none, torch.tensor(wrong, dtype=torch.long))
    with pytest.raises(cp.GraphError, match="expected a member for each list"):
        Incidence.from_pairs(torch.tensor([0]), torch.tensor([0, 1]), 1, 2)


def test_the_last_level_has_no_pools() -> None:
    data = CliqueCoarsening(levels=1)(data_of(path(3)))
    for layer in (CliquePool(), CliqueLift()):
        with pytest.raises(ValueError, match="expected a level that is pooled, got the last one"):
            layer(torch.ones(2, 1), data.level(1))


@pytest.mark.parametrize("shape", [(2, 1), (4, 1), (3,)])
def test_features_of_another_level_are_refused(shape: tuple[int, ...]) -> None:
    level = CliqueCoarsening(levels=1)(data_of(path(3))).level(0)
    with pytest.raises(ValueError, match=r"a row for each node of the level \(3\), got shape"):
        CliquePool()(torch.ones(shape), level)
    with pytest.raises(ValueError, match=r"a row for each pool of the level \(2\), got shape"):
        CliqueLift()(torch.ones(3, 1), level)
