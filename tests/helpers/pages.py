"""Run the Python and console blocks of pages as a reader would: ``python pages.py FOLDER PAGE...``.

The blocks of a page run in their order, in one folder for each page. Their home folder is empty, and there is
no data folder and no network. This file imports the standard library only, so that it also runs in an
environment with nothing but the package.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def blocks(page: Path) -> list[tuple[str, str]]:
    """Return the blocks that can be run, each with its language."""
    text = page.read_text(encoding="utf-8")
    return re.findall(r"^```(python|console)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def sessions(block: str) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with what it printed."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def without_times(text: str) -> list[str]:
    """Return the lines with times masked, because these differ from run to run."""
    masked = re.sub(r"[\d.,e+]+ (µs|ms|s)\b", "TIME", text)
    return [re.sub(r" +", " ", line).rstrip() for line in masked.splitlines()]


def reader_environment(folder: Path) -> dict[str, str]:
    """Return the environment variables of a fresh installation, without a network."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CLIQUEPOOL_", "XDG_"))}
    return kept | {
        "HOME": str(folder),
        "USERPROFILE": str(folder),
        "PYTHONPATH": str(HERE / "no_network"),
        "PYTHONIOENCODING": "utf-8",
        "COLUMNS": "80",
        "MPLBACKEND": "Agg",
        "CUDA_VISIBLE_DEVICES": "",  # the output on the pages was made without a GPU
    }


def run_page(page: Path, folder: Path) -> int:
    """Run a page in a new process, in `folder`; return its exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, str(Path(__file__).resolve()), "--here", str(page.resolve())]
    return subprocess.run(command, cwd=folder, env=reader_environment(folder), check=False).returncode


def _run_blocks(page: Path) -> None:
    """Run all blocks of a page in this process and its current folder."""
    names: dict[str, object] = {"__name__": "page"}
    for number, (language, block) in enumerate(blocks(page)):
        if language == "console":
            for command, expected in sessions(block):
                _run_command(command, expected)
        elif ">>>" in block:
            _run_examples(f"{page.name}[{number}]", block, names)
        else:
            exec(compile(block, f"{page.name}[{number}]", "exec"), names)


def _run_examples(title: str, block: str, names: dict[str, object]) -> None:
    example = doctest.DocTestParser().get_doctest(block, names, title, None, 0)
    failures: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=failures.append, clear_globs=False)
    names.update(example.globs)
    if failures:
        sys.exit("".join(failures))


def _run_command(command: str, expected: str) -> None:
    program, *arguments = re.findall(r'"[^"]*"|\S+', command)
    installed = Path(sys.executable).with_name("cliquepool")
    start = {
        "python": [sys.executable],
        "cliquepool": [str(installed)]
        if installed.exists()
        else [sys.executable, "-c", "from cliquepool.cli import main; main()"],
    }
    result = subprocess.run(
        [*start[program], *(argument.strip('"') for argument in arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    if expected:
        if without_times(result.stdout) != without_times(expected):
            sys.exit(f"$ {command}\nexpected:\n{expected}\ngot:\n{result.stdout}")
    elif result.returncode != 0:
        sys.exit(f"$ {command}\nexpected exit code 0, got {result.returncode}:\n{result.stdout}")


if __name__ == "__main__":
    if sys.argv[1] == "--here":
        sys.path.pop(0)  # the folder of this file
        _run_blocks(Path(sys.argv[2]))
    else:
        target, *pages = map(Path, sys.argv[1:])
        failed = [page for page in pages if run_page(page, (target / page.name).resolve())]
        for page in pages:
            print(f"{page.name}: {'FAILED' if page in failed else f'{len(blocks(page))} blocks run'}")
        sys.exit(1 if failed else 0)
