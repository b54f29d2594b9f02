"""How the documentation is built: offline, with warnings as errors."""

from __future__ import annotations

import sys
from pathlib import Path

import rocbands

sys.path.insert(0, str(Path(__file__).parent))  # site_parts lives beside the pages

project = "rocbands"
author = "the rocbands developers"
copyright = "2026, the rocbands developers"
version = release = rocbands.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "site_parts",
]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3  # links to sections of other pages
html_math_renderer = "mathml"
exclude_patterns = ["_build"]
html_title = project
html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
templates_path = ["_templates"]
html_sidebars = {"**": ["site-nav.html"]}
html_theme_options = {"navbar_center": [], "navigation_with_keys": True, "show_prev_next": True}
numpydoc_show_class_members = False
autodoc_default_options = {
    "members": True,  # all that have a docstring; attributes are in the docstring of their class
    "exclude-members": "FACTS, COLUMNS, schema, frame, columns, facts, summary, __init__",
}
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_mock_imports = ["torch", "torchmetrics"]  # large, and not needed to document the metric
