"""How tests run the command as people do."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = [sys.executable, "-c", "from cliquepool.cli import main; main()"]


def environment(folder: Path) -> dict[str, str]:
    """That of a working folder with data sets of its own."""
    return {
        **os.environ,
        "COLUMNS": "100",
        "PYTHONIOENCODING": "utf-8",
        "CLIQUEPOOL_DATA": str(folder),
        "CLIQUEPOOL_CACHE": str(folder / "cache"),
    }
