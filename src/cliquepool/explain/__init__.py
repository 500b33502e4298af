"""Explanations: which cliques decided what a network says of a graph, and what it says without them."""

from typing import TYPE_CHECKING, Any, Final

from cliquepool._extras import require

require("train", __name__)

from cliquepool.explain.explainer import explain
from cliquepool.explain.explanation import Answer, Explanation, PoolRow, PoolTable
from cliquepool.explain.metrics import auroc, jaccard, sparsity, stability
from cliquepool.explain.vocabulary import Vocabulary, Word, vocabulary

if TYPE_CHECKING:
    from cliquepool.explain.pyg_explainer import CliqueExplainer, ModelOfData

__all__ = [
    "Answer",
    "CliqueExplainer",
    "Explanation",
    "ModelOfData",
    "PoolRow",
    "PoolTable",
    "Vocabulary",
    "Word",
    "auroc",
    "explain",
    "jaccard",
    "sparsity",
    "stability",
    "vocabulary",
]

_IN_PYG: Final = frozenset({"CliqueExplainer", "ModelOfData"})


def __getattr__(name: str) -> Any:
    """Import what needs PyTorch Geometric when it is first used: that takes seconds."""
    if name not in _IN_PYG:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    require("pyg", f"{__name__}.{name}")
    from cliquepool.explain import pyg_explainer  # noqa: PLC0415

    return getattr(pyg_explainer, name)
