"""The core and its commands work without the optional packages; errors name the missing ones."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import metadata
from typing import TYPE_CHECKING

import pytest

from cliquepool import _extras
from cliquepool.errors import MissingDependency
from tests.helpers.commands import environment

if TYPE_CHECKING:
    from pathlib import Path

OPTIONAL = ("torch", "torch_geometric", "sklearn", "pydantic", "networkx", "igraph")
# Hides the packages named in the first argument, as if they were not installed.
REFUSE = """
import sys

class Refuse:
    names = set(sys.argv.pop(1).split(","))

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refuse())
"""
LIBRARY = """
import numpy as np
import cliquepool as cp
from cliquepool.data import GraphDataset, PooledDataset, available_datasets, load_dataset
from cliquepool.view import draw_hierarchy

graph = cp.read_graph("small.txt")
assert cp.clique_pool(graph).reduce(np.ones(graph.num_nodes)).tolist() == [1, 1]
hierarchy = cp.clique_hierarchy(graph)
hierarchy.save("small.safetensors")
assert cp.Hierarchy.load("small.safetensors").sizes == hierarchy.sizes == (6, 2, 1)
assert cp.maximal_cliques(graph).tolist() and graph.to_scipy().shape == (6, 6)
assert cp.__version__
draw_hierarchy(hierarchy, "small.png")
mutag = load_dataset("MUTAG")
assert [place.name for place in available_datasets()] == ["MUTAG"]
assert PooledDataset(mutag, levels=2).sizes.shape == (188, 3)
mutag[:3].save("part.safetensors")
assert len(GraphDataset.load("part.safetensors")) == 3
print("fine")
"""


def run(
    folder: Path, code: str, *arguments: str, missing: tuple[str, ...] = OPTIONAL
) -> tuple[int, str, str]:
    surroundings = environment(folder)
    del surroundings["CLIQUEPOOL_DATA"]
    result = subprocess.run(
        [sys.executable, "-c", REFUSE + code, ",".join(missing), *arguments],
        cwd=folder,
        env=surroundings,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return result.returncode, result.stdout, result.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "small.txt").write_text("0 1\n0 2\n1 2\n2 3\n3 4\n4 5\n3 5\n")
    return tmp_path


def missing_for_commands() -> tuple[str, ...]:
    """Return the packages to hide from commands; newer versions of typer need pydantic."""
    needed = {requirement.partition(">")[0] for requirement in metadata.requires("typer") or []}
    return tuple(name for name in OPTIONAL if name not in needed)


def test_the_library_works_with_numpy_and_scipy_alone(folder: Path) -> None:
    assert run(folder, LIBRARY) == (0, "fine\n", "")


# One process for many commands, because imports take longer than commands.
COMMANDS = """
import io, json
from contextlib import redirect_stderr, redirect_stdout
from cliquepool.cli import main

ends = []
for arguments in json.loads(sys.argv[1]):
    with redirect_stdout(io.StringIO()) as printed, redirect_stderr(io.StringIO()) as errors:
        try:
            main(arguments.split())
        except SystemExit as end:
            ends.append((end.code, printed.getvalue(), errors.getvalue()))
