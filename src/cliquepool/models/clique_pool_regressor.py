"""The clique-pool regressor as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.base import RegressorMixin

from cliquepool.errors import GraphError
from cliquepool.models.graph_estimator import GraphEstimator
from cliquepool.models.targets import NumbersTarget, checked_numbers
from cliquepool.nn.settings import RegressorSettings
from cliquepool.training.graphs import build_network

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from cliquepool.data.features import FeatureKind, HandleUnknown
    from cliquepool.models.graphs import Graphs
    from cliquepool.nn.network import GraphClassifier
    from cliquepool.nn.network_sizes import NetworkSizes
    from cliquepool.nn.settings import ReadoutPart, Reduction, RegressionLoss, RegressorEpochBy

__all__ = ["CliquePoolRegressor"]


class CliquePoolRegressor(RegressorMixin, GraphEstimator):  # type: ignore[misc]
    """Predict numbers of graphs by convolutions, clique pools and a multilayer perceptron.

    The parameters are those of `cliquepool.nn.RegressorSettings`, and `validation_fraction`,
    `handle_unknown`, `random_state`, `device` and `verbose` of `CliquePoolClassifier`.

    X is as for `CliquePoolClassifier`. y has a number for each graph, or a row of several; they are shifted
    and scaled to mean 0 and deviation 1 over the graphs trained on, and predictions are in the unit of y.

    >>> from cliquepool import Graph
    >>> paths = [Graph.from_edges([(i, i + 1) for i in range(n)]) for n in range(2, 12)] * 4
    >>> model = CliquePoolRegressor(epochs=60, learning_rate=0.01, pools=1, validation_fraction=0)
    >>> lengths = [graph.num_edges for graph in paths]
    >>> model.fit(paths, lengths).score(paths, lengths) > 0.5
    True
    """

    settings_type = RegressorSettings
    noun = "regressor"

    target_: NumbersTarget

    def __init__(
        self,
        *,
        convolution: str = "gcn",
        hidden: int = 64,
        layers: int = 1,
        pools: int = 2,
        reduce: Reduction = "mean",
        batch_norm: bool = False,
        normalise: bool = True,
        readout: tuple[ReadoutPart, ...] = ("mean", "max"),
        composition: bool = False,
        mlp: tuple[int, ...] = (64,),
        dropout: float = 0.0,
        features: FeatureKind = "auto",
        standardise: bool = True,
        learning_rate: float = 1e-4,
        weight_decay: float = 1e-3,
        batch_size: int = 32,
        epochs: int = 100,
        patience: int | None = None,
        epoch_by: RegressorEpochBy = "loss",
        averaging: float = 0.0,
        loss: RegressionLoss = "mse",
        validation_fraction: float = 0.1,
        handle_unknown: HandleUnknown = "error",
        random_state: int | np.random.RandomState | None = 0,
        device: str = "cpu",
        verbose: int = 0,
    ) -> None:
        self._store(locals())

    @staticmethod
    def _num_pools(settings: RegressorSettings) -> int:
        return settings.pools

    @staticmethod
    def _num_layers(settings: RegressorSettings) -> int:
        return settings.layers * (settings.pools + 1) + len(settings.mlp)

    def _build(self, sizes: NetworkSizes) -> GraphClassifier:
        return build_network(self.settings, sizes)

    def _checked_y(self, y: Any, graphs: Graphs) -> npt.NDArray[np.float64]:
        if y is None:
            raise GraphError(
                "y: expected a number for each graph, got none (this estimator requires y to be passed, "
                "but the target y is None)"
            )
        return checked_numbers(y, len(graphs))

    def _target(self, y: npt.NDArray[Any], training: npt.NDArray[np.int64]) -> NumbersTarget:
        return NumbersTarget.of(y, training, self.loss)

    def _strata(self, y: npt.NDArray[Any]) -> None:
        """Numbers are not stratified."""

    def _target_weights(self, y: npt.NDArray[Any], num_training: int) -> None:
        """All graphs have equal weights."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
