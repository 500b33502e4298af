"""The classes of errors: what a user catches with which, and the words of an exceeded budget."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest

import cliquepool as cp
from cliquepool.array_files import read_arrays
from cliquepool.errors import MissingDependency
from cliquepool.evaluate import EvaluationError, FoldFailed
from cliquepool.grid import clique_pool_schedule, grid_graph, pool_window

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PATH = cp.Graph.from_edges([(0, 1), (1, 2)])

ARGUMENTS: dict[str, Callable[[], Any]] = {
    "threads": lambda: cp.clique_pool(PATH, threads=0),
    "levels": lambda: cp.clique_hierarchy(PATH, -1),
    "min_size": lambda: cp.maximal_cliques(PATH, 0),
    "reduction": lambda: cp.clique_pool(PATH).reduce([1.0, 2.0, 3.0], "median"),  # type: ignore[arg-type]
    r"Budget\(max_cliques=...\)": lambda: cp.Budget(max_cliques=-1),
    "number of the pool": lambda: pool_window(0),
    "length": lambda: clique_pool_schedule(0),
    "connectivity": lambda: grid_graph(3, "corners"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_bad_argument_that_is_not_a_graph_is_an_input_error(name: str) -> None:
    with pytest.raises(cp.InputError, match=rf"^{name}: expected .*, got ") as caught:
        ARGUMENTS[name]()
    assert not isinstance(caught.value, cp.GraphError)


def test_a_damaged_file_of_arrays_is_an_input_error_and_one_of_a_hierarchy_a_graph_error(
    tmp_path: Path,
) -> None:
    file = tmp_path / "h.safetensors"
    cp.clique_hierarchy(PATH).save(file)
    file.write_bytes(file.read_bytes() + b"more")
    with pytest.raises(cp.InputError, match="expected a whole file") as caught:
        read_arrays(file)
    assert not isinstance(caught.value, cp.GraphError)
    with pytest.raises(cp.GraphError, match=r"h\.safetensors: expected a whole file"):
        cp.Hierarchy.load(file)


def test_one_class_catches_all_bad_input() -> None:
    for error in (cp.GraphError, EvaluationError, FoldFailed):
        assert issubclass(error, cp.InputError)
    assert issubclass(cp.InputError, ValueError)


def test_a_missing_package_and_an_exceeded_budget_are_no_bad_input() -> None:
    assert issubclass(MissingDependency, ImportError)
    for error in (MissingDependency, cp.BudgetExceeded):
        assert not issubclass(error, cp.InputError)


@pytest.mark.parametrize(
    ("limit", "allowed", "reached", "words"),
    [
        (
            "max_cliques",
            1000,
            12345,
            "max_cliques reached: 12,345 cliques needed so far, 1,000 cliques allowed",
        ),
        ("max_seconds", 0.5, 1.23456, "max_seconds reached: 1.23 s needed so far, 0.5 s allowed"),
        ("max_bytes", 100, 3 * 2**30, "max_bytes reached: 3 GiB needed so far, 100 bytes allowed"),
        ("max_bytes", 2**10, 2**20, "max_bytes reached: 1 MiB needed so far, 1 KiB allowed"),
    ],
)
def test_an_exceeded_budget_names_the_limit_and_the_way_to_raise_it(
    limit: str, allowed: float, reached: float, words: str
) -> None:
    error = cp.BudgetExceeded(limit, allowed, reached)
    assert str(error).startswith(words)
    assert str(error).endswith(f"(budget=Budget({limit}=...)).")
    assert f"{limit} reached while listing:" in str(cp.BudgetExceeded(limit, allowed, reached, "listing"))


def test_an_exceeded_budget_can_be_pickled() -> None:
    error = pickle.loads(pickle.dumps(cp.BudgetExceeded("max_bytes", 1, 2, "pooling")))
    assert (error.limit, error.allowed, error.reached, error.doing) == ("max_bytes", 1, 2, "pooling")
