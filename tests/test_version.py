"""The version in pyproject.toml is the only one: everything else reads it, or is compared with it."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import cliquepool as cp
from cliquepool import _version

ROOT = Path(__file__).parents[1]


def written_version() -> str:
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def test_the_version_is_that_of_pyproject() -> None:
    assert cp.__version__ == _version.version() == written_version()


def test_the_citation_has_the_same_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.+)$", citation, re.MULTILINE) == [written_version()]


def test_a_source_tree_that_is_not_installed_knows_its_version(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def not_installed(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", not_installed)
    _version.version.cache_clear()
    in_the_tree = Path(_version.__file__).is_relative_to(ROOT / "src")
    try:
        assert _version.version() == (written_version() if in_the_tree else "0+unknown")
    finally:
        _version.version.cache_clear()
    assert _version._of_the_source_tree(tmp_path) == "0+unknown"
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "another"\nversion = "7"\n')
    assert _version._of_the_source_tree(tmp_path) == "0+unknown"


def test_importing_the_library_does_not_read_the_version() -> None:
    code = "import cliquepool, sys; print('importlib.metadata' in sys.modules, cliquepool.__version__)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False", written_version()]


def test_other_attributes_are_not_made_up() -> None:
    with pytest.raises(AttributeError, match="module 'cliquepool' has no attribute 'pools'"):
        cp.pools  # noqa: B018  # type: ignore[attr-defined]
