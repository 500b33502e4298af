"""The `cliquepool` command: its subcommands, its error messages and its exit codes."""

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any, Final, NoReturn

import typer

import cliquepool
from cliquepool.cli.cliques import show_cliques
from cliquepool.cli.compare import compare_models
from cliquepool.cli.completion import prepare_completion, show_completion
from cliquepool.cli.convert import convert_file
from cliquepool.cli.datasets import show_datasets
from cliquepool.cli.explain import explain_prediction
from cliquepool.cli.images import images
from cliquepool.cli.info import show_info
from cliquepool.cli.options import OPTION_OF_LIMIT
from cliquepool.cli.partition import partition_hierarchy
from cliquepool.cli.plain_help import PlainCommand, PlainGroup
from cliquepool.cli.pool import show_levels
from cliquepool.cli.predict import predict_classes
from cliquepool.cli.report import show_report
from cliquepool.cli.train import train_classifier
from cliquepool.cli.view import view_hierarchy
from cliquepool.errors import BudgetExceeded, ClusterError, InputError, MissingDependency

__all__ = ["app", "main"]

_BAD_INPUT: Final = 2
_INTERRUPTED: Final = 130

# The base class of usage errors; typer has no public name for it.
_UsageError: Final[Any] = typer.BadParameter.__base__

app = typer.Typer(
    name="cliquepool",
    cls=PlainGroup,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("cliques", cls=PlainCommand)(show_cliques)
app.command("pool", cls=PlainCommand)(show_levels)
app.command("convert", cls=PlainCommand)(convert_file)
app.command("view", cls=PlainCommand)(view_hierarchy)
app.command("partition", cls=PlainCommand)(partition_hierarchy)
app.command("train", cls=PlainCommand)(train_classifier)
app.command("predict", cls=PlainCommand)(predict_classes)
app.command("explain", cls=PlainCommand)(explain_prediction)
app.command("compare", cls=PlainCommand)(compare_models)
app.add_typer(images, name="images")
app.command("report", cls=PlainCommand)(show_report)
app.command("datasets", cls=PlainCommand)(show_datasets)
app.command("info", cls=PlainCommand)(show_info)
app.command("completion", cls=PlainCommand)(show_completion)


def _print_version(given: bool) -> None:
    if given:
        print(f"cliquepool {cliquepool.__version__}")
        raise typer.Exit


@app.callback(
    invoke_without_command=True,
    epilog="[bold]Examples[/bold]\n\n"
    "cliquepool pool network.txt.gz\n\n"
    "cliquepool cliques network.txt.gz --min-size 3\n\n"
    "cliquepool train MUTAG\n\n"
    "Each command has a help page: cliquepool pool --help",
)
def _overview(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Exact clique pooling of graphs, and graph classifiers that pool by cliques.

    Every node joins the largest clique that is left when its turn comes; the pools are the
    nodes of the next, coarser graph.
    """
    del version  # handled by its callback
    if context.invoked_subcommand is None:
        print(context.get_help())


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command and exit: with 0, with 2 and one line on stderr for invalid input, with 130 on Ctrl-C."""
    _prepare_streams()
    prepare_completion()
    sys.exit(_run(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: Sequence[str]) -> int:
    try:
        code = app(list(arguments), prog_name="cliquepool", standalone_mode=False)
        sys.stdout.flush()
    except _UsageError as error:
        return _fail(_usage_message(error))
    except (InputError, MissingDependency, ClusterError) as error:
        return _fail(str(error))
    except BudgetExceeded as error:
        return _fail(_budget_message(error))
    except BrokenPipeError:
        return _leave_closed_pipe()
    except OSError as error:
        return _fail(_system_message(error))
    except MemoryError:
        return _fail("out of memory; --max-memory sets a limit")
    except (KeyboardInterrupt, typer.Abort):
        return _INTERRUPTED
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # rich and typer turn a closed pipe into an exit
            return _leave_closed_pipe()
        return end.code if isinstance(end.code, int) else _BAD_INPUT
    return code if isinstance(code, int) else 0


def _prepare_streams() -> None:
    """Make printing safe if a stream is closed, or its encoding lacks characters."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 (until the process ends)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _fail(message: str) -> int:
    print(f"cliquepool: error: {' '.join(message.split())}", file=sys.stderr)
    return _BAD_INPUT


def _leave_closed_pipe() -> int:
    """Discard the rest of the output: the reader of the pipe has closed it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
    return 0


def _usage_message(error: Any) -> str:
    path = error.ctx.command_path if error.ctx is not None else "cliquepool"
    message = str(error.format_message()).rstrip(".").replace("Value error, ", "")
    if message.startswith("Invalid value: --"):  # the option is part of the message
        message = message.removeprefix("Invalid value: ")
    return f"{message[:1].lower()}{message[1:]} (see {path} --help)"


def _budget_message(error: BudgetExceeded) -> str:
    """Replace the Python argument in the message by the option to change."""
    return str(error).replace(f"budget=Budget({error.limit}=...)", OPTION_OF_LIMIT[error.limit])


def _system_message(error: OSError) -> str:
    reason = error.strerror or str(error) or type(error).__name__
    return f"{error.filename}: {reason.lower()}" if error.filename else reason.lower()
