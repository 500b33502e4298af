"""Many graphs or images at once: flat stores, the files they are read from, and ways to PyTorch Geometric."""

from cliquepool.data.catalogue import DatasetPlace, available_datasets, load_dataset
from cliquepool.data.dataset import GraphDataset
from cliquepool.data.features import FeatureEncoder, NodeFeatures
from cliquepool.data.images import ImageDataset, load_images
from cliquepool.data.pooled import PooledDataset
from cliquepool.data.tu import read_tu

__all__ = [
    "DatasetPlace",
    "FeatureEncoder",
    "GraphDataset",
    "ImageDataset",
    "NodeFeatures",
    "PooledDataset",
    "available_datasets",
    "load_dataset",
    "load_images",
    "read_tu",
]
