"""Device and precision: what is chosen, and what is refused."""

from __future__ import annotations

import pytest
import torch

import cliquepool as cp
from cliquepool.nn import Arithmetic
from cliquepool.training.compute import Compute


def test_a_processor_computes_in_32_bits_and_a_card_as_fast_as_it_can(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert Compute.choose("cpu") == Compute("cpu", "float32", channels_last=True, compiled=False)
    if not torch.cuda.is_available():
        assert Compute.choose() == Compute.choose("cpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: True)
    assert Compute.choose() == Compute("cuda", "bfloat16", channels_last=True, compiled=True)
    assert str(Compute.choose("cuda:1", mixed=False)) == "cuda, float32, channels last, compiled"
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: False)
    assert str(Compute.choose(compiled=False)) == "cuda, float16, channels last"


@pytest.mark.parametrize("device", ["tpu", "cuda:99", "meta", ""])
def test_a_device_that_is_not_there_is_refused(device: str) -> None:
    with pytest.raises(cp.InputError, match=f"device: expected auto, cpu, cuda .* got '{device}'"):
        Compute.choose(device)


def test_the_public_name_and_its_members_keep_working() -> None:
    assert Arithmetic is Compute
    chosen = Arithmetic.choose("cpu", channels_last=False)
    assert chosen.place == chosen.torch_device == torch.device("cpu")
    images = torch.zeros(2, 3, 4, 4).contiguous(memory_format=torch.channels_last)
    assert chosen.laid_out(images).is_contiguous()
    assert Arithmetic.choose("cpu").laid_out(images).is_contiguous(memory_format=torch.channels_last)
    assert chosen.placed(torch.nn.Linear(1, 1)).weight.device == chosen.place


def test_gradients_are_scaled_in_16_bit_floats_only() -> None:
    assert not Compute().scaler().is_enabled()
    assert not Compute("cpu", "bfloat16").scaler().is_enabled()
    assert Compute("cpu", "float16").scaler().is_enabled()
    with Compute("cpu", "bfloat16").autocast():
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.bfloat16
    with Compute().autocast():
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.float32
