"""Files of fitted estimators of graphs: weights as tensors, the rest in a validated header."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeVar

import numpy as np
import torch
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cliquepool.array_files import array_of_list
from cliquepool.data.features import FeatureEncoder
from cliquepool.errors import InputError
from cliquepool.models.sample_weights import class_weight_from_json, class_weight_to_json
from cliquepool.models.targets import ClassTarget, LabelsTarget, NumbersTarget
from cliquepool.nn.network_sizes import NetworkSizes
from cliquepool.training.checkpoint import expect_weights, read_tensors, write_tensors
from cliquepool.training.compute import Compute
from cliquepool.training.graphs import FittedNetwork

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from torch import Tensor, nn

    from cliquepool.models.graph_estimator import GraphEstimator

    _Estimator = TypeVar("_Estimator", bound=GraphEstimator)

__all__ = ["naming_damage", "pack_model", "read_model", "unpack_model", "write_model"]

_KIND: Final = "model"
_Scalar = bool | int | float | str
_Kind = Literal["labels", "attributes", "both", "degree", "constant"]


class _Checked(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class _Classes(_Checked):
    kind: Literal["classes"] = "classes"
    classes: Annotated[list[_Scalar], Field(min_length=2)]

    @classmethod
    def of(cls, target: ClassTarget) -> _Classes:
        return cls(classes=target.classes.tolist())

    def target(self) -> ClassTarget:
        return ClassTarget(array_of_list("classes", self.classes))


class _Labels(_Checked):
    kind: Literal["labels"] = "labels"
    num_labels: Annotated[int, Field(ge=1)]

    @classmethod
    def of(cls, target: LabelsTarget) -> _Labels:
        return cls(num_labels=target.num_labels)

    def target(self) -> LabelsTarget:
        return LabelsTarget(self.num_labels)


class _Numbers(_Checked):
    kind: Literal["numbers"] = "numbers"
    shift: Annotated[list[float], Field(min_length=1)]
    scale: list[Annotated[float, Field(gt=0)]]
    flat: bool
    loss: Literal["mse", "l1", "huber"]

    @classmethod
    def of(cls, target: NumbersTarget) -> _Numbers:
        return cls(
            shift=target.shift.tolist(), scale=target.scale.tolist(), flat=target.flat, loss=target.loss
        )

    def target(self) -> NumbersTarget:
        if len(self.shift) != len(self.scale) or (self.flat and len(self.shift) != 1):
            raise ValueError(f"expected a scale for each of {len(self.shift)} numbers, got {len(self.scale)}")
        return NumbersTarget(np.array(self.shift), np.array(self.scale), self.flat, self.loss)


class _Header(_Checked):
    """The header of a file: everything but tensors. In version 0.1.0, all were of classifiers."""

    model_config = ConfigDict(extra="ignore")

    estimator: Literal["classifier", "regressor"] = "classifier"
    parameters: dict[str, Any]
    target: Annotated[_Classes | _Labels | _Numbers, Field(discriminator="kind")]
    kind_of_features: _Kind
    codes: list[int | float | str] | None
    curves: dict[str, list[float]]
    best_epoch: Annotated[int, Field(ge=1)]
    seed: int | None = None
    model: str | None = None
    measured: dict[str, Annotated[int, Field(ge=0, le=1 << 31)]] = Field(default_factory=dict)


def write_model(estimator: GraphEstimator, path: Path) -> None:
    """Write a fitted estimator to a file."""
    tensors, header = pack_model(estimator)
    write_tensors(path, tensors, _KIND, header)


def pack_model(estimator: GraphEstimator) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the tensors of a fitted estimator, and everything else as JSON can write it."""
    encoder = estimator.network_.encoder
    header = {
        "estimator": estimator.noun,
        "parameters": _parameters(estimator),
        "target": _described(estimator.target_).model_dump(),
        "kind_of_features": encoder.kind,
        "codes": None if encoder.codes is None else encoder.codes.tolist(),
        "curves": estimator.curves_,
        "best_epoch": estimator.best_epoch_,
        "seed": estimator.seed_,
        "model": type(estimator).__name__,
        "measured": dict(estimator.network_.sizes.measured),
    }
    tensors = {name: value.cpu() for name, value in estimator.network_.network.state_dict().items()}
    if encoder.shift is not None and encoder.scale is not None:
        tensors |= {
            "features.shift": torch.tensor(encoder.shift),
            "features.scale": torch.tensor(encoder.scale),
        }
    return tensors, json.loads(json.dumps(header, default=_plain))


def read_model(cls: type[_Estimator], path: Path, device: str) -> _Estimator:
    """Read an estimator of this class that `write_model` wrote."""
    Compute.choose(device)  # InputError for a device that is not there, before anything is read
    tensors, described = read_tensors(path, _KIND)
    with naming_damage(path, cls.noun):
        return unpack_model(cls, tensors, described, device)


@contextmanager
def naming_damage(path: Path, noun: str) -> Iterator[None]:
    """Raise InputError with the name of the file where its content is not that of a saved estimator."""
    try:
        yield
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        problem = f"{where}: {first['msg']}"
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        problem = str(error)
    else:
        return
    raise InputError(f"{path}: expected a saved {noun}, got another or a damaged file ({problem})")


