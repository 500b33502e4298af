"""The shortest-path kernel with a support vector machine as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cliquepool.models.kernel_classifier import KernelClassifier
from cliquepool.models.kernel_features.counts import PRODUCTS
from cliquepool.models.kernel_features.keys import label_kind
from cliquepool.models.kernel_features.shortest_paths import path_counts
from cliquepool.models.kernel_settings import LabelledKernelSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from cliquepool.data.dataset import GraphDataset
    from cliquepool.models.kernel_features.counts import GraphCounts
    from cliquepool.models.kernel_features.keys import LabelKind, NodeLabels
    from cliquepool.models.network_classifier import ClassWeight

__all__ = ["ShortestPathKernelClassifier"]


class ShortestPathKernelClassifier(KernelClassifier):
    """Classify graphs by the shortest-path kernel (Borgwardt & Kriegel 2005) and a support vector machine.

    The kernel of two graphs is the number of pairs of shortest paths, one of each graph, of the same length
    between nodes of the same labels: the delta kernel on lengths and on the labels of both ends. A path
    counts once from each end. Nodes that no path connects do not count.

    The parameters are those of `cliquepool.models.kernel_settings.LabelledKernelSettings`, and `class_weight`
    and `random_state` of `WLKernelClassifier`. Without labels, with ``labels="auto"``, lengths alone count.
    For all else see `cliquepool.models.kernel_classifier.KernelClassifier`.

    >>> from cliquepool import Graph
    >>> star = Graph.from_edges([(0, 1), (0, 2), (0, 3)])
    >>> clique = Graph.from_edges([(0, 1), (1, 2), (0, 2)])
    >>> model = ShortestPathKernelClassifier().fit([star, clique] * 8, ["star", "clique"] * 8)
    >>> model.predict([clique, star]).tolist()
    ['clique', 'star']
    """

    settings_type = LabelledKernelSettings
    title = "Shortest-path kernel"
    kernel = PRODUCTS

    def __init__(
        self,
        *,
        C: tuple[float, ...] = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0),
        inner_folds: int = 5,
        labels: NodeLabels = "auto",
        class_weight: ClassWeight = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.C = C
        self.inner_folds = inner_folds
        self.labels = labels
        self.class_weight = class_weight
        self.random_state = random_state

    @property
    def preparation(self) -> str:
        """A key of what `prepare` returns: estimators with an equal one can share it."""
        return f"shortest paths, labels {self.labels}"

    def _kind(self, dataset: GraphDataset) -> LabelKind:
        return label_kind(dataset, self.labels, "none")

    def _count(self, dataset: GraphDataset, kind: LabelKind, depth: int) -> Sequence[GraphCounts]:
        del depth  # there are no iterations
        return [path_counts(dataset, kind)]
