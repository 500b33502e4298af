"""The part of tgp's interface that the adapter uses, for machines where tgp cannot be installed."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from types import ModuleType


class SelectOutput:
    def __init__(self, *, node_index: Tensor, num_nodes: int, cluster_index: Tensor, num_supernodes: int):
        where, ones = torch.stack([node_index, cluster_index]), torch.ones(len(node_index))
        self.s = torch.sparse_coo_tensor(where, ones, (num_nodes, num_supernodes)).coalesce()
        self.num_nodes, self.num_supernodes = num_nodes, num_supernodes

    @property
    def node_index(self) -> Tensor:
        return self.s.indices()[0]

    @property
    def cluster_index(self) -> Tensor:
        return self.s.indices()[1]


class Select(nn.Module):
    pass


class Lift(nn.Module):
    pass


class Connect(nn.Module):
    pass


class Reduce(nn.Module):
    @staticmethod
    def reduce_batch(select_output: SelectOutput, batch: Tensor | None) -> Tensor | None:
        if batch is None:
            return None
        pooled = torch.zeros(select_output.num_supernodes, dtype=batch.dtype)
        pooled[select_output.cluster_index] = batch[select_output.node_index]
        return pooled


@dataclass
class PoolingOutput:
    x: Tensor | None = None
    edge_index: Tensor | None = None
    edge_weight: Tensor | None = None
    batch: Tensor | None = None
    so: SelectOutput | None = None


class SRCPooling(nn.Module):
    def __init__(self, *, selector: Any, reducer: Any, lifter: Any, connector: Any, cached: bool) -> None:
        super().__init__()
        self.selector, self.reducer = selector, reducer
        self.lifter, self.connector, self.cached = lifter, connector, cached

    def select(self, **arguments: Any) -> SelectOutput:
        selected: SelectOutput = self.selector(**arguments)
        return selected

    def reduce(self, **arguments: Any) -> Any:
        return self.reducer(**arguments)

    def lift(self, **arguments: Any) -> Any:
        return self.lifter(**arguments)

    def connect(self, **arguments: Any) -> Any:
        return self.connector(**arguments)


def modules() -> dict[str, ModuleType]:
    """Return the modules by the names under which they are imported."""
    here = sys.modules[__name__]
    return dict.fromkeys(("tgp", "tgp.connect", "tgp.lift", "tgp.reduce", "tgp.select", "tgp.src"), here)
