"""Tables at every width: nothing is truncated, and nothing is wider than the terminal."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from cliquepool.cli import main
from cliquepool.cli.tables import Column, FittingTable
from tests.helpers.commands import COMMAND, environment
from tests.helpers.small_images import bars
from tests.helpers.small_model import rings_and_stars

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WIDTHS = (40, 60, 80)


def rendered(table: FittingTable, width: int) -> list[str]:
    file = io.StringIO()
    Console(file=file, width=width, color_system=None).print(table)
    return file.getvalue().splitlines()


def small_table() -> FittingTable:
    table = FittingTable([Column("level", right=True), Column("from", wraps=True), Column("largest pool")])
    table.add_row("1", "a run of ten folds", "1,234")
    table.add_row("2", "", "–")
    return table


# ---- the table itself ----


def test_a_table_that_fits_is_as_wide_as_its_text() -> None:
    assert rendered(small_table(), 80) == [
        "level   from                 largest pool",
        "    1   a run of ten folds   1,234",
        "    2                        –",
    ]


def test_columns_that_wrap_and_heads_are_broken_between_words() -> None:
    assert rendered(small_table(), 24) == [
        "level  from     largest",
        "                pool",
        "    1  a run    1,234",
        "       of ten",
        "       folds",
        "    2           –",
    ]


def test_rows_are_stacked_where_columns_do_not_fit() -> None:
    table = FittingTable([Column("level"), Column("a number"), Column("from", wraps=True)])
    table.add_row("1", "1,234,567,890", "a run of ten folds")
    table.add_row("2", "", "–")
    assert rendered(table, 24) == [
        "level 1",
        "  a number  1,234,567,89",
        "            0",
        "  from      a run of ten",
        "            folds",
        "",
        "level 2",
        "  from      –",
    ]


def test_a_row_of_too_few_cells_is_refused() -> None:
    with pytest.raises(ValueError, match="expected 3 cells, got 1"):
        small_table().add_row("1")


cells = st.text(st.sampled_from("ab7,.±– 漢"), max_size=30).map(str.strip)


@given(
    rows=st.lists(st.tuples(cells, cells, cells, cells), min_size=1, max_size=4),
    wraps=st.tuples(st.booleans(), st.booleans(), st.booleans(), st.booleans()),
    width=st.integers(25, 90),
)
def test_every_character_is_printed_at_every_width(
    rows: list[tuple[str, ...]], wraps: tuple[bool, ...], width: int
) -> None:
    heads = ("one", "two words", "x", "last")
    table = FittingTable([Column(head, wraps=wrap) for head, wrap in zip(heads, wraps, strict=True)])
    for row in rows:
        table.add_row(*row)
    lines = rendered(table, width)
    assert max(Text(line).cell_len for line in lines) <= width
    printed = sorted(character for line in lines for character in line if character in "ab7,.±–漢")
    given_cells = "".join(cell for row in rows for cell in row).replace(" ", "")
    in_heads = "".join(lines).count("last")  # once above the rows, or once in every block that has the cell
    assert printed == sorted(given_cells + "a" * in_heads)


# ---- the tables of the commands ----


class Terminal(io.StringIO):
    """A stdout that claims to be a terminal; COLUMNS is its width."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder with a graph, data sets, images, and records of their trainings."""
    folder = tmp_path_factory.mktemp("tables")
    clique = [(u, v) for u in range(12) for v in range(u)]
    edges = [*clique, *((20 + u, 21 + u) for u in range(2000))]
    (folder / "graph.txt").write_text("".join(f"{u} {v}\n" for u, v in edges))
    data = rings_and_stars(name="RINGS")
    data.save(folder / "RINGS.safetensors")
    data[np.arange(10)].save(folder / "A-DATA-SET-OF-A-LONG-NAME.safetensors")
    (folder / "BAD.zip").write_bytes(b"no zip")
    bars().save(folder / "bars.safetensors")
    return folder


