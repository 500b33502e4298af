"""The command line, run as people run it: in a process of its own."""

from __future__ import annotations

import json
import os
import random
import select
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

import cliquepool as cp
from cliquepool.cli import main
from cliquepool.cli.progress import _PATIENCE_SECONDS
from tests.helpers.commands import COMMAND, HANGS_AFTER_SECONDS, on_posix, wait_until

if TYPE_CHECKING:
    from pathlib import Path

ENVIRONMENT = {**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8", "TERM": "xterm"}

# Ids that are not 0 … n−1, so that labels matter: a K4, a triangle on it, a tail.
EDGES = "10 11\n10 12\n10 13\n11 12\n11 13\n12 13\n13 20\n13 21\n20 21\n21 99\n"


def run(*arguments: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        input=stdin,
        env=ENVIRONMENT,
        timeout=HANGS_AFTER_SECONDS,
        check=False,
    )


def refused(*arguments: object) -> str:
    """The one line of a run that must be refused."""
    result = run(*arguments)
    assert result.returncode == 2, result
    assert result.stdout == ""
    assert result.stderr.startswith("cliquepool: error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


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
    """A random graph of 300 nodes, nine in ten pairs joined: hours of search before anything is found."""
    draw = random.Random(1)
    file = tmp_path / "endless.txt"
    file.write_text("".join(f"{u} {v}\n" for u in range(300) for v in range(u) if draw.random() < 0.9))
    return file


# ---- what the commands print ----


def test_cliques_counts_by_size(graph_file: Path) -> None:
    result = run("cliques", graph_file)
    assert result.returncode == 0
    assert result.stderr == ""
    assert "6 nodes" not in result.stdout
    assert "7 nodes, 10 edges" in result.stdout
    assert "3 maximal cliques, the largest of 4 nodes" in result.stdout
    rows = [line.split() for line in result.stdout.splitlines() if "█" in line]
    assert [row[:2] for row in rows] == [["2", "1"], ["3", "1"], ["4", "1"]]


def test_cliques_as_json_are_those_of_the_library(graph_file: Path) -> None:
    found = json.loads(run("cliques", graph_file, "--json").stdout)
    assert (found["nodes"], found["edges"], found["count"], found["largest"]) == (7, 10, 3, 4)
    assert found["sizes"] == {"2": 1, "3": 1, "4": 1}
    assert "cliques" not in found


def test_list_prints_a_clique_a_line_by_the_ids_of_the_file(graph_file: Path) -> None:
    result = run("cliques", graph_file, "--list")
    assert sorted(result.stdout.splitlines()) == ["10 11 12 13", "13 20 21", "21 99"]
    assert run("cliques", graph_file, "--list", "--min-size", 3).stdout.count("\n") == 2
    assert run("cliques", graph_file, "--list", "--min-size", 9).stdout == ""
    assert run("cliques", graph_file, "--list", "--maximum").stdout == "10 11 12 13\n"


@pytest.mark.parametrize(("options", "cliques"), [(["--maximum"], 1), ([], 3), (["--min-size", "9"], 0)])
def test_list_as_json_is_one_object(graph_file: Path, options: list[str], cliques: int) -> None:
    found = json.loads(run("cliques", graph_file, "--json", "--list", *options).stdout)
    assert found["count"] == len(found["cliques"]) == cliques
    assert all(len(clique) >= 2 for clique in found["cliques"])


def test_long_lists_are_whole(tmp_path: Path) -> None:
    file = tmp_path / "star.txt"
    file.write_text("".join(f"0 {leaf}\n" for leaf in range(1, 25_001)))
    lines = run("cliques", file, "--list").stdout.splitlines()
    assert len(set(lines)) == len(lines) == 25_000
    assert len(json.loads(run("cliques", file, "--list", "--json").stdout)["cliques"]) == 25_000


def test_histograms_of_very_many_sizes_are_of_ranges(tmp_path: Path) -> None:
    file = tmp_path / "sizes.txt"
    with file.open("w") as out:
        for size in range(2, 60):
            nodes = range(100 * size, 100 * size + size)
            out.writelines(f"{u} {v}\n" for u in nodes for v in nodes if u < v)
    lines = [line for line in run("cliques", file).stdout.splitlines() if "█" in line]
    assert lines[0].split()[:2] == ["2–3", "2"]
    assert len(lines) == 29


def test_pool_prints_every_level(graph_file: Path) -> None:
    result = run("pool", graph_file)
    rows = [line.split()[:3] for line in result.stdout.splitlines() if line.strip()[:1].isdigit()]
    hierarchy = cp.clique_hierarchy(cp.read_graph(graph_file))
    graphs = [hierarchy.graph(level) for level in range(len(hierarchy) + 1)]
    assert rows == [[str(i), str(g.num_nodes), str(g.num_edges)] for i, g in enumerate(graphs)]
    assert "converged: 1 component" in result.stdout


def test_pool_as_json_and_levels(graph_file: Path) -> None:
    found = json.loads(run("pool", graph_file, "--json", "--levels", 1, "--threads", 2).stdout)
    (level,) = found["levels"]
    assert (level["level"], level["nodes"], level["largest_pool"]) == (1, 3, 4)
    assert not found["converged"]
    assert json.loads(run("pool", graph_file, "--json", "--levels", 0).stdout)["levels"] == []


def test_pool_saves_and_draws(graph_file: Path, tmp_path: Path) -> None:
    saved, picture = tmp_path / "h.safetensors", tmp_path / "h.png"
    result = run("pool", graph_file, "--out", saved, "--picture", picture)
    assert (result.returncode, result.stderr) == (0, "")
    assert cp.Hierarchy.load(saved).sizes == cp.clique_hierarchy(cp.read_graph(graph_file)).sizes
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_an_empty_graph_is_a_graph(tmp_path: Path) -> None:
    file = tmp_path / "empty.txt"
    file.write_text("")
    assert "0 nodes, 0 edges" in run("cliques", file).stdout
    assert run("cliques", file, "--list").stdout == ""
    assert json.loads(run("cliques", file, "--list", "--json").stdout)["cliques"] == []
    assert "converged: 0 components" in run("pool", file).stdout


def test_info_tells_the_versions() -> None:
    found = json.loads(run("info", "--json").stdout)
    assert found["cliquepool"] == cp.__version__
    assert found["required"]["numpy"] == np.__version__
    assert found["cores"] >= 1
    assert cp.__version__ in run("info").stdout


def test_version_and_help() -> None:
    assert run("--version").stdout == f"cliquepool {cp.__version__}\n"
    for arguments in ([], ["--help"], ["cliques", "--help"], ["pool", "-h"], ["info", "--help"]):
        result = run(*arguments)
        assert (result.returncode, result.stderr) == (0, "")
        assert "Usage: cliquepool" in result.stdout
        assert "Example" in result.stdout


def test_help_does_not_wait_for_heavy_imports() -> None:
    heavy = ["torch", "matplotlib", "scipy", "networkx", "rich.progress"]
    check = f"import sys, cliquepool.cli; print([name for name in {heavy!r} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


@pytest.mark.skipif(not os.path.exists("/dev/stdin"), reason="no /dev/stdin")  # noqa: PTH110
def test_a_graph_can_come_through_a_pipe() -> None:
    assert "7 nodes, 10 edges" in run("pool", "/dev/stdin", stdin=EDGES).stdout


# ---- bad input ----


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert "no such file" in refused("pool", tmp_path / "missing.txt")
    assert "got a directory" in refused("cliques", tmp_path)
    junk = tmp_path / "junk.txt"
    junk.write_bytes(bytes(range(256)) * 10)
    assert "line 1" in refused("pool", junk)
    ragged = tmp_path / "ragged.txt"
    ragged.write_text("1 2\n3 4\n5\n")
    assert "line 3" in refused("pool", ragged)
    cut = tmp_path / "cut.gz"
    cut.write_bytes(b"\x1f\x8b\x08\x00")
    assert "gzip" in refused("pool", cut)
    assert "expected" in refused("pool", ragged, "--format", "mtx")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(graph_file: Path) -> None:
    graph_file.chmod(0)
    assert "permission denied" in refused("pool", graph_file)


def test_files_that_cannot_be_written(graph_file: Path, tmp_path: Path) -> None:
    assert "no folder" in refused("pool", graph_file, "--out", tmp_path / "missing" / "h.safetensors")
    assert "directory" in refused("pool", graph_file, "--out", tmp_path)
    assert "no folder" in refused("pool", graph_file, "--picture", tmp_path / "missing" / "h.png")
    assert "--picture" in refused("pool", graph_file, "--picture", tmp_path / "h.docx")


def test_graphs_too_large_to_draw_are_refused_before_the_work(tmp_path: Path) -> None:
    file = tmp_path / "path.txt"
    file.write_text("".join(f"{node} {node + 1}\n" for node in range(1200)))
    assert "1,201" in refused("pool", file, "--picture", tmp_path / "h.png")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")  # noqa: PTH110
def test_a_full_disk_is_reported(graph_file: Path) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        result = subprocess.run(
            [*COMMAND, "pool", graph_file], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert result.returncode == 2
    assert result.stderr.startswith("cliquepool: error: no space left")
    assert result.stderr.count("\n") == 1


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
    assert "--max-seconds" in refused("pool", hard_file, "--max-seconds", "0.3")
    assert "--max-cliques" in refused("cliques", hard_file, "--list", "--max-cliques", "1000")
    assert "--max-memory" in refused("cliques", hard_file, "--list", "--max-memory", "20M")
    assert "Budget(" not in refused("pool", hard_file, "--max-cliques", "10")


# ---- terminals, pipes, Ctrl-C ----


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


# `main`, which makes the file TOLD as soon as the search, and not the reading, tells of its progress.
TELLS_OF_THE_SEARCH = """
import os, pathlib
from cliquepool.cli import main
from cliquepool.cli.progress import _PATIENCE_SECONDS
from tests.helpers.commands import COMMAND, HANGS_AFTER_SECONDS, on_posix, wait_until
from cliquepool.cli.progress import PatientProgress
def tell(self, what, done, total):
    if not what.startswith("reading"):
        pathlib.Path(os.environ["TOLD"]).touch()
PatientProgress.__call__ = tell
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
    told = tmp_path / "told"
    with subprocess.Popen(
        [sys.executable, "-c", TELLS_OF_THE_SEARCH, command[0], endless_file, *command[1:]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**ENVIRONMENT, "TOLD": str(told)},
    ) as process:
        try:
            wait_until(told.exists, process)
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=HANGS_AFTER_SECONDS)
        finally:
            process.kill()
    assert (process.returncode, stdout, stderr) == (130, b"", b"")


# `main` with a progress line that is shown after so many seconds; what the last argument asks for happens
# when it is on the terminal.
ON_TERMINAL = """
import sys
from cliquepool import BudgetExceeded
from cliquepool.cli import main, progress
progress._PATIENCE_SECONDS = float(sys.argv.pop(1))
raises = sys.argv.pop(1) == "raise"
tell = progress.PatientProgress.__call__
def tell_and_raise(self, what, done, total):
    tell(self, what, done, total)
    if raises and self._shown is not None and self._shown.live.is_started:
        raise BudgetExceeded("max_seconds", allowed=2, reached=3)
progress.PatientProgress.__call__ = tell_and_raise
main()
"""


def on_terminal(
    *arguments: object, patience: float, at_progress: str | None = None
) -> tuple[bytes, bytes, int]:
    """Run with stderr on a terminal of its own; return stdout, what the terminal got, and the exit code.

    The progress line is shown after `patience` seconds; when it is, `at_progress` says what happens: "raise"
    an error in the search, or "interrupt" it by Ctrl-C.
    """
    ours, theirs = os.openpty()
    start = [sys.executable, "-c", ON_TERMINAL, str(patience), str(at_progress)]
    process = subprocess.Popen(
        [*start, *map(str, arguments)], stdout=subprocess.PIPE, stderr=theirs, env=ENVIRONMENT
    )
    os.close(theirs)
    seen = b""
    try:
        while process.poll() is None or select.select([ours], [], [], 0)[0]:
            if at_progress == "interrupt" and b"pooling level 1" in seen:
                process.send_signal(signal.SIGINT)
                at_progress = None
            if select.select([ours], [], [], 0.05)[0]:
                try:
                    seen += os.read(ours, 65536)
                except OSError:  # the other end is closed
                    break
        stdout, _ = process.communicate(timeout=HANGS_AFTER_SECONDS)
    finally:
        process.kill()
        os.close(ours)
    return stdout, seen, process.returncode


@on_posix
def test_progress_is_shown_on_a_terminal_and_taken_away(endless_file: Path) -> None:
    stdout, seen, code = on_terminal("pool", endless_file, patience=0, at_progress="raise")
    assert (stdout, code) == (b"", 2)
    assert b"pooling level 1" in seen
    assert b"cliquepool: error: max_seconds" in seen
    after = seen[seen.rindex(b"pooling level 1", 0, seen.index(b"cliquepool: error")) :]
    assert b"\x1b[2K" in after, "the line was not wiped"
    assert b"\x1b[?25h" in after, "the cursor was not given back"


@on_posix
def test_no_progress_for_what_is_quick(graph_file: Path) -> None:
    stdout, seen, code = on_terminal("pool", graph_file, patience=HANGS_AFTER_SECONDS)
    assert (seen, code) == (b"", 0)
    assert b"converged" in stdout
    assert _PATIENCE_SECONDS == 1


def test_no_progress_without_a_terminal(hard_file: Path) -> None:
    result = run("pool", hard_file, "--max-seconds", "1.8")
    assert result.stderr.startswith("cliquepool: error: ")
    assert "\x1b" not in result.stderr


@on_posix
def test_ctrl_c_on_a_terminal_takes_the_progress_away(endless_file: Path) -> None:
    stdout, seen, code = on_terminal("pool", endless_file, patience=0, at_progress="interrupt")
    assert (stdout, code) == (b"", 130)
    assert b"Traceback" not in seen
    assert seen.rstrip().endswith(b"\x1b[2K") or b"\x1b[?25h" in seen
