"""How commands end: in one line, with the right code, whatever reads their output."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from cliquepool.cli import main
from cliquepool.models import CliquePoolClassifier
from tests.helpers.commands import COMMAND, HANGS_AFTER_SECONDS, environment
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
    ("datasets",),
)
# These start torch, which takes seconds.
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
    """A stdout in whose middle Ctrl-C comes."""

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
        (("report", "."), "."),
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
