"""Link the types of signatures and the names in docstrings to their pages, by their last names.

Annotations are shown as they are written in the sources, such as `Graph` or `npt.NDArray[np.int32]`, which
reads better than full names. Sphinx finds pages by full names only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sphinx.util.nodes import make_refnode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docutils.nodes import Element, TextElement
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.domains.python import ObjectEntry
    from sphinx.environment import BuildEnvironment

ROLES = {"class", "exc", "obj"}
TYPES = {"class", "exception", "type", "data"}


def link_by_last_name(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, contnode: TextElement
) -> Element | None:
    """Return a link to the one object whose full name ends so, or to the one of this name in the same module.

    Code in docstrings has the role "obj"; where it is no such name, it stays code.
    """
    if node.get("refdomain") != "py" or node["reftype"] not in ROLES:
        return None
    unknown = contnode if node["reftype"] == "obj" else None
    target = node["reftarget"]
    found = {full: entry for full, entry in _objects(env) if _is_name_of(target, full, entry.objtype)}
    beside = f"{node.get('py:module')}.{target}"
    if beside in found:
        found = {beside: found[beside]}
    if len(found) != 1:
        return unknown
    ((full, entry),) = found.items()
    return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, contnode, full)


def _objects(env: BuildEnvironment) -> Iterator[tuple[str, ObjectEntry]]:
    objects = env.domains["py"].data["objects"]
    return ((full, entry) for full, entry in objects.items() if not entry.aliased)


def _is_name_of(target: str, full: str, kind: str) -> bool:
    """Return whether a name stands for an object: single words may also be parameters, so only some do."""
    is_clear = "." in target or kind in TYPES or (kind == "function" and "_" in target)
    return is_clear and full.endswith(f".{target}")


def skip_generated_members(_app: Sphinx, _kind: str, name: str, obj: object, *_: object) -> bool | None:
    """Leave out what pydantic, scikit-learn and named tuples add to every class."""
    is_field = type(obj).__name__ == "_tuplegetter"
    is_request = name.startswith("set_") and name.endswith("_request")
    return True if is_field or is_request or name == "model_config" else None
