"""Settings of the documentation: `make docs`."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from live_pages import write_live_pages  # noqa: E402 (files of this folder)
from reference_links import link_by_last_name, skip_generated_members  # noqa: E402

project = "cliquepool"
author = "The cliquepool authors"
copyright = "2026, The cliquepool authors"
release = installed_version("cliquepool")
version = ".".join(release.split(".")[:2])

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery", "generated/gallery/*.ipynb"]
templates_path = ["_templates"]

# ---- appearance ----

html_theme = "pydata_sphinx_theme"
html_title = f"cliquepool {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/logo.svg"
html_show_sourcelink = False
html_copy_source = False
html_show_search_summary = False  # would fetch the pages, which browsers refuse for files
html_context = {"default_mode": "auto"}  # light or dark as the reader's system is
html_sidebars = {"index": [], "changelog": []}
html_theme_options = {
    "logo": {"text": "cliquepool", "image_light": "_static/logo.svg", "image_dark": "_static/logo.svg"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}

# ---- pages ----

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

# Copy what is typed: without prompts and without what was printed.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# ---- reference ----

# Docstrings write `code` with single backticks: a link where it is the name of something documented.
default_role = "py:obj"
autosummary_generate = sorted(str(page.relative_to(HERE)) for page in HERE.glob("reference/*.rst"))
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_param = False

# The build has no network: names of other packages have no page to link to. Nor have the words for types in
# docstrings, such as "array, optional". Names of this package, and every other role, must lead somewhere.
nitpicky = True
nitpick_ignore_regex = [("py:class", r"(?!cliquepool\b).*")]

# ---- gallery ----

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "generated/gallery",
    "backreferences_dir": "generated/backreferences",  # the scripts that use a name, for its page
    "doc_module": ("cliquepool",),
    "log_level": {"backreference_missing": "debug"},
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "abort_on_example_error": True,
    "image_srcset": ["2x"],
    "reference_url": {"cliquepool": None},  # names in the code are links to their pages
    "write_computation_times": False,
    "show_signature": False,
    "remove_config_comments": True,
    "show_memory": False,
    "min_reported_time": 3600,  # the time of a script depends on the machine
}


def setup(app: Sphinx) -> None:
    """Register what the files of this folder do."""
    app.connect("build-finished", write_live_pages)
    app.connect("missing-reference", link_by_last_name)
    app.connect("autodoc-skip-member", skip_generated_members)
