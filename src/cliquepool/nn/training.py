"""The old name of `cliquepool.training.graphs`, which keeps working."""

from cliquepool._moved import forward_to

__getattr__ = forward_to("training.graphs")
