"""The old name of the clique-pool classifier in this package, which keeps working."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cliquepool.models import CliquePoolClassifier
    from cliquepool.nn import ClassifierSettings

__all__ = ["CliquePoolModel"]


def CliquePoolModel(classifier: ClassifierSettings, device: str = "cpu") -> CliquePoolClassifier:  # noqa: N802
    """Return ``CliquePoolClassifier.from_settings(classifier, device=device)``; use that instead."""
    from cliquepool.models import CliquePoolClassifier  # noqa: PLC0415 (torch is slow to import)

    warnings.warn(
        "CliquePoolModel is deprecated: pass cliquepool.models.CliquePoolClassifier to evaluate",
        DeprecationWarning,
        stacklevel=2,
    )
    return CliquePoolClassifier.from_settings(classifier, device=device)
