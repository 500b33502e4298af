"""PyTorch Geometric: the coarsening transform, data sets to and from PyG, and the adapter for tgp."""
