"""The graphlet kernel with a support vector machine as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cliquepool.models.kernel_classifier import KernelClassifier
from cliquepool.models.kernel_features.counts import PRODUCTS, GraphCounts
from cliquepool.models.kernel_features.graphlets import CONNECTED, GRAPHLETS, graphlet_counts
from cliquepool.models.kernel_settings import GraphletSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cliquepool.data.dataset import GraphDataset
    from cliquepool.models.kernel_features.keys import LabelKind
    from cliquepool.models.network_classifier import ClassWeight

__all__ = ["GraphletKernelClassifier"]


class GraphletKernelClassifier(KernelClassifier):
    """Classify graphs by the graphlet kernel (Shervashidze et al. 2009) and a support vector machine.

    The kernel of two graphs is the number of pairs of induced subgraphs, one of each graph, of `size` nodes
    that are isomorphic. All subgraphs are counted, exactly and not by sampling: connected ones and others, as
    in that paper, or with ``connected=True`` the connected ones alone. Labels of nodes are ignored, as in
    that paper. Dividing the numbers by their sum, as it does, would change nothing: the kernel is normalised.

    The parameters are those of `cliquepool.models.kernel_settings.GraphletSettings`, and `class_weight` and
    `random_state` of `WLKernelClassifier`. Graphs may have up to 32,768 nodes. For all else see
    `cliquepool.models.kernel_classifier.KernelClassifier`.

    >>> from cliquepool import Graph
    >>> star = Graph.from_edges([(0, 1), (0, 2), (0, 3)])
    >>> clique = Graph.from_edges([(0, 1), (1, 2), (0, 2)])
    >>> model = GraphletKernelClassifier(size=3).fit([star, clique] * 8, ["star", "clique"] * 8)
    >>> model.predict([clique, star]).tolist()
    ['clique', 'star']
    """

    settings_type = GraphletSettings
    title = "Graphlet kernel"
    kernel = PRODUCTS

    def __init__(
        self,
        *,
        C: tuple[float, ...] = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0),
        inner_folds: int = 5,
        size: int = 4,
        connected: bool = False,
        class_weight: ClassWeight = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.C = C
        self.inner_folds = inner_folds
        self.size = size
        self.connected = connected
        self.class_weight = class_weight
        self.random_state = random_state

    @property
    def preparation(self) -> str:
        """A key of what `prepare` returns: estimators with an equal one can share it."""
        return f"{'connected ' if self.connected else ''}graphlets of {self.size} nodes"

    def _kind(self, dataset: GraphDataset) -> LabelKind:
        del dataset  # labels are ignored
        return "none"

    def _count(self, dataset: GraphDataset, kind: LabelKind, depth: int) -> Sequence[GraphCounts]:
        del kind, depth
        size = self.settings.size
        columns = CONNECTED[size] if self.connected else range(len(GRAPHLETS[size]))
        counts = graphlet_counts(dataset, size)[:, list(columns)]
        graphs, graphlets = np.nonzero(counts)
        found = counts[graphs, graphlets]
        return [GraphCounts.of(graphs, graphlets.astype(np.uint64), len(dataset), found)]
