"""Fixtures of the estimators' tests: cliques and stars, and a classifier fitted to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cliquepool.models import CliquePoolClassifier
from tests.helpers.shape_graphs import QUICK
from tests.helpers.shape_graphs import shapes as make_shapes

if TYPE_CHECKING:
    from cliquepool.data import GraphDataset


@pytest.fixture(scope="module")
def shapes() -> GraphDataset:
    return make_shapes()


@pytest.fixture(scope="module")
def fitted(shapes: GraphDataset) -> CliquePoolClassifier:
    return CliquePoolClassifier(**QUICK, validation_fraction=0).fit(shapes)
