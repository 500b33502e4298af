"""Many graphs at once: a flat store, the files it is read from, and its ways to PyTorch Geometric."""

from cliquepool.data.catalogue import DatasetPlace, available_datasets, load_dataset
from cliquepool.data.dataset import GraphDataset
from cliquepool.data.features import FeatureEncoder, NodeFeatures
from cliquepool.data.pooled import PooledDataset
from cliquepool.data.tu import read_tu

__all__ = [
    "DatasetPlace",
    "FeatureEncoder",
    "GraphDataset",
    "NodeFeatures",
    "PooledDataset",
    "available_datasets",
    "load_dataset",
    "read_tu",
]
