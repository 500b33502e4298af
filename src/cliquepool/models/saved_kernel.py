"""Files of fitted classifiers by graph kernels: counts and weights as arrays, all else in a header."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import numpy as np
import torch
from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, ValidationError

from cliquepool.array_files import array_of_list
from cliquepool.errors import InputError
from cliquepool.models.fitted_kernel import FittedKernel
from cliquepool.models.kernel_features.counts import GraphCounts
from cliquepool.models.kernel_features.keys import LabelKind  # noqa: TC001 (pydantic reads it)
from cliquepool.models.kernel_svm import Candidate
from cliquepool.models.sample_weights import class_weight_from_json, class_weight_to_json
from cliquepool.training.checkpoint import read_tensors, write_tensors

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from cliquepool.models.kernel_classifier import KernelClassifier

    Arrays = dict[str, npt.NDArray[Any]]
    _Classifier = TypeVar("_Classifier", bound=KernelClassifier)

__all__ = ["read_kernel_model", "write_kernel_model"]

_KIND: Final = "kernel model"
_MOST_COUNT: Final = 1 << 53  # beyond, numbers of floating point are not exact


class _Candidate(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    depth: Annotated[int, Field(ge=0)]
    C: PositiveFloat
    accuracy: Annotated[float, Field(ge=0, le=1)]


class _Header(BaseModel):
    """The header of a file: everything but arrays."""

    model_config = ConfigDict(extra="ignore", strict=True, allow_inf_nan=False)

    model: str
    parameters: dict[str, Any]
    classes: Annotated[list[bool | int | float | str], Field(min_length=2)]
    kind: LabelKind
    C: PositiveFloat
    depth: Annotated[int, Field(ge=0, le=64)]
    scale: PositiveFloat
    candidates: list[_Candidate]
    seed: int


def write_kernel_model(estimator: KernelClassifier, path: Path) -> None:
    """Write a fitted classifier to a file."""
    fitted = estimator.fitted_
    header = {
        "model": type(estimator).__name__,
        "parameters": _parameters(estimator),
        "classes": fitted.classes.tolist(),
        "kind": fitted.kind,
        "C": fitted.C,
        "depth": fitted.depth,
        "scale": fitted.scale,
        "candidates": [vars(candidate) for candidate in estimator.candidates_],
        "seed": estimator.seed_,
    }
    arrays: Arrays = {
        "coefficients": fitted.coefficients,
        "intercepts": fitted.intercepts,
        "norms": fitted.norms,
    }
    for number, step in enumerate(fitted.steps):
        arrays |= {
            f"start.{number}": step.start,
            f"keys.{number}": step.keys.view(np.int64),  # the format of these files has no unsigned integers
            f"counts.{number}": step.counts,
        }
    tensors = {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in arrays.items()}
    write_tensors(path, tensors, _KIND, json.loads(json.dumps(header, default=_plain)))


def read_kernel_model(cls: type[_Classifier], path: Path) -> _Classifier:
    """Read a classifier of this class that `write_kernel_model` wrote."""
    tensors, described = read_tensors(path, _KIND)
    arrays = {name: tensor.numpy() for name, tensor in tensors.items()}
    damaged = f"{path}: expected a saved {cls.noun}, got another or a damaged file"
    try:
        header = _Header.model_validate(described)
        _expect_same(cls, header)
        estimator = cls(**_read_parameters(cls, header.parameters))
        estimator.settings_ = estimator.settings
        estimator.fitted_ = _fitted(header, arrays)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"{damaged} ({where}: {first['msg']})") from None
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{damaged} ({error})") from None
    estimator.candidates_ = [Candidate(**one.model_dump()) for one in header.candidates]
    estimator.seed_ = header.seed
    return estimator


def _expect_same(cls: type[KernelClassifier], header: _Header) -> None:
    if header.model != cls.__name__:
        raise ValueError(f"it is of a {header.model}")


def _parameters(estimator: KernelClassifier) -> dict[str, Any]:
    parameters: dict[str, Any] = estimator.get_params(deep=False) | dict(estimator.settings_)
    if isinstance(parameters["random_state"], np.random.RandomState):
        parameters["random_state"] = estimator.seed_
    return parameters | {"class_weight": class_weight_to_json(parameters["class_weight"])}


def _read_parameters(cls: type[KernelClassifier], parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters as they were before they were written; lists of settings were tuples."""
    read = parameters | {"class_weight": class_weight_from_json(parameters.get("class_weight"))}
    for name in cls.settings_type.model_fields:
        if isinstance(read.get(name), list):
            read[name] = tuple(read[name])
    return read


