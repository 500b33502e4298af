"""Models judged honestly: protocols, records of every fold, and figures made from the records alone."""

from cliquepool._extras import require

require("train", __name__)

from cliquepool.evaluate.errors import EvaluationError, FoldFailed
from cliquepool.evaluate.model import Dataset, Epoch, FittedFold, FoldModel
from cliquepool.evaluate.pairs import PairedComparison, paired_comparison
from cliquepool.evaluate.protocols import Plan, RunWatcher, Unit, evaluate, plan_run, run_plan
from cliquepool.evaluate.records import FoldRecord, RecordFile, RunKey, read_records
from cliquepool.evaluate.splits import Split
from cliquepool.evaluate.summary import Figure, RunSummary, summarise

__all__ = [
    "Dataset",
    "Epoch",
    "EvaluationError",
    "Figure",
    "FittedFold",
    "FoldFailed",
    "FoldModel",
    "FoldRecord",
    "PairedComparison",
    "Plan",
    "RecordFile",
    "RunKey",
    "RunSummary",
    "RunWatcher",
    "Split",
    "Unit",
    "evaluate",
    "paired_comparison",
    "plan_run",
    "read_records",
    "run_plan",
    "summarise",
]
