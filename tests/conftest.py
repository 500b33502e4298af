from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is no failure; pytest-timeout ends what hangs.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


# Tests run in the background by a shell ignore Ctrl-C, and the commands they start would inherit that.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real graphs: ``graphs/*.txt.gz``, ``dimacs/*.clq.gz``."""
    beside_the_repository = Path(__file__).parents[1] / ".." / "shared" / "data"
    folder = Path(os.environ.get("CLIQUEPOOL_DATA", beside_the_repository))
    if not (folder / "graphs").is_dir():
        pytest.skip(f"no real graphs in {folder}: set CLIQUEPOOL_DATA to their folder")
    return folder
