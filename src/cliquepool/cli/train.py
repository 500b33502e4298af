# ruff: noqa: PLC0415 (torch and rich are imported where they are used, so that --help and errors are quick)
"""`cliquepool train`: judge a classifier on a data set, fold by fold."""

import json
import re
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from cliquepool._extras import require
from cliquepool._words import counted
from cliquepool.cli.cluster import ClusterOption, WorkOption, open_cluster
from cliquepool.cli.completion import complete_data_set, complete_device
from cliquepool.cli.options import JsonOption
from cliquepool.cli.output import expect_writable, out, seconds
from cliquepool.cli.progress import PatientProgress
from cliquepool.cli.settings import SetOption, SettingsOption, changed_settings, parse_assignments
from cliquepool.errors import GraphError

if TYPE_CHECKING:
    from cliquepool.cli.tables import FittingTable
    from cliquepool.data import GraphDataset
    from cliquepool.evaluate import Plan, RunSummary, RunWatcher
    from cliquepool.nn import ClassifierSettings

__all__ = [
    "TORN_LINE",
    "DataDirOption",
    "DatasetArgument",
    "ProtocolName",
    "comparison_table",
    "expect_new",
    "file_name",
    "train_classifier",
]

TORN_LINE: Final = "its last line was cut off while it was written, and is left out"


class ProtocolName(StrEnum):
    """The protocols of evaluation; see docs/training.md."""

    FAIR = "fair"
    PAPER = "paper"


DatasetArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATASET",
        help="The name of a data set (see cliquepool datasets), or its zip file or folder.",
        show_default=False,
        autocompletion=complete_data_set,
    ),
]
DataDirOption = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Where data sets are. By default what CLIQUEPOOL_DATA says."),
]


