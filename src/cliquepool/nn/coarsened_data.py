"""The old name of `cliquepool.pyg.coarsened_data`, which pickles of PyG data contain."""

from cliquepool._moved import forward_to

__getattr__ = forward_to("pyg.coarsened_data")
