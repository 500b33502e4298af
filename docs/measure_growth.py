# ruff: noqa: T201 (it prints its figures)
"""Measure how a sparse random graph grows under clique pooling: ``python docs/measure_growth.py``.

Prints the figures of "Graphs that grow" in concepts.md.
"""

import numpy as np

import cliquepool as cp


def main() -> None:
    """Pool 200,000 nodes with a million random edges."""
    draw = np.random.default_rng(0)
    graph = cp.Graph.from_edges(draw.integers(0, 200_000, (1_000_000, 2)), num_nodes=200_000)
    pooling = cp.clique_pool(graph)
    print(graph)
    print(pooling)
    print("coarse:", pooling.coarse)


if __name__ == "__main__":
    main()
