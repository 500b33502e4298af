"""The help of every command: no Python types, nothing truncated, at every width."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
import typer

from cliquepool.cli import main
from cliquepool.cli.app import app

if TYPE_CHECKING:
    from collections.abc import Iterator


def all_commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield path
    for name, below in getattr(command, "commands", {}).items():
        yield from all_commands(below, (*path, name))


COMMANDS = list(all_commands(typer.main.get_command(app)))


def help_of(
    path: tuple[str, ...], width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    with pytest.raises(SystemExit) as end:
        main([*path, "--help"])
    printed = capsys.readouterr()
    assert (end.value.code, printed.err) == (0, "")
    return re.sub(r"\x1b\[[\d;]*m", "", printed.out)


def test_all_commands_are_walked() -> None:
    assert {("train",), ("pool",), ("images", "compare"), ()} <= set(COMMANDS)


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_help_names_no_types_and_is_not_cut(
    path: tuple[str, ...], width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = help_of(path, width, monkeypatch, capsys)
    assert not re.search(r"<\w[^>]*>", text)
    assert not re.search(r"\b(BOOLEAN|TEXT|INTEGER|FLOAT|PATH|Path|str|int|bool|float)\b", text)
    assert not re.search(r"\[/?bold\]", text)
    assert "…" not in text
    assert not re.search(r"\w\.\.\.(?! )", text.replace("[ARGS]...", "").replace("RECORDS...", ""))
    assert max(map(len, text.splitlines())) <= width
    words = {word for line in text.splitlines() for word in line.split()}
    for parameter in parameters_of(path):
        names = {*parameter.opts, *parameter.secondary_opts}
        shown = {parameter.metavar} if parameter.param_type_name == "argument" else names
        assert shown <= {word.strip(",/") for word in words}, (path, shown)


def parameters_of(path: tuple[str, ...]) -> list[Any]:
    command: Any = typer.main.get_command(app)
    for name in path:
        command = command.commands[name]
    return list(command.params)


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_option_with_a_value_has_a_plain_name_for_it(path: tuple[str, ...]) -> None:
    for parameter in parameters_of(path):
        if not getattr(parameter, "is_flag", False):
            assert parameter.metavar, f"{parameter.name} of {path}"


def test_paragraphs_are_one_line_each(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = help_of(("images", "compare"), 200, monkeypatch, capsys)
    assert "Each finished fold is a line of the records file, so a comparison" in text


def test_all_of_a_commands_first_sentence_is_in_the_list_of_commands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = " ".join(help_of((), 40, monkeypatch, capsys).split())
    assert "Count the maximal cliques of a graph by size, or list them." in text
