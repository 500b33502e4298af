"""The data sets that records are of: found by name, accepted by their fingerprint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from cliquepool.data.catalogue import available_datasets, data_folder, load_dataset
from cliquepool.data.image_catalogue import load_images
from cliquepool.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from cliquepool.evaluate.estimators import Dataset
    from cliquepool.report.runs import ReportedRun

__all__ = ["FoundDatasets"]

_IMAGES: Final = ("digits", "CIFAR-10")


@dataclass(frozen=True)
class FoundDatasets:
    """The data sets of a report by their fingerprints, and for those not found the reason."""

    by_fingerprint: dict[str, Dataset]
    reasons: dict[str, str]

    @classmethod
    def of(
        cls,
        runs: Iterable[ReportedRun],
        given: Iterable[Dataset] = (),
        data_dir: str | PathLike[str] | None = None,
    ) -> FoundDatasets:
        """Find the data set of each run: among those given, else by its name on this machine.

        Nothing is downloaded, and no name of a record is ever imported as code. Raises GraphError for a
        `data_dir` that is no folder.
        """
        data_folder(data_dir)  # raises GraphError for a folder that is not there
        found = {dataset.fingerprint: dataset for dataset in given}
        reasons: dict[str, str] = {}
        for run in runs:
            key = run.summary.run
            if key.fingerprint in found or key.fingerprint in reasons:
                continue
            dataset, reason = _found_by_name(key.dataset, data_dir)
            if dataset is not None and dataset.fingerprint != key.fingerprint:
                reason = f"the data set {key.dataset} on this machine is another one (by its fingerprint)"
            if dataset is None or reason:
                reasons[key.fingerprint] = reason
            else:
                found[key.fingerprint] = dataset
        return cls(found, reasons)

    def get(self, run: ReportedRun) -> Dataset | None:
        """Return the data set of a run; None where it was not found."""
        return self.by_fingerprint.get(run.summary.run.fingerprint)

    def reason(self, run: ReportedRun) -> str:
        """Return why the data set of a run was not found."""
        return self.reasons.get(run.summary.run.fingerprint, "")


def _found_by_name(name: str, data_dir: str | PathLike[str] | None) -> tuple[Any, str]:
    """Return a data set, or None and the reason."""
    try:
        for place in available_datasets(data_dir):
            if place.name == name:
                return load_dataset(place.path, data_dir=data_dir), ""
        if name in _IMAGES:
            return load_images(name, data_dir=data_dir), ""
    except (InputError, OSError) as error:
        return None, f"the data set {name} cannot be read: {error}"
    where = "give its folder with --data-dir, or the data set itself in Python"
    return None, f"the data set {name} is not on this machine ({where})"
