"""Graph classifiers as scikit-learn estimators."""

from cliquepool.models.clique_pool import CliquePoolClassifier

__all__ = ["CliquePoolClassifier"]
