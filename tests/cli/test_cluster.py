"""The option --cluster of pool, train and compare: the results of one process, and errors of one line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import cliquepool as cp
from cliquepool.cli.cluster import with_default_address
from cliquepool.evaluate import RecordFile
from tests.helpers.commands import (
    COMMAND,
    HANGS_AFTER_SECONDS,
    environment,
    on_posix,
    refused_line,
    run_command,
    wait_until,
)
from tests.helpers.fold_records import without_times
from tests.helpers.small_model import rings_and_stars

if TYPE_CHECKING:
    from cliquepool.scale import Cluster

SMALL = ("train", "RINGS", "--folds", 3, "--seeds", 1, "--epochs", 2, "--json")


def run_in(folder: Path, *arguments: object) -> dict[str, Any]:
    result = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment(folder),
        timeout=HANGS_AFTER_SECONDS,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, ""), result
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["--cluster"], ["--cluster", "local"]),
        (["--cluster", "--json", "f"], ["--cluster", "local", "--json", "f"]),
        (["f", "--cluster", "host:8786"], ["f", "--cluster", "host:8786"]),
        (["--cluster", "tls://h:1", "f"], ["--cluster", "tls://h:1", "f"]),
        (["--cluster=x", "f"], ["--cluster=x", "f"]),
        (["--cluster", "a.txt"], ["--cluster", "local", "a.txt"]),
        (["f"], ["f"]),
    ],
)
def test_the_address_may_be_left_out(given: list[str], expected: list[str]) -> None:
    assert with_default_address(given) == expected


def test_pool_on_a_cluster_saves_the_bytes_of_one_process(
    two_workers: Cluster, graph_file: Path, tmp_path: Path
) -> None:
    saved, work = tmp_path / "h.safetensors", tmp_path / "work"
    options = ("--cluster", two_workers.address, "--work", work, "--shards", 3, "--out", saved, "--json")
    result = run_command("pool", graph_file, *options)
    assert (result.returncode, result.stderr) == (0, "")
    ours, theirs = cp.Hierarchy.load(saved), cp.clique_hierarchy(cp.read_graph(graph_file))
    assert [p.pools.tolist() for p in ours] == [p.pools.tolist() for p in theirs]
    assert not list(work.iterdir())


@pytest.mark.slow  # torch is imported four times
def test_train_on_a_cluster_records_what_processes_record(two_workers: Cluster, tmp_path: Path) -> None:
    rings_and_stars(name="RINGS").save(tmp_path / "RINGS.safetensors")
    ours = run_in(tmp_path, *SMALL, "--cluster", two_workers.address, "--out", "a.jsonl")
    theirs = run_in(tmp_path, *SMALL, "--jobs", 1, "--out", "b.jsonl")
    assert ours["accuracy"] == theirs["accuracy"]
    first, second = (list(RecordFile.read(tmp_path / name).records) for name in ("a.jsonl", "b.jsonl"))
    by_fold = [sorted(records, key=lambda record: record.fold) for records in (first, second)]
    assert without_times(by_fold[0]) == without_times(by_fold[1])


def test_wrong_options_are_one_line(graph_file: Path) -> None:
    address = ("--cluster", "tcp://127.0.0.1:1")
    assert "expected an address such as tcp://" in refused_line("pool", graph_file, "--cluster=there")
    assert "--work: expected --cluster" in refused_line("pool", graph_file, "--work", "w")
    assert "--shards: expected --cluster" in refused_line("pool", graph_file, "--shards", 2)
    assert "--metis: expected --cluster" in refused_line("pool", graph_file, "--metis")
    assert "--threads: expected none with an address" in refused_line(
        "pool", graph_file, *address, "--threads", 2
    )
    assert "expected no --cluster beside it" in refused_line(
        "pool", graph_file, "--cluster", "--out-of-core", "--out", "x"
    )
    assert "--max-memory: expected none with an address" in refused_line(
        "compare", *address, "--max-memory", "1G", "--models", "gin", "--datasets", "MUTAG"
    )


@on_posix
@pytest.mark.slow
def test_ctrl_c_ends_the_workers_in_the_middle_of_a_search(hard_file: Path) -> None:
    pytest.importorskip("distributed")
    folder = hard_file.parent
    with subprocess.Popen(
        [*COMMAND, "pool", str(hard_file), "--cluster", "--threads", "2", "--work", "work"],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            wait_until(lambda: len(list(folder.glob("work/*/shard-*.safetensors"))) == 2, process)
            time.sleep(1)  # into the search, which would take years
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does
            printed = process.communicate(timeout=HANGS_AFTER_SECONDS)
        finally:
            process.kill()
    assert (process.returncode, *printed) == (130, b"", b"")
    while any(_is_of(folder, other) for other in Path("/proc").glob("[0-9]*")):
        time.sleep(0.1)  # the time-out of pytest ends an endless wait


def _is_of(folder: Path, process: Path) -> bool:
    """Tell whether a process works in a folder."""
    try:
        return (process / "cwd").readlink() == folder
    except OSError:
        return False
