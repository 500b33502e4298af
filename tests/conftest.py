"""Settings of hypothesis and signals, and the folder of real graphs."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cliquepool.scale import Cluster

# No deadlines: a test does not fail because the machine is busy. pytest-timeout ends a test that hangs.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("few", settings.get_profile("patient"), max_examples=20)
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


@pytest.fixture(scope="session")
def two_workers() -> Iterator[Cluster]:
    """Return a local cluster of two worker processes, started once for all tests that need one."""
    pytest.importorskip("distributed")
    from cliquepool.scale import Cluster  # noqa: PLC0415 (only for these tests)

    with Cluster(workers=2) as cluster:
        yield cluster
