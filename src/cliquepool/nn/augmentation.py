"""The old name of `cliquepool.training.augmentation`, which keeps working."""

from cliquepool._moved import forward_to

__getattr__ = forward_to("training.augmentation")
