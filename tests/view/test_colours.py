"""Colours of pools: different where pools are close."""

from __future__ import annotations

import numpy as np

from cliquepool.view.colours import choose_colours


def test_few_pools_have_different_colours() -> None:
    places = np.random.default_rng(1).random((8, 2))
    assert len(set(choose_colours(places, {}))) == 8
    assert len(choose_colours(np.repeat(places, 10, axis=0), {})) == 80
    assert choose_colours(places, {3: "#123456"})[3] == "#123456"
