"""The old name of `cliquepool.pyg.coarsening`, which keeps working."""

from cliquepool._moved import forward_to

__getattr__ = forward_to("pyg.coarsening")
