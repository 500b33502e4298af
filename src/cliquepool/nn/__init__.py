"""Clique pooling in PyTorch: layers, the paper's networks, their training."""

from cliquepool.data.batch import Batch, Level, Lists
from cliquepool.nn.layers import GCN, SAGE, CliqueLift, CliquePool, PyGConvolution, Readout
from cliquepool.nn.network import GraphClassifier
from cliquepool.nn.settings import PRESETS, ClassifierSettings

__all__ = [
    "GCN",
    "PRESETS",
    "SAGE",
    "Batch",
    "ClassifierSettings",
    "CliqueLift",
    "CliquePool",
    "GraphClassifier",
    "Level",
    "Lists",
    "PyGConvolution",
    "Readout",
]
