# ruff: noqa: T201 (it prints its table)
"""Measure how many nodes the levels of real graphs have: ``python docs/measure_levels.py``.

Prints the table of when-not-to-use.md. Data sets are read from the folder of `CLIQUEPOOL_DATA`.
"""

import cliquepool as cp
from cliquepool.data import PooledDataset, load_dataset

DATASETS = (
    "COLLAB", "IMDB-BINARY", "ENZYMES", "PROTEINS", "DD", "PTC_MR", "MUTAG", "NCI1", "REDDIT-BINARY",
)  # fmt: skip


def main() -> None:
    """Print the mean number of nodes of a graph on levels 0 to 3."""
    print("| data set | nodes | level 1 | level 2 | level 3 |\n|---|--:|--:|--:|--:|")
    for name in DATASETS:
        pooled = PooledDataset(load_dataset(name), levels=3, budget=cp.Budget(max_bytes=2**31))
        means = pooled.sizes.mean(axis=0)
        print(f"| {name} | {' | '.join(f'{mean:,.1f}' for mean in means)} |")


if __name__ == "__main__":
    main()
