"""The tests mirror the sources: a file has a test file of its name, or an entry here names its test file."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]

# Shorter files hold constants, or import names from elsewhere.
MOST_LINES_WITHOUT_TESTS = 40

# Modules that are parts of another one and are tested as parts of it, by the test file named here. Remove an
# entry when the module gets a test file of its name.
TESTED_WITH = {
    "cli/image_options.py": "cli/test_images.py",
    "evaluate/choices.py": "evaluate/test_folds.py",
    "evaluate/critical_difference.py": "evaluate/test_ranks.py",
    "evaluate/published.py": "evaluate/test_tables.py",
    "models/fitted_kernel.py": "models/test_saved_kernel.py",
    "models/base.py": "models/test_scikit_learn.py",
    "models/graphs.py": "models/test_clique_pool.py",
    "models/images.py": "models/test_vgg.py",
    "models/kernel_settings.py": "models/test_kernel_classifier.py",
    "nn/settings.py": "nn/test_checked_settings.py",
    "scale/run_folder.py": "scale/test_rounds.py",
    "scale/tasks.py": "scale/test_shard_tasks.py",
    "scale/exchange.py": "scale/test_running.py",
    "scale/level_rows.py": "scale/test_partitioning.py",
    "scale/part_levels.py": "scale/test_running.py",
    "scale/parted_model.py": "scale/test_running.py",
    "scale/part_views.py": "scale/test_partitioning.py",
    "scale/stage_tasks.py": "scale/test_running.py",
}

CORE_TESTED_WITH = {
    "base/types.hpp": "graph/test_csr.cpp",
    "cliques/lister.hpp": "cliques/test_listing.cpp",
    "cliques/local_problem.hpp": "cliques/test_local_problem_builder.cpp",
    "cliques/numbered_search.hpp": "cliques/test_clique_search.cpp",
    "cliques/row_search.hpp": "cliques/test_clique_search.cpp",
    "graph/neighbour_prefetch.hpp": "graph/test_degeneracy.cpp",
    "hierarchy/implied_level.cpp": "hierarchy/test_closed_cover.cpp",
    "hierarchy/level_rows.hpp": "hierarchy/test_closed_cover.cpp",
    "pooling/bit_graph.hpp": "pooling/test_search_stack.cpp",
    "pooling/search_state.hpp": "pooling/test_local_search.cpp",
}


def is_long(file: Path) -> bool:
    return len(file.read_text(encoding="utf-8").splitlines()) > MOST_LINES_WITHOUT_TESTS


def modules_without_a_namesake() -> set[str]:
    sources = ROOT / "src" / "cliquepool"
    found = {file.relative_to(sources) for file in sources.rglob("*.py") if is_long(file)}
    return {
        path.as_posix()
        for path in found
        if path.stem != "__init__"
        and not (ROOT / "tests" / path.parent / f"test_{path.stem.lstrip('_')}.py").exists()
    }


def core_files_without_a_namesake() -> set[str]:
    """Return the C++ files without a test; a header and its source file count once, as the source file.

    The bindings in cpp/python are tested by the tests in Python.
    """
    sources = ROOT / "cpp"
    files = [file.relative_to(sources) for file in sources.rglob("*.[ch]pp") if is_long(file)]
    found = {path.with_suffix(""): path for path in sorted(files, key=lambda path: path.suffix, reverse=True)}
    return {
        path.as_posix()
        for path in found.values()
        if path.parts[0] not in {"python", "tests"}
        and not (sources / "tests" / path.parent / f"test_{path.stem}.cpp").exists()
    }


@pytest.mark.skipif(not (ROOT / "src").is_dir(), reason="needs the sources")
@pytest.mark.parametrize(
    ("missing", "tested_with", "tests"),
    [
        pytest.param(modules_without_a_namesake, TESTED_WITH, ROOT / "tests", id="python"),
        pytest.param(core_files_without_a_namesake, CORE_TESTED_WITH, ROOT / "cpp" / "tests", id="core"),
    ],
)
def test_every_file_has_a_test_of_its_name_or_says_where_it_is_tested(
    missing: object, tested_with: dict[str, str], tests: Path
) -> None:
    found = missing()  # type: ignore[operator]
    assert found - set(tested_with) == set(), "write a test file of the same name, or list it here"
    assert {file for file in tested_with.values() if not (tests / file).is_file()} == set()


def called_names(function: ast.AST) -> set[str]:
    calls = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
    return {ast.unparse(call).split(".")[-1] for call in calls}


def functions_in(file: Path) -> dict[str, ast.FunctionDef]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def checks(function: ast.FunctionDef) -> bool:
    """Return whether a function asserts, expects an error, or fails if a process does."""
    if any(isinstance(node, ast.Assert | ast.Raise) for node in ast.walk(function)):
        return True
    names = called_names(function)
    process_is_checked = "run" in names and "check=True" in ast.unparse(function)
    return process_is_checked or any(
        name.startswith(("assert", "raises", "warns", "check")) for name in names
    )


# What Python has on POSIX alone. A name that is used on import breaks a whole file of tests on Windows.
POSIX_MODULES = {"fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"}
POSIX_NAMES = {
    "os.fork",
    "os.getpgid",
    "os.killpg",
    "os.mkfifo",
    "signal.SIGALRM",
    "signal.SIGKILL",
    "signal.SIGSTOP",
}


def runs_on_import(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that run when a module is imported: those outside the bodies of functions."""
    yield node
    for field, value in ast.iter_fields(node):
        if field == "body" and isinstance(node, ast.FunctionDef | ast.Lambda):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from runs_on_import(child)


def posix_needs_on_import(source: str) -> set[str]:
    needs = set()
    for node in runs_on_import(ast.parse(source)):
        if isinstance(node, ast.Import):
            needs |= {name.name for name in node.names} & POSIX_MODULES
        elif isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{name.name}" for name in node.names}
            needs |= {str(node.module)} & POSIX_MODULES | names & POSIX_NAMES
        elif isinstance(node, ast.Attribute):
            needs |= {ast.unparse(node)} & POSIX_NAMES
    return needs


def test_what_a_module_needs_of_posix_on_import_is_found() -> None:
    decorated = "@pytest.mark.parametrize('how', [signal.SIGKILL])\ndef test(how): os.fork()"
    assert posix_needs_on_import(decorated) == {"signal.SIGKILL"}
    assert posix_needs_on_import("import fcntl\nfrom os import killpg") == {"fcntl", "os.killpg"}
    assert posix_needs_on_import("def test():\n    import fcntl\n    os.killpg(1, signal.SIGKILL)") == set()


def test_every_module_can_be_imported_where_posix_is_not() -> None:
    folders = ["benchmarks", "src", "tests", "tools"]
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    needs = {
        str(file.relative_to(ROOT)): posix_needs_on_import(file.read_text(encoding="utf-8")) for file in files
    }
    assert {file: names for file, names in needs.items() if names} == {}


def test_every_test_checks_something() -> None:
    shared: set[str] = set()
    for file in (ROOT / "tests").rglob("*.py"):
        if not file.name.startswith("test_"):
            shared |= {name for name, function in functions_in(file).items() if checks(function)}
    silent = []
    for file in (ROOT / "tests").rglob("test_*.py"):
        functions = functions_in(file)
        checking = shared | {name for name, function in functions.items() if checks(function)}
        silent += [
            f"{file.relative_to(ROOT)}: {name}"
            for name, function in functions.items()
            if name.startswith("test_") and name not in checking and not called_names(function) & checking
        ]
    assert silent == []
