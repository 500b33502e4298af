"""The Weisfeiler–Leman subtree kernel with a support vector machine as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cliquepool.models.kernel_classifier import KernelClassifier
from cliquepool.models.kernel_features.counts import PRODUCTS
from cliquepool.models.kernel_features.keys import label_kind
from cliquepool.models.kernel_features.wl_colours import colour_counts
from cliquepool.models.kernel_settings import WLSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from cliquepool.data.dataset import GraphDataset
    from cliquepool.models.kernel_features.counts import GraphCounts
    from cliquepool.models.kernel_features.keys import LabelKind, NodeLabels
    from cliquepool.models.network_classifier import ClassWeight

__all__ = ["WLKernelClassifier"]


class WLKernelClassifier(KernelClassifier):
    """Classify graphs by the 1-WL subtree kernel (Shervashidze et al. 2011) and a support vector machine.

    The kernel of two graphs is the number of pairs of nodes, one of each, that have the same colour: summed
    over the labels that the nodes begin with, and the colours after each iteration. In an iteration, a node
    gets a new colour for its own and the multiset of its neighbours' colours.

    The parameters are those of `cliquepool.models.kernel_settings.WLSettings`, and:

    class_weight
        The weight of each class, which multiplies C: None, ``"balanced"`` or a dict.
    random_state
        The seed of the folds that choose C and the number of iterations.

    Nodes begin with the labels of the data set. Without labels, with ``labels="auto"``, they begin with their
    degrees. For all else see `cliquepool.models.kernel_classifier.KernelClassifier`.

    >>> from cliquepool import Graph
    >>> star = Graph.from_edges([(0, 1), (0, 2), (0, 3)])
    >>> clique = Graph.from_edges([(0, 1), (1, 2), (0, 2)])
    >>> model = WLKernelClassifier().fit([star, clique] * 8, ["star", "clique"] * 8)
    >>> model.predict([clique, star]).tolist()
    ['clique', 'star']
    """

    settings_type = WLSettings
    title = "1-WL kernel"
    kernel = PRODUCTS

    def __init__(
        self,
        *,
        C: tuple[float, ...] = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0),
        inner_folds: int = 5,
        labels: NodeLabels = "auto",
        iterations: tuple[int, ...] = (1, 2, 3, 4, 5),
        class_weight: ClassWeight = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.C = C
        self.inner_folds = inner_folds
        self.labels = labels
        self.iterations = iterations
        self.class_weight = class_weight
        self.random_state = random_state

    @property
    def preparation(self) -> str:
        """A key of what `prepare` returns, the same for both kernels over colours."""
        return f"colours of {max(self._depths())} iterations, labels {self.labels}"

    def _depths(self) -> tuple[int, ...]:
        return tuple(self.settings.iterations)

    def _kind(self, dataset: GraphDataset) -> LabelKind:
        return label_kind(dataset, self.labels, "degree")

    def _count(self, dataset: GraphDataset, kind: LabelKind, depth: int) -> Sequence[GraphCounts]:
        return colour_counts(dataset, depth, kind)
