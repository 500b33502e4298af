"""pyproject.toml, the constraints and the code agree on the dependencies."""

from __future__ import annotations

import json
import re
import tomllib
from itertools import chain
from pathlib import Path

from cliquepool._extras import _DISTRIBUTIONS, EXTRAS
from tests.helpers.commands import run_command

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TESTED_AT_THEIR_LOWEST = ("torch", "train", "pyg", "cluster", "all", "test")
LOGS = {"tensorboard", "mlflow"}  # each brings a server of its own: only who names it gets it


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def lower_bounds(requirements: list[str]) -> dict[str, str]:
    """Return the lowest version of each requirement, without those on other extras of cliquepool."""
    found = {}
    for requirement in requirements:
        if not requirement.startswith("cliquepool["):
            match = re.fullmatch(r"([\w.-]+)>=([\w.]+)(; .*)?", requirement)
            assert match, f"{requirement}: expected a lower bound"
            found[normal(match[1])] = match[2]
    return found


def pinned(file: str) -> dict[str, str]:
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    pins = [line.partition(";")[0].strip().split("==") for line in lines if line and not line.startswith("#")]
    return {normal(name): version for name, version in pins}


def test_the_lowest_versions_that_are_tested_are_those_that_are_claimed() -> None:
    extras = PROJECT["optional-dependencies"]
    claimed = [
        *PROJECT["dependencies"],
        *chain.from_iterable(extras[name] for name in TESTED_AT_THEIR_LOWEST),
    ]
    assert pinned("constraints-lowest.txt") == lower_bounds(claimed)


def test_the_versions_that_are_tested_every_day_are_allowed() -> None:
    def numbers(version: str) -> list[int]:
        return [int(part) for part in re.findall(r"\d+", version)]

    pins = pinned("constraints.txt")
    extras = PROJECT["optional-dependencies"]
    for name, lowest in lower_bounds(
        [*PROJECT["dependencies"], *chain.from_iterable(extras.values())]
    ).items():
        assert numbers(pins[name]) >= numbers(lowest), name


def test_a_plain_install_brings_neither_torch_nor_scikit_learn() -> None:
    names = set(lower_bounds(PROJECT["dependencies"]))
    assert names == {"numpy", "scipy", "typer", "rich", "matplotlib", "filelock"}


def test_info_lists_every_dependency_of_users() -> None:
    extras = PROJECT["optional-dependencies"]
    optional = [
        requirement
        for name in ("torch", "train", "pyg", "cluster", "all", *sorted(LOGS))
        for requirement in extras[name]
    ]
    listed = json.loads(run_command("info", "--json").stdout)
    assert set(map(normal, listed["required"])) == set(lower_bounds(PROJECT["dependencies"]))
    assert set(map(normal, listed["optional"])) >= set(lower_bounds(optional))


def test_extras_that_are_named_in_errors_install_what_is_missing() -> None:
    extras = PROJECT["optional-dependencies"]

    def installed(extra: str) -> set[str]:
        own = set(lower_bounds(extras[extra]))
        inner = [re.fullmatch(r"cliquepool\[(\w+)\]", requirement) for requirement in extras[extra]]
        return own.union(*(installed(match[1]) for match in inner if match))

    for extra, packages in EXTRAS.items():
        assert {normal(_DISTRIBUTIONS.get(name, name)) for name in packages} <= installed(extra)
    assert installed("all") >= set().union(*(installed(extra) for extra in EXTRAS if extra not in LOGS))


def test_the_readme_installs_everything_that_its_blocks_use() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert 'pip install -c constraints.txt ".[all]"' in readme
