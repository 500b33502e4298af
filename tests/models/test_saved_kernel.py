"""Files of classifiers by kernels: what was learned comes back, and damaged files are refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import cliquepool as cp
from cliquepool.array_files import read_arrays, write_arrays
from cliquepool.models import CliquePoolClassifier, WLKernelClassifier, WLOAKernelClassifier
from tests.helpers.labelled_graphs import molecules

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DATA = molecules(30, seed=0)
FEW: dict[str, Any] = {"C": (1.0, 100.0), "inner_folds": 3, "iterations": (2, 3)}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("saved") / "model.safetensors"
    model = WLKernelClassifier(**FEW, class_weight={0: 1.0, 1: 2.0}, random_state=np.random.RandomState(3))
    model.fit(DATA).save(path)
    return path


def test_everything_that_was_learned_comes_back(tmp_path: Path) -> None:
    model = WLOAKernelClassifier(
        class_weight={0: 1.0, 1: 2.0}, C=(1.0, 10.0), iterations=(1, 2), inner_folds=3
    ).fit(DATA)
    model.save(tmp_path / "new" / "model.safetensors")
    again = WLOAKernelClassifier.load(tmp_path / "new" / "model.safetensors")
    assert again.get_params() == model.get_params()
    assert again.candidates_ == model.candidates_
    assert (again.fitted_.C, again.fitted_.depth) == (model.fitted_.C, model.fitted_.depth)
    assert again.predict_proba(DATA).tobytes() == model.predict_proba(DATA).tobytes()
    again.fit(DATA)
    assert again.predict_proba(DATA).tobytes() == model.predict_proba(DATA).tobytes()


def test_a_random_state_is_saved_as_its_seed(saved: Path) -> None:
    model = WLKernelClassifier.load(saved)
    assert model.random_state == model.seed_


def test_a_model_is_not_read_as_another(saved: Path) -> None:
    with pytest.raises(cp.InputError, match="it is of a WLKernelClassifier"):
        WLOAKernelClassifier.load(saved)
    with pytest.raises(cp.InputError, match="expected a model of cliquepool"):
        CliquePoolClassifier.load(saved)
    with pytest.raises(cp.InputError, match="got no file"):
        WLKernelClassifier.load(saved.with_name("none"))


def test_any_changed_byte_is_found(saved: Path, tmp_path: Path) -> None:
    content = bytearray(saved.read_bytes())
    for position in np.random.default_rng(0).integers(0, len(content), size=25).tolist():
        changed = content.copy()
        changed[position] ^= 0xFF
        (tmp_path / "m").write_bytes(changed)
        with pytest.raises(cp.InputError, match="got another or a damaged file"):
            WLKernelClassifier.load(tmp_path / "m")
    (tmp_path / "m").write_bytes(content[: len(content) // 2])
    with pytest.raises(cp.InputError, match="got another or a damaged file"):
        WLKernelClassifier.load(tmp_path / "m")


def set_to(name: str, change: Callable[[Any], Any]) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    def apply(arrays: dict[str, Any], header: dict[str, Any]) -> None:
        where = arrays if name in arrays else header
        where[name] = change(where[name])

    return apply


def first_to(value: float) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        array = array.copy()
        array.flat[0] = value
        return array

    return change


WRONG = {
    "no such coefficients": lambda arrays, _: arrays.pop("coefficients"),
    "an array too many": lambda arrays, _: arrays.update(more=np.zeros(3)),
    "coefficients of another shape": set_to("coefficients", lambda array: array[:-1]),
    "infinite intercepts": set_to("intercepts", first_to(np.inf)),
    "a norm of zero": set_to("norms", first_to(0.0)),
    "norms of integers": set_to("norms", lambda array: array.astype(np.int64)),
    "offsets that fall": set_to("start.1", lambda array: np.append(array[:-1][::-1], array[-1])),
    "offsets from elsewhere": set_to("start.0", lambda array: array + 1),
    "counts of zero": set_to("counts.0", first_to(0)),
    "counts too large": set_to("counts.0", first_to(2**60)),
    "keys twice": set_to("keys.0", np.zeros_like),
    "a depth without its counts": set_to("depth", lambda depth: depth + 1),
    "classes twice": set_to("classes", lambda classes: [classes[0], classes[0]]),
    "one class": set_to("classes", lambda classes: classes[:1]),
    "a negative scale": set_to("scale", lambda scale: -scale),
    "an unknown kind": set_to("kind", lambda _: "colour"),
    "an unknown parameter": set_to("parameters", lambda parameters: parameters | {"power": 3}),
    "a wrong parameter": set_to("parameters", lambda parameters: parameters | {"inner_folds": -1}),
    "huge parameters": set_to("parameters", lambda parameters: parameters | {"iterations": [10**9]}),
    "candidates of text": set_to("candidates", lambda _: ["best"]),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_file_with_other_content_is_refused(what: str, saved: Path, tmp_path: Path) -> None:
    file = read_arrays(saved)
    header = json.loads(file.metadata["described"])
    WRONG[what](file.arrays, header)
    write_arrays(tmp_path / "m", file.arrays, file.metadata | {"described": json.dumps(header)})
    with pytest.raises(cp.InputError, match="expected a saved classifier, got another or a damaged file"):
        WLKernelClassifier.load(tmp_path / "m")
