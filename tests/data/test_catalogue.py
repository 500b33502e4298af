"""load_dataset: where a name leads, in which order, and what is said when it leads nowhere."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

import cliquepool as cp
from cliquepool.data import available_datasets, catalogue, load_dataset
from tests.data.test_tu import COLLECTION, TRIANGLE_AND_EDGE, check_averages, write_folder, write_zip

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

needs_grakel = pytest.mark.skipif(not importlib.util.find_spec("grakel"), reason="GraKeL is not installed")


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be in an empty folder with an empty cache, no data and no internet."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("CLIQUEPOOL_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CLIQUEPOOL_DATA", raising=False)
    monkeypatch.setattr(catalogue, "_TU_HOST", ("127.0.0.1", 9))


def write_class(path: Path, value: int) -> None:
    """Write a data set in which one class is `value`, to tell it from others of its name."""
    write_folder(path, TRIANGLE_AND_EDGE | {"graph_labels": f"0\n{value}\n"})


def test_a_path_comes_first_then_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_class(tmp_path / "data" / "TOY", 3)
    monkeypatch.setenv("CLIQUEPOOL_DATA", str(tmp_path / "data"))
    assert load_dataset("TOY").classes.tolist() == [0, 3]
    write_class(tmp_path / "other" / "tu" / "TOY", 2)
    assert load_dataset("TOY", data_dir=tmp_path / "other").classes.tolist() == [0, 2]
    write_class(tmp_path / "here" / "TOY", 1)
    assert load_dataset("TOY", data_dir=tmp_path / "other").classes.tolist() == [0, 1]
    assert load_dataset(tmp_path / "data" / "TOY").classes.tolist() == [0, 3]


def test_a_folder_of_that_name_without_a_data_set_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "here" / "TOY").mkdir()
    write_class(tmp_path / "data" / "TOY", 3)
    assert len(load_dataset("TOY", data_dir=tmp_path / "data")) == 2
    with pytest.raises(cp.GraphError, match=r"TOY: NAME_A\.txt: expected this file"):
        load_dataset(tmp_path / "here" / "TOY")


def test_saved_data_sets_are_found_by_path_and_name(tmp_path: Path) -> None:
    write_class(tmp_path / "TOY", 3)
    dataset = load_dataset(tmp_path / "TOY", cache=False)
    assert not (tmp_path / "cache").exists()
    dataset.save(tmp_path / "mine.safetensors")
    assert load_dataset(tmp_path / "mine.safetensors").fingerprint == dataset.fingerprint
    assert load_dataset("mine", data_dir=tmp_path).fingerprint == dataset.fingerprint


@needs_grakel
def test_mutag_is_always_there() -> None:
    dataset = load_dataset("MUTAG")
    check_averages(dataset, "MUTAG")
    assert load_dataset("MUTAG").fingerprint == dataset.fingerprint
    assert ("MUTAG", "GraKeL's wheel") in [place[:2] for place in available_datasets()]


@needs_grakel
def test_labels_in_columns_are_read_from_a_real_data_set() -> None:
    dataset = load_dataset("Cuneiform")
    assert (len(dataset), dataset.num_classes) == (267, 30)
    assert dataset.node_labels is None


def test_a_name_that_leads_nowhere_is_told_in_one_line(tmp_path: Path) -> None:
    for name in ("TOY", "LONGER"):
        write_class(tmp_path / "data" / name, 3)
    with pytest.raises(cp.GraphError) as caught:
        load_dataset("LONGR", data_dir=tmp_path / "data")
    message = str(caught.value)
    assert message.startswith(
        f"no data set 'LONGR' (did you mean LONGER?): tried a path, {tmp_path / 'data'}, "
        "a download (ConnectionRefusedError"
    )
    assert "; there are " in message
    assert "\n" not in message
    with pytest.raises(cp.GraphError, match=r"no data folder \(set data_dir or \$CLIQUEPOOL_DATA\)"):
        load_dataset("LONGR")


def test_paths_and_folders_that_are_not_there_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(cp.GraphError, match=r"a/b\.zip: expected a zip file or a folder .* got no such file"):
        load_dataset("a/b.zip")
    with pytest.raises(cp.GraphError, match=r"data_dir: expected a folder, got .*none, which is none"):
        load_dataset("TOY", data_dir=tmp_path / "none")
    monkeypatch.setenv("CLIQUEPOOL_DATA", str(tmp_path / "none"))
    with pytest.raises(cp.GraphError, match=r"\$CLIQUEPOOL_DATA: expected a folder"):
        available_datasets()


@pytest.fixture
def collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stand in for the collection's own server."""
    datasets = pytest.importorskip("torch_geometric.datasets")
    (tmp_path / "server").mkdir()
    write_zip(tmp_path / "server" / "TOY.zip", TRIANGLE_AND_EDGE, zipfile.ZIP_DEFLATED)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "server")))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setattr(catalogue, "_TU_HOST", server.server_address)
    monkeypatch.setattr(datasets.TUDataset, "url", f"http://127.0.0.1:{server.server_address[1]}")
    yield
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_what_is_not_at_hand_is_downloaded_once(
    tmp_path: Path, collection: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(load_dataset("TOY")) == 2
    monkeypatch.setattr(catalogue, "_TU_HOST", ("127.0.0.1", 9))
    assert len(load_dataset("TOY")) == 2
    assert ("TOY", "downloaded") in [place[:2] for place in available_datasets()]
    assert [path.name for path in (tmp_path / "cache" / "downloads").iterdir()] == ["TOY"]


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_download_that_fails_leaves_nothing(tmp_path: Path, collection: None) -> None:
    with pytest.raises(
        cp.GraphError, match=r"no data set 'OTHER': .* a download \(.+\), and GraKeL's wheel; there are"
    ):
        load_dataset("OTHER")
    assert list((tmp_path / "cache" / "downloads").iterdir()) == []


@pytest.mark.data
def test_the_shared_data_sets_are_listed(shared_data: Path) -> None:
    assert set(COLLECTION) <= {place.name for place in available_datasets(shared_data)}


def test_loading_imports_neither_torch_nor_grakel(tmp_path: Path) -> None:
    write_class(tmp_path / "TOY", 3)
    code = (
        "import sys; from cliquepool.data import load_dataset; load_dataset(sys.argv[1]);"
        "print([name for name in ('torch', 'torch_geometric', 'grakel', 'sklearn') if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "TOY")], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
