"""README and documentation: every block runs and prints what it shows, and everything public has an entry."""

from __future__ import annotations

import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import cliquepool
from tests.helpers.pages import blocks, reader_environment, sessions

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
NAMES = [page.name for page in PAGES]
# These train networks for tens of seconds.
SLOW = {"command-line.md", "compare.md", "images.md", "report.md", "scikit-learn.md", "training.md"}
RUNNER = ROOT / "tests" / "helpers" / "pages.py"


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow] if page.name in SLOW else [], id=page.name)
        for page in PAGES
        if blocks(page)
    ],
)
def test_blocks_run_in_order_without_a_network(page: Path, tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, str(RUNNER), str(tmp_path), str(page)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, result.stdout


def test_the_first_block_of_the_readme_gives_what_its_comments_say() -> None:
    names: dict[str, object] = {}
    first = next(block for language, block in blocks(ROOT / "README.md") if language == "python")
    exec(compile(first, "README.md", "exec"), names)
    assert repr(names["h"]) == "Hierarchy(5 -> 2 -> 1)"
    assert names["p"].pools.tolist() == [[0, 1, 2], [3, 4]]  # type: ignore[attr-defined]
    assert names["x"].tolist() == [2.0, 5.0]  # type: ignore[attr-defined]


def run_python(folder: Path, code: str) -> str:
    """Run Python as the blocks of a page do; return the last line it prints."""
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=reader_environment(folder),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    return result.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    "call",
    [
        "socket.create_connection(('192.0.2.1', 80))",
        "socket.getaddrinfo('example.org', 443)",
        "socket.socket().connect(('192.0.2.1', 80))",
        "urllib.request.urlopen('https://example.org')",
    ],
)
def test_pages_have_no_network(tmp_path: Path, call: str) -> None:
    assert "the network is cut off" in run_python(tmp_path, f"import socket, urllib.request; {call}")


def test_pages_have_loopback_and_a_home_of_their_own_and_no_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLIQUEPOOL_DATA", str(tmp_path))
    code = (
        "import os, pathlib, socket; server = socket.create_server(('127.0.0.1', 0)); "
        "socket.create_connection(server.getsockname()).close(); "
        "print(pathlib.Path.home() == pathlib.Path.cwd(), 'CLIQUEPOOL_DATA' in os.environ)"
    )
    assert run_python(tmp_path, code) == "True False"


def test_a_page_that_is_wrong_fails(tmp_path: Path) -> None:
    wrong = {
        "order": "```python\n>>> n\n1\n```\n\n```python\nn = 1\n```\n",
        "value": "```python\n>>> 1 + 1\n3\n```\n",
        "output": '```console\n$ python -c "print(1)"\n2\n```\n',
        "code": '```console\n$ python -c "raise ValueError"\n```\n',
    }
    right = (
        "```python\nopen('n.txt', 'w').write('1')\n```\n\n"
        "```console\n$ python -c \"print(open('n.txt').read())\"\n1\n```\n"
    )
    for name, text in {**wrong, "right": right}.items():
        page = tmp_path / f"{name}.md"
        page.write_text(text)
        result = subprocess.run(
            [sys.executable, str(RUNNER), str(tmp_path / "run"), str(page)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == (0 if name == "right" else 1), (name, result)


def test_commands_are_shown_with_a_prompt() -> None:
    """Only `make` and `pip install` have no prompt: they need the network, or the source tree."""
    for page in PAGES:
        for language, block in blocks(page):
            if language == "console" and not sessions(block):
                for line in block.splitlines():
                    assert line.startswith(("make ", "pip install ", "cliquepool info")), (page.name, line)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_to_files_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert "://" in target or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md", "docs/performance.md"])
def test_source_files_that_pages_name_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/-]+\.(?:py|cpp|hpp))`", text))
    sources = {
        file.as_posix()
        for folder in ("benchmarks", "cpp", "src", "tests", "docs")
        for file in (ROOT / folder).rglob("*.*p*")
    }
    assert {name for name in named if not any(file.endswith(f"/{name}") for file in sources)} == set()


def test_the_picture_in_the_readme_is_small() -> None:
    assert (ROOT / "docs" / "images" / "karate-club.png").stat().st_size < 200_000


def test_the_picture_of_the_architecture_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    architecture = importlib.import_module("draw_architecture")
    assert architecture.PICTURE.read_text(encoding="utf-8") == architecture.draw()
    folders = {path.parent.name for path in (ROOT / "src" / "cliquepool").glob("*/__init__.py")}
    assert set(architecture.PACKAGES) == folders
    rooms = {name.rstrip("/") for row in architecture.ROOMS for name, _ in row}
    assert rooms == {path.name for path in (ROOT / "cpp").iterdir() if path.is_dir()} - {"tests"}


# ---- the reference pages ----


def public_names() -> set[str]:
    """Return the full names in ``__all__`` of all packages but the commands, which have --help."""
    packages = ["cliquepool", "cliquepool.errors", "cliquepool.grid"]
    packages += [
        f"cliquepool.{found.name}" for found in pkgutil.iter_modules(cliquepool.__path__) if found.ispkg
    ]
    return {
        f"{package}.{name}"
        for package in packages
        if package != "cliquepool.cli"
        for name in getattr(importlib.import_module(package), "__all__", ())
    }


def documented_names() -> list[str]:
    """Return the full names in the autosummary lists of the reference, from which its pages are made."""
    found = []
    for page in sorted((ROOT / "docs" / "reference").glob("*.rst")):
        module = ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith(".. currentmodule:: "):
                module = line.split()[-1]
            elif re.fullmatch(r"   [\w.]+", line):
                found.append(f"{module}.{line.strip()}")
    return found


def resolved(name: str) -> object:
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def test_everything_public_has_an_entry_in_the_reference() -> None:
    entries = set(documented_names())
    objects = {id(resolved(name)) for name in entries}
    assert {name for name in public_names() - entries if id(resolved(name)) not in objects} == set()


def test_nothing_has_two_entries_in_the_reference() -> None:
    entries = documented_names()
    assert len({id(resolved(name)) for name in entries}) == len(entries)


def test_every_public_module_has_a_page_in_the_reference() -> None:
    modules = {name.rpartition(".")[0] for name in public_names()}
    contents = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    for module in modules:
        page = ROOT / "docs" / "reference" / f"{module.rpartition('.')[2]}.rst"
        assert page.read_text(encoding="utf-8").startswith(f"{module}\n{'=' * len(module)}\n")
        assert f"\nreference/{page.stem}\n" in contents
