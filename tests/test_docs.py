"""What the README and the documentation show is what happens."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
NAMES = [page.name for page in PAGES]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_python_blocks_run_and_print_what_they_say(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    names: dict[str, object] = {}
    for number, block in enumerate(blocks(page, "python")):
        if ">>>" in block:
            example = doctest.DocTestParser().get_doctest(block, names, f"{page.name}[{number}]", None, 0)
            failures: list[str] = []
            runner.run(example, out=failures.append, clear_globs=False)
            names.update(example.globs)
            assert not failures, "".join(failures)
        else:
            exec(compile(block, page.name, "exec"), names)
    if page.name == "README.md":
        assert repr(names["h"]) == "Hierarchy(5 -> 2 -> 1)"
        assert names["p"].pools.tolist() == [[0, 1, 2], [3, 4]]  # type: ignore[attr-defined]
        assert names["x"].tolist() == [2.0, 5.0]  # type: ignore[attr-defined]


def sessions(block: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with what it printed."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def without_times(text: str) -> list[str]:
    masked = re.sub(r"[\d.,]+ (µs|ms|s)\b", "TIME", text)
    return [re.sub(r" +", " ", line).rstrip() for line in masked.splitlines()]


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_commands_print_what_is_shown(page: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}
    start = {
        "python": [sys.executable],
        "cliquepool": [sys.executable, "-c", "from cliquepool.cli import main; main()"],
    }
    for block in blocks(page, "console"):
        for command, expected in sessions(block):
            program, *arguments = re.findall(r'"[^"]*"|\S+', command)
            result = subprocess.run(
                [*start[program], *(argument.strip('"') for argument in arguments)],
                cwd=tmp_path,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                check=False,
            )
            if expected:
                assert without_times(result.stdout) == without_times(expected)
            else:
                assert result.returncode == 0


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_to_files_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert "://" in target or (page.parent / target).exists(), target


def test_the_picture_in_the_readme_is_small() -> None:
    assert (ROOT / "docs" / "images" / "karate-club.png").stat().st_size < 200_000
