"""`cliquepool view`: look at the levels of a hierarchy in a browser."""

import contextlib
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cliquepool.cli.options import (
    DEFAULT_BYTES,
    DEFAULT_CLIQUES,
    DEFAULT_SECONDS,
    FormatOption,
    HeaderOption,
    IdsOption,
    LevelsOption,
    MaxCliquesOption,
    MaxMemoryOption,
    MaxSecondsOption,
    ThreadsOption,
    make_budget,
)
from cliquepool.cli.output import expect_writable, out
from cliquepool.cli.progress import PatientProgress
from cliquepool.cli.saved_hierarchy import open_hierarchy
from cliquepool.view.explorer import show
from cliquepool.view.server import PageServer

if TYPE_CHECKING:
    from cliquepool.view.page import Page

__all__ = ["view_hierarchy"]

_PAGES: Final = (".html", ".htm")


def view_hierarchy(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A graph, in any format that `cliquepool pool` reads, or a hierarchy that it saved "
            "(.safetensors).",
            show_default=False,
        ),
    ],
    *,
    save_to: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the page to this HTML file instead of serving it."),
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="WORDS", help="The title of the page. By default the file's name.")
    ] = None,
    levels: LevelsOption = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="N", help="The port to serve on; 0 for a free one.")
    ] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Whether to open the page in a browser.")
    ] = True,
    file_format: FormatOption = None,
    ids: IdsOption = None,
    header: HeaderOption = None,
    threads: ThreadsOption = None,
    max_seconds: MaxSecondsOption = DEFAULT_SECONDS,
    max_cliques: MaxCliquesOption = DEFAULT_CLIQUES,
    max_memory: MaxMemoryOption = DEFAULT_BYTES,
) -> None:
    """Look at the levels of a graph in a browser: open pools, search names, save pictures.

    Without --out, the page is served on this machine alone, under an address with a secret token,
    until Ctrl-C.

    [bold]Examples[/bold]

    cliquepool view network.txt.gz

    cliquepool view network.safetensors

    cliquepool view network.txt.gz --out network.html
    """
    budget = make_budget(max_seconds, max_cliques, max_memory)
    if save_to is not None:
        if save_to.suffix.lower() not in _PAGES:
            raise typer.BadParameter(f"--out: expected a file of {', '.join(_PAGES)}, got {save_to.name!r}")
        expect_writable(save_to)
    with PatientProgress() as progress:
        hierarchy = open_hierarchy(
            file, levels, budget, progress, threads=threads, file_format=file_format, ids=ids, header=header
        )
        progress("laying out", 0, 0)
        page = show(hierarchy, title=title or file.name, budget=budget)
    if save_to is None:
        _serve(page, port, browser)
    else:
        page.save(save_to)
        out().print(f"saved to {save_to} ({save_to.stat().st_size:,} bytes)")


def _serve(page: "Page", port: int, browser: bool) -> None:
    """Serve a page until Ctrl-C."""
    try:
        server = PageServer(page, port)
    except OSError as error:
        raise OSError(error.errno, f"port {port} cannot be used: {error.strerror}") from None
    with server:
        out().print(f"{server.url}\nCtrl-C ends it.")
        if browser and not _open(server.url):
            out().print("No browser was found: open this address in one on this machine.")
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()


def _open(url: str) -> bool:
    """Open an address in the user's browser; return False where there is none."""
    try:
        return webbrowser.open(url)
    except webbrowser.Error:
        return False
