# ruff: noqa: PLC0415 (torch and rich are imported where they are used, so that --help and errors are quick)
"""`cliquepool predict`: the classes of graphs, by a classifier that was trained before."""

import csv
import io
import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from cliquepool._words import counted
from cliquepool.cli.options import JsonOption
from cliquepool.cli.output import expect_writable, out
from cliquepool.cli.train import DataDirOption, DatasetArgument
from cliquepool.files import write_text

__all__ = ["predict_classes"]


def predict_classes(
    model: Annotated[
        Path,
        typer.Argument(metavar="MODEL", help="What cliquepool train --save wrote.", show_default=False),
    ],
    dataset: DatasetArgument,
    *,
    table: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the class of each graph there, as csv."),
    ] = None,
    data_dir: DataDirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Predict the class of every graph of a data set.

    Prints the graphs' numbers, from 0, and their classes; and how many are right, where that is known.

    [bold]Examples[/bold]

    cliquepool predict mutag.safetensors MUTAG

    cliquepool predict mutag.safetensors MUTAG --out classes.csv
    """
    from cliquepool.data import load_dataset
    from cliquepool.models import CliquePoolClassifier

    if table is not None:
        expect_writable(table)
    classifier = CliquePoolClassifier.load(model)
    data = load_dataset(dataset, data_dir=data_dir)
    classes = classifier.predict(data).tolist()
    truth = [data.classes[code].item() if code >= 0 else None for code in data.targets]
    known = [predicted == true for predicted, true in zip(classes, truth, strict=True) if true is not None]
    accuracy = sum(known) / len(known) if known else None
    if table is not None:
        write_text(table, _as_csv(classes))
    if as_json:
        found = {"dataset": data.name, "model": str(model), "classes": classes, "accuracy": accuracy}
        print(json.dumps(found))
    elif table is None:
        print(_as_csv(classes), end="")
    if not as_json and table is not None:
        _print_counts(classes, accuracy, table)


def _as_csv(classes: list[Any]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["graph", "class"])
    writer.writerows(enumerate(classes))
    return text.getvalue()


def _print_counts(classes: list[Any], accuracy: float | None, path: Path) -> None:
    console = out()
    for name, number in sorted(Counter(map(str, classes)).items()):
        console.print(f"class {name}: {counted(number, 'graph')}")
    if accuracy is not None:
        console.print(f"{100 * accuracy:.2f} % are of the class that the data set says")
    console.print(f"written to {path}", soft_wrap=True)
