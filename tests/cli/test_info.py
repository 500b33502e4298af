"""`cliquepool info`: versions and processor."""

from __future__ import annotations

import json

import numpy as np

import cliquepool as cp
from tests.helpers.commands import run_command


def test_info_shows_the_versions() -> None:
    found = json.loads(run_command("info", "--json").stdout)
    assert found["cliquepool"] == cp.__version__
    assert found["required"]["numpy"] == np.__version__
    assert found["cores"] >= 1
    assert cp.__version__ in run_command("info").stdout
