"""Files of tensors with a JSON header and a checksum: checkpoints and models."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final

import torch
from pydantic_core import to_json

from cliquepool.array_files import ArrayFile, read_arrays, write_arrays
from cliquepool.errors import InputError
from cliquepool.files import naming_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt
    from torch import Tensor, nn

__all__ = [
    "check_optimiser_state",
    "check_progress",
    "expect_weights",
    "read_checkpoint",
    "read_tensors",
    "run_identity",
    "write_tensors",
]

_VERSION: Final = 2
_MOST_SECONDS: Final = 1e12


def run_identity(
    fingerprint: str,
    train: npt.NDArray[np.int64],
    validation: npt.NDArray[np.int64],
    settings: Mapping[str, Any],
    seed: int,
    *more: str,
) -> str:
    """Return a hash of everything that the weights of a training depend on.

    `settings` are those that records name, in values that JSON has.
    """
    digest = hashlib.sha256()
    written = to_json(settings).decode()  # as pydantic writes numbers, which version 0.1.0 hashed
    for part in (fingerprint, written, str(seed), *more):
        digest.update(part.encode() + b"\0")
    for ids in (train, validation):
        digest.update(len(ids).to_bytes(8, "little") + ids.tobytes())
    return digest.hexdigest()


def write_tensors(path: Path, tensors: dict[str, Tensor], kind: str, described: dict[str, Any]) -> None:
    """Write a file of this kind atomically, with `described` in its header."""
    metadata = {"format": _format(kind), "version": str(_VERSION), "described": json.dumps(described)}
    arrays = {}
    for name, value in tensors.items():
        try:
            arrays[name] = value.detach().cpu().numpy()
        except TypeError:
            raise InputError(f"{path}: {name}: expected numbers that NumPy has, got {value.dtype}") from None
    with naming_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_arrays(path, arrays, metadata)


def read_tensors(path: Path, kind: str) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read a file that `write_tensors` wrote; InputError for another kind or a damaged file."""
    expected = f"{path}: expected a {kind} of cliquepool, version {_VERSION}"
    try:
        file = _upgraded(read_arrays(path))
        file.expect(_format(kind), _VERSION)
        described = json.loads(file.metadata.get("described", "null"))
    except FileNotFoundError:
        raise InputError(f"{expected}, got no file") from None
    except (ValueError, RecursionError) as error:  # InputError is a ValueError
        raise InputError(f"{expected}, got another or a damaged file ({error})") from None
    if not isinstance(described, dict):
        raise InputError(f"{expected}, got another file")
    return {name: torch.from_numpy(array.copy()) for name, array in file.arrays.items()}, described


def _format(kind: str) -> str:
    return f"cliquepool.{kind.replace(' ', '_')}"


def _upgraded(file: ArrayFile) -> ArrayFile:
    """Return a file of version 1, which had kind and version in its description, as one of version 2."""
    if file.is_sealed or "cliquepool" not in file.metadata:
        return file
    described = json.loads(file.metadata["cliquepool"])
    if not isinstance(described, dict):
        raise InputError("expected what the tensors belong to, got another header")
    metadata = {
        "format": _format(str(described.get("kind"))),
        "version": str(described.get("version")),
        "described": file.metadata["cliquepool"],
    }
    return file._replace(metadata=metadata)


def expect_weights(
    tensors: Mapping[str, Tensor], build: Callable[[], nn.Module], *, num_layers: int = 0
) -> None:
    """Raise InputError unless `tensors` are the weights of the network that `build` makes.

    Allocates no memory for the network, whatever sizes a file claims: it is built on the meta device, and
    `num_layers`, over which `build` loops, is compared with the number of tensors first.
    """
    if num_layers > len(tensors):
        raise InputError(f"expected the weights of {num_layers} layers, got {len(tensors)} tensors")
    try:
        with torch.device("meta"):
            network = build()
    except (RuntimeError, OverflowError) as error:
        raise InputError(f"expected sizes of a network, got others ({str(error)[:100]})") from None
    expected = {name: (tuple(value.shape), value.dtype) for name, value in network.state_dict().items()}
    got = {name: (tuple(value.shape), value.dtype) for name, value in tensors.items()}
    for name in sorted(expected.keys() | got.keys()):
        if expected.get(name) != got.get(name):
            raise InputError(
                f"{name[:100]}: expected {_describe(expected.get(name))}, got {_describe(got.get(name))}"
            )


def _describe(tensor: tuple[tuple[int, ...], torch.dtype] | None) -> str:
    return "no such tensor" if tensor is None else f"{tensor[1]} of shape {tensor[0]}"


def read_checkpoint(path: Path, identity: str) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
    """Read a checkpoint; None if there is no file, InputError if it is of another training."""
    if not path.exists():
        return None
    tensors, described = read_tensors(path, "checkpoint")
    if described.get("identity") != identity:
        raise InputError(
            f"{path}: expected a checkpoint of this training, got one of other data, settings or seed; "
            "remove it to start anew"
        )
    return tensors, described


def check_progress(described: Mapping[str, Any], epochs: int) -> None:
    """Raise InputError unless curves, best epoch and time can be those of a training of `epochs` epochs."""
    curves: Any = described.get("curves")
    best: Any = described.get("best")
    seconds: Any = described.get("seconds")
    valid = isinstance(curves, dict) and isinstance(curves.get("loss"), list)
    valid = valid and len(curves["loss"]) <= epochs
    valid = valid and all(
        isinstance(curve, list) and len(curve) == len(curves["loss"]) and all(map(_is_number, curve))
        for curve in curves.values()
    )
    valid = valid and isinstance(best, list) and len(best) == 3 and all(map(_is_number, best))
    valid = valid and type(best[0]) is int and 0 <= best[0] <= len(curves["loss"])
    valid = valid and _is_number(seconds) and 0 <= seconds < _MOST_SECONDS
    if not valid:
        got = str({"curves": curves, "best": best, "seconds": seconds})[:200]
        raise InputError(f"expected the curves of up to {epochs} epochs and the best of these, got {got}")


def check_optimiser_state(
    state: Mapping[int, Mapping[str, Tensor]], optimiser: torch.optim.Optimizer
) -> None:
    """Raise InputError unless the entries of `state` fit the shapes of the optimiser's parameters."""
    parameters = [parameter for group in optimiser.param_groups for parameter in group["params"]]
    for index, entries in state.items():
        if not 0 <= index < len(parameters):
            raise InputError(f"expected the optimiser's state of {len(parameters)} parameters, got {index}")
        for name, value in entries.items():
            if value.dim() and value.shape != parameters[index].shape:
                raise InputError(
                    f"optimiser.{index}.{name[:50]}: expected shape {tuple(parameters[index].shape)}, "
                    f"got {tuple(value.shape)}"
                )


def _is_number(value: object) -> bool:
    return isinstance(value, float) or (type(value) is int and abs(value) < 2**63)
