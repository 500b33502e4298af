"""The adapter for tgp pools as the library does; against tgp where it is installed, else a stand-in."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import TYPE_CHECKING, Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch_geometric.data import Batch, Data

from cliquepool.nn import CliqueCoarsening, CliqueLift, CliquePool
from tests.helpers import tgp_stand_in
from tests.helpers.small_graphs import Sample, cycle, graphs, path

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

INSTALLED = importlib.util.find_spec("tgp") is not None
ADAPTER = "cliquepool.pyg.tgp"

# Of torch, once, on the first sparse tensor that is made without a word on checks.
pytestmark = pytest.mark.filterwarnings("ignore:Sparse invariant checks:UserWarning")


@pytest.fixture(params=["tgp", "stand-in"])
def adapter(request: pytest.FixtureRequest) -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(sys.modules, ADAPTER, raising=False)
        if request.param == "tgp":
            pytest.importorskip("tgp")
        else:
            for name, module in tgp_stand_in.modules().items():
                patch.setitem(sys.modules, name, module)
        yield importlib.import_module(ADAPTER)
        sys.modules.pop(ADAPTER, None)


def batch_of(samples: list[Sample], *, weights: bool = False) -> Batch:
    random = torch.Generator().manual_seed(0)
    parts = []
    for sample in samples:
        ends = torch.tensor(sample.edges, dtype=torch.long).reshape(-1, 2).t()
        both = torch.cat([ends, ends.flip(0)], dim=1)
        data = Data(edge_index=both, x=torch.randn(sample.num_nodes, 3, generator=random))
        if weights:
            data.edge_weight = torch.rand(both.shape[1], generator=random)
        parts.append(CliqueCoarsening(levels=1)(data))
    return Batch.from_data_list(parts)


@pytest.mark.skipif(INSTALLED, reason="tgp is installed")
def test_without_tgp_the_error_says_what_to_install() -> None:
    sys.modules.pop(ADAPTER, None)
    with pytest.raises(ImportError, match="needs tgp: pip install torch-geometric-pool"):
        importlib.import_module(ADAPTER)


@given(st.lists(graphs(7), min_size=1, max_size=4))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_pools_connects_and_lifts_as_the_library_does(adapter: Any, samples: list[Sample]) -> None:
    batch = batch_of(samples, weights=True)
    level, above = batch.level(0), batch.level(1)
    for reduce in ("mean", "max", "sum"):
        pooler = adapter.CliquePooling(reduce)
        out = pooler(batch.x, batch.edge_index, edge_weight=batch.edge_weight, batch=batch.batch)
        # Pools are numbered graph by graph, so the numbers are those of the collated graphs.
        torch.testing.assert_close(out.x, CliquePool(reduce)(batch.x, level))
        assert torch.equal(out.edge_index, above.edge_index)
        torch.testing.assert_close(out.edge_weight, batch.edge_weight_1)
        assert torch.equal(out.batch, above.batch)
        lifted = pooler(out.x, so=out.so, lifting=True)
        torch.testing.assert_close(lifted, CliqueLift()(out.x, level))


def test_plain_edges_stay_plain(adapter: Any) -> None:
    batch = batch_of([path(4), cycle(3)])
    out = adapter.CliquePooling()(batch.x, batch.edge_index, batch=batch.batch)
    assert out.edge_weight is None
    assert out.batch.tolist() == [0, 0, 0, 1]
    alone = adapter.CliquePooling()(batch.x, batch.edge_index)
    assert alone.batch is None
    assert alone.x.shape == (4, 3)


def test_a_sparse_matrix_is_taken_as_connectivity(adapter: Any) -> None:
    batch = batch_of([path(4)], weights=True)
    matrix = torch.sparse_coo_tensor(batch.edge_index, batch.edge_weight, (4, 4))
    out = adapter.CliquePooling()(batch.x, matrix)
    assert torch.equal(out.edge_index, batch.level(1).edge_index)
    torch.testing.assert_close(out.edge_weight, batch.edge_weight_1)


def test_features_have_gradients_and_weights_must_not(adapter: Any) -> None:
    batch = batch_of([path(4)], weights=True)
    x: Tensor = batch.x.double().requires_grad_()
    pooler = adapter.CliquePooling("max")
    assert torch.autograd.gradcheck(lambda x: pooler(x, batch.edge_index).x, (x,))
    with pytest.raises(ValueError, match="expected weights without a gradient"):
        pooler(x, batch.edge_index, edge_weight=batch.edge_weight.requires_grad_())


def test_wrong_reductions_are_refused(adapter: Any) -> None:
    for other in ("min", "share"):
        with pytest.raises(ValueError, match=f"reduce: expected one of mean, max, sum, got '{other}'"):
            adapter.CliquePooling(other)
    with pytest.raises(ValueError, match="edge_reduce: expected one of sum, mean, max, got 'min'"):
        adapter.CliquePooling(edge_reduce="min")
