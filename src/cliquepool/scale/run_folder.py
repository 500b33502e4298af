"""The folder of one graph that is pooled in shards: its shards, and the rounds that are finished."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from filelock import FileLock, Timeout

from cliquepool.errors import ClusterError, InputError
from cliquepool.files import naming_errors
from cliquepool.scale.shards import ShardPaths, expect_ids, read_part, write_part
from cliquepool.scale.tasks import TASK_FORMAT

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from cliquepool.scale.shards import Sharding
    from cliquepool.twins import TwinFactors

__all__ = ["FinishedRound", "RunFolder"]

_LETTERS: Final = 16


class FinishedRound(NamedTuple):
    """The pools of one round, in canonical order, as lists of twin classes; and their weight."""

    weight: int
    offsets: npt.NDArray[np.int64]
    members: npt.NDArray[np.int32]

    def is_consistent(self) -> bool:
        """Tell whether the offsets are those of the members, with no empty pool."""
        ends = self.offsets[:1].tolist(), self.offsets[-1:].tolist()
        return ends == ([0], [len(self.members)]) and bool((np.diff(self.offsets) > 0).all())


class RunFolder:
    """A folder that all workers can read and write.

    It belongs to one graph and one way to cut it, by the SHA-256 `run`, and to one process at a time.
    """

    def __init__(self, path: Path, run: str, *, kept: bool) -> None:
        self.path = path
        self.run = run
        self.kept = kept

    @classmethod
    @contextlib.contextmanager
    def opened(
        cls, parent: Path | None, factors: TwinFactors, shards: int, by: Sharding
    ) -> Iterator[RunFolder]:
        """Open the folder of a run inside `parent`, as another process left it, or a temporary one.

        A run that ends without an error removes its folder.
        """
        run = _digest(factors, shards, by)
        if parent is None:
            with tempfile.TemporaryDirectory(prefix="cliquepool-") as temporary:
                yield cls(Path(temporary), run, kept=False)
            return
        path = parent.absolute() / f"pooling-{run[:_LETTERS]}"
        with naming_errors(path):
            path.mkdir(parents=True, exist_ok=True)
            lock = FileLock(path.with_suffix(".lock"))
            try:
                lock.acquire(timeout=0)
            except Timeout:
                raise ClusterError(f"{path}: another process is at work on this graph") from None
        try:
            yield cls(path, run, kept=True)
            shutil.rmtree(path, ignore_errors=True)
        finally:
            lock.release()
            Path(lock.lock_file).unlink(missing_ok=True)

    @property
    def oriented(self) -> Path:
        """The file of the whole graph, which shards are cut out of."""
        return self.path / "oriented.safetensors"

    def shard(self, number: int) -> ShardPaths:
        """Return the files of a shard, by its number from 0."""
        return ShardPaths.of(self.path, number)

    def ranks(self, number: int, num_classes: int) -> npt.NDArray[np.int32]:
        """Map the ranks of the vertices of a shard of a graph of so many classes."""
        path = self.shard(number).ranks
        arrays, _ = read_part(path, "ranks", self.run, ("ranks",))
        expect_ids(path, "ranks", arrays["ranks"], num_classes)
        return arrays["ranks"]

    def finished_rounds(self, num_classes: int) -> Iterator[FinishedRound]:
        """Read the rounds on record, up to the first that is missing, not whole, or not of this graph."""
        for number in range(1, 2**31):
            path = self._round(number)
            try:
                arrays, about = read_part(path, "round", self.run, ("offsets", "members"), mapped=False)
                finished = FinishedRound(int(about["weight"]), arrays["offsets"], arrays["members"])
                expect_ids(path, "members", finished.members, num_classes)
            except (FileNotFoundError, InputError, KeyError, ValueError):
                return
            if not finished.is_consistent():
                return
            yield finished

    def record(self, number: int, finished: FinishedRound) -> None:
        """Record a round, by its number from 1; in a temporary folder, do nothing."""
        if self.kept:
            arrays: dict[str, npt.NDArray[Any]] = {"offsets": finished.offsets, "members": finished.members}
            write_part(self._round(number), "round", self.run, arrays, weight=finished.weight)

    def _round(self, number: int) -> Path:
        return self.path / f"round-{number:05}.safetensors"


def _digest(factors: TwinFactors, shards: int, by: str) -> str:
    """Return the SHA-256 of a graph, the way to cut it, and the format."""
    digest = hashlib.sha256(f"{TASK_FORMAT} {shards} {by} {factors.num_classes}".encode())
    for array in (factors.sizes, factors.indptr, factors.indices):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
