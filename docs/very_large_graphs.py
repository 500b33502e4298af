"""Compute the tables of very-large-graphs.md from measured figures: ``python docs/very_large_graphs.py``.

The figures are in very-large-graphs.json, written by ``python -m benchmarks.scale_figures``. A quantity that
is proportional to the edges is extrapolated as its value for an edge of the largest measured graph; one that
grows faster also by the power law through the two largest graphs. tests/test_docs.py compares the page.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
FIGURES = FOLDER / "very-large-graphs.json"
PAGE = FOLDER / "very-large-graphs.md"

SIZES = (10**9, 10**10)
WORKER_BYTES = 16 * 2**30
LINK = 10e9 / 8  # bytes a second: 10 Gbit/s
MOST_IDS = 2**31 - 1
DEFAULT_CLIQUES = 10**8
NAMES = {
    "holme-kim": "Holme–Kim",
    "geometric": "geometric",
    "planted": "planted cliques",
    "r-mat": "mild R-MAT",
}


@dataclass(frozen=True)
class Growth:
    """A quantity for each edge, and the exponent by which it grew between the two largest measured graphs."""

    last: float
    edges: float
    exponent: float

    def total(self, edges: float, *, grows: bool) -> float:
        """Return the quantity of a graph; with `grows`, the power law goes on."""
        factor = (edges / self.edges) ** max(self.exponent, 0) if grows else 1.0
        return self.last * factor * edges

    def reaches(self, total: float) -> float:
        """Return the number of edges at which the quantity reaches a total, without further growth."""
        return total / self.last


class Kind:
    """The figures of one kind of graph."""

    def __init__(self, name: str, figures: dict[str, Any]) -> None:
        self.name = NAMES[name]
        self._graphs = sorted(
            (one for one in figures["graphs"] if one["kind"] == name), key=lambda one: int(one["drawn"])
        )
        self.largest = self._with("64 shards", "halo")[-1]
        self.edges = self.largest["pooling"]["edges"]
        self.nodes_an_edge = self.largest["pooling"]["nodes"] / self.edges
        self.seconds = self._growth("pooling", "seconds")
        self.pools = self._growth("pooling", "pools")
        self.quotient = self._growth("joining", "quotient")
        # What pooling adds, and the rows of the graph: 4 bytes for each end of an edge, 8 for each node.
        self.bytes_an_edge = self.largest["pooling"]["added"] / self.edges + 8 + 8 * self.nodes_an_edge
        (self.disk,) = (one for one in figures["disk"] if one["kind"] == name)
        self._traffic = {one["shards"]: one for one in figures["traffic"] if one["kind"] == name}

    def _with(self, task: str, field: str) -> list[dict[str, Any]]:
        """Return the graphs of which a figure was measured, by their size."""
        return [one for one in self._graphs if field in one.get(task, {})]

    def _growth(self, task: str, field: str) -> Growth:
        known = self._with(task, field)[-2:]
        edges = [one["pooling"]["edges"] for one in known]
        below, last = (one[task][field] / count for one, count in zip(known, edges, strict=True))
        return Growth(last, edges[1], math.log(last / below) / math.log(edges[1] / edges[0]))

    def halo(self, shards: int) -> float:
        """Return the halo edges for each own edge of the largest graph, in so many shards."""
        cut = self.largest[f"{shards} shards"]
        return float(cut["halo"] / cut["own"])

    def shard_bytes(self) -> float:
        """Return the bytes of shards for each edge: 4 an edge, 20 a vertex; twice while they are searched."""
        cut = self.largest["64 shards"]
        return float(2 * (4 * (cut["own"] + cut["halo"]) + 20 * cut["vertices"]) / cut["own"])

    def client_bytes(self) -> float:
        """Return the bytes of the client for each edge: rows of the graph, later neighbours, node arrays."""
        return 8 + 4 + 32 * self.nodes_an_edge

    def client_seconds(self) -> float:
        """Return the seconds of the client for each edge: twins, order, name of the run."""
        cut = self.largest["64 shards"]
        serial = cut["orienting"] + cut["hashing"] + self.largest["pooling"]["twins"]
        return float(serial / self.edges)

    def traffic(self) -> float:
        """Return the bytes sent and received for each edge, in as many shards as were measured."""
        sent = self._traffic[max(self._traffic)]
        return float((sent["sent"] + sent["received"]) / sent["edges"])

    def workers(self, edges: float) -> int:
        """Return how many workers hold all shards."""
        return math.ceil(self.shard_bytes() * edges / WORKER_BYTES)


def kinds() -> list[Kind]:
    """Return all kinds that were measured."""
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    return [Kind(name, figures) for name in dict.fromkeys(one["kind"] for one in figures["graphs"])]


def figures_table() -> list[list[str]]:
    """Return the figures that all else is computed from."""
    return [
        heads(
            "graph, edges, ns an edge, exponent, bytes an edge, pools an edge, quotient edges an edge, "
            "exponent, halo at 8 shards, at 64, bytes sent an edge"
        ),
        *(
            [
                kind.name,
                power(kind.seconds.edges),
                f"{kind.seconds.last * 1e9:.0f}",
                f"{kind.seconds.exponent:.2f}",
                f"{kind.bytes_an_edge:.0f}",
                f"{kind.pools.last:.2f}",
                f"{kind.quotient.last:.1f}",
                f"{kind.quotient.exponent:.2f}",
                f"{kind.halo(8):.2f}",
                f"{kind.halo(64):.2f}",
                f"{kind.traffic():.2f}",
            ]
            for kind in kinds()
        ),
    ]


def one_machine_table() -> list[list[str]]:
    """Return what pooling once needs on one machine, on one thread."""
    rows = [heads("graph, edges, in memory, time, out of core: memory, on disk, time")]
    for kind in kinds():
        ratio = kind.disk["pooling"] / kind.disk["in_memory"]
        converting = kind.disk["converting"] / kind.disk["edges"]
        for edges in SIZES:
            low, high = (kind.seconds.total(edges, grows=grows) for grows in (False, True))
            nodes = kind.nodes_an_edge * edges
            rows.append(
                [
                    kind.name,
                    power(edges),
                    size(kind.bytes_an_edge * edges),
                    between(low, high),
                    size(kind.disk["bytes"] / kind.disk["nodes"] * nodes),
                    size(12 * edges + 24 * nodes),
                    between(low * ratio + converting * edges, high * ratio + converting * edges),
                ]
            )
    return rows


def cluster_table() -> list[list[str]]:
    """Return what pooling once needs on workers of 16 GiB."""
    rows = [heads("graph, edges, workers, time of each, memory of the client, time of the client, network")]
    for kind in kinds():
        for edges in SIZES:
            workers = kind.workers(edges)
            low, high = (kind.seconds.total(edges, grows=grows) / workers for grows in (False, True))
            traffic = kind.traffic() * edges
            rows.append(
                [
                    kind.name,
                    power(edges),
                    f"{workers:,}",
                    between(low, high),
                    size(kind.client_bytes() * edges),
                    duration(kind.client_seconds() * edges),
                    f"{size(traffic)}, {duration(traffic / LINK)}",
                ]
            )
    return rows


def breaks_table() -> list[list[str]]:
    """Return the number of edges from which each limit is reached, and the size of the first quotient."""
    rows = [heads("graph, 10^8 pools, 2^31 pools, 2^31 nodes, quotient of 10^9 edges, of 10^10")]
    for kind in kinds():
        quotients = []
        for edges in SIZES:
            low, high = (size(8 * kind.quotient.total(edges, grows=grows)) for grows in (False, True))
            quotients.append(low if low == high else f"{low} to {high}")
        pools = [power(kind.pools.reaches(most)) for most in (DEFAULT_CLIQUES, MOST_IDS)]
        rows.append([kind.name, *pools, power(MOST_IDS / kind.nodes_an_edge), *quotients])
    return rows


TABLES = {
    "figures": figures_table,
    "one machine": one_machine_table,
    "cluster": cluster_table,
    "breaks": breaks_table,
}


# ---- words ----


def heads(names: str) -> list[str]:
    """Return the names of columns."""
    return names.split(", ")


def power(number: float) -> str:
    """Return a number as a power of ten.

    >>> power(10**9), power(2.4e8)
    ('10^9', '2.4·10^8')
    """
    exponent = math.floor(math.log10(number) + 1e-9)
    digits = f"{number / 10**exponent:.1f}".removesuffix(".0")
    if digits == "10":
        digits, exponent = "1", exponent + 1
    return f"10^{exponent}" if digits == "1" else f"{digits}·10^{exponent}"


def size(number: float) -> str:
    """Return a number of bytes in words.

    >>> size(1.26e12), size(3.4e11)
    ('1.3 TB', '340 GB')
    """
    return _scaled(number, (("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("bytes", 1)))


def duration(seconds: float) -> str:
    """Return a time in words.

    >>> duration(80), duration(700000)
    ('80 s', '8.1 days')
    """
    return _scaled(seconds / 1.5, (("days", 86400), ("h", 3600), ("min", 60), ("s", 1)), 1.5)


def _scaled(number: float, units: tuple[tuple[str, float], ...], times: float = 1.0) -> str:
    """Return a number in the largest unit that it reaches, with two digits, multiplied by `times`."""
    unit, scale = next((each for each in units if number >= each[1]), units[-1])
    value = number * times / scale
    return f"{value:,.0f} {unit}" if value >= 10 else f"{value:.2g} {unit}"


def between(low: float, high: float) -> str:
    """Return two times in words, or one where they are the same."""
    one, other = duration(low), duration(high)
    return one if one == other else f"{one} to {other}"


def markdown(rows: list[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def filled(page: str) -> str:
    """Return the page with all tables computed again, each between a pair of comments."""
    for name, table in TABLES.items():
        begin, end = f"<!-- table: {name} -->", "<!-- end -->"
        pattern = re.compile(f"(?<={re.escape(begin)}).*?(?={re.escape(end)})", re.DOTALL)
        page, count = pattern.subn(f"\n{markdown(table())}\n", page)
        if count != 1:
            raise SystemExit(f"{PAGE.name}: expected a table named {name}, got {count}")
    return page


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
