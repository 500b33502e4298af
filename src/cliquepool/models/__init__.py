"""Graph classifiers and regressors as scikit-learn estimators."""

from cliquepool.models.clique_pool import CliquePoolClassifier
from cliquepool.models.clique_pool_regressor import CliquePoolRegressor

__all__ = ["CliquePoolClassifier", "CliquePoolRegressor"]
