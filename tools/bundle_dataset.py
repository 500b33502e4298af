"""Add a data set of the TU collection to the package: ``python tools/bundle_dataset.py MUTAG.zip``.

Write its citation into ``NAME.txt`` next to the result.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cliquepool.data import GraphDataset, read_tu

BUNDLED = Path(__file__).parents[1] / "src" / "cliquepool" / "data" / "bundled"


def bundle(source: Path, folder: Path = BUNDLED) -> Path:
    """Read a zip file or a folder of the TU collection, and save it as ``NAME.safetensors`` in `folder`."""
    dataset = read_tu(source)
    target = folder / f"{dataset.name}.safetensors"
    dataset.save(target)
    target.chmod(0o644)
    return target


if __name__ == "__main__":
    for name in sys.argv[1:]:
        written = bundle(Path(name))
        print(f"{written}: {written.stat().st_size:,} bytes, {GraphDataset.load(written)}")
