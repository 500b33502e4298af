"""Dataclasses of tensors that move between devices as one, and what is worked out from them once."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

from torch import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

__all__ = ["Movable", "once"]

Value = TypeVar("Value")


class Movable:
    """Moves all tensors of a dataclass; what was worked out from them is worked out anew."""

    def apply(self, function: Callable[[Tensor], Tensor]) -> Self:
        """The same with this function applied to every tensor."""
        changed = {field.name: _applied(getattr(self, field.name), function) for field in fields(self)}  # type: ignore[arg-type]
        return replace(self, **changed)  # type: ignore[type-var]

    def to(self, device: torch.device | str, *, non_blocking: bool = False) -> Self:
        """The same on another device."""
        return self.apply(lambda tensor: tensor.to(device, non_blocking=non_blocking))

    def pin_memory(self) -> Self:
        """The same in page-locked memory, from which a GPU copies faster."""
        return self.apply(Tensor.pin_memory)

    def remember(self, **worked_out: Tensor) -> None:
        """Keep what properties of `once` would work out, where it is known."""
        self.__dict__.update(worked_out)


def _applied(value: Any, function: Callable[[Tensor], Tensor]) -> Any:
    if isinstance(value, Tensor):
        return function(value)
    if isinstance(value, Movable):
        return value.apply(function)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_applied(part, function) for part in value))
    if isinstance(value, tuple | list):
        return type(value)(_applied(part, function) for part in value)
    return value


class once(Generic[Value]):  # noqa: N801 (a decorator)
    """A property that is worked out when it is first read: ``functools.cached_property`` without a lock.

    Python 3.11 takes a lock there, which breaks the graph of ``torch.compile``.
    """

    def __init__(self, work_out: Callable[[Any], Value]) -> None:
        self._work_out = work_out
        self.__doc__ = work_out.__doc__
        self._name = work_out.__name__

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Value: ...
    def __get__(self, instance: object | None, owner: type | None = None) -> Self | Value:
        if instance is None:
            return self
        value = self._work_out(instance)
        setattr(instance, self._name, value)
        return value
