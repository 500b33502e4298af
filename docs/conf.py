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
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"cliquepool {release}"

# Docstrings write `code` with single backticks.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3


def write_sections(
    _app: Any, _what: str, _name: str, _object: object, _options: object, lines: list[str]
) -> None:
    """Turn the underlined sections of a docstring into reStructuredText.

    "name : type" and an indented text is a definition list already. References become a list, as MyST pages
    do not resolve the footnotes of embedded reStructuredText.
    """
    written: list[str] = []
    for line in lines:
        if written and re.fullmatch("-{3,}", line):
            written[-1:] = [f".. rubric:: {written[-1]}", ""]
        else:
            written.append(re.sub(r"^\.\. \[(\d+)\] ", r"\1. ", re.sub(r"\[(\d+)\]_", r"[\1]", line)))
    lines[:] = written


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", write_sections)
