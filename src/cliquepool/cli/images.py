# ruff: noqa: PLC0415 (torch and rich are imported where they are used, so that --help and errors are quick)
"""`cliquepool images`: train one of the paper's image networks."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cliquepool.cli.image_options import (
    COMPUTING,
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
    in_fractions,
)
from cliquepool.cli.images_compare import compare_networks
from cliquepool.cli.options import JsonOption
from cliquepool.cli.output import expect_writable, out, seconds
from cliquepool.cli.plain_help import PlainCommand, PlainGroup
from cliquepool.cli.settings import ImageSettingsOption, SetImageOption
from cliquepool.cli.train import DataDirOption
from cliquepool.errors import GraphError

if TYPE_CHECKING:
    from cliquepool.data.images import ImageDataset

__all__ = ["images", "train_network"]

images = typer.Typer(
    name="images",
    cls=PlainGroup,
    add_completion=False,
    rich_markup_mode="rich",
)


@images.callback(invoke_without_command=True)
def _overview(context: typer.Context) -> None:
    """Train the paper's image networks, and compare them fold by fold."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@images.command("train", cls=PlainCommand)
def train_network(
    *,
    data: DataOption = "digits",
    arch: Annotated[
        ArchName | None,
        typer.Option(
            metavar="vgg|vgg-clique",
            help="The baseline with pools of stride 2, or the same with clique pools.",
            show_default="vgg-clique",
        ),
    ] = None,
    width: WidthOption = None,
    epochs: EpochsOption = None,
    batch_size: BatchSizeOption = None,
    learning_rate: RateOption = None,
    assignments: SetImageOption = None,
    list_settings: ImageSettingsOption = False,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Another one starts from others.")] = 0,
    device: DeviceOption = "auto",
    mixed: MixedOption = None,
    compiled: CompileOption = None,
    channels_last: LayoutOption = True,
    threads: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1024,
            metavar="N",
            help="Threads of the processor. By default all cores.",
            rich_help_panel=COMPUTING,
        ),
    ] = None,
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
    # OpenMP's threads would spin while they wait for each other, and slow down other processes and
    # themselves on busy cores. Torch reads this when it is imported.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    from cliquepool.cli.run_display import EpochDisplay
    from cliquepool.data import load_images
    from cliquepool.training.compute import Compute
    from cliquepool.training.images import train_images

    del list_settings  # its callback has ended the command
    _expect_checkpoint(checkpoint, resume)
    for path in (checkpoint, save):
        if path is not None:
            expect_writable(path)
    compute = Compute.choose(device, mixed=mixed, channels_last=channels_last, compiled=compiled)
    settings = image_settings(
        compute,
        assignments,
        width=width,
        epochs=epochs,
        batch_size=batch_size,
        learning_rate=learning_rate,
        arch=None if arch is None else arch.value,
    )
    with EpochDisplay(settings.arch) as display:
        dataset = load_images(data, data_dir=data_dir)
        test = _expect_test_images(dataset)
        trained = train_images(
            dataset,
            (~dataset.is_test).nonzero()[0],
            settings=settings,
            seed=seed,
            compute=compute,
            threads=threads,
            checkpoint=checkpoint,
            on_epoch=display,
        )
        accuracy = trained.network.accuracy(dataset, test)
    if save is not None:
        trained.network.save(save)
    summary = {
        "dataset": dataset.name,
        "train_images": len(dataset) - len(test),
        "test_images": len(test),
        "test_accuracy": round(100 * accuracy, 3),
        "settings": settings.model_dump(mode="json"),
        "seed": seed,
        "arithmetic": str(compute),
        "curves": trained.curves,
        "seconds": round(trained.seconds, 3),
    }
    if as_json:
        print(json.dumps(summary))
    else:
        _print_trained(summary, save)


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


def _print_trained(summary: dict[str, Any], saved: Path | None) -> None:
    from rich.text import Text

    console = out()
    settings = summary["settings"]
    about = (
        f"  {summary['train_images']:,} images to train on, {summary['test_images']:,} to test on\n"
        f"{settings['arch']}, width {in_fractions(settings['width'])}, {settings['epochs']} epochs, "
        f"seed {summary['seed']}, {summary['arithmetic']}\n"
    )
    console.print(Text.assemble((summary["dataset"], "bold"), about))
    accuracy = f"{summary['test_accuracy']:.2f} %"
    console.print(Text.assemble("accuracy on the test images  ", (accuracy, "bold cyan")))
    an_epoch = seconds(summary["seconds"] / settings["epochs"])
    console.print(Text(f"\ntraining took {seconds(summary['seconds'])}, {an_epoch} an epoch", "dim"))
    if saved is not None:
        console.print(f"saved to {saved}", soft_wrap=True)


images.command("compare", cls=PlainCommand)(compare_networks)
