"""Settings of image networks: the schedule of the learning rate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cliquepool.nn.image_settings import ImageSettings

SMALL = ImageSettings(arch="vgg", width=1 / 32, epochs=4, batch_size=16)


@given(
    steps=st.integers(1, 500),
    warm_up=st.floats(0, 0.99),
    peak=st.floats(1e-4, 1.0),
)
def test_the_rate_rises_to_its_peak_and_falls_to_nothing(steps: int, warm_up: float, peak: float) -> None:
    settings = SMALL.model_copy(update={"warm_up": warm_up, "learning_rate": peak})
    rates = np.array([settings.rate_at(step, steps) for step in range(steps)])
    assert np.all((rates >= 0) & (rates <= peak * (1 + 1e-12)))
    highest = int(rates.argmax())
    assert np.all(np.diff(rates[: highest + 1]) >= -1e-12)
    assert np.all(np.diff(rates[highest:]) <= 1e-12)
    assert abs(highest - warm_up * steps) <= 1
    assert settings.rate_at(steps, steps) == pytest.approx(0, abs=1e-9)
