"""A demonstration on two small real graphs: ``python -m cliquepool.demo``."""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

import cliquepool as cp
from cliquepool.cli.pool import level_table
from cliquepool.view import draw_hierarchy

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

_POOLS_SHOWN: Final = 6


@dataclass(frozen=True, slots=True)
class Subject:
    """A graph to show: where it comes from, what it is of, and what its first pools turn out to be."""

    name: str
    title: str
    about: str
    node: str
    gist: str
    make: str


SUBJECTS: Final = (
    Subject(
        "karate-club",
        "Zachary's karate club",
        "34 members of a club, joined where they met outside it (Zachary 1977)",
        "member",
        "The club split in two. Both pools of five are around its instructor (0), both of four around its "
        "president (33).",
        "karate_club_graph",
    ),
    Subject(
        "les-miserables",
        "Les Misérables",
        "77 characters of the novel, joined where they appear in one chapter (Knuth 1993)",
        "character",
        "First come the students of the barricade with Gavroche, then Fantine and her friends, then Valjean "
        "among Thénardier's gang and at the trial of Champmathieu.",
        "les_miserables_graph",
    ),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Pool the graphs, print their levels and pools, and draw them."""
    parser = argparse.ArgumentParser(prog="python -m cliquepool.demo", description=__doc__)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("out", "demo"),
        metavar="FOLDER",
        help="where the pictures go (default: %(default)s)",
    )
    folder: Path = parser.parse_args(arguments).out
    try:
        networkx = importlib.import_module("networkx")
    except ImportError:
        print(
            "the demonstration takes its graphs from networkx: pip install 'cliquepool[demo]'",
            file=sys.stderr,
        )
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    console = Console(highlight=False)
    console.print(
        Padding(
            Text.assemble(
                ("Clique pooling", "bold"),
                ": every node joins the largest clique that is left when its turn comes, nodes of equally "
                "large cliques join them all; the pools are the nodes of the next level.",
            ),
            (1, 1, 0, 1),
        )
    )
    for subject in SUBJECTS:
        _show(console, subject, networkx, folder)
    console.print()
    return 0


def _show(console: Console, subject: Subject, networkx: Any, folder: Path) -> None:
    graph = cp.Graph.from_networkx(getattr(networkx, subject.make)())
    began = time.perf_counter()
    hierarchy = cp.clique_hierarchy(graph)
    took = time.perf_counter() - began
    picture = folder / f"{subject.name}.png"
    draw_hierarchy(hierarchy, picture, title=subject.title)

    console.print()
    console.print(Rule(Text(subject.title, "bold cyan"), align="left", style="cyan"))
    console.print(Padding(Text(subject.about, "dim"), (0, 1)))
    console.print(Padding(level_table(hierarchy), (1, 1)))
    console.print(Padding(_pools_in_words(hierarchy[0], subject), (0, 1)))
    console.print(Padding(_pool_list(hierarchy[0]), (1, 1)))
    console.print(Text.assemble((" picture  ", "dim"), (str(picture), "bold")), soft_wrap=True)
    console.print(Padding(Text(f"all levels pooled in {1000 * took:.1f} ms", "dim"), (0, 1)))


def _pools_in_words(pooling: cp.Pooling, subject: Subject) -> Text:
    sizes = pooling.pools.sizes.tolist()
    several = int((pooling.memberships.sizes > 1).sum())
    return Text(
        f"{subject.gist} Of {pooling.graph.num_nodes} {subject.node}s, {several} are in several pools, which "
        f"tie, and {sizes.count(1)} stay alone."
    )


def _pool_list(pooling: cp.Pooling) -> Table:
    """The largest pools by the names of their members; those in several pools stand out."""
    labels = pooling.graph.labels
    names = [str(name) for name in (range(pooling.graph.num_nodes) if labels is None else labels.tolist())]
    shared = pooling.memberships.sizes > 1
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(justify="right", style="dim")
    table.add_column()
    for pool in pooling.pools[:_POOLS_SHOWN].tolist():
        members = [Text(names[node], "bold cyan" if shared[node] else "") for node in pool]
        table.add_row(f"{len(pool)}", Text("  ").join(members))
    rest = len(pooling.pools) - _POOLS_SHOWN
    if rest > 0:
        table.add_row("", Text(f"and {rest} more", "dim"))
    return table


if __name__ == "__main__":
    sys.exit(main())
