"""Models judged honestly: protocols, records of every fold, and figures made from the records alone."""

from cliquepool.evaluate.errors import EvaluationError, FoldFailed
from cliquepool.evaluate.model import Epoch, FittedFold, FoldModel
from cliquepool.evaluate.protocols import Plan, RunWatcher, Unit, evaluate, plan_run, run_plan
from cliquepool.evaluate.records import FoldRecord, RecordFile, RunKey, read_records
from cliquepool.evaluate.splits import Split
from cliquepool.evaluate.summary import Figure, RunSummary, summarise

__all__ = [
    "Epoch",
    "EvaluationError",
    "Figure",
    "FittedFold",
    "FoldFailed",
    "FoldModel",
    "FoldRecord",
    "Plan",
    "RecordFile",
    "RunKey",
    "RunSummary",
    "RunWatcher",
    "Split",
    "Unit",
    "evaluate",
    "plan_run",
    "read_records",
    "run_plan",
    "summarise",
]
