"""Checkpoints of a training: tensors and what they belong to, in one safetensors file, written atomically."""

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
    from torch import Tensor

    from cliquepool.nn.settings import ClassifierSettings

__all__ = ["read_checkpoint", "run_identity", "write_checkpoint"]

_VERSION: Final = 1


def run_identity(
    fingerprint: str,
    train: npt.NDArray[np.int64],
    validation: npt.NDArray[np.int64],
    settings: ClassifierSettings,
    seed: int,
) -> str:
    """A hash of everything that the weights of a training depend on."""
    digest = hashlib.sha256()
    for part in (fingerprint, settings.model_dump_json(), str(seed)):
        digest.update(part.encode() + b"\0")
    for ids in (train, validation):
        digest.update(len(ids).to_bytes(8, "little") + ids.tobytes())
    return digest.hexdigest()


def write_checkpoint(path: Path, tensors: dict[str, Tensor], described: dict[str, Any]) -> None:
    """Write all or nothing: a reader finds the old file or the new one."""
    described = described | {"version": _VERSION}
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


def read_checkpoint(path: Path, identity: str) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
    """What `write_checkpoint` wrote for this run; None where there is no file."""
    if not path.exists():
        return None
    try:
        with safe_open(path, framework="pt") as file:
            described = json.loads((file.metadata() or {}).get("cliquepool", "null"))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a mapping)
    except (SafetensorError, json.JSONDecodeError) as error:
        raise GraphError(f"{path}: expected a checkpoint of a training, got another file ({error})") from None
    if not isinstance(described, dict) or described.get("version") != _VERSION:
        raise GraphError(f"{path}: expected a checkpoint of a training, version {_VERSION}, got another file")
    if described.get("identity") != identity:
        raise GraphError(
            f"{path}: expected a checkpoint of this training, got one of other data, settings or seed; "
            "remove it to start anew"
        )
    return tensors, described