@pytest.fixture
def shown(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """Return a function that runs a command in a terminal of a width, or in a pipe if that is None."""
    monkeypatch.chdir(folder)
    for name, value in environment(folder).items():
        monkeypatch.setenv(name, value)

    def run(width: int | None, *arguments: str) -> str:
        terminal = Terminal()
        with monkeypatch.context() as patched:
            patched.setenv("COLUMNS", str(width or 30))  # ignored in a pipe
            patched.setenv("TERM", "xterm")  # rich ignores the width of a dumb terminal
            if width is not None:
                patched.setattr(sys, "stdout", terminal)
            with pytest.raises(SystemExit) as end:
                main(list(arguments))
        printed = capsys.readouterr()
        assert (end.value.code, printed.err) == (0, "")
        return re.sub(r"\x1b\[[\d;]*m", "", terminal.getvalue()) or printed.out

    return run


TRAIN = ("train", "RINGS", "--folds", "3", "--seeds", "1", "--epochs", "2", "--jobs", "1", "--resume")
IMAGES = ("--data", "bars.safetensors", "--epochs", "1", "--width", "1/64")
COMPARE = ("images", "compare", *IMAGES, "--folds", "2", "--jobs", "1", "--resume")
FIRST_HEADS = {"data", "set", "model", "network"}  # a column of names needs no header in stacked rows
COMMANDS = {
    "info": ("info",),
    "cliques": ("cliques", "graph.txt"),
    "pool": ("pool", "graph.txt", "--levels", "3"),
    "datasets": ("datasets",),
    "train": TRAIN,
    "images train": ("images", "train", *IMAGES, "--threads", "1"),
    "images compare": COMPARE,
}


def words_without_times(text: str) -> set[str]:
    text = re.sub(r"[\d.,]+\s+(µs|ms|s)\b", "TIME", text)
    text = re.sub(r"[█▏▎▍▌▋▊▉]+", "", text)  # the length of bars depends on the width
    return set(text.split())


def expect_all_shown(shown: Callable[..., str], arguments: tuple[str, ...]) -> None:
    piped = shown(None, *arguments)
    assert "…" not in piped
    for width in WIDTHS:
        printed = shown(width, *arguments)
        assert "…" not in printed
        lines = [line for line in printed.splitlines() if not line.startswith("recorded in")]
        assert max(map(len, lines)) <= width
        squeezed = "".join(printed.split())
        for word in words_without_times(piped) - words_without_times(printed) - FIRST_HEADS:
            assert word in squeezed, f"{word} is not shown at {width} columns"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_value_is_shown_at_every_width(shown: Callable[..., str], name: str) -> None:
    expect_all_shown(shown, COMMANDS[name])


def test_every_value_of_a_report_is_shown_at_every_width(shown: Callable[..., str], folder: Path) -> None:
    shown(None, *TRAIN, "--out", "one.jsonl")
    shown(None, *TRAIN, "--out", "one.jsonl", "--protocol", "paper", "--batch-size", "16")
    expect_all_shown(shown, ("report", "one.jsonl"))


def test_every_line_of_predictions_is_whole_at_every_width(shown: Callable[..., str]) -> None:
    shown(None, *TRAIN, "--out", "two.jsonl", "--save", "rings.model")
    assert len({shown(width, "predict", "rings.model", "RINGS") for width in (None, *WIDTHS)}) == 1
    expect_all_shown(shown, ("predict", "rings.model", "RINGS", "--out", "classes.csv"))


def test_a_row_is_one_line_when_piped(shown: Callable[..., str], folder: Path) -> None:
    lines = shown(None, "datasets").splitlines()
    (bad,) = [line for line in lines if line.startswith("BAD ")]
    assert str(folder / "BAD.zip") in bad
    assert len([line for line in lines if line.startswith("A-DATA-SET-OF-A-LONG-NAME ")]) == 1


@pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")
def test_the_width_is_that_of_the_terminal(folder: Path) -> None:
    import fcntl  # noqa: PLC0415 (POSIX only)
    import struct  # noqa: PLC0415
    import termios  # noqa: PLC0415

    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 40, 0, 0))
    known = {name: value for name, value in environment(folder).items() if name not in {"COLUMNS", "LINES"}}
    subprocess.run(
        [*COMMAND, "pool", "graph.txt", "--levels", "2"],
        stdout=theirs,
        stdin=theirs,
        cwd=folder,
        env={**known, "TERM": "xterm"},
        check=True,
    )
    printed = re.sub(r"\x1b\[[\d;]*m", "", os.read(ours, 65536).decode())
    os.close(theirs)
    os.close(ours)
    assert max(map(len, printed.splitlines())) <= 40
    assert "…" not in printed
