"""Help that shows FILE, N and choices, and no Python types; and that fits into narrow terminals."""

from __future__ import annotations

import inspect
import shutil
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["PlainCommand", "PlainGroup"]

# In a narrower terminal, typer's boxes would cut the names of options.
_LEAST_FOR_BOXES: Final = 80
_NAME_WIDTH: Final = 14


class _PlainHelp:
    """What commands and groups have in common; the class beside it is typer's."""

    help: str | None
    epilog: str | None
    rich_markup_mode: Any

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.help = _one_line_a_paragraph(self.help)

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, --help among them, without the types that typer shows beside them."""
        return _without_types(super().get_params(ctx))  # type: ignore[misc]

    def get_short_help_str(self, limit: int = 45) -> str:  # noqa: ARG002 (nothing is cut)
        """Return the first paragraph of the help, for the list of commands."""
        return (self.help or "").partition("\n\n")[0]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help in boxes, or as plain lines where the terminal is narrow."""
        width = shutil.get_terminal_size().columns
        if width >= _LEAST_FOR_BOXES:
            super().format_help(ctx, formatter)  # type: ignore[misc]
            return
        formatter.width = width - 1
        formatter.write_dl = partial(formatter.write_dl, col_max=_NAME_WIDTH)
        kept = self.rich_markup_mode, self.help, self.epilog
        self.rich_markup_mode, self.help, self.epilog = None, _unmarked(self.help), _unmarked(self.epilog)
        try:
            super().format_help(ctx, formatter)  # type: ignore[misc]
        finally:
            self.rich_markup_mode, self.help, self.epilog = kept


class PlainCommand(_PlainHelp, TyperCommand):
    """A command whose help names no types."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words after the command's name in its usage."""
        return ["[OPTIONS]", *_argument_names(self.get_params(ctx))]


class PlainGroup(_PlainHelp, TyperGroup):
    """A group of commands whose help names no types."""


def _without_types(parameters: Iterable[Any]) -> list[Any]:
    """Take away what typer shows beside switches (<bool>) and arguments (<list[Path]>)."""
    parameters = list(parameters)
    for parameter in parameters:
        if parameter.param_type_name == "argument":
            parameter.display_type_rich = _no_type
            if hasattr(parameter, "type"):  # what older versions of typer show
                parameter.type = copy(parameter.type)
                parameter.type.name = ""
        elif getattr(parameter, "is_flag", False) and parameter.metavar is None:
            parameter.metavar = ""
    return parameters


def _no_type(ctx: Any) -> None:
    """Stand in for a method of typer's arguments."""


def _argument_names(parameters: Iterable[Any]) -> list[str]:
    return [
        parameter.metavar if parameter.required else f"[{parameter.metavar}]"
        for parameter in parameters
        if parameter.param_type_name == "argument"
    ]


def _one_line_a_paragraph(text: str | None) -> str | None:
    """Join the lines of each paragraph: where they end in the source means nothing to a terminal."""
    if text is None:
        return None
    return "\n\n".join(" ".join(lines.split()) for lines in inspect.cleandoc(text).split("\n\n"))


def _unmarked(text: str | None) -> str | None:
    return None if text is None else text.replace("[bold]", "").replace("[/bold]", "")
