# ruff: noqa: PLC0415 (torch and rich are imported where they are used, so that --help and errors are quick)
"""`cliquepool images`: train the paper's image networks, and compare them fold by fold."""

import json
import sys
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from cliquepool.cli.options import JsonOption, ThreadsOption
from cliquepool.cli.output import count, expect_writable, out, seconds
from cliquepool.cli.train import TORN_LINE, DataDirOption, expect_new, file_name
from cliquepool.errors import GraphError

if TYPE_CHECKING:
    from cliquepool.data.images import ImageDataset
    from cliquepool.evaluate import FoldRecord, Plan
    from cliquepool.evaluate.pairs import PairedComparison
    from cliquepool.nn.arithmetic import Arithmetic
    from cliquepool.nn.image_settings import ImageSettings

__all__ = ["compare_networks", "images", "train_network"]

_WIDTH_ON_PROCESSORS: Final = Fraction(1, 16)
_TESTS: Final = {
    "t_test": "paired t-test, as in the paper",
    "corrected_t_test": "corrected for what training sets share",
    "sign_flips": "exact, by swapping the networks",
}

images = typer.Typer(
    name="images",
    add_completion=False,
    rich_markup_mode="rich",
    no_args_is_help=True,
    help="Train the paper's image networks, and compare them fold by fold.",
)


class ArchName(StrEnum):
    """The baseline with pools of stride 2, and the same with clique pools."""

    VGG = "vgg"
    VGG_CLIQUE = "vgg-clique"


def _factor(text: str) -> float:
    """Take a factor such as 0.125 or 1/8."""
    try:
        return float(Fraction(text))
    except (ValueError, ZeroDivisionError):
        raise typer.BadParameter(f"expected a factor such as 1/8 or 0.5, got {text!r}") from None


DataOption = Annotated[
    str,
    typer.Option(
        "--data", metavar="DATA", help="digits, CIFAR-10, or a file or folder of images; see docs/images.md."
    ),
]
WidthOption = Annotated[
    float | None,
    typer.Option(
        parser=_factor,
        metavar="F",
        help="Factor on the number of features, such as 1/8. By default 1, the paper's, "
        f"on a graphics card, and {_WIDTH_ON_PROCESSORS} without.",
        show_default=False,
    ),
]
EpochsOption = Annotated[int | None, typer.Option(min=1, metavar="N", help="By default 30.")]
BatchSizeOption = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Images in a mini-batch. By default 64.")
]
RateOption = Annotated[
    float | None, typer.Option("--lr", metavar="RATE", help="Highest learning rate. By default 0.05.")
]
DeviceOption = Annotated[
    str, typer.Option(metavar="NAME", help="cpu, cuda or cuda:1; auto is a graphics card if there is one.")
]
MixedOption = Annotated[
    bool | None,
    typer.Option(
        "--amp/--no-amp",
        help="Mixed precision. By default on a graphics card only.",
        show_default=False,
    ),
]
CompileOption = Annotated[
    bool | None,
    typer.Option("--compile/--no-compile", help="By default on a graphics card only.", show_default=False),
]
LayoutOption = Annotated[
    bool, typer.Option("--channels-last/--channels-first", help="How images lie in memory.")
]


