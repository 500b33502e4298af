"""Numbers of threads: one for each core by default, others checked."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import cliquepool as cp
from cliquepool.threads import thread_count


def test_the_default_is_one_thread_for_each_core_of_this_process() -> None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert thread_count(None) == cores


@pytest.mark.parametrize("threads", [1, 2, 1024, np.int64(3)])
def test_integers_are_taken(threads: Any) -> None:
    assert thread_count(threads) == int(threads)


@pytest.mark.parametrize("threads", [0, -1, 1025, 10**30])
def test_other_numbers_are_refused(threads: int) -> None:
    with pytest.raises(cp.InputError, match="threads: expected an integer from 1 to 1024 or None, got"):
        thread_count(threads)


@pytest.mark.parametrize("threads", [1.5, "2", [1]])
def test_what_is_no_integer_is_refused(threads: Any) -> None:
    with pytest.raises(TypeError):
        thread_count(threads)
