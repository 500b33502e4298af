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

import numpy as np
import pytest

import cliquepool as cp
from cliquepool.data import available_datasets, catalogue, load_dataset, read_tu
from cliquepool.data.schema import ARRAYS, VALUES
from tests.helpers.tu_files import COLLECTION, TRIANGLE_AND_EDGE, check_averages, write_folder, write_zip

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NO_SERVER = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be in an empty folder with an empty cache, no data and no internet."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("CLIQUEPOOL_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CLIQUEPOOL_DATA", raising=False)
    monkeypatch.setattr(catalogue, "_TU_URL", NO_SERVER)


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


def test_mutag_comes_with_the_package() -> None:
    dataset = load_dataset("MUTAG")
    assert repr(dataset) == (
        "GraphDataset(MUTAG: 188 graphs, 3,371 nodes, 3,721 edges, 2 classes, 7 node labels, 4 edge labels)"
    )
    assert dataset.fingerprint == "316f5f02c79681a719c79cd2e62952aaedb991a56d70a35363c9d15c6c8a42e7"
    check_averages(dataset, "MUTAG")
    assert ("MUTAG", "comes with cliquepool") in [place[:2] for place in available_datasets()]
    citation = available_datasets()[0].path.with_name("MUTAG.txt").read_text(encoding="utf-8")
    assert "Debnath" in citation


def test_what_comes_with_the_package_is_not_downloaded(tmp_path: Path, collection: None) -> None:
    write_zip(tmp_path / "server" / "MUTAG.zip", TRIANGLE_AND_EDGE, zipfile.ZIP_DEFLATED)
    assert len(load_dataset("MUTAG")) == 188
    assert not (tmp_path / "cache").exists()


def test_a_data_folder_comes_before_the_package(tmp_path: Path) -> None:
    write_class(tmp_path / "data" / "MUTAG", 3)
    assert len(load_dataset("MUTAG", data_dir=tmp_path / "data")) == 2


@pytest.mark.data
def test_the_bundled_mutag_is_what_read_tu_reads(shared_data: Path) -> None:
    bundled, read = load_dataset("MUTAG"), read_tu(shared_data / "tu" / "MUTAG.zip")
    for field in (*ARRAYS, *VALUES):
        ours, theirs = getattr(bundled, field), getattr(read, field)
        assert (ours is None) == (theirs is None)
        assert ours is None or (ours.dtype == theirs.dtype and np.array_equal(ours, theirs)), field


@pytest.mark.skipif(not importlib.util.find_spec("grakel"), reason="GraKeL is not installed")
def test_labels_in_columns_are_read_from_a_real_data_set() -> None:
    folder = importlib.util.find_spec("grakel").submodule_search_locations[0]  # type: ignore[union-attr,index]
    dataset = load_dataset(f"{folder}/tests/data/Cuneiform")
    assert (len(dataset), dataset.num_classes) == (267, 30)
    assert dataset.node_labels is None


def test_a_name_that_leads_nowhere_is_reported_in_one_line(tmp_path: Path) -> None:
    for name in ("TOY", "LONGER"):
        write_class(tmp_path / "data" / name, 3)
    with pytest.raises(cp.GraphError) as caught:
        load_dataset("LONGR", data_dir=tmp_path / "data")
    message = str(caught.value)
    assert message.startswith(
        f"no data set 'LONGR' (did you mean LONGER?): tried a path, {tmp_path / 'data'}, "
        "the package, and a download (URLError: "
    )
    assert message.endswith("); there are LONGER, MUTAG, TOY")
    assert "\n" not in message
    with pytest.raises(cp.GraphError, match=r"no data folder \(set data_dir or \$CLIQUEPOOL_DATA\)"):
        load_dataset("LONGR")


def test_paths_and_folders_that_are_not_there_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(cp.GraphError, match=r"a/b\.zip: expected a zip file or a folder .* got no such file"):
        load_dataset("a/b.zip")
    with pytest.raises(cp.GraphError, match=r"data_dir: expected a folder, got .*none, which is not one"):
        load_dataset("TOY", data_dir=tmp_path / "none")
    monkeypatch.setenv("CLIQUEPOOL_DATA", str(tmp_path / "none"))
    with pytest.raises(cp.GraphError, match=r"\$CLIQUEPOOL_DATA: expected a folder"):
        available_datasets()


@pytest.fixture
def collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stand in for the collection's own server."""
    (tmp_path / "server").mkdir()
    write_zip(tmp_path / "server" / "TOY.zip", TRIANGLE_AND_EDGE, zipfile.ZIP_DEFLATED)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "server")))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setattr(catalogue, "_TU_URL", f"http://127.0.0.1:{server.server_address[1]}")
    yield
    server.shutdown()
    thread.join()
    server.server_close()


def test_what_is_not_at_hand_is_downloaded_once(
    tmp_path: Path, collection: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(load_dataset("TOY")) == 2
    monkeypatch.setattr(catalogue, "_TU_URL", NO_SERVER)
    assert len(load_dataset("TOY")) == 2
    assert ("TOY", "downloaded") in [place[:2] for place in available_datasets()]
    assert [path.name for path in (tmp_path / "cache" / "downloads").iterdir()] == ["TOY.zip"]


def test_a_download_that_fails_leaves_nothing(tmp_path: Path, collection: None) -> None:
    (tmp_path / "server" / "PAGE.zip").write_text("a page that says there is no such file")
    for name, problem in (("OTHER", "HTTPError: .* 404: .*"), ("PAGE", "http.*PAGE.zip is no zip file")):
        with pytest.raises(cp.GraphError, match=rf"no data set '{name}': .* and a download \({problem}\);"):
            load_dataset(name)
    assert list((tmp_path / "cache" / "downloads").iterdir()) == []


@pytest.mark.data
def test_the_shared_data_sets_are_listed(shared_data: Path) -> None:
    assert set(COLLECTION) <= {place.name for place in available_datasets(shared_data)}


def test_loading_imports_neither_torch_nor_scikit_learn(tmp_path: Path) -> None:
    write_class(tmp_path / "TOY", 3)
    code = (
        "import sys; from cliquepool.data import load_dataset; load_dataset(sys.argv[1]);"
        "print([name for name in ('torch', 'torch_geometric', 'sklearn', 'pydantic') if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "TOY")], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
