"""`cliquepool view`: one file, or a page on this machine until Ctrl-C."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from typing import TYPE_CHECKING

import pytest

import cliquepool as cp
from tests.helpers.commands import COMMAND, ENVIRONMENT, on_posix, refused_line, run_command

if TYPE_CHECKING:
    from pathlib import Path


def test_a_graph_and_its_saved_hierarchy_give_the_same_page(graph_file: Path, tmp_path: Path) -> None:
    saved = tmp_path / "h.safetensors"
    cp.clique_hierarchy(cp.read_graph(graph_file)).save(saved)
    pages = []
    for file in (graph_file, saved):
        result = run_command("view", file, "--out", tmp_path / "page.html", "--title", "Seven")
        assert (result.returncode, result.stderr) == (0, "")
        assert "saved to" in result.stdout
        pages.append((tmp_path / "page.html").read_bytes())
    assert pages[0] == pages[1]
    assert b"<title>Seven</title>" in pages[0]


def test_bad_input_is_one_line_and_writes_nothing(graph_file: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    wrong = tmp_path / "wrong.safetensors"
    wrong.write_bytes(b"no hierarchy")
    assert "wrong.safetensors" in refused_line("view", wrong, "--out", page)
    assert "nowhere.txt" in refused_line("view", tmp_path / "nowhere.txt", "--out", page)
    assert "expected a file of .html, .htm" in refused_line(
        "view", graph_file, "--out", tmp_path / "page.pdf"
    )
    assert "no folder" in refused_line("view", graph_file, "--out", tmp_path / "missing" / "page.html")
    assert "--max-memory" in refused_line("view", graph_file, "--out", page, "--max-memory", "10")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"port {port} cannot be used" in refused_line("view", graph_file, "--port", port)
    assert not page.exists()


@on_posix
def test_the_page_is_served_until_ctrl_c(graph_file: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "view", str(graph_file), "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**ENVIRONMENT, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    assert url.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(url, timeout=60) as response:
        assert b"<!doctype html>" in response.read()
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(url.rsplit("/", 2)[0] + "/", timeout=60)
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
