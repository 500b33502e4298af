# ruff: noqa: T201 (it prints its figures)
"""Measure how a sparse random graph grows under clique pooling: ``python docs/measure_growth.py``.

Prints the figures of "Graphs that grow" in concepts.md. Takes a minute and 5 GB of memory.
"""

import numpy as np

import cliquepool as cp


def main() -> None:
    """Pool 200,000 nodes with a million random edges, once and then again."""
    draw = np.random.default_rng(0)
    graph = cp.Graph.from_edges(draw.integers(0, 200_000, (1_000_000, 2)), num_nodes=200_000)
    pooling = cp.clique_pool(graph)
    print(graph)
    print(pooling)
    print("coarse:", pooling.coarse)
    try:
        print(cp.clique_hierarchy(graph, levels=2))
    except cp.BudgetExceeded as error:
        print(f"two levels: {error}")


if __name__ == "__main__":
    main()
