"""What a kind of file is to the fuzzer: valid samples, a way to change them, and their loader."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import cliquepool as cp
from tests.fuzz.mutations import mutated

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    Files = dict[str, bytes]

BUDGET = cp.Budget(max_bytes=2**27, max_seconds=20, max_cliques=10**6)
OPEN = {".gz": gzip.decompress, ".xz": lzma.decompress, ".bz2": bz2.decompress}
PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda text: gzip.compress(text, 1, mtime=0),
    ".xz": lambda text: lzma.compress(text, preset=0),
    ".bz2": lambda text: bz2.compress(text, 1),
}


@dataclass(frozen=True)
class Kind:
    """Files that one loader reads.

    `samples` writes valid files into an empty folder, by name; `load` reads the files of a folder. `change`
    changes the bytes of a named file.
    """

    name: str
    samples: Callable[[Path], list[Files]]
    load: Callable[[Path], object]
    change: Callable[[str, bytes, random.Random, list[bytes]], bytes]
    needs_torch: bool = False

    def mutate(self, samples: list[Files], draw: random.Random) -> Files:
        """Change one of the files of one of the samples."""
        sample = draw.choice(samples)
        name = draw.choice(sorted(sample))
        others = [content for files in samples for content in files.values()]
        return sample | {name: self.change(name, sample[name], draw, others)}


def changed_bytes(name: str, content: bytes, draw: random.Random, others: list[bytes]) -> bytes:
    """Change the bytes of a file; if it is compressed, those before compression."""
    suffix = Path(name).suffix
    if suffix in PACK and draw.random() < 0.5:
        return PACK[suffix](mutated(OPEN[suffix](content), draw, others))
    return mutated(content, draw, others)


def resealed_bytes(name: str, content: bytes, draw: random.Random, others: list[bytes]) -> bytes:
    """Change the bytes of a file of arrays and usually correct its checksums, so that the content is read."""
    del name
    if draw.random() < 0.3:
        return mutated(content, draw, others)
    return resealed(changed_parts(content, draw))


def changed_parts(content: bytes, draw: random.Random) -> bytes:
    """Change the header or the arrays of a file of arrays, mostly without changing the length of these."""
    length = 8 + int.from_bytes(content[:8], "little")
    header, arrays = content[8:length], content[length:]
    if draw.random() < 0.6:
        header = mutated(header, draw, [header])
    else:
        whole, arrays = len(arrays), mutated(arrays, draw, [arrays])
        arrays = arrays[:whole].ljust(whole, b"\0") if draw.random() < 0.8 else arrays
    return len(header).to_bytes(8, "little") + header + arrays


def resealed(content: bytes) -> bytes:
    """Correct the checksums of a file of arrays."""
    length = 8 + int.from_bytes(content[:8], "little")
    header, arrays = content[8:length], content[length:]
    digest = hashlib.sha256(arrays).hexdigest().encode()
    header = re.sub(rb'(?<="content_sha256": ")[0-9a-f]{64}', digest, header)
    if header.startswith(b'{"__metadata__": {"header_sha256": "'):
        begin, end = 36, 100
        header = header[:begin] + b"0" * 64 + header[end:]
        seal = hashlib.sha256(len(header).to_bytes(8, "little") + header).hexdigest().encode()
        header = header[:begin] + seal + header[end:]
    return len(header).to_bytes(8, "little") + header + arrays
