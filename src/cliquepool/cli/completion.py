# ruff: noqa: PLC0415 (imports that only completion needs are where they are used)
"""`cliquepool completion`: scripts for the completion of commands, options and data sets in shells."""

import os
from enum import StrEnum
from typing import Annotated, Final

import typer

from cliquepool.cli.output import out
from cliquepool.errors import InputError

__all__ = ["complete_data_set", "complete_device", "complete_images", "prepare_completion", "show_completion"]

_PROGRAM: Final = "cliquepool"
_VARIABLE: Final = "_CLIQUEPOOL_COMPLETE"
"""Set by the scripts: the command then prints completions instead of running."""


class ShellName(StrEnum):
    """The supported shells."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def show_completion(
    shell: Annotated[
        ShellName, typer.Argument(metavar="SHELL", help="bash, zsh or fish.", show_default=False)
    ],
    *,
    install: Annotated[
        bool,
        typer.Option(
            "--install", help="Install it in your home folder, for shells that are started afterwards."
        ),
    ] = False,
) -> None:
    """Print a script for the completion of commands, options and names of data sets in your shell.

    [bold]Examples[/bold]

    cliquepool completion bash --install

    cliquepool completion zsh > ~/.zfunc/_cliquepool

    cliquepool completion fish > ~/.config/fish/completions/cliquepool.fish
    """
    from typer._completion_shared import install as install_script

    if install:
        _, path = install_script(shell.value, prog_name=_PROGRAM, complete_var=_VARIABLE)
        path.write_text(_script(shell), encoding="utf-8")
        out().print(f"written to {path}; new shells will complete {_PROGRAM}")
    else:
        print(_script(shell), end="")


def _script(shell: ShellName) -> str:
    from typer._completion_shared import get_completion_script

    script = get_completion_script(prog_name=_PROGRAM, complete_var=_VARIABLE, shell=shell.value)
    if shell is ShellName.ZSH:
        # Zsh loads the file at the first Tab; without this line, that Tab would complete nothing.
        function = f"_{_PROGRAM}_completion"
        defining = f"compdef {function} {_PROGRAM}"
        loading = f'if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n  {function} "$@"\nfi'
        script = script.replace(defining, f"{defining}\n{loading}")
    return f"{script}\n"


def prepare_completion() -> None:
    """Register the completion of typer if a shell has asked for completions."""
    if _VARIABLE in os.environ:
        from typer._completion_classes import completion_init

        completion_init()


def complete_data_set(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Return the local data sets whose names begin with `incomplete`, each with its source."""
    from cliquepool.data.catalogue import available_datasets

    try:
        places = available_datasets(context.params.get("data_dir"))
    except (InputError, OSError):  # a folder that cannot be read has no data sets
        return []
    return [(place.name, place.source) for place in places if place.name.startswith(incomplete)]


def complete_images(incomplete: str) -> list[str]:
    """Return the named image data sets that begin with `incomplete`."""
    return _beginning_with(incomplete, "digits", "CIFAR-10")


def complete_device(incomplete: str) -> list[str]:
    """Return common devices that begin with `incomplete`; asking torch for all would take seconds."""
    return _beginning_with(incomplete, "auto", "cpu", "cuda")


def _beginning_with(incomplete: str, *words: str) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]
