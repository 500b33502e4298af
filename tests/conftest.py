from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is no failure; pytest-timeout ends what hangs.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real graphs: ``graphs/*.txt.gz``, ``dimacs/*.clq.gz``."""
    beside_the_repository = Path(__file__).parents[1] / ".." / "shared" / "data"
    folder = Path(os.environ.get("CLIQUEPOOL_DATA", beside_the_repository))
    if not (folder / "graphs").is_dir():
        pytest.skip(f"no real graphs in {folder}: set CLIQUEPOOL_DATA to their folder")
    return folder
