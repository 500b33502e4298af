"""Write the table of expressiveness.md from results/brec.json: ``python docs/write_expressiveness.py``."""

import json
from pathlib import Path
from typing import Any

from write_results import DOCS, RESULTS, write_table

RECORDS = RESULTS / "brec.json"
COLOURS = ("1-WL", "1 level", "2 levels, upwards only", "2 levels", "all levels")
REGULAR = ("simple-regular", "strongly-regular", "4-vertex-condition", "distance-regular")
ROWS = {
    "Basic": ("basic",),
    "simple regular": ("simple-regular",),
    "strongly regular": ("strongly-regular",),
    "4-vertex condition": ("4-vertex-condition",),
    "distance regular": ("distance-regular",),
    "**Regular**, these four": REGULAR,
    "Extension": ("extension",),
    "CFI": ("cfi",),
    "**all**": ("basic", *REGULAR, "extension", "cfi"),
}


def trained(network: dict[str, Any], categories: tuple[str, ...], pairs: int) -> str:
    """Return how many pairs a network tells apart, and of how many if it was not trained on all."""
    of_these = [pair for pair in network["pairs"].values() if pair["category"] in categories]
    run = [pair for pair in of_these if "not_run" not in pair]
    told_apart = sum(pair["told_apart"] for pair in run)
    if not run:
        return "not run"
    return str(told_apart) if len(run) == pairs else f"{told_apart} ({len(run)} run)"


def expressiveness_table(path: Path = RECORDS) -> str:
    """Return the table: a row for each category, a column for each way to tell its pairs apart."""
    records = json.loads(path.read_text(encoding="utf-8"))
    colours, networks = records["colours"], records["networks"]
    heads = ["category", "pairs", "1-WL", *(f"colours, {name}" for name in COLOURS[1:]), *networks]
    lines = [heads, ["---", *["--:"] * (len(heads) - 1)]]
    for name, categories in ROWS.items():
        pairs, *told_apart = (
            sum(colours[category][column] for category in categories) for column in ("pairs", *COLOURS)
        )
        of_networks = [trained(network, categories, pairs) for network in networks.values()]
        lines.append([name, *map(str, [pairs, *told_apart]), *of_networks])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


if __name__ == "__main__":
    write_table(DOCS / "expressiveness.md", expressiveness_table())
