from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.helpers.commands import environment

if TYPE_CHECKING:
    from collections.abc import Callable

# A busy machine is no failure; pytest-timeout ends what hangs.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


# Tests run in the background by a shell ignore Ctrl-C, and the commands they start would inherit that.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real graphs: ``graphs/*.txt.gz``, ``dimacs/*.clq.gz``."""
    beside_the_repository = Path(__file__).parents[1] / ".." / "shared" / "data"
    folder = Path(os.environ.get("CLIQUEPOOL_DATA", beside_the_repository))
    if not (folder / "graphs").is_dir():
        pytest.skip(f"no real graphs in {folder}: set CLIQUEPOOL_DATA to their folder")
    return folder


@pytest.fixture
def here(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Run in this process, which has torch already; give the exit code and what was printed.

    A module that asks for this has a fixture `folder`, the working folder.
    """
    from cliquepool.cli import main  # noqa: PLC0415

    monkeypatch.chdir(folder)
    for name, value in environment(folder).items():
        monkeypatch.setenv(name, value)

    def run_here(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(list(map(str, arguments)))
        printed = capsys.readouterr()
        assert isinstance(end.value.code, int)
        return end.value.code, printed.out, printed.err

    return run_here


@pytest.fixture
def refused(here: Callable[..., tuple[int, str, str]]) -> Callable[..., str]:
    """Run what must be refused; give the one line it says."""

    def refuse(*arguments: object) -> str:
        code, output, errors = here(*arguments)
        assert (code, output) == (2, ""), errors
        assert errors.startswith("cliquepool: error: ")
        assert errors.count("\n") == 1
        return errors

    return refuse


@pytest.fixture
def succeeded(here: Callable[..., tuple[int, str, str]]) -> Callable[..., str]:
    """Run what must succeed; give what it prints."""

    def succeed(*arguments: object) -> str:
        code, output, errors = here(*arguments)
        assert (code, errors) == (0, "")
        return output

    return succeed