print(json.dumps(ends))
"""


def run_commands(folder: Path, *commands: str) -> list[tuple[int, str, str]]:
    returned, printed, errors = run(folder, COMMANDS, json.dumps(commands), missing=missing_for_commands())
    assert (returned, errors) == (0, "")
    return [(code, output, problem) for code, output, problem in json.loads(printed)]


def test_the_commands_of_the_core_need_nothing_else(folder: Path) -> None:
    drawn = "pool small.txt --picture a.png --out a.safetensors"
    commands = ("info", "cliques small.txt", drawn, "datasets", "--help", "train --help", "compare --help")
    for code, printed, errors in run_commands(folder, *commands):
        assert (code, errors) == (0, "")
        assert printed
    assert (folder / "a.png").read_bytes().startswith(b"\x89PNG")


def test_other_commands_name_what_is_missing_in_one_line(folder: Path) -> None:
    commands = (
        "train MUTAG",
        "predict small.txt MUTAG",
        "report small.txt",
        "compare --table-only",
        "images train",
        "images compare",
    )
    for code, printed, errors in run_commands(folder, *commands):
        assert (code, printed) == (2, "")
        assert errors.startswith("cliquepool: error: ")
        assert errors.endswith("not installed: pip install 'cliquepool[train]'\n")
        assert errors.count("\n") == 1


def test_logs_name_the_package_that_they_need_before_anything_is_trained(folder: Path) -> None:
    commands = ("train MUTAG --tensorboard logs", "train MUTAG --mlflow http://127.0.0.1:9")
    hidden = ("tensorboard", "mlflow")
    returned, printed, errors = run(folder, COMMANDS, json.dumps(commands), missing=hidden)
    assert (returned, errors) == (0, "")
    said = "cliquepool: error: --{0} needs {1}, which is not installed: pip install 'cliquepool[{0}]'\n"
    assert json.loads(printed) == [
        [2, "", said.format("tensorboard", "tensorboard")],
        [2, "", said.format("mlflow", "mlflow-skinny")],
    ]
    assert not (folder / "results").exists()


def test_the_demonstration_names_what_is_missing(folder: Path) -> None:
    code = "from cliquepool.demo import main; sys.exit(main([]))"
    returned, _, errors = run(folder, code, missing=missing_for_commands())
    assert returned == 2
    assert errors.endswith("not installed: pip install 'cliquepool[train]'\n")
    assert errors.count("\n") == 1


IN_DATA = "from cliquepool.data import *; "


@pytest.mark.parametrize(
    ("statement", "missing", "message", "extra"),
    [
        ("import cliquepool.nn", OPTIONAL, "cliquepool.nn needs torch", "torch"),
        (
            "import cliquepool.models",
            OPTIONAL,
            "cliquepool.models needs torch, scikit-learn and pydantic",
            "train",
        ),
        ("import cliquepool.evaluate", ("sklearn",), "cliquepool.evaluate needs scikit-learn", "train"),
        (
            "import cliquepool.nn as n; n.PRESETS",
            ("pydantic",),
            "cliquepool.nn.PRESETS needs pydantic",
            "train",
        ),
        (
            "from cliquepool.nn import CliqueCoarsening",
            ("torch_geometric",),
            "cliquepool.nn.CliqueCoarsening needs torch_geometric",
            "pyg",
        ),
        (
            "from cliquepool.models import GINClassifier, Set2SetClassifier",
            ("torch_geometric",),
            "cliquepool.models.set2set needs torch_geometric",
            "pyg",
        ),
        (
            IN_DATA + "load_dataset('MUTAG').to_pyg()",
            ("torch_geometric",),
            "to_pyg needs torch_geometric",
            "pyg",
        ),
        (
            IN_DATA + "PooledDataset(load_dataset('MUTAG')).batch([0])",
            OPTIONAL,
            "PooledDataset.batch needs torch",
            "torch",
        ),
        (IN_DATA + "load_images('digits')", ("sklearn",), "the data set digits needs scikit-learn", "train"),
    ],
)
def test_what_is_missing_is_named_with_its_command(
    folder: Path, statement: str, missing: tuple[str, ...], message: str, extra: str
) -> None:
    returned, _, errors = run(folder, statement, missing=missing)
    assert returned == 1
    verb = "are" if " and " in message else "is"
    assert errors.splitlines()[-1] == (
        f"cliquepool.errors.MissingDependency: {message}, "
        f"which {verb} not installed: pip install 'cliquepool[{extra}]'"
    )


def test_layers_and_image_networks_need_torch_alone(folder: Path) -> None:
    pytest.importorskip("torch")
    code = "from cliquepool.nn import CliqueMaxPool2d, CliquePool, GCN, replace_pools, vgg; print(1)"
    assert run(folder, code, missing=("torch_geometric", "sklearn", "pydantic")) == (0, "1\n", "")


def test_training_does_not_need_pytorch_geometric(folder: Path) -> None:
    pytest.importorskip("sklearn")
    code = """
from cliquepool.data import load_dataset
from cliquepool.models import CliquePoolClassifier
import cliquepool.evaluate
data = load_dataset("MUTAG")[:40]
print(len(CliquePoolClassifier(epochs=1, hidden=4).fit(data).predict(data)))
"""
    assert run(folder, code, missing=("torch_geometric", "igraph")) == (0, "40\n", "")


def test_info_names_the_extra_of_what_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from cliquepool.cli import info  # noqa: PLC0415

    monkeypatch.setattr(info, "_version", lambda name: None if name == "scikit-learn" else "1.0")
    monkeypatch.setenv("COLUMNS", "100")
    info.show_info()
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("scikit-learn"))
    assert line.split(maxsplit=1)[1].rstrip() == "not installed (pip install 'cliquepool[train]')"
    info.show_info(as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert found["optional"]["scikit-learn"] is None
    assert {"torch", "torch_geometric", "pydantic", "networkx"} <= set(found["optional"])


def test_what_is_installed_is_not_missing() -> None:
    for extra, packages in _extras.EXTRAS.items():
        for package in packages:
            pytest.importorskip(package)
        _extras.require(extra, "this")
    assert issubclass(MissingDependency, ImportError)
