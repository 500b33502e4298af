"""Hierarchies in folders: every part is verified, and must be the one that the manifest names."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest

import cliquepool as cp
from cliquepool.array_folders import write_folder
from cliquepool.hierarchy_folders import GRAPH, POOLS, VERSION, map_factors, map_pools
from cliquepool.scale import convert_graph, pool_out_of_core

if TYPE_CHECKING:
    from pathlib import Path

DTYPES = {"indptr": np.int64, "offsets": np.int64}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "path.txt").write_text("0 1\n1 2\n2 3\n")
    convert_graph(tmp_path / "path.txt", tmp_path / "graph")
    pool_out_of_core(tmp_path / "graph", tmp_path / "h")
    return tmp_path / "h"


@pytest.mark.parametrize("part", ["graph-0", "pools-1", "graph-1", "pools-2", "graph-2"])
def test_damage_names_the_part(folder: Path, part: str) -> None:
    name = "members" if "pools" in part else "sizes"
    content = (folder / part / name).read_bytes()
    (folder / part / name).write_bytes(content[:-1] + b"\x07")
    with pytest.raises(cp.GraphError, match=f"{part}.{name}: expected content that matches its checksum"):
        cp.Hierarchy.open(folder, validate=True)
    (folder / part / name).write_bytes(content[:-1])
    with pytest.raises(cp.GraphError, match=f"{part}.{name}: expected .* bytes"):
        cp.Hierarchy.open(folder, validate=False)
    shutil.rmtree(folder / part)
    with pytest.raises(FileNotFoundError):
        cp.Hierarchy.open(folder)


def test_a_part_of_another_hierarchy_is_refused(folder: Path) -> None:
    shutil.rmtree(folder / "pools-1")
    shutil.copytree(folder / "pools-2", folder / "pools-1")
    with pytest.raises(cp.GraphError, match=r"pools-1: expected the part that .* names, got another"):
        cp.Hierarchy.open(folder)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (
            {"classes": [0, 0], "sizes": [1], "indptr": [0, 0], "indices": []},
            "classes: expected twin classes",
        ),
        ({"classes": [1, 0], "sizes": [1, 1], "indptr": [0, 0, 0], "indices": []}, "by their smallest nodes"),
        (
            {"classes": [0], "sizes": [1, 1], "indptr": [0, 0], "indices": []},
            "sizes: expected 1 of them, got 2",
        ),
        ({"classes": [0], "sizes": [1], "indptr": [0, 1], "indices": [0]}, "expected no loop"),
        ({"sizes": [1], "indptr": [0, 0], "indices": []}, "classes: expected an array of int32, got none"),
    ],
)
def test_graphs_that_do_not_fit_together_are_refused(
    tmp_path: Path, arrays: dict[str, list[int]], message: str
) -> None:
    with write_folder(tmp_path / "part", GRAPH, VERSION) as writer:
        for name, values in arrays.items():
            writer.append(name, np.array(values, DTYPES.get(name, np.int32)))
    with pytest.raises(cp.GraphError, match=message):
        map_factors(tmp_path / "part")


@pytest.mark.parametrize(
    ("offsets", "members", "message"),
    [
        ([0, 0, 2], [0, 1], "none empty"),
        ([0, 2], [0, 2], "expected twin classes up to 1"),
        ([0, 1], [0], "expected every class in a pool"),
        ([0, 2], [1, 0], "members ascending"),
        ([0, 1], [0, 1], "offsets: expected offsets from 0 to 2"),
    ],
)
def test_pools_that_are_none_are_refused(
    tmp_path: Path, offsets: list[int], members: list[int], message: str
) -> None:
    with write_folder(tmp_path / "part", POOLS, VERSION) as writer:
        writer.metadata["num_classes"] = 2
        writer.append("offsets", np.array(offsets, np.int64))
        writer.append("members", np.array(members, np.int32))
    with pytest.raises(cp.GraphError, match=message):
        map_pools(tmp_path / "part")
