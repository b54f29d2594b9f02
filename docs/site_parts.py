"""What the site needs while it is built: pages of the studies, pictures, and formulas.

Sphinx reads one folder. Pages of the studies lie in ``studies/docs`` and are copied to
``docs/_evidence``; pictures of the tutorial are drawn by its own code, block after block, into
``docs/_made``. Git ignores both. In the repository pages refer to each other where they lie;
``to_site`` turns such a link into that between their places in the site.
Formulas become MathML, which browsers show without a script or a network.
"""

from __future__ import annotations

import contextlib
import html
import io
import os
import re
import shutil
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

LOG = logging.getLogger(__name__)
DOCS = Path(__file__).parent
STUDIES = DOCS.parent / "studies" / "docs"
EVIDENCE = DOCS / "_evidence"
MADE = DOCS / "_made"
MORE_ROWS = re.compile(
    r"^((?:\|.*\n){5})(?:\|.*\n)+", re.MULTILINE
)  # of a table, from its fourth on
LINK = re.compile(r"(?<=\]\()(?![a-z]+:)([^)#\s]+)")  # the file of a link or of a picture
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


def to_site(text: str, written: Path, shown: Path) -> str:
    """Return a page's text with links from where it is shown, a file that may not be there yet."""

    def turn(match: re.Match[str]) -> str:
        target = Path(os.path.normpath(written.parent / match[1]))
        if target.is_relative_to(STUDIES):
            target = EVIDENCE / target.relative_to(STUDIES)
        return Path(os.path.relpath(target, shown.parent)).as_posix()

    return LINK.sub(turn, text)


def copy_studies(app: Sphinx) -> None:
    """Copy pages and pictures of the studies; a file that did not change keeps its time.

    With the tag `short` (``sphinx -t short``) their tables, most of the site, keep three rows.
    """
    files = [path for path in sorted(STUDIES.rglob("*")) if path.is_file()]
    shown = {EVIDENCE / path.relative_to(STUDIES): path for path in files}
    for old in [path for path in EVIDENCE.rglob("*") if path.is_file() and path not in shown]:
        old.unlink()
    for place, path in shown.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix != ".md":
            shutil.copy2(path, place)
            continue
        text = to_site(path.read_text(encoding="utf-8"), path, place)
        text = MORE_ROWS.sub(r"\1", text) if app.tags.has("short") else text
        if not place.exists() or place.read_text(encoding="utf-8") != text:
            place.write_text(text, encoding="utf-8")


def link_studies(app: Sphinx, name: str, content: list[str]) -> None:
    """Turn links to pages of the studies into links to their copies, before a page is read."""
    page = Path(app.env.doc2path(name))
    if not page.is_relative_to(EVIDENCE):
        content[0] = to_site(content[0], page, page)


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
    app.connect("builder-inited", copy_studies)
    app.connect("builder-inited", make_pictures)
    app.connect("source-read", link_studies)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
