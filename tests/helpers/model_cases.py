"""The models that `tests/models/test_contract.py` runs over, with settings that learn easy graphs quickly.

A new model adds a line to `CASES`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from cliquepool import models
from cliquepool.models import CliquePoolClassifier

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

# For kernels: few candidates to choose from.
FEW: Final[dict[str, Any]] = {"C": (1.0, 100.0), "inner_folds": 3}


@dataclass(frozen=True, eq=False)
class Case:
    """A model of `cliquepool.models`, by name, with parameters, and what the contract does not ask of it.

    `ordered` is True where the outputs depend on the order of a graph's nodes; `ignores_labels` where they
    do not depend on node labels or attributes by definition; `variant` tells cases of one model apart.
    """

    name: str
    parameters: dict[str, Any] = field(default_factory=lambda: QUICK)
    ordered: bool = False
    ignores_labels: bool = False
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
    Case(
        "CliquePoolClassifier",
        QUICK | {"mlp": (16,), "layers": 2, "batch_norm": True, "normalise": False},
        variant="deep",
    ),
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
    Case(
        "EnsembleClassifier",
        {"base": CliquePoolClassifier(**QUICK | {"mlp": (16,), "epochs": 20}), "size": 2},
    ),
    Case("GraphletKernelClassifier", FEW, ignores_labels=True),
    Case("ShortestPathKernelClassifier", FEW),
    Case("WLKernelClassifier", FEW | {"iterations": (1, 2)}),
    Case("WLOAKernelClassifier", FEW | {"iterations": (1, 2)}),
)
