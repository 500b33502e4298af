"""Write the interactive pages that the documentation shows in frames; conf.py calls this after a build."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import networkx as nx

import cliquepool as cp

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def karate_club() -> cp.view.Page:
    """Return the page of Zachary's karate club, with the club that each member joined."""
    club = nx.karate_club_graph()
    sides = [club.nodes[member]["club"] for member in club]
    return cp.view.show(club, colour={"club": sides}, title="Zachary's karate club")


def write_live_pages(app: Sphinx, exception: Exception | None) -> None:
    """Write the pages into the folder of static files of a finished build."""
    if exception is None and app.builder.format == "html":
        karate_club().save(Path(app.outdir) / "_static" / "karate-club.html")
