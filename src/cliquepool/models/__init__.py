"""Graph classifiers and regressors as scikit-learn estimators."""

from cliquepool._extras import require

require("train", __name__)

from cliquepool.models.clique_pool import CliquePoolClassifier
from cliquepool.models.clique_pool_regressor import CliquePoolRegressor

__all__ = ["CliquePoolClassifier", "CliquePoolRegressor"]
