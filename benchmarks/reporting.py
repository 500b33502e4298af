"""Print tables, bars and the machine they were measured on, and optionally write them as JSON lines."""

from __future__ import annotations

import json
import math
import os
import platform
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.measuring import Measured

PEERS = ("cliquepool", "networkx", "igraph", "networkit", "numpy")


@dataclass
class Bar:
    """The bar of a claim, and the measured value."""

    claim: str
    bar: float
    measured: float
    at_least: bool

    @property
    def met(self) -> bool:
        if not math.isfinite(self.measured):
            return False
        return self.measured >= self.bar if self.at_least else self.measured <= self.bar


@dataclass
class Report:
    """The output of a run; `only` selects its graphs and data sets."""

    json_path: Path | None = None
    only: Sequence[str] | None = None
    console: Console = field(default_factory=lambda: Console(width=None if os.isatty(1) else 160))
    bars: list[Bar] = field(default_factory=list)

    def wanted(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if self.only is None or name in self.only]

    @staticmethod
    def facts() -> dict[str, Any]:
        """Return the machine, the date and the versions of packages."""
        return {
            "date": datetime.now(UTC).date().isoformat(),
            "processor": _processor(),
            "cores": os.cpu_count(),
            "memory": f"{_memory_gib():.0f} GiB",
            "system": f"{platform.system()} {platform.release()}",
            "python": platform.python_version(),
            **{name: _version(name) for name in PEERS},
        }

    def machine(self) -> None:
        """Print the machine."""
        facts = self.facts()
        self.console.print(", ".join(f"{name} {value}" for name, value in facts.items()), style="dim")
        self._keep({"kind": "machine", **facts})

    def table(
        self, title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], note: str = ""
    ) -> None:
        table = Table(title=title, caption=note or None, title_justify="left", caption_justify="left")
        for i, column in enumerate(columns):
            table.add_column(column, justify="right" if i else "left", no_wrap=True)
        for row in rows:
            table.add_row(*row)
        self.console.print(table)

    def keep(self, benchmark: str, **row: Any) -> None:
        self._keep({"kind": "row", "benchmark": benchmark, **row})

    def at_least(self, claim: str, bar: float, measured: float) -> None:
        self._bar(Bar(claim, bar, measured, at_least=True))

    def at_most(self, claim: str, bar: float, measured: float) -> None:
        self._bar(Bar(claim, bar, measured, at_least=False))

    def _bar(self, bar: Bar) -> None:
        if self.only is not None and not math.isfinite(bar.measured):
            return  # none of its graphs was selected
        self.bars.append(bar)
        word, style = ("met", "green") if bar.met else ("NOT MET", "bold red")
        sign = "≥" if bar.at_least else "≤"
        self.console.print(
            f"  [{style}]{word:>7}[/]  {bar.claim}: {bar.measured:.3g} ({sign} {bar.bar:g})", highlight=False
        )
        self._keep(
            {"kind": "bar", "claim": bar.claim, "bar": bar.bar, "measured": bar.measured, "met": bar.met}
        )

    def summary(self) -> int:
        missed = [bar.claim for bar in self.bars if not bar.met]
        self.console.print(f"\n{len(self.bars) - len(missed)} of {len(self.bars)} bars met", style="bold")
        for claim in missed:
            self.console.print(f"  not met: {claim}", style="red", highlight=False)
        return 1 if missed else 0

    def _keep(self, line: dict[str, Any]) -> None:
        if self.json_path is not None:
            with self.json_path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, default=float) + "\n")


def milliseconds(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds * 1000:,.{1 if seconds < 0.01 else 0}f} ms"


def megabytes(size: float | None) -> str:
    return "–" if size is None else f"{size / 1e6:,.1f} MB"


def times(ratio: float | None) -> str:
    return "–" if ratio is None else f"{ratio:,.1f}×"


def beside(theirs: Measured, ours: Measured) -> tuple[str, str]:
    """Return the time of a peer, and its ratio to ours."""
    return milliseconds(theirs.seconds), times(theirs.per(ours))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next(
        (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine()
    )


def _memory_gib() -> float:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (ValueError, AttributeError):
        return float("nan")