def unpack_model(
    cls: type[_Estimator], tensors: dict[str, Tensor], described: dict[str, Any], device: str
) -> _Estimator:
    """Return the estimator that `pack_model` packed; any ValueError for what it cannot have packed."""
    if "target" not in described and "classes" in described:  # as version 0.1.0 wrote it
        described["target"] = {"kind": "classes", "classes": described["classes"]}
    header = _Header.model_validate(described)
    _expect_same(cls, header)
    estimator = cls(**_read_parameters(cls, header.parameters), device=device)
    estimator.target_ = header.target.target()
    estimator.settings_ = estimator.settings
    encoder = _encoder(header, tensors, estimator)
    sizes = NetworkSizes(encoder.width, estimator.target_.num_outputs, header.measured)
    network = _network(estimator, sizes, tensors)
    torch_device = Compute.choose(device).torch_device
    estimator.network_ = FittedNetwork(network.to(torch_device).eval(), encoder, sizes)
    estimator.curves_, estimator.best_epoch_ = header.curves, header.best_epoch
    if header.seed is not None:
        estimator.seed_ = header.seed
    return estimator


def _expect_same(cls: type[GraphEstimator], header: _Header) -> None:
    is_regressor = isinstance(header.target, _Numbers)
    if header.estimator != cls.noun or is_regressor != (cls.noun == "regressor"):
        raise ValueError(f"it is of a {header.estimator}")
    # Files of version 0.1.0 do not name the model: there was one of each kind.
    model = header.model or ("CliquePoolRegressor" if is_regressor else "CliquePoolClassifier")
    if model not in {parent.__name__ for parent in cls.__mro__}:
        raise ValueError(f"it is of a {model}")


def _described(target: Any) -> _Classes | _Labels | _Numbers:
    if isinstance(target, ClassTarget):
        return _Classes.of(target)
    return _Labels.of(target) if isinstance(target, LabelsTarget) else _Numbers.of(target)


def _parameters(estimator: GraphEstimator) -> dict[str, Any]:
    """Return the parameters as JSON can write them; settings are those of the fit."""
    parameters: dict[str, Any] = estimator.get_params(deep=False)
    parameters |= {name: value for name, value in estimator.settings_ if name in parameters}
    del parameters["device"]  # another machine may not have it
    if isinstance(parameters["random_state"], np.random.RandomState):
        parameters["random_state"] = estimator.seed_
    if "class_weight" in parameters:
        parameters["class_weight"] = class_weight_to_json(parameters["class_weight"])
    return parameters


def _read_parameters(cls: type[GraphEstimator], parameters: dict[str, Any]) -> dict[str, Any]:
    # Files of version 0.1.0 do not have the settings that were added since.
    known = cls._get_param_names()
    read = (
        {name: value for name, value in cls.settings_type.added_later.items() if name in known}
        | parameters
        | {
            name: tuple(parameters[name])
            for name in cls.settings_type.model_fields
            if isinstance(parameters.get(name), list)
        }
    )
    if "class_weight" in read:
        read["class_weight"] = class_weight_from_json(read["class_weight"])
    read.pop("device", None)
    return read


def _encoder(header: _Header, tensors: dict[str, Tensor], estimator: GraphEstimator) -> FeatureEncoder:
    shift, scale = (tensors.pop(f"features.{name}", None) for name in ("shift", "scale"))
    for given in (shift, scale):
        if (given is None) == (header.kind_of_features in {"attributes", "both"}):
            raise ValueError(f"features: expected what {header.kind_of_features} have, got others")
        if given is not None and (given.dim() != 1 or given.shape != shift.shape):  # type: ignore[union-attr]
            raise ValueError(f"features: expected one row of numbers, got shape {tuple(given.shape)}")
    if (header.codes is None) != (header.kind_of_features in {"attributes", "constant"}):
        raise ValueError(f"codes: expected what {header.kind_of_features} have, got others")
    return FeatureEncoder(
        header.kind_of_features,
        None if header.codes is None else array_of_list("codes", header.codes),
        None if shift is None else shift.numpy(),
        None if scale is None else scale.numpy(),
        estimator.handle_unknown,
    )


def _network(estimator: GraphEstimator, sizes: NetworkSizes, tensors: dict[str, Tensor]) -> nn.Module:
    """Return the network with the weights of the file; allocate nothing that the file does not hold."""
    num_layers = estimator._num_layers(estimator.settings_)
    expect_weights(tensors, lambda: estimator._build(sizes), num_layers=num_layers)
    with torch.device("meta"):
        network = estimator._build(sizes)
    for name, weight in tensors.items():
        if weight.is_floating_point() and not bool(weight.isfinite().all()):
            raise ValueError(f"{name}: expected finite numbers")
    network.load_state_dict(tensors, assign=True)
    return network


def _plain(value: Any) -> Any:
    """Convert NumPy's numbers and arrays, which grid searches set, for JSON."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"expected a parameter that JSON can hold, got {type(value).__name__}")
