"""Exact clique pooling of graphs."""
