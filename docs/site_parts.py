"""What the site needs while it is built: pictures, and formulas that need no network.

Pictures of the tutorial are drawn by its own code, block after block, into ``docs/_made``, which
git ignores. Formulas become MathML, which browsers show without a script.
"""

from __future__ import annotations

import contextlib
import html
import io
import re
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

LOG = logging.getLogger(__name__)
MADE = Path(__file__).parent / "_made"
PAGES_THAT_DRAW = ("tutorial.md",)
MISREAD = {  # what the converter would quietly get wrong
    r"\\[tdc]?frac\s*[^{\s]": r"A fraction needs braces, as in \frac{1}{2}",
    r"\\(?:hat|bar|tilde)\s*\{?\\?\w+\}?\s*_": "An accent cannot stand on a letter with an index",
}


def run_blocks(page: Path, folder: Path) -> None:
    """Run a page's Python blocks one after the other, with ``folder`` as the place for files."""
    text = page.read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": page.stem}
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        for block in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            exec(compile(block, str(page), "exec", dont_inherit=True), names)
    plt.close("all")


def make_pictures(app: Sphinx) -> None:
    """Draw what pages show, before they are read."""
    for name in PAGES_THAT_DRAW:
        page = Path(app.srcdir) / name
        run_blocks(page, MADE / page.stem)


def formula(node: nodes.Element, as_block: bool) -> str:
    """Turn a formula into MathML; say where one cannot be, or would come out wrong."""
    tex = node.astext()
    for pattern, rule in MISREAD.items():
        if re.search(pattern, tex):
            LOG.warning("%s: %s", rule, tex, location=node)
    try:
        return str(latex2mathml.tex2mathml(tex, as_block=as_block))
    except MathError as error:
        LOG.warning("This formula cannot be MathML (%s): %s", error, tex, location=node)
        return f"<code>{html.escape(tex)}</code>"


def visit_inline(writer: Any, node: nodes.Element) -> None:
    """Write a formula within a line."""
    writer.body.append(formula(node, as_block=False))
    raise nodes.SkipNode


def visit_block(writer: Any, node: nodes.Element) -> None:
    """Write a formula that stands by itself."""
    writer.body.append(f'<div class="formula">{formula(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx about the parts."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.connect("builder-inited", make_pictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
