"""The table of expressiveness.md, made from results/brec.json."""

import json
from pathlib import Path
from typing import Any

RECORDS = Path(__file__).parents[1] / "results" / "brec.json"
COLOURS = {
    "1-WL": "1-WL: colours without levels",
    "1 level": "colours, 1 level",
    "2 levels, upwards only": "colours, 2 levels, upwards only",
    "2 levels": "colours, 2 levels",
    "all levels": "colours, all levels",
}
REGULAR = ("simple-regular", "strongly-regular", "4-vertex-condition", "distance-regular")
COLUMNS = {
    "Basic": ("basic",),
    "simple regular": REGULAR[:1],
    "strongly regular": REGULAR[1:2],
    "4-vertex condition": REGULAR[2:3],
    "distance regular": REGULAR[3:],
    "Regular, these four": REGULAR,
    "Extension": ("extension",),
    "CFI": ("cfi",),
    "all": ("basic", *REGULAR, "extension", "cfi"),
}
# Table 2 of arXiv 2304.07702: Basic, Regular, Extension, CFI, all.
PUBLISHED = {
    "3-WL": (60, 50, 100, 60, 270),
    "PPGN": (60, 50, 100, 23, 233),
    "GSN": (60, 99, 95, 0, 254),
    "KP-GNN": (60, 106, 98, 11, 275),
    "I²-GNN": (60, 100, 100, 21, 281),
}


def trained(network: dict[str, Any], categories: tuple[str, ...], pairs: int) -> str:
    """Return how many pairs a network tells apart, and of how many if it was not trained on all."""
    of_these = [pair for pair in network["pairs"].values() if pair["category"] in categories]
    run = [pair for pair in of_these if "not_run" not in pair]
    told_apart = sum(pair["told_apart"] for pair in run)
    if not run:
        return "not run"
    return str(told_apart) if len(run) == pairs else f"{told_apart} of {len(run)}"


def expressiveness_table(path: Path = RECORDS) -> str:
    """Return the table: a row for each method, a column for each category of pairs."""
    records = json.loads(path.read_text(encoding="utf-8"))
    colours, networks = records["colours"], records["networks"]
    pairs = {name: sum(colours[part]["pairs"] for part in parts) for name, parts in COLUMNS.items()}
    lines = [["method", *(f"{name} ({count})" for name, count in pairs.items())]]
    lines.append(["---", *["--:"] * len(COLUMNS)])
    for key, name in COLOURS.items():
        lines.append([name, *(str(sum(colours[part][key] for part in parts)) for parts in COLUMNS.values())])
    for name, network in networks.items():
        counts = [trained(network, parts, pairs[column]) for column, parts in COLUMNS.items()]
        lines.append([f"trained: {name}", *counts])
    for name, (basic, *others) in PUBLISHED.items():
        lines.append([f"published: {name}", str(basic), *["–"] * len(REGULAR), *map(str, others)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
