"""Dataclasses of tensors that move between devices as one, and properties that are computed once."""

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
    """Moves all tensors of a dataclass; properties of `once` are computed again after a move."""

    def apply(self, function: Callable[[Tensor], Tensor]) -> Self:
        """Return a copy with this function applied to every tensor."""
        changed = {field.name: _applied(getattr(self, field.name), function) for field in fields(self)}  # type: ignore[arg-type]
        return replace(self, **changed)  # type: ignore[type-var]

    def to(self, device: torch.device | str, *, non_blocking: bool = False) -> Self:
        """Return a copy on another device."""
        return self.apply(lambda tensor: tensor.to(device, non_blocking=non_blocking))

    def pin_memory(self) -> Self:
        """Return a copy in page-locked memory, from which a GPU copies faster."""
        return self.apply(Tensor.pin_memory)

    def remember(self, **computed: Tensor) -> None:
        """Set properties of `once` to values that are already known."""
        self.__dict__.update(computed)


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
    """A property that is computed when it is first read: ``functools.cached_property`` without a lock.

    Python 3.11 takes a lock there, which breaks the graph of ``torch.compile``.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__
        self._name = compute.__name__

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Value: ...
    def __get__(self, instance: object | None, owner: type | None = None) -> Self | Value:
        if instance is None:
            return self
        value = self._compute(instance)
        setattr(instance, self._name, value)
        return value
