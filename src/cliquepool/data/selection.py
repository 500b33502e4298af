"""Some samples of a data set by their ids, without a copy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Selection"]


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """Samples of `source`, by their ids: what estimators with `prepare` get as X from `evaluate`.

    Attributes
    ----------
    source : object
        What `prepare` returned for the whole data set: pooled graphs, a kernel matrix, images. It is the same
        object in every fit and predict of a process.
    ids : ndarray of int64
        The positions of the selected samples in the data set.
    """

    source: Any
    ids: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "ids", np.asarray(self.ids, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.ids)
