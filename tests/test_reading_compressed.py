"""Compressed graph files: known by their bytes, read in pieces, refused where damaged."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from typing import TYPE_CHECKING

import pytest

import cliquepool as cp

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


LARGE = "".join(f"{u} {u * 7919 % 100_003}\n" for u in range(100_003)).encode()


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [("", bytes), (".gz", gzip.compress), (".xz", lzma.compress), (".bz2", bz2.compress)],
)
def test_compressed_files_are_known_by_their_bytes(
    tmp_path: Path, suffix: str, compress: Callable[[bytes], bytes]
) -> None:
    (tmp_path / "plain.txt").write_bytes(LARGE)
    expected = cp.read_graph(tmp_path / "plain.txt")
    assert expected.num_nodes == 100_003
    end_to_end = compress(LARGE[:500_000]) + compress(LARGE[500_000:])  # as cat makes them
    for content in (compress(LARGE), end_to_end):
        for name in (f"edges.txt{suffix}", "edges.txt", "edges.gz", "edges"):
            path = tmp_path / name
            path.write_bytes(content)
            assert cp.read_graph(path) == expected
            assert cp.read_graph(str(path)) == expected


def test_gzip_files_may_be_padded_with_zeros(tmp_path: Path) -> None:
    path = tmp_path / "edges.txt.gz"
    path.write_bytes(gzip.compress(b"0 1\n") + bytes(1000))
    assert cp.read_graph(path).num_edges == 1


def test_gzip_pieces_of_awkward_sizes_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "edges.txt.gz"
    text = b"".join(b"%d %d\n" % (v, v + 1) for v in range(300)) + b"0 1\n" * 3000
    path.write_bytes(gzip.compress(text[:700]) + gzip.compress(b"") + gzip.compress(text[700:]))
    for size in (2, 7, 64, 1000):
        monkeypatch.setattr("cliquepool.reading._PIECE_BYTES", size)
        assert cp.read_graph(path).num_edges == 300


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, bz2.compress])
@pytest.mark.parametrize("damage", [lambda data: data[: len(data) // 2], lambda data: data[:-1]])
def test_truncated_compressed_files_are_refused_with_their_name(
    tmp_path: Path, compress: Callable[[bytes], bytes], damage: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "damaged.txt.gz"
    path.write_bytes(damage(compress(LARGE)))
    with pytest.raises(cp.GraphError, match=r"damaged\.txt\.gz: expected whole (gzip|xz|bzip2) data, got"):
        cp.read_graph(path)


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, bz2.compress])
def test_corrupt_compressed_files_are_refused_with_their_name(
    tmp_path: Path, compress: Callable[[bytes], bytes]
) -> None:
    data = bytearray(compress(LARGE))
    middle = len(data) // 2
    for place in range(middle, middle + 50):
        data[place] ^= 0x55
    path = tmp_path / "damaged.txt.gz"
    path.write_bytes(data)
    with pytest.raises(cp.GraphError, match=r"damaged\.txt\.gz: "):
        cp.read_graph(path)


def test_junk_after_gzip_data_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "junk.gz"
    path.write_bytes(gzip.compress(b"0 1\n") + b"2 3\n")
    with pytest.raises(cp.GraphError, match="expected whole gzip data"):
        cp.read_graph(path)


def test_a_small_file_of_a_huge_text_is_not_held_whole(tmp_path: Path) -> None:
    path = tmp_path / "bomb.txt.gz"
    packer = zlib.compressobj(9, wbits=31)
    comment = b"#" + b"x" * 999 + b"\n"
    path.write_bytes(b"".join(packer.compress(comment * 1000) for _ in range(50)) + packer.flush())
    assert cp.read_graph(path, budget=cp.Budget(max_bytes=10**6)).num_nodes == 0


def xz_asking_for(dictionary: int) -> bytes:
    """Return a small edge list as xz data whose header has this code for the size of the dictionary."""
    data = bytearray(lzma.compress(b"0 1\n1 2\n", preset=0))
    end = 12 + 4 * (data[12] + 1)  # of the block header, which follows the 12 bytes of the stream's
    header = data[12:end]
    header[header.index(b"\x21\x01") + 2] = dictionary
    header[-4:] = zlib.crc32(header[:-4]).to_bytes(4, "little")
    return bytes(data[:12] + header + data[end:])


def test_xz_data_that_ask_for_gigabytes_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "graph.txt.xz"
    file.write_bytes(xz_asking_for(24))  # 16 MiB
    assert cp.read_graph(file).num_edges == 2
    file.write_bytes(xz_asking_for(40))  # 4 GiB
    with pytest.raises(cp.GraphError, match="expected whole xz data, got: Memory usage limit exceeded"):
        cp.read_graph(file)


@pytest.mark.parametrize("padding", [b"", bytes(8)])
def test_xz_files_end_to_end_are_read(tmp_path: Path, padding: bytes) -> None:
    parts = [lzma.compress(text) for text in (b"0 1\n" * 10**5, b"1 2\n", b"2 3\n" * 10**5)]
    file = tmp_path / "graph.txt.xz"
    file.write_bytes(padding.join(parts) + padding)
    assert cp.read_graph(file).num_edges == 3
    file.write_bytes(b"".join(parts)[:-20])
    with pytest.raises(cp.GraphError, match="expected whole xz data"):
        cp.read_graph(file)
    file.write_bytes(b"".join(parts) + b"junk")
    with pytest.raises(cp.GraphError, match="expected whole xz data"):
        cp.read_graph(file)
