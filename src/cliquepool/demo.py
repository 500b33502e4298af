# ruff: noqa: PLC0415 (torch is imported where it is used, so that a missing package is one line of error)
"""A demonstration on real molecules: train, evaluate, and show pools. ``python -m cliquepool.demo``."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

import cliquepool as cp
from cliquepool._words import counted
from cliquepool.cli.pool import level_table
from cliquepool.cli.train import comparison_table
from cliquepool.data import load_dataset
from cliquepool.errors import InputError, MissingDependency
from cliquepool.view import draw_hierarchy
from cliquepool.view.curves import draw_curves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cliquepool.data import GraphDataset

__all__ = ["ATOMS", "MOLECULE", "main"]

ATOMS: Final = ("C", "N", "O", "F", "I", "Cl", "Br")
"""The atoms that the node labels of MUTAG stand for."""
MOLECULE: Final = 0
"""The graph that is drawn: three rings of carbon and a nitro group."""

_SEEDS: Final = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Train and evaluate a classifier on MUTAG; draw its curves and the levels of one molecule."""
    parser = argparse.ArgumentParser(prog="python -m cliquepool.demo", description=__doc__)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("out", "demo"),
        metavar="FOLDER",
        help="where records and pictures go (default: %(default)s)",
    )
    parser.add_argument("--folds", type=int, default=10, metavar="N", help="folds (default: %(default)s)")
    parser.add_argument("--seeds", type=int, default=_SEEDS, metavar="N", help="seeds (default: %(default)s)")
    parser.add_argument(
        "--epochs", type=int, metavar="N", help="epochs of each fold, at most (default: the classifier's)"
    )
    chosen = parser.parse_args(arguments)
    try:
        dataset = load_dataset("MUTAG")
        chosen.out.mkdir(parents=True, exist_ok=True)
        console = Console(highlight=False)
        _train(console, dataset, chosen)
        _show_pools(console, dataset, chosen.out)
    except (InputError, MissingDependency) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    console.print()
    return 0


def _train(console: Console, dataset: GraphDataset, chosen: argparse.Namespace) -> None:
    from cliquepool.cli.run_display import RunDisplay
    from cliquepool.evaluate import evaluate, summarise
    from cliquepool.models import CliquePoolClassifier

    _head(
        console,
        "MUTAG",
        f"{len(dataset)} molecules, {dataset.num_nodes / len(dataset):.0f} atoms each, that change genes "
        "or do not (Debnath et al. 1991)",
    )
    _say(
        console,
        "The classifier: two blocks of convolution and clique pool, one more convolution, an MLP, with the "
        f"default settings. Each of {chosen.folds} folds is judged by a network that other molecules trained "
        f"and whose epoch yet others chose, with {counted(chosen.seeds, 'seed')}.",
    )
    records = chosen.out / "MUTAG-fair.jsonl"
    records.unlink(missing_ok=True)  # of the last demonstration
    model = CliquePoolClassifier()
    if chosen.epochs is not None:
        model.set_params(epochs=chosen.epochs)
    began = time.perf_counter()
    with RunDisplay() as display:
        found = evaluate(
            model, dataset, "fair", records, folds=chosen.folds, seeds=chosen.seeds, watcher=display
        )
    took = time.perf_counter() - began
    (summary,) = summarise(found)
    console.print(Padding(comparison_table(summary), (0, 1, 1, 1)))
    largest = np.bincount(dataset.targets).max() / len(dataset)
    _say(console, f"Always naming the larger class would be right for {100 * largest:.2f} %.")
    picture = chosen.out / "MUTAG-curves.png"
    draw_curves(summary, picture)
    _name_files(console, {"curves": picture, "records": records}, f"all folds trained in {took:.0f} s")


def _show_pools(console: Console, dataset: GraphDataset, folder: Path) -> None:
    """Show the pools of one molecule, level by level."""
    molecule = dataset[MOLECULE]
    assert molecule.node_labels is not None
    atoms = [ATOMS[label] for label in molecule.node_labels.tolist()]
    formula = "".join(f"{atom}{atoms.count(atom)}" for atom in ATOMS if atom in atoms)
    hierarchy = cp.clique_hierarchy(molecule.graph(0))
    _head(console, f"One molecule, {formula}", "its atoms, joined where there is a bond")
    console.print(Padding(level_table(hierarchy), (0, 1, 1, 1)))
    _say(
        console,
        "No three atoms are all bonded to each other, so the first pools are the bonds. The second pooling "
        f"joins bonds that meet, and one of its pools is {_group_with_nitrogen(hierarchy, atoms)}: the nitro "
        "group and where it sits.",
    )
    picture = folder / "MUTAG-molecule.png"
    draw_hierarchy(hierarchy, picture, labels=atoms, title=f"{formula}, molecule {MOLECULE} of MUTAG")
    _name_files(console, {"picture": picture})


def _group_with_nitrogen(hierarchy: cp.Hierarchy, atoms: Sequence[str]) -> str:
    """Return the atoms of the smallest pool of level 2 that contains the nitrogen."""
    parts = (hierarchy.receptive_field(2, pool) for pool in range(hierarchy.sizes[2]))
    groups = [sorted(atoms[node] for node in part) for part in parts]
    smallest = min((group for group in groups if "N" in group), key=len)
    return "–".join(smallest)


def _head(console: Console, title: str, about: str) -> None:
    console.print()
    console.print(Rule(Text(title, "bold cyan"), align="left", style="cyan"))
    console.print(Padding(Text(about, "dim"), (0, 1, 1, 1)))


def _say(console: Console, words: str) -> None:
    console.print(Padding(Text(words), (0, 1, 1, 1)))


def _name_files(console: Console, files: dict[str, Path], note: str = "") -> None:
    for name, path in files.items():
        console.print(Text.assemble((f" {name:8} ", "dim"), (str(path), "bold")), soft_wrap=True)
    if note:
        console.print(Padding(Text(note, "dim"), (0, 1)))


if __name__ == "__main__":
    sys.exit(main())
