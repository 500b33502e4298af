"""Generated graphs with a core of near-equal tied cliques, like some social networks above level 1.

In the friends and foes of Slashdot, level 3 has 39,752 tied pools of 195 classes, drawn from only 223
classes, of which 170 are in all of them. So all these pools are joined, and nearly twins, but only nearly:
the graph between them has billions of edges. Here the input itself has such a core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

SEED = 13


def tied_core(
    pairs: int, *, common: int = 170, others: int = 0, contacts: int = 4, seed: int = SEED
) -> npt.NDArray[np.int64]:
    """Return the edges of a core of 2^pairs tied cliques within a sparse graph of `others` nodes.

    The core has `common` nodes that are in all of these cliques and `pairs` pairs of nodes, of which each
    clique has one; all core nodes are joined, but for the pairs. Every core node is joined to `contacts` of
    the other nodes, so that no two cliques have the same neighbours. The other nodes are joined to three
    earlier ones each. There are at least as many of them as contacts.
    """
    rng = np.random.default_rng(seed)
    core = common + 2 * pairs
    others = max(others, core * contacts)
    first, second = np.triu_indices(core, 1)
    is_pair = (first >= common) & ((first - common) // 2 == (second - common) // 2)
    inside = np.stack([first[~is_pair], second[~is_pair]], axis=1)
    contact = core + rng.permutation(others)[: core * contacts]
    across = np.stack([np.repeat(np.arange(core), contacts), contact], axis=1)
    later = np.repeat(np.arange(1, others), 3)
    earlier = (rng.random(len(later)) ** 2 * later).astype(np.int64)  # older nodes have more neighbours
    outside = core + np.stack([later, earlier], axis=1)
    return np.concatenate([inside, across, outside])
