"""Fixtures of the tests of reports: a classifier fitted to small labelled graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cliquepool.models import CliquePoolClassifier
from tests.helpers.labelled_graphs import molecules

if TYPE_CHECKING:
    from cliquepool.data import GraphDataset


@pytest.fixture(scope="session")
def graphs() -> GraphDataset:
    return molecules(30, seed=4)


@pytest.fixture(scope="session")
def model(graphs: GraphDataset) -> CliquePoolClassifier:
    quick = {"hidden": 16, "mlp": (16,), "epochs": 15, "learning_rate": 0.01, "validation_fraction": 0}
    return CliquePoolClassifier(**quick).fit(graphs)
