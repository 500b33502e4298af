"""Graph classifiers as scikit-learn estimators."""

from cliquepool._extras import require

require("train", __name__)

from cliquepool.models.clique_pool import CliquePoolClassifier

__all__ = ["CliquePoolClassifier"]
