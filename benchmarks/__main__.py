"""Run the benchmarks named on the command line, or all of them.

Each prints the machine, a table of ratios from this one run, and which bars are met.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

from benchmarks.reporting import Report
from benchmarks.scale import PARTS

NAMES = (
    "listing",
    "pooling",
    "reading",
    "hierarchies",
    "loading",
    "training",
    "collating",
    "windows",
    "expressiveness",
    "poolers",
    "kernels",
    "scale",
    "explain",
    "viewer",
)
NAMES_HELP = f"any of: {', '.join(NAMES)} (default: all), or one part of scale: {', '.join(PARTS)}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=NAMES_HELP)
    parser.add_argument(
        "--json", type=Path, metavar="PATH", help="also append every row and bar as a JSON line"
    )
    parser.add_argument("--graphs", metavar="A,B", help="only these graphs or data sets")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.names) - {*NAMES, *PARTS})
    if unknown:
        parser.error(f"expected names among {', '.join((*NAMES, *PARTS))}, got {', '.join(unknown)}")
    report = Report(arguments.json, arguments.graphs.split(",") if arguments.graphs else None)
    report.machine()
    for name in arguments.names or NAMES:
        importlib.import_module(f"benchmarks.{name}").run(report)
    return report.summary()


if __name__ == "__main__":
    sys.exit(main())
