"""How the documentation is built: offline, with warnings as errors."""

from __future__ import annotations

import rocbands

project = "rocbands"
author = "the rocbands developers"
copyright = "2026, the rocbands developers"
version = release = rocbands.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
]
myst_enable_extensions = ["dollarmath", "colon_fence"]
exclude_patterns = ["_build"]
html_theme = "pydata_sphinx_theme"
html_static_path: list[str] = []
html_theme_options = {"navigation_with_keys": True, "show_prev_next": True}
numpydoc_show_class_members = False
autodoc_typehints = "none"
