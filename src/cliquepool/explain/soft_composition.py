"""The composition of masked graphs: `cliquepool.data.composition` as a function of any features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from cliquepool.data.composition import composition_width

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.data.features import FeatureEncoder

__all__ = ["soft_compositions"]


def soft_compositions(sizes: npt.NDArray[np.int64], encoder: FeatureEncoder, x: Tensor) -> Tensor:
    """Return the composition of copies of a graph (rows) with the features `x` (copies, nodes, features).

    Of the features of the graph itself it is what `graph_compositions` returns. Features in between count in
    proportion: a node counts for each label by the feature of that label. Gradients flow through it. `sizes`
    has the number of nodes at each level, which masks do not change.
    """
    rows = [torch.from_numpy(np.log(np.maximum(sizes, 1))).expand(len(x), -1)]
    sums = x.double().sum(dim=1)
    counts, attributes = sums[:, : encoder.num_codes], sums[:, encoder.num_codes :]
    if encoder.num_codes:
        if encoder.kind == "degree":
            octave = torch.from_numpy(np.frexp(np.arange(encoder.num_codes, dtype=np.float64))[1]).long()
            width = composition_width(encoder, 0)
            counts = counts.new_zeros(len(x), width).index_add(1, octave.to(counts.device), counts)
        rows.append(torch.log1p(counts))
    if encoder.shift is not None:
        rows.append(attributes)
    return torch.cat([part.to(sums.device) for part in rows], dim=1)
