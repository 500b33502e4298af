"""Graph files, and commands run in this process."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.helpers.commands import environment

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


# A clique of 4 nodes, a triangle that shares a node with it, and a tail; the ids are not 0 … n−1.
EDGES = "10 11\n10 12\n10 13\n11 12\n11 13\n12 13\n13 20\n13 21\n20 21\n21 99\n"


@pytest.fixture
def graph_file(tmp_path: Path) -> Path:
    file = tmp_path / "small.txt"
    file.write_text(EDGES)
    return file


@pytest.fixture
def hard_file(tmp_path: Path) -> Path:
    """The complement of 40 disjoint triangles: 3^40 maximal cliques, all tied."""
    file = tmp_path / "hard.txt"
    file.write_text("".join(f"{u} {v}\n" for u in range(120) for v in range(u) if u // 3 != v // 3))
    return file


@pytest.fixture
def endless_file(tmp_path: Path) -> Path:
    """A random graph of 300 nodes with nine tenths of all edges: it takes hours to find its first pool."""
    draw = random.Random(1)
    file = tmp_path / "endless.txt"
    file.write_text("".join(f"{u} {v}\n" for u in range(300) for v in range(u) if draw.random() < 0.9))
    return file


@pytest.fixture
def here(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Return a function that runs a command in this process and returns its exit code, stdout and stderr.

    In this process, because starting another one with torch takes seconds. A test module that uses this
    fixture defines a fixture `folder`, the working folder.
    """
    from cliquepool.cli import main  # noqa: PLC0415

    monkeypatch.chdir(folder)
    for name, value in environment(folder).items():
        monkeypatch.setenv(name, value)

    def run_here(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(list(map(str, arguments)))
        printed = capsys.readouterr()
        assert isinstance(end.value.code, int)
        return end.value.code, printed.out, printed.err

    return run_here


@pytest.fixture
def refused(here: Callable[..., tuple[int, str, str]]) -> Callable[..., str]:
    """Return a function that runs a command that must fail, and returns its error, which is one line."""

    def refuse(*arguments: object) -> str:
        code, output, errors = here(*arguments)
        assert (code, output) == (2, ""), errors
        assert errors.startswith("cliquepool: error: ")
        assert errors.count("\n") == 1
        return errors

    return refuse


@pytest.fixture
def succeeded(here: Callable[..., tuple[int, str, str]]) -> Callable[..., str]:
    """Return a function that runs a command that must succeed, and returns what it prints."""

    def succeed(*arguments: object) -> str:
        code, output, errors = here(*arguments)
        assert (code, errors) == (0, "")
        return output

    return succeed
