"""The command line: `cliquepool cliques`, `cliquepool pool`, `cliquepool info`."""

from cliquepool.cli.app import main

__all__ = ["main"]
