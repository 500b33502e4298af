"""Fixtures of tests of training."""

from __future__ import annotations

import pytest

from cliquepool.training import loop


@pytest.fixture
def every_epoch_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a checkpoint after every epoch, not every 20 seconds."""
    monkeypatch.setattr(loop, "_SECONDS_BETWEEN_CHECKPOINTS", -1.0)
