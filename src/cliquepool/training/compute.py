"""Where and how a network computes: device, precision, memory layout, compiled or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import torch

from cliquepool.errors import InputError

if TYPE_CHECKING:
    from torch import Tensor, nn

__all__ = ["Arithmetic", "Compute"]

Precision = Literal["float32", "bfloat16", "float16"]

_TYPES: Final[dict[str, torch.dtype]] = {"bfloat16": torch.bfloat16, "float16": torch.float16}


@dataclass(frozen=True, slots=True)
class Compute:
    """The device, precision and memory layout that a network computes with.

    They change the time a result takes and its last bits, not what is computed. With ``"bfloat16"`` or
    ``"float16"``, torch's automatic mixed precision rounds those operations that lose little by it; weights
    always have 32 bits.

    >>> print(Compute.choose("cpu"))
    cpu, float32, channels last
    >>> print(Compute.choose("cpu", mixed=True, channels_last=False, compiled=True))
    cpu, bfloat16, compiled
    """

    device: str = "cpu"
    precision: Precision = "float32"
    channels_last: bool = True
    compiled: bool = False

    @classmethod
    def choose(
        cls,
        device: str = "auto",
        *,
        mixed: bool | None = None,
        channels_last: bool = True,
        compiled: bool | None = None,
    ) -> Compute:
        """Return what is fastest on a device; ``"auto"`` is a graphics card if there is one, else the CPU.

        Mixed precision and compilation are on by default for graphics cards only: on a CPU the first is slow,
        and the second takes longer than a small training.
        """
        chosen = _device(device)
        on_card = chosen.type == "cuda"
        precision: Precision = "float32"
        if on_card if mixed is None else mixed:
            precision = "float16" if on_card and not torch.cuda.is_bf16_supported() else "bfloat16"
        return cls(str(chosen), precision, channels_last, on_card if compiled is None else compiled)

    @property
    def torch_device(self) -> torch.device:
        """The device as torch's type."""
        return torch.device(self.device)

    def autocast(self) -> torch.autocast:
        """Return the context in which torch computes with this precision."""
        mixed = self.precision != "float32"
        dtype = _TYPES.get(self.precision, torch.bfloat16)
        return torch.autocast(self.torch_device.type, dtype, enabled=mixed)

    def scaler(self) -> torch.amp.GradScaler:
        """Return a scaler that keeps 16-bit gradients from underflow; disabled in other precisions."""
        return torch.amp.GradScaler(self.torch_device.type, enabled=self.precision == "float16")

    def to_layout(self, images: Tensor) -> Tensor:
        """Return images, (N, C, H, W), in this memory layout."""
        return images.contiguous(memory_format=self._memory_format)

    def move(self, network: nn.Module) -> nn.Module:
        """Move a network to the device, with its weights in this memory layout."""
        return network.to(  # type: ignore[call-overload, no-any-return]
            device=self.torch_device, memory_format=self._memory_format
        )

    @property
    def _memory_format(self) -> torch.memory_format:
        return torch.channels_last if self.channels_last else torch.contiguous_format

    # Names of version 0.1.0, which keep working.
    place = torch_device
    laid_out = to_layout
    placed = move

    def __str__(self) -> str:
        words = [self.torch_device.type, self.precision]
        words += ["channels last"] * self.channels_last + ["compiled"] * self.compiled
        return ", ".join(words)


Arithmetic = Compute
"""The public name of `Compute` in `cliquepool.nn`."""


def _device(name: str) -> torch.device:
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    expected = "device: expected auto, cpu, cuda or one card such as cuda:1"
    try:
        device = torch.device(name)
    except RuntimeError:
        raise InputError(f"{expected}, got {name!r}") from None
    if device.type not in {"cpu", "cuda"}:
        raise InputError(f"{expected}, got {name!r}")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise InputError(f"{expected}, got {name!r}, which torch does not find here")
    return device
