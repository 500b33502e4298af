"""Shell completion: valid scripts and sensible completions, without importing torch."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.commands import COMMAND, HANGS_AFTER_SECONDS, environment
from tests.helpers.small_model import rings_and_stars

SHELLS = ("bash", "zsh", "fish")


def run(
    folder: Path, *arguments: str, answer: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment(folder) | (answer or {}),
        timeout=HANGS_AFTER_SECONDS,
        check=False,
    )


def completed(folder: Path, line: str) -> list[str]:
    """Return the completions of the last, incomplete word of a line in bash."""
    words = line.split(" ")
    answer = {
        "COMP_WORDS": "\n".join(words),
        "COMP_CWORD": str(len(words) - 1),
        "_CLIQUEPOOL_COMPLETE": "complete_bash",
    }
    result = run(folder, answer=answer)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout.split()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rings_and_stars(name="RINGS").save(tmp_path / "RINGS.safetensors")
    return tmp_path


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_are_valid(folder: Path, shell: str) -> None:
    result = run(folder, "completion", shell)
    assert (result.returncode, result.stderr) == (0, "")
    assert "_CLIQUEPOOL_COMPLETE" in result.stdout
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    script = folder / f"script.{shell}"
    script.write_text(result.stdout)
    subprocess.run([program, "-n", str(script)], check=True, timeout=HANGS_AFTER_SECONDS)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_is_installed_in_the_home_folder(folder: Path, shell: str) -> None:
    home = folder / "home"
    home.mkdir()
    result = run(
        folder, "completion", shell, "--install", answer={"HOME": str(home), "USERPROFILE": str(home)}
    )
    assert (result.returncode, result.stderr) == (0, "")
    path = Path(result.stdout.split("written to ")[1].split(";")[0])
    assert path.is_relative_to(home)
    assert "_CLIQUEPOOL_COMPLETE" in path.read_text()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("cliquepool po", ["pool"]),
        ("cliquepool images ", ["train", "compare"]),
        ("cliquepool train RI", ["RINGS"]),
        ("cliquepool predict some.model RI", ["RINGS"]),
        ("cliquepool train --protocol ", ["fair", "paper"]),
        ("cliquepool pool --format m", ["mtx", "metis"]),
        ("cliquepool train --set lea", ["learning_rate="]),
        ("cliquepool images train --set mom", ["momentum="]),
        ("cliquepool images train --data d", ["digits"]),
        ("cliquepool images compare --device c", ["cpu", "cuda"]),
        ("cliquepool train --device c", ["cpu", "cuda"]),
        ("cliquepool completion f", ["fish"]),
        ("cliquepool train ./RI", []),  # a path: completed by the shell
        ("cliquepool train --data-dir nowhere R", []),
    ],
)
def test_words_that_can_follow(folder: Path, line: str, words: list[str]) -> None:
    assert completed(folder, line) == words


def test_options_are_completed(folder: Path) -> None:
    assert {"--proba", "--out", "--json"} <= set(completed(folder, "cliquepool predict --"))


@pytest.mark.skipif(os.name != "posix", reason="runs bash")
@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_with_the_script(folder: Path) -> None:
    program = folder / "bin" / "cliquepool"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nfrom cliquepool.cli import main\nmain()\n")
    program.chmod(0o755)
    (folder / "script").write_text(run(folder, "completion", "bash").stdout)
    asked = (
        "source ./script; COMP_WORDS=(cliquepool train RI); COMP_CWORD=2; "
        '_cliquepool_completion cliquepool; echo "${COMPREPLY[@]}"'
    )
    found = environment(folder)
    found["PATH"] = f"{program.parent}{os.pathsep}{found['PATH']}"
    result = subprocess.run(
        ["bash", "--norc", "-c", asked], cwd=folder, env=found, capture_output=True, text=True, check=True
    )
    assert result.stdout == "RINGS\n"


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_completes_at_the_first_tab(folder: Path) -> None:
    """Zsh loads the script at the first completion, and runs it as a function."""
    functions = folder / "functions"
    functions.mkdir()
    (functions / "_cliquepool").write_text(run(folder, "completion", "zsh").stdout)
    asked = (
        f"fpath+={functions}; autoload -Uz _cliquepool; compdef() {{ : }}; "
        "cliquepool() { : }; env() { echo print asked }; words=(cliquepool tr); CURRENT=2; _cliquepool"
    )
    result = subprocess.run(["zsh", "-f", "-c", asked], capture_output=True, text=True, check=True)
    assert result.stdout == "asked\n"


def test_completing_does_not_start_torch(folder: Path) -> None:
    code = (
        "import sys, atexit; "
        "atexit.register(lambda: print([m for m in ('torch', 'scipy') if m in sys.modules])); "
        "from cliquepool.cli import main; main()"
    )
    for line in ("cliquepool train R", "cliquepool train --set l", "cliquepool images train --"):
        words = line.split(" ")
        answer = {
            "COMP_WORDS": "\n".join(words),
            "COMP_CWORD": str(len(words) - 1),
            "_CLIQUEPOOL_COMPLETE": "complete_bash",
        }
        result = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            env=environment(folder) | answer,
            check=True,
        )
        assert result.stdout.splitlines()[-1] == "[]"


def test_another_shell_is_refused_in_one_line(folder: Path) -> None:
    result = run(folder, "completion", "tcsh")
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert "'tcsh' is not one of 'bash', 'zsh', 'fish'" in result.stderr
