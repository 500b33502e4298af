"""The pairs of graphs of BREC (Wang and Zhang, arXiv 2304.07702), published figures, and our records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx

import cliquepool as cp
from benchmarks.inputs import data_folder

RECORDS = Path(__file__).parent.parent / "results" / "brec.json"

CATEGORIES = {
    "basic": "Basic",
    "simple-regular": "simple regular",
    "strongly-regular": "strongly regular",
    "4-vertex-condition": "4-vertex condition",
    "distance-regular": "distance regular",
    "extension": "Extension",
    "cfi": "CFI",
}
REGULAR = ("simple-regular", "strongly-regular", "4-vertex-condition", "distance-regular")


class Pair(NamedTuple):
    """Two graphs that are not isomorphic, and their position in the file."""

    number: int
    category: str
    graphs: tuple[cp.Graph, cp.Graph]


def read_pairs(categories: list[str] | None = None) -> list[Pair]:
    """Read the pairs of these categories, or all of them, in the order of the file."""
    lines = (data_folder() / "brec" / "pairs.tsv").read_text(encoding="ascii").splitlines()
    fields = [line.split("\t") for line in lines]
    return [
        Pair(number, category, (_from_graph6(first), _from_graph6(second)))
        for number, (category, first, second) in enumerate(fields)
        if categories is None or category in categories
    ]


def _from_graph6(text: str) -> cp.Graph:
    return cp.Graph.from_networkx(nx.from_graph6_bytes(text.encode("ascii")))


def read_records(path: Path = RECORDS) -> dict[str, Any]:
    """Return what was recorded: ``colours`` by category, ``networks`` by name and pair."""
    if not path.exists():
        return {"colours": {}, "networks": {}}
    records: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return records


def write_records(records: dict[str, Any], path: Path = RECORDS) -> None:
    """Write the records with one pair in a line, so that changes are easy to review."""
    parts = [f'"colours": {_lines(records["colours"])}']
    networks = ",\n".join(
        f'{json.dumps(name)}: {{\n"settings": {json.dumps(network["settings"])},\n'
        f'"pairs": {_lines(network["pairs"])}}}'
        for name, network in records["networks"].items()
    )
    parts.append(f'"networks": {{{networks}}}')
    text = "{\n" + ",\n".join(parts) + "\n}\n"
    partial = path.with_suffix(".partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def _lines(entries: dict[str, Any]) -> str:
    inside = ",\n".join(f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items())
    return f"{{\n{inside}\n}}"
