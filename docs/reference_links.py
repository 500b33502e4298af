"""Link the types of signatures to their pages, by their last names.

Annotations are shown as they are written in the sources, such as `Graph` or `npt.NDArray[np.int32]`, which
reads better than full names. Sphinx finds pages by full names only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sphinx.util.nodes import make_refnode

if TYPE_CHECKING:
    from docutils.nodes import Element, TextElement
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.domains.python import ObjectEntry
    from sphinx.environment import BuildEnvironment

ROLES = {"class", "exc", "obj"}
KINDS = {"class", "exception", "type", "data"}


def link_by_last_name(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, contnode: TextElement
) -> Element | None:
    """Return a link to the one public type of this name, or of this name in the same module."""
    if node.get("refdomain") != "py" or node["reftype"] not in ROLES:
        return None
    name = node["reftarget"].rpartition(".")[2]
    found = {full: entry for full, entry in _types(env).items() if full.rpartition(".")[2] == name}
    beside = f"{node.get('py:module')}.{name}"
    if beside in found:
        found = {beside: found[beside]}
    if len(found) != 1:
        return None
    ((full, entry),) = found.items()
    return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, contnode, full)


def _types(env: BuildEnvironment) -> dict[str, ObjectEntry]:
    objects = env.domains["py"].data["objects"]
    return {name: entry for name, entry in objects.items() if entry.objtype in KINDS and not entry.aliased}


def skip_generated_members(_app: Sphinx, _kind: str, name: str, obj: object, *_: object) -> bool | None:
    """Leave out what pydantic, scikit-learn and named tuples add to every class."""
    is_field = type(obj).__name__ == "_tuplegetter"
    is_request = name.startswith("set_") and name.endswith("_request")
    return True if is_field or is_request or name == "model_config" else None
