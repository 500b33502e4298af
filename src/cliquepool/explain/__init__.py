"""Explanations: which cliques decided what a network says of a graph, and what it says without them."""

from cliquepool._extras import require

require("train", __name__)

from cliquepool.explain.explainer import explain
from cliquepool.explain.explanation import Answer, Explanation, PoolRow, PoolTable
from cliquepool.explain.vocabulary import Vocabulary, Word, vocabulary

__all__ = ["Answer", "Explanation", "PoolRow", "PoolTable", "Vocabulary", "Word", "explain", "vocabulary"]
