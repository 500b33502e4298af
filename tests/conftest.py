"""Settings of hypothesis and signals, and the folder of real graphs."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No deadlines: a test does not fail because the machine is busy. pytest-timeout ends a test that hangs.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


# A shell starts background jobs with SIGINT ignored, and the commands that tests start would inherit that.
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
