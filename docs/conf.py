"""Settings of the documentation: `make docs`."""

import re
from importlib.metadata import version as installed_version
from typing import Any

project = "cliquepool"
author = "The cliquepool authors"
copyright = "2026, The cliquepool authors"
release = installed_version("cliquepool")
version = ".".join(release.split(".")[:2])

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"cliquepool {release}"

# Docstrings write `code` with single backticks.
default_role = "code"
napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": True}

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3


def list_references(
    _app: Any, _what: str, _name: str, _object: object, _options: object, lines: list[str]
) -> None:
    """Show the references of a docstring as a list: MyST pages do not resolve footnotes of embedded rst."""
    for place, line in enumerate(lines):
        lines[place] = re.sub(r"^\.\. \[(\d+)\] ", r"\1. ", re.sub(r"\[(\d+)\]_", r"[\1]", line))


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", list_references)
