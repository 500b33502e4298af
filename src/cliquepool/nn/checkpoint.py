"""Tensors and what they belong to in one safetensors file, written all or nothing: checkpoints and models."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any, Final

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from cliquepool.errors import GraphError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt
    from pydantic import BaseModel
    from torch import Tensor

__all__ = ["read_checkpoint", "read_tensors", "run_identity", "write_tensors"]

_VERSION: Final = 1


def run_identity(
    fingerprint: str,
    train: npt.NDArray[np.int64],
    validation: npt.NDArray[np.int64],
    settings: BaseModel,
    seed: int,
    *more: str,
) -> str:
    """A hash of everything that the weights of a training depend on."""
    digest = hashlib.sha256()
    for part in (fingerprint, settings.model_dump_json(), str(seed), *more):
        digest.update(part.encode() + b"\0")
    for ids in (train, validation):
        digest.update(len(ids).to_bytes(8, "little") + ids.tobytes())
    return digest.hexdigest()


def write_tensors(path: Path, tensors: dict[str, Tensor], kind: str, described: dict[str, Any]) -> None:
    """Write a file of this kind; a reader finds the old one or the new one, never half of it."""
    described = described | {"kind": kind, "version": _VERSION}
    beside = path.with_name(f".{path.name}.{os.getpid()}.partial")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        save_file(
            {name: value.contiguous() for name, value in tensors.items()},
            beside,
            metadata={"cliquepool": json.dumps(described)},
        )
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def read_tensors(path: Path, kind: str) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """What `write_tensors` wrote. Raises GraphError for a file of another kind, or a damaged one."""
    expected = f"{path}: expected a {kind} of cliquepool, version {_VERSION}"
    try:
        with safe_open(path, framework="pt") as file:
            described = json.loads((file.metadata() or {}).get("cliquepool", "null"))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a mapping)
    except FileNotFoundError:
        raise GraphError(f"{expected}, got no file") from None
    except (SafetensorError, json.JSONDecodeError) as error:
        raise GraphError(f"{expected}, got another or a damaged file ({error})") from None
    if not isinstance(described, dict) or described.get("kind") != kind:
        raise GraphError(f"{expected}, got another file")
    if described.get("version") != _VERSION:
        raise GraphError(f"{expected}, got version {described.get('version')}")
    return tensors, described


def read_checkpoint(path: Path, identity: str) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
    """The checkpoint of this very training; None where there is none."""
    if not path.exists():
        return None
    tensors, described = read_tensors(path, "checkpoint")
    if described.get("identity") != identity:
        raise GraphError(
            f"{path}: expected a checkpoint of this training, got one of other data, settings or seed; "
            "remove it to start anew"
        )
    return tensors, described
