"""Help pages without Python types, which also fit into narrow terminals."""

from __future__ import annotations

import inspect
import shutil
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from typer.core import TyperCommand, TyperGroup

from cliquepool.cli.cluster import with_default_address

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["PlainCommand", "PlainGroup"]

# In narrower terminals, typer's boxes truncate the names of options.
_LEAST_FOR_BOXES: Final = 80
_NAME_WIDTH: Final = 14


class _PlainHelp:
    """The help of commands and groups; to be combined with a class of typer."""

    help: str | None
    epilog: str | None
    rich_markup_mode: Any

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.help = _one_line_a_paragraph(self.help)

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, including --help, without the types that typer shows."""
        return _without_types(super().get_params(ctx))  # type: ignore[misc]

    def get_short_help_str(self, limit: int = 45) -> str:  # noqa: ARG002 (not truncated)
        """Return the first paragraph of the help, for the list of commands."""
        return (self.help or "").partition("\n\n")[0]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help in boxes, or as plain lines if the terminal is narrow."""
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
    """A command whose help shows no types, and whose --cluster may be without an address."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments of the command line."""
        left: list[str] = super().parse_args(ctx, with_default_address(args))
        return left

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words after the name of the command in its usage line."""
        return ["[OPTIONS]", *_argument_names(self.get_params(ctx))]


class PlainGroup(_PlainHelp, TyperGroup):
    """A group of commands whose help shows no types."""


def _without_types(parameters: Iterable[Any]) -> list[Any]:
    """Remove the types that typer shows for switches (<bool>) and arguments (<list[Path]>)."""
    parameters = list(parameters)
    for parameter in parameters:
        if parameter.param_type_name == "argument":
            parameter.display_type_rich = _no_type
            if hasattr(parameter, "type"):  # shown by older versions of typer
                parameter.type = copy(parameter.type)
                parameter.type.name = ""
        elif getattr(parameter, "is_flag", False) and parameter.metavar is None:
            parameter.metavar = ""
    return parameters


def _no_type(ctx: Any) -> None:
    """Replace a method of typer's arguments."""


def _argument_names(parameters: Iterable[Any]) -> list[str]:
    return [
        parameter.metavar if parameter.required else f"[{parameter.metavar}]"
        for parameter in parameters
        if parameter.param_type_name == "argument"
    ]


def _one_line_a_paragraph(text: str | None) -> str | None:
    """Join the lines of each paragraph: terminals have another width than the source."""
    if text is None:
        return None
    return "\n\n".join(" ".join(lines.split()) for lines in inspect.cleandoc(text).split("\n\n"))


def _unmarked(text: str | None) -> str | None:
    return None if text is None else text.replace("[bold]", "").replace("[/bold]", "")
