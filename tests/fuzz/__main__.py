"""Load mutated files of every kind for minutes or hours; report those neither loaded nor refused properly."""

from __future__ import annotations

import argparse
import secrets
import sys
from pathlib import Path

from tests.fuzz.kinds import KINDS
from tests.fuzz.running import fuzz


def main() -> int:
    """Fuzz the kinds given on the command line; return 1 if there are findings."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, help="how long, all kinds together (default 5)")
    parser.add_argument("--count", type=int, help="how many files of each kind, instead of a time")
    parser.add_argument(
        "--kind", action="append", choices=list(KINDS), help="only this kind; may be repeated"
    )
    parser.add_argument(
        "--seed", type=int, default=None, help="of the mutations (default: another every time)"
    )
    parser.add_argument("--first", type=int, default=0, help="the number of the first mutation")
    parser.add_argument("--save", type=Path, default=Path("out/fuzz"), help="where findings are saved")
    given = parser.parse_args()

    kinds = given.kind or list(KINDS)
    seed = secrets.randbelow(2**32) if given.seed is None else given.seed
    seconds = None if given.count is not None else 60 * (given.minutes or 5) / len(kinds)
    print(f"seed {seed}", flush=True)
    reports = []
    for kind in kinds:
        report = fuzz(kind, seed, first=given.first, count=given.count, seconds=seconds, saved=given.save)
        reports.append(report)
        print(report, flush=True)
        for finding in report.findings[:10]:
            print(finding, flush=True)
    found = sum(len(report.findings) for report in reports)
    print(
        f"{sum(report.total for report in reports):,} files, {found} findings; all again with --seed {seed}"
    )
    further = max(report.next_index for report in reports)
    print(f"others of the same seed with --seed {seed} --first {further}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