def train_classifier(
    dataset: DatasetArgument,
    *,
    protocol: Annotated[
        ProtocolName,
        typer.Option(
            metavar="fair|paper",
            help="fair: test folds that nothing was chosen by; paper: best mean validation accuracy.",
        ),
    ] = ProtocolName.FAIR,
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Settings to start from: default, or those of the paper, such as paper-dd."
        ),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, metavar="N", help="Parts the data set is cut into.")] = 10,
    seeds: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Repetitions. By default 3 if fair, 1 if paper."),
    ] = None,
    split_seed: Annotated[int, typer.Option(min=0, metavar="N", help="Another one cuts other folds.")] = 0,
    epochs: Annotated[int | None, typer.Option(min=1, metavar="N", help="Instead of the preset's.")] = None,
    batch_size: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Instead of the preset's.")
    ] = None,
    assignments: SetOption = None,
    list_settings: SettingsOption = False,
    device: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="cpu, cuda or cuda:1; auto is a graphics card if there is one.",
            autocompletion=complete_device,
        ),
    ] = "cpu",
    jobs: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Folds at the same time. By default as many as cores."),
    ] = None,
    cluster: ClusterOption = None,
    work: WorkOption = None,
    data_dir: DataDirOption = None,
    records: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Where finished folds are recorded. By default results/DATASET-PROTOCOL.jsonl.",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a run that the file has folds of already.")
    ] = False,
    save: Annotated[
        Path | None,
        typer.Option(metavar="MODEL", help="Afterwards train on all graphs, and save that classifier."),
    ] = None,
    tensorboard: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Log there for TensorBoard, epoch by epoch and fold by fold."),
    ] = None,
    mlflow: Annotated[
        str | None,
        typer.Option(metavar="URI", help="Log with MLflow: a server, sqlite:///FILE, or a folder."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Train and judge a clique-pool classifier, fold by fold.

    Each finished fold is a line of the records file, so a run that was interrupted goes on with --resume.

    [bold]Examples[/bold]

    cliquepool train MUTAG

    cliquepool train ENZYMES --protocol paper --preset paper-enzymes --resume

    cliquepool train MUTAG --set learning_rate=1e-3 --set mlp=64,32 --set convolution=sage

    cliquepool train MUTAG --folds 5 --seeds 1 --epochs 50 --save mutag.safetensors

    cliquepool train MUTAG --tensorboard logs
    """
    loggers = _loggers(tensorboard, mlflow)
    from cliquepool.cli.run_display import RunDisplay
    from cliquepool.data import load_dataset
    from cliquepool.evaluate import plan_run, run_plan, summarise
    from cliquepool.models import CliquePoolClassifier
    from cliquepool.nn import ClassifierSettings
    from cliquepool.training.compute import Compute

    device = Compute.choose(device).device  # raises GraphError for a device that is not there
    del list_settings  # its callback has ended the command
    changes = (
        parse_assignments(assignments),
        {"--epochs": ("epochs", epochs), "--batch-size": ("batch_size", batch_size)},
    )
    changed_settings(ClassifierSettings(), *changes)  # report wrong settings before a large data set is read
    if save is not None:
        expect_writable(save)
    with RunDisplay() as display, open_cluster(cluster, work, workers=jobs, option="--jobs") as workers:
        data = load_dataset(dataset, data_dir=data_dir)
        settings = changed_settings(_preset(preset, protocol), *changes)
        plan = plan_run(
            CliquePoolClassifier.from_settings(settings, device=device),
            data,
            protocol.value,
            records or _default_records(data.name, protocol),
            folds=folds,
            seeds=seeds,
            split_seed=split_seed,
        )
        if not resume:
            expect_new(plan)
        torn = plan.file.torn is not None
        summary = summarise(run_plan(plan, data, jobs=jobs, cluster=workers, watcher=[display, *loggers]))[0]
    if torn:
        print(f"{plan.file.path}: {TORN_LINE}", file=sys.stderr)
    if as_json:
        print(json.dumps(_as_json(summary, plan)))
    else:
        _print_result(data, summary, plan)
    if save is not None:
        _save(save, data, settings, device, as_json)


def _loggers(tensorboard: Path | None, mlflow: str | None) -> "list[RunWatcher]":
    """Return the logs of a run; a package that one needs and that is not installed is named at once."""
    if tensorboard is not None:
        require("tensorboard", "--tensorboard")
    if mlflow is not None:
        require("mlflow", "--mlflow")
    from cliquepool.evaluate import MLflowLogger, TensorBoardLogger

    found: list[RunWatcher] = []
    if tensorboard is not None:
        found.append(TensorBoardLogger(tensorboard, warn=_warn))
    if mlflow is not None:
        found.append(MLflowLogger(mlflow, warn=_warn))
    return found


def _warn(message: str) -> None:
    print(message, file=sys.stderr)


def _default_records(dataset: str, protocol: ProtocolName) -> Path:
    return Path("results", f"{file_name(dataset)}-{protocol.value}.jsonl")


def file_name(words: str) -> str:
    """Return the words as a part of a file name."""
    return re.sub(r"[^\w.-]+", "-", words)


def _preset(preset: str | None, protocol: ProtocolName) -> "ClassifierSettings":
    """Return the settings of a preset; under the paper protocol all epochs are trained, without patience."""
    from cliquepool.nn import PRESETS

    given = preset or "default"
    if given not in PRESETS:
        raise typer.BadParameter(f"--preset: expected one of {', '.join(PRESETS)}, got {given!r}")
    name = PRESETS.current_name(given)
    if name != given:
        print(f"--preset {given} is now called {name}", file=sys.stderr)
    settings = PRESETS[name]
    return settings.model_copy(update={"patience": None}) if protocol is ProtocolName.PAPER else settings


def expect_new(plan: "Plan") -> None:
    """Raise GraphError if the records already have folds of this run: only --resume continues it."""
    if plan.finished:
        raise GraphError(
            f"{plan.file.path} has {len(plan.finished)} of {len(plan.units)} folds of this run already: "
            "go on with --resume, or write to another file with --out"
        )


def _as_json(summary: "RunSummary", plan: "Plan") -> dict[str, Any]:
    from cliquepool.evaluate.published import published

    run, figure = summary.run, summary.figure
    return {
        "dataset": run.dataset,
        "model": run.model,
        "protocol": run.protocol,
        "folds": run.folds,
        "seeds": list(summary.seeds),
        "accuracy": None if figure is None else round(figure.mean, 3),
        "std": None if figure is None else round(figure.std, 3),
        "epoch": summary.epoch,
        "published": published(run.protocol, run.model, run.dataset),
        "settings": json.loads(run.candidates)[0],
        "seconds": round(summary.seconds, 3),
        "records": str(plan.file.path),
    }


def _print_result(data: "GraphDataset", summary: "RunSummary", plan: "Plan") -> None:
    from rich.text import Text

    from cliquepool.evaluate.published import footnote

    console = out()
    about = f"  {counted(len(data), 'graph')}, {len(data.classes)} classes, {summary.run.protocol} protocol\n"
    console.print(Text.assemble((data.name, "bold"), about))
    console.print(comparison_table(summary))
    note = footnote(["paper"], [data.name])
    if note is not None:
        console.print(Text(f"\n{note}", "dim"))
    at = "" if summary.epoch is None else f", best at epoch {summary.epoch}"
    console.print(Text(f"\nall folds together took {seconds(summary.seconds)}{at}", "dim"))
    console.print(f"recorded in {plan.file.path}", soft_wrap=True)


def comparison_table(summary: "RunSummary") -> "FittingTable":
    """Return a table of a run and published figures."""
    from cliquepool.cli.tables import Column, FittingTable
    from cliquepool.evaluate.tables import comparison

    table = FittingTable(
        [Column("model", wraps=True), Column("protocol"), Column("accuracy"), Column("from", wraps=True)]
    )
    for number, row in enumerate(comparison(summary)):
        style = "bold cyan" if number == 0 else ""
        table.add_row(row.model, row.protocol, row.accuracy, row.source, style=style)
    return table


def _save(path: Path, data: "GraphDataset", settings: "ClassifierSettings", device: str, quiet: bool) -> None:
    """Train once more, on all graphs but those held out to choose the epoch, and save the classifier."""
    from cliquepool.models import CliquePoolClassifier

    classifier = CliquePoolClassifier.from_settings(settings, device=device)
    with PatientProgress() as progress:
        classifier.fit(
            data, on_epoch=lambda report: progress("training on all graphs", report.epoch, report.epochs)
        )
    classifier.save(path)
    if not quiet:
        out().print(f"trained on all graphs and saved to {path}", soft_wrap=True)
