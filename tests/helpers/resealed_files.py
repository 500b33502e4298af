"""Files that were changed by someone who also mends their checksums."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cliquepool.array_files import read_arrays, write_arrays

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy as np


def resealed(file: Path, change: Callable[[dict[str, np.ndarray], dict[str, str]], None]) -> None:
    """Let `change` change the arrays and the metadata of a file, and write it again with right checksums."""
    stored = read_arrays(file)
    change(stored.arrays, stored.metadata)
    write_arrays(file, stored.arrays, stored.metadata, hash_content="fingerprint" not in stored.metadata)
