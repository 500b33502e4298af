"""The live display of training has room for what it shows."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.progress import Progress

from cliquepool.cli.run_display import _columns


@pytest.mark.parametrize("width", [40, 46, 60, 74, 80, 100, 120])
def test_no_column_is_cut(width: int) -> None:
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=True, color_system=None)
    progress = Progress(*_columns(width), console=console)
    progress.add_task(
        "fold 10, seed 2",
        total=1000,
        epoch="epoch 999/1000",
        loss="loss 0.123",
        accuracy="accuracy 85.1",
        left="1:23:45 left",
    )
    console.print(progress.get_renderable())
    shown = file.getvalue()
    assert "…" not in shown
    assert "epoch 999/1000" in shown
    assert ("accuracy 85.1" in shown) == (width >= 46)