@images.command("train")
def train_network(
    *,
    data: DataOption = "digits",
    arch: Annotated[
        ArchName, typer.Option(help="The baseline with pools of stride 2, or the same with clique pools.")
    ] = ArchName.VGG_CLIQUE,
    width: WidthOption = None,
    epochs: EpochsOption = None,
    batch_size: BatchSizeOption = None,
    learning_rate: RateOption = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Another one starts from others.")] = 0,
    device: DeviceOption = "auto",
    mixed: MixedOption = None,
    compiled: CompileOption = None,
    channels_last: LayoutOption = True,
    threads: ThreadsOption = None,
    data_dir: DataDirOption = None,
    checkpoint: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep the state of the training there.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the training that the checkpoint is of.")
    ] = False,
    save: Annotated[Path | None, typer.Option(metavar="MODEL", help="Save the trained network.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Train a network on the training images of a data set, and test it once on its test images.

    [bold]Examples[/bold]

    cliquepool images train --data digits --arch vgg-clique

    cliquepool images train --data CIFAR-10 --arch vgg --width 1/8 --checkpoint vgg.checkpoint
    """
    from cliquepool.cli.run_display import EpochDisplay
    from cliquepool.data.images import load_images
    from cliquepool.nn.arithmetic import Arithmetic
    from cliquepool.nn.image_training import train_images

    _expect_checkpoint(checkpoint, resume)
    for path in (checkpoint, save):
        if path is not None:
            expect_writable(path)
    arithmetic = Arithmetic.choose(device, mixed=mixed, channels_last=channels_last, compiled=compiled)
    settings = _settings(arithmetic, width, epochs, batch_size, learning_rate)
    settings = settings.model_copy(update={"arch": arch.value})
    with EpochDisplay(arch.value) as display:
        dataset = load_images(data, data_dir=data_dir)
        test = _expect_test_images(dataset)
        trained = train_images(
            dataset,
            (~dataset.is_test).nonzero()[0],
            settings=settings,
            seed=seed,
            arithmetic=arithmetic,
            threads=threads,
            checkpoint=checkpoint,
            on_epoch=display,
        )
        accuracy = trained.network.accuracy(dataset, test)
    if save is not None:
        trained.network.save(save, dataset, settings)
    told = {
        "dataset": dataset.name,
        "train_images": len(dataset) - len(test),
        "test_images": len(test),
        "test_accuracy": round(100 * accuracy, 3),
        "settings": settings.model_dump(mode="json"),
        "seed": seed,
        "arithmetic": str(arithmetic),
        "curves": trained.curves,
        "seconds": round(trained.seconds, 3),
    }
    if as_json:
        print(json.dumps(told))
    else:
        _print_trained(told, save)


def _expect_checkpoint(checkpoint: Path | None, resume: bool) -> None:
    if resume and checkpoint is None:
        raise typer.BadParameter("--resume: expected --checkpoint FILE to go on from, got none")
    if checkpoint is not None and checkpoint.exists() and not resume:
        raise GraphError(
            f"{checkpoint} is there already: go on from it with --resume, or choose another --checkpoint"
        )


def _expect_test_images(dataset: "ImageDataset") -> Any:
    test = dataset.is_test.nonzero()[0]
    if not 0 < len(test) < len(dataset):
        raise GraphError(
            f"expected images to train on and images to test on in {dataset.name}, got {len(test)} of "
            f"{len(dataset)} to test on"
        )
    return test


def _print_trained(told: dict[str, Any], saved: Path | None) -> None:
    from rich.text import Text

    console = out()
    settings = told["settings"]
    about = (
        f"  {told['train_images']:,} images to train on, {told['test_images']:,} to test on\n"
        f"{settings['arch']}, width {_as_fraction(settings['width'])}, {settings['epochs']} epochs, "
        f"seed {told['seed']}, {told['arithmetic']}\n"
    )
    console.print(Text.assemble((told["dataset"], "bold"), about))
    accuracy = f"{told['test_accuracy']:.2f} %"
    console.print(Text.assemble("accuracy on the test images  ", (accuracy, "bold cyan")))
    an_epoch = seconds(told["seconds"] / settings["epochs"])
    console.print(Text(f"\ntraining took {seconds(told['seconds'])}, {an_epoch} an epoch", "dim"))
    if saved is not None:
        console.print(f"saved to {saved}", soft_wrap=True)


def _as_fraction(width: float) -> str:
    return str(Fraction(width).limit_denominator(1000))


@images.command("compare")
def compare_networks(
    *,
    data: DataOption = "digits",
    width: WidthOption = None,
    epochs: EpochsOption = None,
    batch_size: BatchSizeOption = None,
    learning_rate: RateOption = None,
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
            help="Where finished folds are recorded. By default results/DATA-images.jsonl.",
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
    from cliquepool.data.images import load_images
    from cliquepool.evaluate import plan_run, run_plan
    from cliquepool.evaluate.pairs import paired_comparison
    from cliquepool.evaluate.vgg import VGGModel
    from cliquepool.nn.arithmetic import Arithmetic

    arithmetic = Arithmetic.choose(device, mixed=mixed, channels_last=channels_last, compiled=compiled)
    settings = _settings(arithmetic, width, epochs, batch_size, learning_rate)
    dataset = load_images(data, data_dir=data_dir)
    path = records or Path("results", f"{file_name(dataset.name)}-images.jsonl")
    if jobs is None and arithmetic.place.type == "cuda":
        jobs = 1
    plans = {
        arch: plan_run(
            VGGModel(settings.model_copy(update={"arch": arch.value}), arithmetic),
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
    _tell_torn(plans[ArchName.VGG])
    if as_json:
        print(json.dumps(_compared_as_json(compared, path)))
    else:
        _print_compared(dataset, compared, arithmetic, path)


def _settings(
    arithmetic: "Arithmetic",
    width: float | None,
    epochs: int | None,
    batch_size: int | None,
    learning_rate: float | None,
) -> "ImageSettings":
    from pydantic import ValidationError

    from cliquepool.nn.image_settings import ImageSettings

    if width is None:
        width = 1.0 if arithmetic.place.type == "cuda" else float(_WIDTH_ON_PROCESSORS)
    chosen: dict[str, Any] = {
        "width": width,
        "epochs": epochs,
        "batch_size": batch_size,
        "learning_rate": learning_rate,
    }
    try:
        return ImageSettings(**{name: value for name, value in chosen.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        option = {"learning_rate": "lr"}.get(str(first["loc"][0]), str(first["loc"][0]))
        raise typer.BadParameter(f"--{option}: {first['msg'].lower()}, got {first['input']}") from None


def _tell_torn(plan: "Plan") -> None:
    if plan.file.torn is not None:
        print(f"{plan.file.path}: {TORN_LINE}", file=sys.stderr)


def _compared_as_json(compared: "PairedComparison", path: Path) -> dict[str, Any]:
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
        "p": {name: getattr(compared, name) for name in _TESTS},
        "records": str(path),
    }


def _print_compared(
    dataset: "ImageDataset", compared: "PairedComparison", arithmetic: "Arithmetic", path: Path
) -> None:
    from rich.table import Table
    from rich.text import Text

    from cliquepool.evaluate.published import PUBLISHED_IMAGES, PUBLISHED_IMAGES_P

    console = out()
    settings = json.loads(compared.first.run.candidates)[0]
    about = (
        f"  {count(len(dataset), 'image')}, {len(dataset.classes)} classes, {compared.first.extent}, "
        f"width {_as_fraction(settings['width'])}, {settings['epochs']} epochs, "
        f"{arithmetic}\n"
    )
    console.print(Text.assemble((dataset.name, "bold"), about))
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for head in ("network", "accuracy", "an epoch", "of processor", "in the paper"):
        table.add_column(head)
    times = zip(compared.seconds_an_epoch, compared.processor_seconds_an_epoch, strict=True)
    for summary, (wall, processor) in zip((compared.first, compared.second), times, strict=True):
        table.add_row(
            Text(summary.run.model, "bold cyan"),
            str(summary.figure),
            "–" if wall is None else seconds(wall),
            "–" if processor is None else seconds(processor),
            PUBLISHED_IMAGES.get(summary.run.model, "–"),
        )
    difference = f"{compared.difference.mean:+.2f} ± {compared.difference.std:.2f}"
    table.add_row("difference", difference, "", "", f"p = {PUBLISHED_IMAGES_P}")
    console.print(table)
    console.print()
    for name, words in _TESTS.items():
        p = getattr(compared, name)
        console.print(f"p = {p:.3f}  {words}" if p is not None else f"no p       {words}")
    console.print(Text("\nthe paper's are at full width on all of CIFAR-10, ten runs of each", "dim"))
    console.print(f"recorded in {path}", soft_wrap=True)
