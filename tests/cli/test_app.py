"""Exit codes and error messages of commands, closed pipes and Ctrl-C."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import cliquepool as cp
from cliquepool.cli import main
from cliquepool.models import CliquePoolClassifier
from tests.helpers.commands import (
    COMMAND,
    ENVIRONMENT,
    HANGS_AFTER_SECONDS,
    environment,
    on_posix,
    run_command,
    wait_until,
)
from tests.helpers.small_images import bars
from tests.helpers.small_model import rings_and_stars

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TRAIN = ("train", "RINGS", "--folds", "2", "--seeds", "1", "--epochs", "1", "--jobs", "1", "--resume")
IMAGES = ("--data", "bars.safetensors", "--epochs", "1", "--width", "1/64")
QUICK = (
    ("info",),
    ("info", "--json"),
    ("--help",),
    ("--version",),
    ("train", "--help"),
    ("completion", "bash"),
    ("cliques", "graph.txt"),
    ("cliques", "graph.txt", "--list"),
    ("cliques", "graph.txt", "--list", "--json"),
    ("pool", "graph.txt"),
    ("pool", "graph.txt", "--json"),
    ("view", "graph.txt", "--out", "page.html"),
    ("datasets",),
)
# These import torch, which takes seconds.
SLOW = (
    ("train", "--settings"),
    TRAIN,
    ("predict", "rings.model", "RINGS"),
    ("predict", "rings.model", "RINGS", "--proba", "--json"),
    ("images", "train", *IMAGES, "--threads", "1"),
    ("images", "compare", *IMAGES, "--folds", "2", "--jobs", "1", "--resume"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("app")
    (folder / "graph.txt").write_text("".join(f"0 {leaf}\n" for leaf in range(1, 20_001)))
    data = rings_and_stars(name="RINGS")
    data.save(folder / "RINGS.safetensors")
    CliquePoolClassifier(epochs=1).fit(data, data.classes[data.targets]).save(folder / "rings.model")
    bars().save(folder / "bars.safetensors")
    return folder


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
@pytest.mark.parametrize("arguments", [*QUICK, ("predict", "rings.model", "RINGS")], ids=" ".join)
def test_a_pipe_that_nobody_reads_is_not_an_error(folder: Path, arguments: tuple[str, ...]) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    result = subprocess.run(
        [*COMMAND, *arguments],
        stdout=theirs,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=environment(folder),
        timeout=HANGS_AFTER_SECONDS,
        check=False,
    )
    os.close(theirs)
    assert (result.returncode, result.stderr) == (0, b"")


class Interrupted(io.StringIO):
    """A stdout that raises KeyboardInterrupt when it is written to."""

    def write(self, text: str) -> int:  # noqa: ARG002
        raise KeyboardInterrupt


@pytest.mark.parametrize("arguments", [*QUICK, *SLOW], ids=" ".join)
def test_ctrl_c_ends_every_command_with_130_and_no_word(
    folder: Path,
    arguments: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    for name, value in environment(folder).items():
        monkeypatch.setenv(name, value)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", Interrupted())
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
    printed = capsys.readouterr()
    assert (end.value.code, printed.out, printed.err) == (130, "", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train",), "missing argument"),
        (("train", "RINGS", "--folds", "1"), "--folds"),
        (("train", "RINGS", "--protocol", "x"), "'x' is not one of 'fair', 'paper'"),
        (("train", "RINGS", "--out", "."), "."),
        (("predict", "rings.model"), "missing argument"),
        (("predict", "rings.model", "RINGS", "--out", "no/such/folder.csv"), "there is no folder"),
        (("report",), "missing argument"),
        (("view",), "missing argument"),
        (("view", "graph.txt", "--port", "x"), "--port"),
        (("report", "nowhere.jsonl"), "nowhere.jsonl: no such file"),
        (("datasets", "--data-dir", "nowhere"), "expected a folder, got nowhere"),
        (("images", "train", "--data", "nowhere.zip"), "nowhere.zip"),
        (("images", "compare", "--jobs", "x"), "--jobs"),
        (("completion",), "missing argument"),
        (("info", "more"), "unexpected extra argument"),
    ],
)
def test_every_command_refuses_in_one_line(
    arguments: tuple[str, ...], message: str, refused: Callable[..., str]
) -> None:
    assert message in refused(*arguments)


def test_ctrl_c_while_the_commands_are_imported_ends_with_130() -> None:
    code = (
        "import sys; import cliquepool.cli\n"
        "class Stop:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'cliquepool.cli.app': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Stop()); cliquepool.cli.main()"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "")


def test_version_and_help() -> None:
    assert run_command("--version").stdout == f"cliquepool {cp.__version__}\n"
    for arguments in ([], ["--help"], ["cliques", "--help"], ["pool", "-h"], ["info", "--help"]):
        result = run_command(*arguments)
        assert (result.returncode, result.stderr) == (0, "")
        assert "Usage: cliquepool" in result.stdout
        assert "Example" in result.stdout


def test_help_does_not_wait_for_heavy_imports() -> None:
    heavy = ["torch", "matplotlib", "scipy", "networkx", "rich.progress"]
    check = f"import sys, cliquepool.cli; print([name for name in {heavy!r} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")  # noqa: PTH110
def test_a_full_disk_is_reported(graph_file: Path) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        result = subprocess.run(
            [*COMMAND, "pool", graph_file], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert result.returncode == 2
    assert result.stderr.startswith("cliquepool: error: no space left")
    assert result.stderr.count("\n") == 1


@on_posix
def test_a_closed_pipe_is_not_an_error(tmp_path: Path) -> None:
    file = tmp_path / "star.txt"
    file.write_text("".join(f"0 {leaf}\n" for leaf in range(1, 60_001)))
    process = subprocess.Popen(
        [*COMMAND, "cliques", file, "--list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith(b"0 ")
    process.stdout.close()
    assert process.wait(timeout=HANGS_AFTER_SECONDS) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


# `main`, which makes the file SEARCHING at the first progress report of the search.
REPORTS_THE_SEARCH = """
import os, pathlib
from cliquepool.cli import main
from cliquepool.cli.progress import PatientProgress
def report(self, what, done, total):
    if not what.startswith("reading"):
        pathlib.Path(os.environ["SEARCHING"]).touch()
PatientProgress.__call__ = report
main()
"""


@on_posix
@pytest.mark.parametrize(
    "command",
    [
        ["pool"],
        ["cliques", "--min-size", "60"],
        ["cliques", "--min-size", "60", "--list"],
        ["cliques", "--maximum"],
    ],
)
def test_ctrl_c_stops_what_would_take_for_ever(
    endless_file: Path, tmp_path: Path, command: list[str]
) -> None:
    searching = tmp_path / "searching"
    with subprocess.Popen(
        [sys.executable, "-c", REPORTS_THE_SEARCH, command[0], endless_file, *command[1:]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**ENVIRONMENT, "SEARCHING": str(searching)},
    ) as process:
        try:
            wait_until(searching.exists, process)
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=HANGS_AFTER_SECONDS)
        finally:
            process.kill()
    assert (process.returncode, stdout, stderr) == (130, b"", b"")
