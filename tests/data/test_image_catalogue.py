"""load_images finds data sets of images by name and by path."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import cliquepool as cp
from cliquepool.data.image_catalogue import load_images
from tests.helpers.cifar_files import FOLDER, check_small, small, write


@pytest.fixture(autouse=True)
def nowhere(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be in an empty folder with no data."""
    monkeypatch.chdir(tmp_path_factory.mktemp("here"))
    monkeypatch.delenv("CLIQUEPOOL_DATA", raising=False)


@pytest.mark.parametrize("name", ["CIFAR-10", "cifar10", "Cifar-10", "CIFAR10"])
@pytest.mark.parametrize("folder", ["", "cifar"])
def test_cifar_is_found_in_the_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, folder: str
) -> None:
    write(tmp_path / "data" / folder / FOLDER, small(), "folder")
    check_small(load_images(name, data_dir=tmp_path / "data"))
    monkeypatch.setenv("CLIQUEPOOL_DATA", str(tmp_path / "data"))
    check_small(load_images(name))


def test_the_whole_of_cifar_comes_before_a_part_of_it(tmp_path: Path) -> None:
    part = small()
    del part["data_batch_2"]
    write(tmp_path / "cifar-10-subset", part, "tar.xz")
    assert len(load_images("cifar10", data_dir=tmp_path)) == 4
    (tmp_path / "cifar").mkdir()
    write(tmp_path / "cifar" / "cifar-10-python", small(), "tar.gz")
    assert len(load_images("cifar10", data_dir=tmp_path)) == 6


def test_paths_are_read_whatever_their_name(tmp_path: Path) -> None:
    check_small(load_images(write(tmp_path / "mine", small(), "tar.bz2")))
    check_small(load_images(str(write(tmp_path / "mine", small(), "tar"))))
    path = write(tmp_path / "mine", small(), "tar.gz")
    check_small(load_images(path.rename(tmp_path / "mine.tgz")))
    check_small(load_images(write(tmp_path / "digits", small(), "folder")))


def test_names_come_before_paths() -> None:
    check_small(load_images(write(Path("digits"), small(), "folder")))
    assert load_images("digits").name == "digits"
    check_small(load_images("./digits"))


@pytest.mark.parametrize("name", ["digit", "cifar-100", "none.tar.gz"])
def test_a_name_that_leads_nowhere_is_reported_in_one_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(cp.InputError) as caught:
        load_images(name, data_dir=tmp_path)
    assert str(caught.value) == (
        "expected digits, CIFAR-10, or the path of an archive or a folder of CIFAR-10, "
        f"got {name!r}, which is neither a name nor there"
    )


def test_where_cifar_was_searched_is_reported_in_one_line(tmp_path: Path) -> None:
    files = "cifar-10-python.tar.gz, cifar-10-batches-py, cifar-10-subset.tar.xz"
    with pytest.raises(cp.InputError) as caught:
        load_images("CIFAR-10", data_dir=tmp_path)
    assert str(caught.value) == (
        f"no data set 'CIFAR-10': expected one of {files}, got none in {tmp_path}, nor in its cifar"
    )
    with pytest.raises(
        cp.InputError, match=r"got none in no data folder \(set data_dir or \$CLIQUEPOOL_DATA\)"
    ):
        load_images("CIFAR-10")
    with pytest.raises(cp.InputError, match=r"data_dir: expected a folder, got .*none, which is not one"):
        load_images("CIFAR-10", data_dir=tmp_path / "none")


def test_loading_imports_neither_torch_nor_what_it_does_not_need(tmp_path: Path) -> None:
    path = write(tmp_path / "cifar", small())
    code = (
        "import sys; from cliquepool.data import load_images; load_images(sys.argv[1]);"
        "print([name for name in ('torch', 'sklearn', 'tarfile') if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