def _fitted(header: _Header, arrays: Arrays) -> FittedKernel:
    """Return what was learned, with all arrays checked against each other."""
    classes = array_of_list("classes", header.classes)
    if not bool((classes[1:] > classes[:-1]).all()):
        raise ValueError("classes: expected distinct ones in ascending order")
    num_steps = sum(name.startswith("start.") for name in arrays)
    if num_steps != header.depth + 1:
        raise ValueError(f"expected the counts of {header.depth + 1} steps, got {num_steps}")
    norms = _checked(arrays, "norms", np.float64)
    num_graphs, num_pairs = len(norms), len(classes) * (len(classes) - 1) // 2
    if not bool((norms > 0).all()):
        raise ValueError("norms: expected numbers above 0")
    coefficients = _checked(arrays, "coefficients", np.float64, (num_graphs, num_pairs))
    intercepts = _checked(arrays, "intercepts", np.float64, (num_pairs,))
    steps = tuple(_step(arrays, number, num_graphs) for number in range(num_steps))
    if arrays:
        raise ValueError(f"{min(arrays)[:100]}: expected no such array")
    return FittedKernel(
        classes, header.kind, steps, norms, coefficients, intercepts, header.C, header.depth, header.scale
    )


def _step(arrays: Arrays, number: int, num_graphs: int) -> GraphCounts:
    start = _checked(arrays, f"start.{number}", np.int64, (num_graphs + 1,))
    keys = _checked(arrays, f"keys.{number}", np.int64).view(np.uint64)
    counts = _checked(arrays, f"counts.{number}", np.int64, keys.shape)
    if start[0] != 0 or start[-1] != len(keys) or bool((start[1:] < start[:-1]).any()):
        raise ValueError(f"start.{number}: expected offsets from 0 to {len(keys)} that never fall")
    if len(counts) and not 1 <= counts.min() <= counts.max() < _MOST_COUNT:
        raise ValueError(f"counts.{number}: expected numbers from 1 up to 2^53")
    rising = np.ones(len(keys), dtype=bool)
    rising[1:] = keys[1:] > keys[:-1]
    rising[start[:-1][start[:-1] < len(keys)]] = True  # a graph begins
    if not rising.all():
        raise ValueError(f"keys.{number}: expected distinct ones in ascending order in each graph")
    return GraphCounts(start, keys, counts)


def _checked(
    arrays: Arrays, name: str, dtype: type[np.generic], shape: tuple[int, ...] | None = None
) -> npt.NDArray[Any]:
    """Take an array out of those of the file; it has this dtype, and this shape or one dimension."""
    array = arrays.pop(name)
    fits = array.ndim == 1 if shape is None else array.shape == shape
    if array.dtype != dtype or not fits or not bool(np.isfinite(array).all()):
        expected = "one dimension" if shape is None else f"shape {shape}"
        got = f"{array.dtype} of shape {array.shape}"
        raise ValueError(f"{name}: expected finite {np.dtype(dtype)} of {expected}, got {got}")
    return array


def _plain(value: Any) -> Any:
    """Convert NumPy's numbers and arrays, which grid searches set, for JSON."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"expected a parameter that JSON can hold, got {type(value).__name__}")
