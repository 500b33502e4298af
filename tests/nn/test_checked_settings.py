"""Settings that people type: read from text, and refused in plain words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cliquepool.nn import PRESETS, ClassifierSettings
from cliquepool.nn.settings import checked_settings, describe_setting


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"epochs": -3}, "epochs: expected an integer of at least 1, got -3"),
        ({"epochs": "many"}, "epochs: expected an integer of at least 1, got 'many'"),
        ({"hidden": 1 << 20}, "hidden: expected an integer from 1 to 65536, got 1048576"),
        ({"convolution": "gat"}, "convolution: expected one of gcn, sage, gin, got 'gat'"),
        ({"dropout": 1.0}, "dropout: expected a number from 0 to below 1, got 1.0"),
        ({"learning_rate": float("nan")}, "learning_rate: expected a number above 0, got nan"),
        ({"learning_rate": float("inf")}, "learning_rate: expected a number above 0, got inf"),
        ({"weight_decay": "-1"}, "weight_decay: expected a number of at least 0, got '-1'"),
        ({"mlp": (3, -2)}, r"mlp: expected a list of integers from 1 to 65536, got (3, -2)"),
        ({"mlp": "a,b"}, "mlp: expected a list of integers from 1 to 65536, got 'a,b'"),
        ({"standardise": "perhaps"}, "standardise: expected true or false, got 'perhaps'"),
        ({"learning_rat": 1}, "learning_rat: expected the name of a setting, did you mean learning_rate?"),
    ],
    ids=str,
)
def test_a_wrong_setting_is_named_with_what_was_expected_and_got(wrong: dict[str, Any], words: str) -> None:
    for defaults in (ClassifierSettings, PRESETS["paper-enzymes"]):
        with pytest.raises(ValueError) as error:  # noqa: PT011 (the whole message is compared)
            checked_settings(defaults, wrong)
        assert str(error.value) == words


def test_a_name_like_no_other_gets_the_list_of_names() -> None:
    with pytest.raises(ValueError, match=r"zzz: expected the name of a setting, one of features, "):
        checked_settings(ClassifierSettings, {"zzz": 1})


def test_text_is_read_as_on_a_command_line() -> None:
    typed = {"hidden": "32", "mlp": "16, 8", "learning_rate": "1e-2", "standardise": "false"}
    read = checked_settings(ClassifierSettings, typed)
    assert read == ClassifierSettings(hidden=32, mlp=(16, 8), learning_rate=0.01, standardise=False)
    assert checked_settings(ClassifierSettings, {"mlp": "()"}).mlp == ()


def test_numpy_numbers_are_numbers() -> None:
    given = {
        "hidden": np.int64(3),
        "dropout": np.float32(0.5),
        "mlp": np.array([4, 5]),
        "normalise": np.bool_(0),
    }
    assert checked_settings(ClassifierSettings, given) == ClassifierSettings(
        hidden=3, dropout=0.5, mlp=(4, 5), normalise=False
    )


def test_what_is_not_given_is_as_in_the_defaults() -> None:
    assert checked_settings(PRESETS["paper-enzymes"], {"epochs": 7}) == PRESETS["paper-enzymes"].model_copy(
        update={"epochs": 7}
    )
    assert checked_settings(ClassifierSettings, {}) == ClassifierSettings()


def test_every_setting_has_words_for_its_values() -> None:
    for name in ClassifierSettings.model_fields:
        assert describe_setting(ClassifierSettings, name)
