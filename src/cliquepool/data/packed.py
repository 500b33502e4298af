"""The old name of `cliquepool.nn.packed_levels`, which pickles of PyG data contain."""

from cliquepool._moved import forward_to

__getattr__ = forward_to("nn.packed_levels")
