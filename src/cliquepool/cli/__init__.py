"""The command line: `cliquepool pool`, `cliquepool train`, and the others that `cliquepool --help` lists."""

import sys
from collections.abc import Sequence
from typing import NoReturn

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command and exit: with 0, with 2 and one line on stderr for bad input, with 130 on Ctrl-C."""
    try:
        from cliquepool.cli.app import main as run  # noqa: PLC0415 (Ctrl-C while it is imported)
    except KeyboardInterrupt:
        sys.exit(130)
    run(arguments)
