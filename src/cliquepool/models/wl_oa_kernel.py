"""The Weisfeiler–Leman optimal assignment kernel with a support vector machine as an estimator."""

from __future__ import annotations

from cliquepool.models.kernel_features.counts import INTERSECTIONS
from cliquepool.models.wl_kernel import WLKernelClassifier

__all__ = ["WLOAKernelClassifier"]


class WLOAKernelClassifier(WLKernelClassifier):
    """Classify graphs by the Weisfeiler–Leman optimal assignment kernel (Kriege et al. 2016).

    The kernel of two graphs is the largest sum over a matching of their nodes, where two matched nodes count
    the colours that they share: the labels that they begin with, and those after each iteration of 1-WL. As
    colours are only ever refined, it equals the sum over all these colours of the smaller number of nodes.

    The parameters, labels and all else are those of `WLKernelClassifier`.

    >>> from cliquepool import Graph
    >>> star = Graph.from_edges([(0, 1), (0, 2), (0, 3)])
    >>> clique = Graph.from_edges([(0, 1), (1, 2), (0, 2)])
    >>> model = WLOAKernelClassifier(iterations=(2,)).fit([star, clique] * 8, ["star", "clique"] * 8)
    >>> model.predict([clique, star]).tolist()
    ['clique', 'star']
    """

    title = "WL optimal assignment"
    kernel = INTERSECTIONS
