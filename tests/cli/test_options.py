"""Options that several commands share: invalid values, and the limits of the budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cliquepool.cli import main
from tests.helpers.commands import refused_line

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["--nonsense"],
        ["pool"],
        ["pool", "FILE", "FILE"],
        ["pool", "FILE", "--nonsense"],
        ["pool", "FILE", "--levels", "-1"],
        ["pool", "FILE", "--levels", "two"],
        ["pool", "FILE", "--threads", "0"],
        ["pool", "FILE", "--format", "docx"],
        ["pool", "FILE", "--max-seconds", "nan"],
        ["pool", "FILE", "--max-seconds", "-1"],
        ["pool", "FILE", "--max-memory", "much"],
        ["cliques", "FILE", "--min-size", "0"],
        ["cliques", "FILE", "--min-size", "2", "--maximum"],
    ],
)
def test_options_that_make_no_sense(
    graph_file: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main([str(graph_file) if word == "FILE" else word for word in arguments])
    assert end.value.code == 2
    stdout, stderr = capsys.readouterr()
    assert stdout == ""
    assert stderr.startswith("cliquepool: error: ")
    assert stderr.endswith(" --help)\n")
    assert stderr.count("\n") == 1


def test_budgets_are_kept_and_name_the_option(hard_file: Path) -> None:
    assert "--max-seconds" in refused_line("pool", hard_file, "--max-seconds", "0.3")
    assert "--max-cliques" in refused_line("cliques", hard_file, "--list", "--max-cliques", "1000")
    assert "--max-memory" in refused_line("cliques", hard_file, "--list", "--max-memory", "20M")
    assert "Budget(" not in refused_line("pool", hard_file, "--max-cliques", "10")
