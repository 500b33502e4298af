"""The models that `tests/models/test_contract.py` runs over, with settings that learn easy graphs quickly.

A new model adds a line to `CASES`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from cliquepool import models

__all__ = ["CASES", "Case"]

# For networks: narrow, a high learning rate, no held-out graphs.
QUICK: Final[dict[str, Any]] = {
    "hidden": 16,
    "dropout": 0.0,
    "learning_rate": 0.01,
    "batch_size": 8,
    "epochs": 40,
    "patience": None,
    "validation_fraction": 0,
}


@dataclass(frozen=True, eq=False)
class Case:
    """A model of `cliquepool.models`, by name, with parameters, and what the contract does not ask of it.

    `ordered` is True where the outputs depend on the order of a graph's nodes; `variant` tells cases of one
    model apart.
    """

    name: str
    parameters: dict[str, Any] = field(default_factory=lambda: QUICK)
    ordered: bool = False
    variant: str = ""

    def __call__(self, **others: Any) -> Any:
        """Return a new estimator."""
        return getattr(models, self.name)(**self.parameters | others)

    def __str__(self) -> str:
        return f"{self.name}{self.variant and '-' + self.variant}"


def _without(parameters: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in parameters.items() if key != name}


CASES: Final = (
    Case("ASAPClassifier", ordered=True),
    Case("CliquePoolClassifier", QUICK | {"mlp": (16,)}),
    Case("ECCClassifier"),
    Case("GINClassifier"),
    Case("GraphSAGEClassifier"),
    Case("NoStructureClassifier"),
    Case("PatchySANClassifier", _without(QUICK, "hidden") | {"field": 5}),
    Case("Set2SetClassifier"),
    Case("SortPoolClassifier"),
    Case("DiffPoolClassifier"),
    Case("DiffPoolDetClassifier", ordered=True),
    Case("EdgePoolClassifier", ordered=True),
    Case("GraclusClassifier", ordered=True),
    Case("KMISClassifier", ordered=True),
    Case("MinCutClassifier"),
    Case("SAGPoolClassifier", ordered=True),
    Case("SparseHGCClassifier", ordered=True),
)
