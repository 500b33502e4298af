"""The command line: one module for each command of `cliquepool --help`."""

import sys
from collections.abc import Sequence
from typing import NoReturn

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command and exit: with 0, with 2 and one line on stderr for invalid input, with 130 on Ctrl-C."""
    try:
        from cliquepool.cli.app import main as run  # noqa: PLC0415 (to handle Ctrl-C during the import)
    except KeyboardInterrupt:
        sys.exit(130)
    run(arguments)
