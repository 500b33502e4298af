# ruff: noqa: PLC0415 (torch and rich are imported where they are used, so that --help and errors are quick)
"""`cliquepool images compare`: both networks on the same folds, and whether one is better."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cliquepool._words import counted
from cliquepool.cli.image_options import (
    ArchName,
    BatchSizeOption,
    CompileOption,
    DataOption,
    DeviceOption,
    EpochsOption,
    LayoutOption,
    MixedOption,
    RateOption,
    WidthOption,
    image_settings,
)
from cliquepool.cli.options import JsonOption
from cliquepool.cli.output import out
from cliquepool.cli.settings import ImageSettingsOption, SetImageOption, parse_assignments
from cliquepool.cli.train import TORN_LINE, DataDirOption, expect_new, file_name

if TYPE_CHECKING:
    from cliquepool.data.images import ImageDataset
    from cliquepool.evaluate import FoldRecord, Plan
    from cliquepool.evaluate.pairs import PairedComparison

__all__ = ["compare_networks"]


def compare_networks(
    *,
    data: DataOption = "digits",
    width: WidthOption = None,
    epochs: EpochsOption = None,
    batch_size: BatchSizeOption = None,
    learning_rate: RateOption = None,
    assignments: SetImageOption = None,
    list_settings: ImageSettingsOption = False,
    folds: Annotated[int, typer.Option(min=2, metavar="N", help="Parts the images are cut into.")] = 5,
    seeds: Annotated[int, typer.Option(min=1, metavar="N", help="Repetitions of every fold.")] = 1,
    split_seed: Annotated[int, typer.Option(min=0, metavar="N", help="Another one cuts other folds.")] = 0,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Folds at the same time. By default as many as cores, or 1 on a graphics card.",
        ),
    ] = None,
    device: DeviceOption = "auto",
    mixed: MixedOption = None,
    compiled: CompileOption = None,
    channels_last: LayoutOption = True,
    data_dir: DataDirOption = None,
    records: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Where finished folds are recorded. By default results/images/DATA.jsonl.",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with runs that the file has folds of already.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Train both networks on the same folds, and test whether one is better.

    Everything but the pools is the same: splits, seeds, epochs, learning rate. Each finished fold is a line
    of the records file, so a comparison that was interrupted goes on with --resume.

    [bold]Examples[/bold]

    cliquepool images compare --data digits --epochs 10

    cliquepool images compare --data CIFAR-10 --width 1/8 --folds 10 --resume
    """
    from cliquepool.cli.run_display import RunDisplay
    from cliquepool.data import load_images
    from cliquepool.evaluate import plan_run, run_plan
    from cliquepool.evaluate.pairs import paired_comparison
    from cliquepool.models import VGGClassifier
    from cliquepool.training.compute import Compute

    del list_settings  # its callback has ended the command
    if "arch" in parse_assignments(assignments):
        raise typer.BadParameter("--set arch: expected another setting, as both networks are trained")
    compute = Compute.choose(device, mixed=mixed, channels_last=channels_last, compiled=compiled)
    settings = image_settings(
        compute,
        assignments,
        width=width,
        epochs=epochs,
        batch_size=batch_size,
        learning_rate=learning_rate,
    )
    dataset = load_images(data, data_dir=data_dir)
    path = records or Path("results", "images", f"{file_name(dataset.name)}.jsonl")
    if jobs is None and compute.torch_device.type == "cuda":
        jobs = 1
    how = {"device": compute.device, "mixed": mixed, "channels_last": channels_last, "compiled": compiled}
    plans = {
        arch: plan_run(
            VGGClassifier.from_settings(settings.model_copy(update={"arch": arch.value}), **how),
            dataset,
            "fair",
            path,
            folds=folds,
            seeds=seeds,
            split_seed=split_seed,
        )
        for arch in ArchName
    }
    if not resume:
        for plan in plans.values():
            expect_new(plan)
    found: list[list[FoldRecord]] = []
    for arch, plan in plans.items():
        with RunDisplay(arch.value) as display:
            found.append(run_plan(plan, dataset, jobs=jobs, watcher=display))
    compared = paired_comparison(*found)
    _warn_torn(plans[ArchName.VGG])
    if as_json:
        print(json.dumps(_compared_as_json(compared, path)))
    else:
        _print_compared(dataset, compared, path)


def _warn_torn(plan: "Plan") -> None:
    if plan.file.torn is not None:
        print(f"{plan.file.path}: {TORN_LINE}", file=sys.stderr)


def _compared_as_json(compared: "PairedComparison", path: Path) -> dict[str, Any]:
    from cliquepool.evaluate.tables import PAIR_TESTS

    run = compared.first.run
    settings = json.loads(run.candidates)[0]
    del settings["arch"]
    both = zip(
        (compared.first, compared.second),
        (compared.first_accuracies, compared.second_accuracies),
        compared.seconds_an_epoch,
        compared.processor_seconds_an_epoch,
        strict=True,
    )
    return {
        "dataset": run.dataset,
        "folds": run.folds,
        "seeds": list(compared.first.seeds),
        "settings": settings,
        "networks": [
            {
                "model": summary.run.model,
                "accuracy": None if summary.figure is None else round(summary.figure.mean, 3),
                "std": None if summary.figure is None else round(summary.figure.std, 3),
                "accuracies": [round(accuracy, 3) for accuracy in accuracies],
                "seconds_an_epoch": wall,
                "processor_seconds_an_epoch": processor,
            }
            for summary, accuracies, wall, processor in both
        ],
        "difference": round(compared.difference.mean, 3),
        "difference_std": round(compared.difference.std, 3),
        "p": {name: getattr(compared, name) for name in PAIR_TESTS},
        "records": str(path),
    }


def _print_compared(dataset: "ImageDataset", compared: "PairedComparison", path: Path) -> None:
    from rich.text import Text

    from cliquepool.cli.tables import Column, FittingTable
    from cliquepool.evaluate.tables import PAIR_HEADS, PAIR_TESTS, p_in_words, pair_extent, pair_rows

    console = out()
    about = f"  {counted(len(dataset), 'image')}, {len(dataset.classes)} classes, {pair_extent(compared)}\n"
    console.print(Text.assemble((dataset.name, "bold"), about))
    table = FittingTable([Column(head, wraps=head == "network") for head in PAIR_HEADS])
    for row in pair_rows(compared):
        table.add_row(*row, style="" if row[0] == "difference" else "cyan")
    console.print(table)
    console.print()
    for name, words in PAIR_TESTS.items():
        console.print(f"{p_in_words(getattr(compared, name)):9}  {words}")
    console.print(Text("\nthe paper's are at full width on all of CIFAR-10, ten runs of each", "dim"))
    console.print(f"recorded in {path}", soft_wrap=True)
