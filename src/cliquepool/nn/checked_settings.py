"""Settings from typed values: validated by pydantic, with errors in plain words."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
from pydantic import BaseModel, ValidationError

from cliquepool.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["checked_settings", "describe_setting"]

_Settings = TypeVar("_Settings", bound=BaseModel)
_NO_BOUND_FROM: Final = 1 << 31


def checked_settings(defaults: type[_Settings] | _Settings, values: Mapping[str, Any]) -> _Settings:
    """Return settings with these values, and the others as in `defaults`, a class or an instance.

    A value may be text, as from a command line: ``"1e-3"``, ``"true"``, ``"none"``, and ``"64,32"`` for a
    list. InputError says which setting is wrong, what was expected and what was got.

    >>> from cliquepool.nn import PRESETS, ClassifierSettings
    >>> checked_settings(PRESETS["paper-enzymes"], {"hidden": "32", "mlp": "16,8"}).mlp
    (16, 8)
    >>> checked_settings(ClassifierSettings, {"epochs": -3})
    Traceback (most recent call last):
    cliquepool.errors.InputError: epochs: expected an integer of at least 1, got -3
    >>> checked_settings(ClassifierSettings, {"learning_rat": 0.1})
    Traceback (most recent call last):
    cliquepool.errors.InputError: learning_rat: expected the name of a setting, did you mean learning_rate?
    """
    cls = defaults if isinstance(defaults, type) else type(defaults)
    for name in values:
        if name not in cls.model_fields:
            raise InputError(f"{name}: expected the name of a setting, {_suggestion(name, cls)}")
    given = {name: _plain(value, _schema(cls, name)) for name, value in values.items()}
    if not isinstance(defaults, type):
        given = dict(defaults) | given
    try:
        return cls(**given)
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        got = values.get(name, given.get(name))
        raise InputError(f"{name}: expected {describe_setting(cls, name)}, got {got!r:.80}") from None


def describe_setting(cls: type[BaseModel], name: str) -> str:
    """Return what values a setting takes, in words.

    >>> from cliquepool.nn import ClassifierSettings
    >>> for name in ("convolution", "mlp", "dropout", "learning_rate", "standardise"):
    ...     print(describe_setting(ClassifierSettings, name))
    one of gcn, sage, gin
    a list of integers from 1 to 65536
    a number from 0 to below 1
    a number above 0
    true or false
    """
    return _in_words(_schema(cls, name))


def _schema(cls: type[BaseModel], name: str) -> dict[str, Any]:
    """Return the JSON schema of one setting."""
    return _schemas(cls)[name]


@cache  # pydantic takes milliseconds to make a schema
def _schemas(cls: type[BaseModel]) -> dict[str, dict[str, Any]]:
    properties: dict[str, dict[str, Any]] = cls.model_json_schema()["properties"]
    return properties


def _in_words(schema: dict[str, Any], *, many: bool = False) -> str:
    if "anyOf" in schema:
        return " or ".join(_in_words(choice) for choice in schema["anyOf"])
    if "enum" in schema:
        return f"{'' if many else 'one of '}{', '.join(schema['enum'])}"
    kind = schema.get("type")
    if kind == "array":
        return f"a list of {_in_words(schema['items'], many=True)}"
    plain = {"boolean": "true or false", "null": "none", "string": "text"}
    if kind in plain:
        return plain[kind]
    noun = {"integer": ("an integer", "integers"), "number": ("a number", "numbers")}[str(kind)][many]
    return f"{noun} {_bounds(schema)}".strip()


def _bounds(schema: dict[str, Any]) -> str:
    low, above = schema.get("minimum"), schema.get("exclusiveMinimum")
    high, below = schema.get("maximum"), schema.get("exclusiveMaximum")
    if high is not None and high >= _NO_BOUND_FROM:
        high = None
    if low is not None and (high is not None or below is not None):
        return f"from {low:g} to {f'below {below:g}' if high is None else f'{high}'}"
    words = {"of at least": low, "above": above, "of at most": high, "below": below}
    return " and ".join(f"{word} {bound:g}" for word, bound in words.items() if bound is not None)


def _plain(value: Any, schema: dict[str, Any]) -> Any:
    """Convert NumPy's values to Python's, and text to none or a list, which pydantic does not parse."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if not isinstance(value, str):
        return value
    kinds = {choice.get("type") for choice in schema.get("anyOf", [schema])}
    if "null" in kinds and value.lower() == "none":
        return None
    if "array" in kinds:
        return [part.strip() for part in value.strip("()[] ").split(",") if part.strip()]
    return value


def _suggestion(name: str, cls: type[BaseModel]) -> str:
    close = get_close_matches(name, cls.model_fields, n=1)
    if close:
        return f"did you mean {close[0]}?"
    return f"one of {', '.join(cls.model_fields)}"
