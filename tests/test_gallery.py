"""The scripts of the gallery: in order, with titles, of public names alone. `make docs` runs them."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path
from typing import Any

import pytest

GALLERY = Path(__file__).parent.parent / "docs" / "gallery"
SCRIPTS = sorted(GALLERY.glob("*.py"))
NAMES = [script.stem for script in SCRIPTS]
# What would make a page depend on the machine, the clock or the internet.
MODULES_LEFT_OUT = {"time", "datetime", "socket", "urllib", "requests", "subprocess", "torchvision"}


def parsed(script: Path) -> ast.Module:
    return ast.parse(script.read_text(encoding="utf-8"), script.name)


def imported_names(tree: ast.Module) -> dict[str, tuple[str, str | None]]:
    """Return the module, and the name in it, that each imported name stands for."""
    found: dict[str, tuple[str, str | None]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.asname or alias.name.split(".")[0]: (alias.name, None) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name: (str(node.module), alias.name) for alias in node.names}
    return found


def dotted(node: ast.AST) -> list[str] | None:
    """Return the names of `a.b.c`; None for other expressions."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute) and (before := dotted(node.value)) is not None:
        return [*before, node.attr]
    return None


def not_public(script: Path) -> set[str]:
    """Return the names of cliquepool that a script uses although no package lists them in ``__all__``."""
    tree = parsed(script)
    ours = {name: of for name, of in imported_names(tree).items() if of[0].split(".")[0] == "cliquepool"}
    wrong = {
        f"{module}.{name}"
        for module, name in ours.values()
        if name is not None and name not in importlib.import_module(module).__all__
    }
    for node in ast.walk(tree):
        chain = dotted(node)
        if chain is None or len(chain) < 2 or ours.get(chain[0], ("", ""))[1] is not None:
            continue
        wrong |= missing_in(importlib.import_module(ours[chain[0]][0]), chain[1:])
    return wrong


def missing_in(module: Any, chain: list[str]) -> set[str]:
    """Return the first name of a chain that its module does not list; packages inside it count as listed."""
    found = getattr(module, chain[0], None)
    if type(found) is type(ast):
        return missing_in(found, chain[1:]) if len(chain) > 1 else set()
    return set() if chain[0] in module.__all__ else {f"{module.__name__}.{chain[0]}"}


def test_the_gallery_has_nine_scripts_numbered_in_order() -> None:
    assert [name[:8] for name in NAMES] == [f"plot_0{number}_" for number in range(1, 10)]


def test_the_header_lists_the_scripts_in_order() -> None:
    header = (GALLERY / "GALLERY_HEADER.rst").read_text(encoding="utf-8")
    assert re.findall(r":doc:`(plot_\w+)`", header) == NAMES


@pytest.mark.parametrize("script", SCRIPTS, ids=NAMES)
def test_a_script_has_a_title_a_story_and_a_picture(script: Path) -> None:
    title, underline, blank, *story = (ast.get_docstring(parsed(script)) or "").splitlines()
    assert title
    assert underline == "=" * len(title)
    assert blank == ""
    assert len(" ".join(story)) > 100
    text = script.read_text(encoding="utf-8")
    assert text.count("\n# %%\n") >= 4
    assert "plt.show()" in text
    for name, line in re.findall(r"^# (\S.*)\n# (-{3,})$", text, re.MULTILINE):
        assert len(line) == len(name), name


@pytest.mark.parametrize("script", SCRIPTS, ids=NAMES)
def test_a_script_uses_public_names_and_needs_no_clock_and_no_network(script: Path) -> None:
    pytest.importorskip("torch_geometric")
    assert not_public(script) == set()
    modules = {module.split(".")[0] for module, _ in imported_names(parsed(script)).values()}
    assert modules & MODULES_LEFT_OUT == set()


def test_names_that_are_not_public_are_found(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import cliquepool as cp\nfrom cliquepool.view import draw_hierarchy, bundle_text\n"
        "cp.view.show(cp.clique_pool(1)); cp.view.page.framed; cp.scale.hidden; cp.numpy_of\n"
    )
    expected = {"cliquepool.view.bundle_text", "cliquepool.scale.hidden", "cliquepool.numpy_of"}
    assert not_public(script) == expected


@pytest.mark.parametrize("script", SCRIPTS, ids=NAMES)
def test_links_between_scripts_lead_somewhere(script: Path) -> None:
    linked = re.findall(r":doc:`(plot_\w+)`", script.read_text(encoding="utf-8"))
    assert set(linked) <= set(NAMES)
