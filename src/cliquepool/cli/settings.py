# ruff: noqa: PLC0415 (torch, pydantic and rich are imported where they are used, so that --help is quick)
"""Settings of models on the command line: `--set NAME=VALUE` changes them, `--settings` lists them."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import typer

import cliquepool
from cliquepool.cli.output import out

if TYPE_CHECKING:
    from pydantic import BaseModel

    _Settings = TypeVar("_Settings", bound=BaseModel)

__all__ = [
    "ImageSettingsOption",
    "SetImageOption",
    "SetOption",
    "SettingsOption",
    "changed_settings",
    "complete_image_setting",
    "complete_setting",
    "parse_assignments",
]

_HOW: Final = "May be given several times; --settings lists all settings."


# ---- assignments ----


def parse_assignments(assignments: Iterable[str] | None) -> dict[str, str]:
    """Split ``["hidden=32", "mlp=64,32"]`` into names and values; the values are still text.

    >>> parse_assignments(["hidden=32", "mlp=64,32"])
    {'hidden': '32', 'mlp': '64,32'}
    """
    found: dict[str, str] = {}
    for assignment in assignments or ():
        name, equals, value = assignment.partition("=")
        name = name.strip().replace("-", "_")
        if not (equals and name):
            raise typer.BadParameter(
                f"--set: expected NAME=VALUE, such as learning_rate=1e-3, got {assignment!r}"
            )
        if name in found:
            raise typer.BadParameter(
                f"--set: expected {name} once, got {found[name]!r} and {value.strip()!r}"
            )
        found[name] = value.strip()
    return found


def changed_settings(
    defaults: "_Settings", assigned: Mapping[str, str], options: Mapping[str, tuple[str, Any]]
) -> "_Settings":
    """Return `defaults`, changed by the assignments of --set and by other options.

    `options` maps an option to its setting and its value, which is None if the option was not given. Raises
    BadParameter for an invalid value, and if --set and an option contradict each other.
    """
    given = {setting: (option, value) for option, (setting, value) in options.items() if value is not None}
    settings = _checked(defaults, assigned, {})
    for setting in sorted(given.keys() & assigned.keys()):
        option, value = given[setting]
        if getattr(settings, setting) != value:
            raise typer.BadParameter(
                f"--set {setting}={assigned[setting]} and {option} {value} contradict each other: give one"
            )
    by_options = {setting: value for setting, (_, value) in given.items()}
    options_of = {setting: option for setting, (option, _) in given.items()}
    return _checked(settings, by_options, options_of)


def _checked(defaults: "_Settings", values: Mapping[str, Any], option_of: Mapping[str, str]) -> "_Settings":
    """Return changed settings; an error names the option of the setting, or --set."""
    from cliquepool.nn.settings import checked_settings

    try:
        return checked_settings(defaults, values)
    except ValueError as error:
        name, _, problem = str(error).partition(": ")
        option = option_of.get(name)
        raise typer.BadParameter(f"{option}: {problem}" if option else f"--set {error}") from None


# ---- the list of settings ----


def _list_classifier_settings(given: bool) -> None:
    if given:
        from cliquepool.nn.settings import ClassifierSettings

        _list_settings(ClassifierSettings)


def _list_image_settings(given: bool) -> None:
    if given:
        from cliquepool.nn.image_settings import ImageSettings

        _list_settings(ImageSettings, "Without a graphics card, width is 1/16 by default.")


def _list_settings(cls: "type[BaseModel]", note: str = "") -> None:
    """Print every setting: name, allowed values, default and description."""
    from cliquepool.cli.tables import Column, FittingTable
    from cliquepool.nn.settings import describe_setting

    table = FittingTable(
        [
            Column("setting", style="bold cyan"),
            Column("value", wraps=True),
            Column("default"),
            Column("", wraps=True),
        ],
        gap=2,
    )
    for name, field in cls.model_fields.items():
        about = (field.description or "").split("\n\n")[0].replace("\n", " ")
        table.add_row(name, describe_setting(cls, name), _as_typed(field.default), about)
    out().print(table)
    if note:
        out().print(f"\n{note}")
    raise typer.Exit


def _as_typed(value: Any) -> str:
    """Return the text of a value for --set."""
    if isinstance(value, tuple | list):
        return ",".join(map(_as_typed, value))
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _names_in(module: str, cls: str) -> list[str]:
    """Read the names of settings from the source of a class, because importing it would import torch."""
    source = Path(cliquepool.__file__).parent.joinpath("nn", module).read_text(encoding="utf-8")
    classes = {found.name: found for found in ast.parse(source).body if isinstance(found, ast.ClassDef)}

    def names_of(found: ast.ClassDef) -> Iterator[str]:
        for base in found.bases:
            if isinstance(base, ast.Name) and base.id in classes:
                yield from names_of(classes[base.id])
        for field in found.body:
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and not ast.unparse(field.annotation).startswith("ClassVar")
            ):
                yield field.target.id

    return list(dict.fromkeys(names_of(classes[cls])))


def complete_setting(incomplete: str) -> list[str]:
    """Return the settings of a classifier that begin with `incomplete`, followed by "="."""
    names = _names_in("settings.py", "ClassifierSettings")
    return [f"{name}=" for name in names if name.startswith(incomplete)]


def complete_image_setting(incomplete: str) -> list[str]:
    """Return the settings of an image network that begin with `incomplete`, followed by "="."""
    names = _names_in("image_settings.py", "ImageSettings")
    return [f"{name}=" for name in names if name.startswith(incomplete)]


SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help=f"Change a setting, such as learning_rate=1e-3 or mlp=64,32. {_HOW}",
        show_default=False,
        autocompletion=complete_setting,
    ),
]
SetImageOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help=f"Change a setting, such as momentum=0.8 or mirror=no. {_HOW}",
        show_default=False,
        autocompletion=complete_image_setting,
    ),
]
SettingsOption = Annotated[
    bool,
    typer.Option(
        "--settings",
        help="List all settings with their defaults, and exit.",
        callback=_list_classifier_settings,
        is_eager=True,
    ),
]
ImageSettingsOption = Annotated[
    bool,
    typer.Option(
        "--settings",
        help="List all settings with their defaults, and exit.",
        callback=_list_image_settings,
        is_eager=True,
    ),
]
