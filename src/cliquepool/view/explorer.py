"""`show`: the interactive page of a hierarchy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cliquepool._input import array_of
from cliquepool.budget import DEFAULT_BUDGET, Budget
from cliquepool.errors import InputError
from cliquepool.hierarchy import Hierarchy, clique_hierarchy
from cliquepool.view.page import Page
from cliquepool.view.payload import first_uses, half_edges, member_steps, pack, steps, varints
from cliquepool.view.scene import MOST_EDGES, MOST_ITEMS, Scene, SceneLevel, make_scene

if TYPE_CHECKING:
    import numpy.typing as npt

    from cliquepool.graph_like import GraphLike

__all__ = ["show"]

_MOST_CATEGORIES: Final = 24
_POSITIONS: Final = 65535


def show(
    hierarchy: Hierarchy | GraphLike,
    *,
    labels: Any = None,
    colour: Any = None,
    title: str | None = None,
    budget: Budget = DEFAULT_BUDGET,
) -> Page:
    """Make an interactive page of a hierarchy, to look at every level and open every pool.

    In a notebook the page is displayed; ``page.save("page.html")`` writes one file that needs nothing else.

    Parameters
    ----------
    hierarchy : Hierarchy, or a graph to pool
        Of any size: the page draws at most 3,000 items and 12,000 edges at once.
    labels : sequence, optional
        A name for each node of the graph, shown as text. By default the labels of the graph, else numbers.
        Labels that nodes share, up to 24, are offered as colours too.
    colour : array, or mapping of names to arrays, optional
        A value for each node of the graph: text, or up to 24 different integers, are classes; other numbers
        are a scale, and NaN is a missing value. Pools have the mean of their members.
    title : str, optional
        The title of the page.
    budget : Budget
        Limits the time and memory of the layout.

    Raises
    ------
    InputError
        If labels or colours are not one for each node.

    Examples
    --------
    >>> from cliquepool import Graph, clique_hierarchy
    >>> page = show(clique_hierarchy(Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)])), title="Kite")
    >>> page.title, "<script>" in page.html()
    ('Kite', True)
    """
    if not isinstance(hierarchy, Hierarchy):
        hierarchy = clique_hierarchy(hierarchy, budget=budget)
    count = hierarchy.sizes[0]
    names = _label_part(hierarchy.graph(0).labels if labels is None else labels, count)
    named = {**_label_classes(labels), **_named_colours(colour)}
    colours = [_colour_part(name, values, count) for name, values in named.items()]
    scene = make_scene(hierarchy, budget=budget)
    head = {
        "title": title or "Clique pools",
        "start": scene.start,
        "mostItems": MOST_ITEMS,
        "mostEdges": MOST_EDGES,
        "colours": [header for header, _ in colours],
        "levels": [
            {
                "nodes": level.num_nodes,
                "edges": level.num_edges,
                "items": len(level.bundles),
                "links": level.bundles.num_edges,
            }
            for level in scene.levels
        ],
    }
    early = {"head": pack(head, {}), **_level_parts(scene, range(scene.start, len(scene.levels)))}
    late = _level_parts(scene, reversed(range(scene.start)))
    late["labels"] = names
    for index, (_, values) in enumerate(colours):
        late[f"colour-{index}"] = values
    return Page(str(head["title"]), "graph", early, late)


def _level_parts(scene: Scene, numbers: Any) -> dict[str, bytes]:
    return {f"level-{number}": _level_part(scene.levels[number]) for number in numbers}


def _level_part(level: SceneLevel) -> bytes:
    bundles = level.bundles
    low = level.positions.min(axis=0) if len(level.positions) else np.zeros(2)
    extent = float(np.ptp(level.positions, axis=0).max()) if len(level.positions) > 1 else 0.0
    scaled = (level.positions - low) * (_POSITIONS / extent if extent > 0 else 0.0)
    arrays = {
        "classes": varints(first_uses(level.classes)),
        "bundles": varints(first_uses(bundles.of_class)),
        "joined": np.packbits(bundles.joined, bitorder="little").tobytes(),
        "positions": np.rint(scaled).astype("<u2").T.tobytes(),
    }
    if level.pools is not None:
        arrays["poolSizes"] = varints(level.pools.sizes)
        arrays["poolMembers"] = varints(member_steps(level.pools))
    if level.keeps_edges:
        counts, distances = half_edges(bundles.graph)
        arrays["degrees"], arrays["targets"] = varints(counts), varints(distances)
    header = {
        "nodes": level.num_nodes,
        "numClasses": len(bundles.of_class),
        "numBundles": len(bundles),
        "origin": [float(low[0]), float(low[1])],
        "unit": extent / _POSITIONS,
    }
    return pack(header, arrays)


def _label_part(labels: Any, count: int) -> bytes:
    if labels is None:
        return pack({"kind": "numbers"}, {})
    names = array_of(labels, "labels", "a name for each node")
    if names.ndim != 1 or len(names) != count:
        raise InputError(f"labels: expected one for each of {count:,} nodes, got {_shape(names)}")
    if names.dtype.kind in "iu" and len(names) and names.min() >= 0 and names.max() < 2**31:
        return pack({"kind": "integers"}, {"values": varints(steps(names))})
    return pack({"kind": "text", "names": [str(name) for name in names.tolist()]}, {})


def _label_classes(labels: Any) -> dict[str, Any]:
    """Return labels that many nodes share, such as the elements of atoms, as a colouring."""
    if labels is None:
        return {}
    distinct = len(set(map(str, labels)))
    return (
        {"label": list(map(str, labels))} if 1 < distinct <= min(_MOST_CATEGORIES, len(labels) // 2) else {}
    )


def _named_colours(colour: Any) -> dict[str, Any]:
    if colour is None:
        return {}
    if isinstance(colour, Mapping):
        return {str(name): values for name, values in colour.items()}
    return {"value": colour}


def _colour_part(name: str, values: Any, count: int) -> tuple[dict[str, Any], bytes]:
    """Return what the head of the page says of a colouring, and its values."""
    array = array_of(values, f"colour {name!r}", "a value for each node")
    if array.ndim != 1 or len(array) != count:
        raise InputError(f"colour {name!r}: expected one for each of {count:,} nodes, got {_shape(array)}")
    categories = _categories(array)
    if categories is not None:
        names, codes = categories
        return {"name": name, "kind": "classes", "names": names}, pack({}, {"values": varints(codes)})
    if array.dtype.kind not in "iuf":
        raise InputError(
            f"colour {name!r}: expected numbers, or at most {_MOST_CATEGORIES} classes, got {array.dtype} "
            f"of {len(set(map(str, array.tolist()))):,} values"
        )
    numbers = array.astype("<f4")
    finite = numbers[np.isfinite(numbers)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    header = {"name": name, "kind": "numbers", "low": low, "high": high}
    return header, pack({}, {"values": numbers.tobytes()})


def _categories(array: npt.NDArray[Any]) -> tuple[list[str], npt.NDArray[np.intp]] | None:
    """Return the names and codes of classes; None where the values are a scale."""
    if array.dtype.kind == "f":
        return None
    found, codes = np.unique(array if array.dtype.kind in "iub" else array.astype(str), return_inverse=True)
    return ([str(name) for name in found.tolist()], codes) if len(found) <= _MOST_CATEGORIES else None


def _shape(array: npt.NDArray[Any]) -> str:
    return f"{len(array):,}" if array.ndim == 1 else f"an array of shape {array.shape}"
