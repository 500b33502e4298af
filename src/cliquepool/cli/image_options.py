# ruff: noqa: PLC0415 (pydantic is imported where it is used, so that --help and errors are quick)
"""The options that the commands for images share, and their settings."""

from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cliquepool.cli.completion import complete_device, complete_images
from cliquepool.cli.settings import changed_settings, parse_assignments

if TYPE_CHECKING:
    from cliquepool.nn.image_settings import ImageSettings
    from cliquepool.training.compute import Compute

__all__ = [
    "COMPUTING",
    "ArchName",
    "BatchSizeOption",
    "CompileOption",
    "DataOption",
    "DeviceOption",
    "EpochsOption",
    "LayoutOption",
    "MixedOption",
    "RateOption",
    "WidthOption",
    "image_settings",
    "in_fractions",
]

COMPUTING: Final = "Where and how to compute"
"""The section of the help for options that do not change what is computed."""

_WIDTH_ON_PROCESSORS: Final = Fraction(1, 16)


class ArchName(StrEnum):
    """The baseline with pools of stride 2, and the same with clique pools."""

    VGG = "vgg"
    VGG_CLIQUE = "vgg-clique"


def _factor(text: str) -> float:
    """Parse a factor such as 0.125 or 1/8."""
    try:
        return float(Fraction(text))
    except (ValueError, ZeroDivisionError):
        raise typer.BadParameter(f"expected a factor such as 1/8 or 0.5, got {text!r}") from None


DataOption = Annotated[
    str,
    typer.Option(
        "--data",
        metavar="DATA",
        help="digits, CIFAR-10, or a file or folder of images; see docs/images.md.",
        autocompletion=complete_images,
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
    str,
    typer.Option(
        metavar="NAME",
        help="cpu, cuda or cuda:1; auto is a graphics card if there is one.",
        autocompletion=complete_device,
        rich_help_panel=COMPUTING,
    ),
]
MixedOption = Annotated[
    bool | None,
    typer.Option(
        "--amp/--no-amp",
        help="Mixed precision. By default on a graphics card only.",
        show_default=False,
        rich_help_panel=COMPUTING,
    ),
]
CompileOption = Annotated[
    bool | None,
    typer.Option(
        "--compile/--no-compile",
        help="Compile the network. By default on a graphics card only.",
        show_default=False,
        rich_help_panel=COMPUTING,
    ),
]
LayoutOption = Annotated[
    bool,
    typer.Option(
        "--channels-last/--channels-first", help="How images lie in memory.", rich_help_panel=COMPUTING
    ),
]


def image_settings(
    compute: "Compute",
    assignments: list[str] | None,
    *,
    width: float | None,
    epochs: int | None,
    batch_size: int | None,
    learning_rate: float | None,
    arch: str | None = None,
) -> "ImageSettings":
    """Return the settings of the options; settings that were not given have their defaults."""
    from cliquepool.nn.image_settings import ImageSettings

    assigned = parse_assignments(assignments)
    if "width" in assigned:
        assigned["width"] = str(_factor(assigned["width"]))
    usual = 1.0 if compute.torch_device.type == "cuda" else float(_WIDTH_ON_PROCESSORS)
    options = {
        "--width": ("width", width),
        "--epochs": ("epochs", epochs),
        "--batch-size": ("batch_size", batch_size),
        "--lr": ("learning_rate", learning_rate),
        "--arch": ("arch", arch),
    }
    return changed_settings(ImageSettings(width=usual), assigned, options)


def in_fractions(width: float) -> str:
    """Return a width as a fraction, such as 1/16."""
    return str(Fraction(width).limit_denominator(1000))
