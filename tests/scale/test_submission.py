"""Tasks run here or by an executor, in order; an error names its part and cancels the others."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

import cliquepool as cp
from cliquepool.scale.submission import mapping_parts

TASKS: list[Any] = [
    SimpleNamespace(part=part, number=5, exchange=SimpleNamespace(index=SimpleNamespace(num_parts=3)))
    for part in range(3)
]


def part_of(task: Any) -> int:
    return int(task.part)


def failing(task: Any) -> int:
    if task.part == 1:
        raise ValueError("no")
    return 0


def test_results_come_in_the_order_of_the_parts() -> None:
    with mapping_parts(None) as here, ThreadPoolExecutor(2) as executor, mapping_parts(executor) as there:
        assert here(part_of, TASKS) == there(part_of, TASKS) == [0, 1, 2]


def test_an_error_names_the_part_and_cancels_the_rest() -> None:
    futures: list[Future[int]] = []

    class Slow:
        def submit(self, function: Any, task: Any, /) -> Future[int]:
            futures.append(Future())
            if task.part == 1:
                futures[-1].set_exception(ValueError("no"))
            elif task.part == 0:
                futures[-1].set_result(function(task))
            return futures[-1]

    with mapping_parts(Slow()) as there, pytest.raises(ValueError, match="no") as raised:
        there(failing, TASKS)
    assert raised.value.__notes__ == ["in part 1 of 3, stage 5"]
    assert futures[2].cancelled()


@pytest.mark.parametrize("wrong", [0, -2, "many", 1.5])
def test_other_executors_are_refused(wrong: Any) -> None:
    with pytest.raises(cp.InputError, match="executor: expected an object with submit"), mapping_parts(wrong):
        pass
