"""Classifiers and regressors as scikit-learn estimators, one file each."""

from cliquepool._extras import require

require("train", __name__)

from cliquepool.models.clique_pool import CliquePoolClassifier
from cliquepool.models.clique_pool_regressor import CliquePoolRegressor
from cliquepool.models.vgg import VGGClassifier

__all__ = ["CliquePoolClassifier", "CliquePoolRegressor", "VGGClassifier"]
