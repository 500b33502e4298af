"""Running out of memory becomes a MemoryError that says what to change; other errors stay."""

from __future__ import annotations

import pytest
import torch

from cliquepool.training.memory import memory_errors_explained

MORE_THAN_THERE_CAN_BE = 1 << 58


def test_an_allocation_that_fails_is_explained() -> None:
    with (
        pytest.raises(MemoryError, match=r"while predicting \(.* GB asked for\): use smaller batches"),
        memory_errors_explained("predicting"),
    ):
        torch.empty(MORE_THAN_THERE_CAN_BE)


def test_a_full_graphics_card_is_explained() -> None:
    with pytest.raises(MemoryError, match="while training: use smaller"), memory_errors_explained("training"):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")


def test_other_errors_stay_what_they_are() -> None:
    with pytest.raises(RuntimeError, match="shapes"), memory_errors_explained("training"):
        raise RuntimeError("shapes do not match")
