"""Where and how exactly a network computes: device, precision, layout, compiled or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import torch

from cliquepool.errors import GraphError

if TYPE_CHECKING:
    from torch import Tensor, nn

__all__ = ["Arithmetic"]

Precision = Literal["float32", "bfloat16", "float16"]

_TYPES: Final[dict[str, torch.dtype]] = {"bfloat16": torch.bfloat16, "float16": torch.float16}


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """What changes the last bits of a network's result and the time it takes, but not what is computed.

    Below 32 bits, only what loses little is rounded: torch calls it automatic mixed precision. Weights are of
    32 bits always.

    >>> print(Arithmetic.choose("cpu"))
    cpu, float32, channels last
    >>> print(Arithmetic.choose("cpu", mixed=True, channels_last=False, compiled=True))
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
    ) -> Arithmetic:
        """What is fastest on a device; by default a graphics card where there is one, else the processor.

        Mixed precision and compilation are by default for graphics cards alone: on a processor the first is
        slow, and the second takes longer than a small training.
        """
        chosen = _device(device)
        on_card = chosen.type == "cuda"
        precision: Precision = "float32"
        if on_card if mixed is None else mixed:
            precision = "float16" if on_card and not torch.cuda.is_bf16_supported() else "bfloat16"
        return cls(str(chosen), precision, channels_last, on_card if compiled is None else compiled)

    @property
    def place(self) -> torch.device:
        """The device as torch has it."""
        return torch.device(self.device)

    def autocast(self) -> torch.autocast:
        """In this context torch computes as precisely as is asked for."""
        mixed = self.precision != "float32"
        return torch.autocast(self.place.type, _TYPES.get(self.precision, torch.bfloat16), enabled=mixed)

    def scaler(self) -> torch.amp.GradScaler:
        """Keeps the gradients of 16-bit floats away from zero; does nothing in other precisions."""
        return torch.amp.GradScaler(self.place.type, enabled=self.precision == "float16")

    def laid_out(self, images: Tensor) -> Tensor:
        """Images, (N, C, H, W), in the layout that is asked for."""
        layout = torch.channels_last if self.channels_last else torch.contiguous_format
        return images.contiguous(memory_format=layout)

    def placed(self, network: nn.Module) -> nn.Module:
        """A network on the device, its weights in the layout that is asked for."""
        layout = torch.channels_last if self.channels_last else torch.contiguous_format
        return network.to(device=self.place, memory_format=layout)  # type: ignore[call-overload, no-any-return]

    def __str__(self) -> str:
        words = [self.place.type, self.precision]
        words += ["channels last"] * self.channels_last + ["compiled"] * self.compiled
        return ", ".join(words)


def _device(name: str) -> torch.device:
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    expected = "device: expected auto, cpu, cuda or one card such as cuda:1"
    try:
        device = torch.device(name)
    except RuntimeError:
        raise GraphError(f"{expected}, got {name!r}") from None
    if device.type not in {"cpu", "cuda"}:
        raise GraphError(f"{expected}, got {name!r}")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise GraphError(f"{expected}, got {name!r}, which torch does not find here")
    return device
