"""Workers of a cluster without a cluster: tasks run in this process, one after another."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from cliquepool.scale.shard_tasks import forget_shards
from cliquepool.scale.tasks import here

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from cliquepool.scale.connection import Task
    from cliquepool.scale.tasks import Origin

__all__ = ["InProcessWorkers"]


class InProcessWorkers:
    """Run tasks as `Connection` does, also after pickling, as for another process.

    With `forgetful`, workers lose what they remember before every such task, as if they were replaced.
    """

    def __init__(self, forgetful: int = 0) -> None:
        self._forgetful = forgetful
        self.tasks = 0

    def workers(self) -> dict[str, int]:
        return {"here": 1}

    def origin(self) -> Origin:
        return here("run")

    def tell(self, function: Callable[[str], None], run: str) -> None:
        function(run)

    def run(self, tasks: Sequence[Task], origin: Origin) -> Iterator[tuple[int, Any]]:
        for index, task in enumerate(tasks):
            self.tasks += 1
            if self._forgetful and self.tasks % self._forgetful == 0:
                forget_shards(origin.run)
            yield index, pickle.loads(pickle.dumps(task.function(pickle.loads(pickle.dumps(task.argument)))))
