"""The settings that networks of the comparison have in common."""

from __future__ import annotations

import pytest

from cliquepool.errors import InputError
from cliquepool.nn.peer_settings import PeerSettings
from cliquepool.nn.settings import TrainingSettings, checked_settings


def test_records_say_what_chooses_the_epoch() -> None:
    written = PeerSettings().model_dump(mode="json")
    assert written["epoch_by"] == "brier"
    assert written["patience"] == 50
    assert PeerSettings(**written) == PeerSettings()


def test_the_networks_own_settings_are_written_first() -> None:
    names = list(PeerSettings().model_dump())
    assert names[:3] == ["dropout", "hidden", "layers"]
    assert set(names[3:]) == set(TrainingSettings.model_fields)


@pytest.mark.parametrize("wrong", [{"layers": 0}, {"layers": 65}, {"dropout": 1.0}, {"hidden": 0}])
def test_wrong_settings_are_named(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match=f"{next(iter(wrong))}: expected"):
        checked_settings(PeerSettings, wrong)
