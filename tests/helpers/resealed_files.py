"""Changes to saved files with correct checksums, as an attacker would make them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cliquepool.array_files import read_arrays, write_arrays

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy as np


def resealed(file: Path, change: Callable[[dict[str, np.ndarray], dict[str, str]], None]) -> None:
    """Let `change` modify the arrays and the metadata of a file; write it again with correct checksums."""
    stored = read_arrays(file)
    change(stored.arrays, stored.metadata)
    write_arrays(file, stored.arrays, stored.metadata, hash_content="fingerprint" not in stored.metadata)
