"""Settings of the documentation: `make docs`."""

from importlib.metadata import version as installed_version

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
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
napoleon_google_docstring = False
napoleon_use_rtype = False

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
