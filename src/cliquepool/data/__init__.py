"""Data sets of graphs and images in flat arrays, their readers, features, and pooled data sets; no torch."""

from cliquepool.data.catalogue import DatasetPlace, available_datasets, load_dataset
from cliquepool.data.dataset import GraphDataset
from cliquepool.data.features import FeatureEncoder, NodeFeatures
from cliquepool.data.image_catalogue import load_images
from cliquepool.data.images import ImageDataset
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
