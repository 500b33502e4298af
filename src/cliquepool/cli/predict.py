# ruff: noqa: PLC0415 (torch and rich are imported where they are used, so that --help and errors are quick)
"""`cliquepool predict`: predict the classes of graphs by a saved classifier."""

import csv
import io
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cliquepool._words import counted
from cliquepool.cli.options import JsonOption
from cliquepool.cli.output import expect_writable, out
from cliquepool.cli.train import DataDirOption, DatasetArgument
from cliquepool.errors import GraphError
from cliquepool.files import write_text

if TYPE_CHECKING:
    from cliquepool.data import GraphDataset
    from cliquepool.models import CliquePoolClassifier

__all__ = ["load_classifier", "predict_classes"]


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
    with_probabilities: Annotated[
        bool,
        typer.Option("--proba", help="Also give the probabilities of all classes, a column for each."),
    ] = False,
    data_dir: DataDirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Predict the class of every graph of a data set.

    Prints the graphs' numbers, from 0, and their classes, as csv. With --out, prints how many are right,
    where that is known.

    [bold]Examples[/bold]

    cliquepool predict mutag.safetensors MUTAG

    cliquepool predict mutag.safetensors MUTAG --proba --out classes.csv
    """
    from cliquepool.data import load_dataset

    if table is not None:
        expect_writable(table)
    classifier = load_classifier(model)
    data = load_dataset(dataset, data_dir=data_dir)
    classes = classifier.predict(data).tolist()
    columns = _probabilities(classifier, data) if with_probabilities else {}
    truth = [data.classes[code].item() if code >= 0 else None for code in data.targets]
    known = [predicted == true for predicted, true in zip(classes, truth, strict=True) if true is not None]
    accuracy = sum(known) / len(known) if known else None
    if table is not None:
        write_text(table, _as_csv(classes, columns))
    if as_json:
        found = {"dataset": data.name, "model": str(model), "classes": classes, "accuracy": accuracy}
        if with_probabilities:
            found["probabilities"] = columns
        print(json.dumps(found))
    elif table is None:
        print(_as_csv(classes, columns), end="")
    if not as_json and table is not None:
        _print_counts(classes, accuracy, table)


def load_classifier(path: Path) -> "CliquePoolClassifier":
    """Read a classifier of one class for each graph; GraphError for one of several labels."""
    from cliquepool.models import CliquePoolClassifier
    from cliquepool.models.targets import LabelsTarget

    classifier = CliquePoolClassifier.load(path)
    if isinstance(classifier.target_, LabelsTarget):
        raise GraphError(
            f"{path}: expected a classifier of one class for each graph, got one of several labels; "
            "use CliquePoolClassifier.load in Python"
        )
    return classifier


def _probabilities(classifier: "CliquePoolClassifier", data: "GraphDataset") -> dict[str, list[float]]:
    """Return for each class, by name, its probability for every graph, with six digits."""
    names = [str(name) for name in classifier.classes_.tolist()]
    found = classifier.predict_proba(data)
    return {
        name: [float(f"{probability:.6g}") for probability in column.tolist()]
        for name, column in zip(names, found.T, strict=True)
    }


def _as_csv(classes: list[Any], columns: dict[str, list[float]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["graph", "class", *columns])
    writer.writerows(zip(range(len(classes)), classes, *columns.values(), strict=True))
    return text.getvalue()


def _print_counts(classes: list[Any], accuracy: float | None, path: Path) -> None:
    console = out()
    for name, number in sorted(Counter(map(str, classes)).items()):
        console.print(f"class {name}: {counted(number, 'graph')}")
    if accuracy is not None:
        console.print(f"{100 * accuracy:.2f} % are of the class that the data set says")
    console.print(f"written to {path}", soft_wrap=True)
