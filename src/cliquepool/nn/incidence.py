"""Incidence: ragged arrays of torch tensors, with their transposes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from cliquepool._input import integers
from cliquepool.errors import GraphError
from cliquepool.nn.movable import Movable, once
from cliquepool.ragged import Ragged, offsets_from_lengths

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Incidence", "Lists", "offsets_of_sorted"]


@dataclass(repr=False)
class Incidence(Movable):
    """Lists of rows: list i is ``members[offsets[i]:offsets[i + 1]]``, indices of `num_targets` rows.

    `by_target` has for each row the lists that contain it, along which gradients flow; it is None where the
    lists are their own transpose, as the neighbours in an undirected graph are.
    """

    offsets: Tensor
    members: Tensor
    num_targets: int
    by_target: Incidence | None = None

    @classmethod
    def from_ragged(cls, lists: Ragged, num_targets: int, *, symmetric: bool = False) -> Incidence:
        """Copy a ragged array of NumPy, with its transpose unless it is `symmetric`."""
        by_target = None
        if not symmetric:
            by_target = cls.from_ragged(lists.transpose(num_targets), len(lists), symmetric=True)
        offsets, members = (torch.from_numpy(array.copy()) for array in (lists.offsets, lists.members))
        return cls(offsets, members, num_targets, by_target)

    @classmethod
    def from_pairs(cls, lists: Tensor, members: Tensor, num_lists: int, num_targets: int) -> Incidence:
        """Return the lists of pairs of a list and a member, members ascending, with their transpose.

        Raises GraphError where an id is out of range or a pair is there twice.

        >>> Incidence.from_pairs(torch.tensor([1, 0, 1]), torch.tensor([2, 0, 0]), 2, 3).members.tolist()
        [0, 0, 2]
        """
        list_ids, member_ids = integers(lists, "lists"), integers(members, "members")
        if list_ids.ndim != 1 or list_ids.shape != member_ids.shape:
            raise GraphError(
                f"expected a member for each list, got shapes {member_ids.shape} and {list_ids.shape}"
            )
        for name, ids, number in (("lists", list_ids, num_lists), ("members", member_ids, num_targets)):
            if ids.size and not 0 <= ids.min() <= ids.max() < number:
                raise GraphError(
                    f"{name}: expected ids from 0 to {number - 1}, got {ids.min()} to {ids.max()}"
                )
        order = np.argsort(list_ids * num_targets + member_ids, kind="stable")
        list_ids, member_ids = list_ids[order], member_ids[order]
        if np.any((np.diff(list_ids) == 0) & (np.diff(member_ids) == 0)):
            raise GraphError("expected each member once in a list, got one twice")
        offsets = offsets_from_lengths(np.bincount(list_ids, minlength=num_lists))
        return cls.from_ragged(Ragged(offsets, member_ids.astype(np.int32)), num_targets).to(members.device)

    @classmethod
    def from_sorted_pairs(cls, lists: Tensor, members: Tensor, num_lists: int, num_targets: int) -> Incidence:
        """Return the lists of valid pairs that are ordered by list, with their transpose.

        All work is done by torch on the device of the pairs, without reading a value from it.
        """
        order = torch.argsort(members, stable=True)
        offsets = offsets_of_sorted(members[order], num_targets)
        by_target = cls(offsets, lists[order].int(), num_lists)
        return cls(offsets_of_sorted(lists, num_lists), members.int(), num_targets, by_target)

    def __len__(self) -> int:
        return self.offsets.numel() - 1

    def __repr__(self) -> str:
        return f"Incidence({len(self)} lists, {self.members.numel()} members of {self.num_targets})"

    @property
    def transposed(self) -> Incidence:
        """For each target the lists that contain it."""
        if self.by_target is None:
            return self
        return Incidence(self.by_target.offsets, self.by_target.members, len(self), self)

    @once
    def list_of_member(self) -> Tensor:
        """The index of the list that each of `members` is in."""
        lists = torch.arange(len(self), device=self.offsets.device)
        return torch.repeat_interleave(lists, self.offsets.diff(), output_size=self.members.numel())

    @once
    def index(self) -> Tensor:
        """The members in 64 bits, as torch indexes with them."""
        return self.members.long()

    @once
    def sizes(self) -> Tensor:
        """The number of members of each list, as floating-point numbers."""
        return self.offsets.diff().to(torch.get_default_dtype())

    @once
    def arrays(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Offsets and members as NumPy arrays that share the memory of the tensors."""
        return self.offsets.numpy(), self.members.numpy()


Lists = Incidence  # the name of earlier versions


def offsets_of_sorted(lists: Tensor, num_lists: int) -> Tensor:
    """Return the offsets of `num_lists` lists, given the list of each member in ascending order."""
    return torch.searchsorted(lists, torch.arange(num_lists + 1, device=lists.device))
