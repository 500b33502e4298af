from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cliquepool.data import load_dataset
from cliquepool.errors import GraphError
from cliquepool.report.truth import FoundDatasets
from tests.helpers.fold_records import record
from tests.helpers.reported_runs import DATA, predicted_run, run_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _no_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CLIQUEPOOL_DATA", raising=False)
    monkeypatch.setenv("CLIQUEPOOL_CACHE", str(tmp_path / "cache"))


def test_a_data_set_is_found_by_its_name(tmp_path: Path) -> None:
    run = run_of(predicted_run())
    assert FoundDatasets.of([run]).get(run) is None
    assert "TOY is not on this machine" in FoundDatasets.of([run]).reason(run)
    DATA.save(tmp_path / "TOY.safetensors")
    found = FoundDatasets.of([run], data_dir=tmp_path).get(run)
    assert found is not None
    assert found.fingerprint == DATA.fingerprint
    assert FoundDatasets.of([run], [DATA]).get(run) is DATA


def test_a_data_set_that_comes_with_the_package_needs_no_folder() -> None:
    mutag = load_dataset("MUTAG")
    run = run_of([record(dataset="MUTAG", fingerprint=mutag.fingerprint)])
    assert FoundDatasets.of([run]).get(run) is not None


def test_another_data_set_of_the_same_name_is_not_used(tmp_path: Path) -> None:
    DATA[:6].save(tmp_path / "TOY.safetensors")
    run = run_of(predicted_run())
    found = FoundDatasets.of([run], data_dir=tmp_path)
    assert found.get(run) is None
    assert "is another one" in found.reason(run)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="data_dir: expected a folder"):
        FoundDatasets.of([run_of(predicted_run())], data_dir=tmp_path / "none")


def test_a_damaged_file_is_a_reason_and_no_error(tmp_path: Path) -> None:
    (tmp_path / "TOY.safetensors").write_bytes(b"no tensors")
    run = run_of(predicted_run())
    assert "cannot be read" in FoundDatasets.of([run], data_dir=tmp_path).reason(run)


@pytest.mark.parametrize("name", ["os:getcwd", "../TOY", "a b", ""])
def test_a_name_is_never_imported_downloaded_or_taken_as_a_path(name: str, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    DATA.save(tmp_path / "TOY.safetensors")
    run = run_of([record(dataset=name)])
    assert "is not on this machine" in FoundDatasets.of([run], data_dir=tmp_path / "inner").reason(run)
