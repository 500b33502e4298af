"""Protocols that judge models, records of every fold, and figures made from the records alone."""

from cliquepool._extras import require

require("train", __name__)

from cliquepool.data.selection import Selection
from cliquepool.evaluate.errors import EvaluationError, FoldFailed
from cliquepool.evaluate.estimators import Dataset, Estimator
from cliquepool.evaluate.intervals import Interval, figure_interval
from cliquepool.evaluate.mlflow_logger import MLflowLogger
from cliquepool.evaluate.pairs import PairedComparison, paired_comparison
from cliquepool.evaluate.plans import Plan, Unit, plan_run
from cliquepool.evaluate.protocols import evaluate, run_plan
from cliquepool.evaluate.records import FoldRecord, RecordFile, RunKey, read_records
from cliquepool.evaluate.split_files import FixedSplits
from cliquepool.evaluate.splits import Split
from cliquepool.evaluate.summary import Figure, RunSummary, summarise
from cliquepool.evaluate.tensorboard_logger import TensorBoardLogger
from cliquepool.evaluate.watchers import RunWatcher
from cliquepool.evaluate.workers import Limits
from cliquepool.training.report import EpochReport

__all__ = [
    "Dataset",
    "EpochReport",
    "Estimator",
    "EvaluationError",
    "Figure",
    "FixedSplits",
    "FoldFailed",
    "FoldRecord",
    "Interval",
    "Limits",
    "MLflowLogger",
    "PairedComparison",
    "Plan",
    "RecordFile",
    "RunKey",
    "RunSummary",
    "RunWatcher",
    "Selection",
    "Split",
    "TensorBoardLogger",
    "Unit",
    "evaluate",
    "figure_interval",
    "paired_comparison",
    "plan_run",
    "read_records",
    "run_plan",
    "summarise",
]
