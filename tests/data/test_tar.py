"""Tar archives: regular files are read, other members skipped, damage is an error. See also test_cifar.py."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cliquepool as cp
from cliquepool.data.tar import files_of_tar

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES = st.text("abcdefghij_", min_size=1, max_size=90)


def packed(files: dict[str, bytes], form: int = tarfile.USTAR_FORMAT) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=form) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def read(path: Path, wanted: Callable[[str], bool] = lambda _: True) -> dict[str, bytes]:
    return dict(files_of_tar(path, wanted))


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(NAMES, st.binary(max_size=2000), max_size=5),
    st.sampled_from([lambda data: data, gzip.compress, lzma.compress, bz2.compress]),
)
def test_files_are_read_as_they_were_packed(
    tmp_path: Path, files: dict[str, bytes], compress: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "archive"
    path.write_bytes(compress(packed({f"folder/{name}": content for name, content in files.items()})))
    assert read(path) == files


def test_only_wanted_files_are_returned(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    path.write_bytes(packed({"a/one": b"1", "a/two": b"22", "three": b"333"}))
    assert read(path, lambda name: name != "two") == {"one": b"1", "three": b"333"}


def test_links_devices_and_names_outside_of_the_archive_are_skipped(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, kind in (
            ("link", tarfile.SYMTYPE),
            ("device", tarfile.CHRTYPE),
            ("folder", tarfile.DIRTYPE),
        ):
            member = tarfile.TarInfo(name)
            member.type = kind
            archive.addfile(member)
        for name in ("../up", "/top", "inside/../../up", "inside/file"):
            archive.addfile(tarfile.TarInfo(name))
    (tmp_path / "archive").write_bytes(stream.getvalue())
    assert read(tmp_path / "archive") == {"file": b""}


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: data[:1000], "expected a whole tar archive, got its first 1,000 bytes: cut short"),
        (lambda data: data[:512], "expected a whole tar archive, got its first 512 bytes: cut short"),
        (lambda data: data[:3], "expected a tar archive, got a file of 3 bytes"),
        (lambda data: b"x" + data[1:], "expected a tar archive, plain or compressed"),
        (
            lambda data: data[:124] + b"77777777777\0" + data[136:],
            "expected a tar archive, plain or compressed",
        ),
        (lambda data: gzip.compress(data)[:-4], "expected whole gzip data"),
    ],
    ids=["content", "header", "bytes", "name", "size", "gzip"],
)
def test_damage_is_an_error(tmp_path: Path, damage: Callable[[bytes], bytes], message: str) -> None:
    path = tmp_path / "archive"
    path.write_bytes(damage(packed({"file": bytes(700)})))
    with pytest.raises(cp.GraphError, match=message):
        read(path)
