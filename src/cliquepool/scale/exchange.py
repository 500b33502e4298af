"""The exchange of features and gradients between the parts of a run, by files that all can read."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from cliquepool.scale.row_files import RowFile, write_rows

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from cliquepool.ragged import Ragged
    from cliquepool.scale.part_files import Part, PartitionIndex
    from cliquepool.scale.part_views import ViewKind

    Rows = npt.NDArray[Any]
    View = tuple[int, ViewKind]

__all__ = ["Consumer", "Exchange"]


@dataclass(frozen=True)
class Consumer:
    """A stage that reads a value as one of its inputs: in a view, or the own rows alone."""

    stage: int
    input: int
    view: View | None


@dataclass(frozen=True, eq=False)
class Exchange:
    """The files of one run. A value or gradient has one file for each part.

    Attributes
    ----------
    folder : Path
        The folder of the files.
    index : PartitionIndex
        The numbers of rows that parts own and send.
    consumers : dict
        The stages that read each value.
    """

    folder: Path
    index: PartitionIndex
    consumers: dict[int, tuple[Consumer, ...]]

    # ---- values: own rows first, then those for each other part in each view ----

    def write_value(self, value: int, level: int, part: Part, rows: Rows) -> None:
        """Write the own rows of a part, and copies of those that other parts read."""
        sent = (
            rows[positions]
            for _, kind in self._views(value)
            for other, positions in enumerate(part.levels[level].sends[kind])
            if other != part.index
        )
        num_rows = self._value_rows(value, level, part.index)
        write_rows(self._value_path(value, part.index), chain([rows], sent), num_rows, rows)

    def read_own(self, value: int, level: int, part: int) -> Rows:
        """Return the own rows of a part."""
        return self._value_file(value, level, part).read(0, int(self.index.counts[level, part]))

    def read_view(self, value: int, level: int, view: View, part: Part) -> Rows:
        """Return the rows that a part reads in a view: its own, and those that others sent it."""
        described = part.levels[view[0]].views[view[1]]
        result: Rows | None = None
        for source in range(self.index.num_parts):
            positions = described.sources[source]
            if result is not None and not len(positions):
                continue
            if source == part.index:
                sent = part.levels[level].sends[view[1]][source]
                rows = self.read_own(value, level, source)
                rows = rows if len(sent) == len(rows) else rows[sent]
            else:
                begin = self._section(value, level, view, source, part.index)
                rows = self._value_file(value, level, source).read(begin, len(positions))
            if result is None:
                result = np.empty((len(described.rows), rows.shape[1]), dtype=rows.dtype)
            result[positions] = rows
        assert result is not None, "there is at least one part"
        return result

    def remove_value(self, value: int) -> None:
        """Remove the files of a value."""
        for part in range(self.index.num_parts):
            self._value_path(value, part).unlink(missing_ok=True)

    def _views(self, value: int) -> list[View]:
        read = (consumer.view for consumer in self.consumers.get(value, ()))
        return list(dict.fromkeys(view for view in read if view is not None))

    def _value_path(self, value: int, part: int) -> Path:
        return self.folder / f"value-{value}-{part}.rows"

    def _value_file(self, value: int, level: int, part: int) -> RowFile:
        return RowFile(self._value_path(value, part), part, self._value_rows(value, level, part))

    def _value_rows(self, value: int, level: int, part: int) -> int:
        own = int(self.index.counts[level, part])
        return own + sum(self._sent(view, part) for view in self._views(value))

    def _sent(self, view: View, part: int) -> int:
        """Return the number of rows that a part sends to others."""
        return int(self.index.sent[view][part].sum() - self.index.sent[view][part, part])

    def _section(self, value: int, level: int, view: View, source: int, to: int) -> int:
        """Return the position of the first row that `source` sends to the part `to` in a view."""
        views = self._views(value)
        earlier = sum(self._sent(other, source) for other in views[: views.index(view)])
        counts = self.index.sent[view][source]
        before = int(counts[:to].sum()) - (int(counts[source]) if source < to else 0)
        return int(self.index.counts[level, source]) + earlier + before

    # ---- gradients: of the rows of an input of a stage, grouped by the part that owns them ----

    def write_gradient(self, stage: int, index: int, view: View | None, part: Part, rows: Rows) -> None:
        """Write the gradient of an input of a stage."""
        sources = None if view is None else part.levels[view[0]].views[view[1]].sources
        pieces = [rows] if sources is None else (rows[positions] for positions in sources)
        write_rows(self._gradient_path(stage, index, part.index), pieces, len(rows), rows)

    def add_gradients(self, value: int, level: int, part: Part, total: Rows) -> None:
        """Add the gradients of the own rows of a part from all stages and parts that read them."""
        for consumer in self.consumers.get(value, ()):
            if consumer.view is None:
                path = self._gradient_path(consumer.stage, consumer.input, part.index)
                total += RowFile(path, part.index, len(total)).read(0, len(total))
                continue
            self._add_from_view(consumer, part.levels[level].sends[consumer.view[1]], part.index, total)

    def _add_from_view(self, consumer: Consumer, sends: Ragged, part: int, total: Rows) -> None:
        assert consumer.view is not None
        counts = self.index.sent[consumer.view]
        for reader in range(self.index.num_parts):
            if not counts[part, reader]:
                continue
            path = self._gradient_path(consumer.stage, consumer.input, reader)
            file = RowFile(path, reader, int(counts[:, reader].sum()))
            # A row is sent to a reader once, so that plain indexing adds all.
            total[sends[reader]] += file.read(int(counts[:part, reader].sum()), int(counts[part, reader]))

    def remove_gradients(self, value: int) -> None:
        """Remove the files of the gradients of a value."""
        for consumer in self.consumers.get(value, ()):
            for part in range(self.index.num_parts):
                self._gradient_path(consumer.stage, consumer.input, part).unlink(missing_ok=True)

    def _gradient_path(self, stage: int, index: int, part: int) -> Path:
        return self.folder / f"gradient-{stage}-{index}-{part}.rows"
