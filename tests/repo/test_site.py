"""The site can be built, without a warning and without a network."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cached_property
from pathlib import Path

import pytest

import rocbands
from tests.repo.pages import DOCS, ROOT, STUDIES

pytest.importorskip("sphinx")
pytest.importorskip("pydata_sphinx_theme")

EVIDENCE = "_evidence/index"  # pages of the studies are copied there
NEEDED = re.compile(
    r"<(?:script|img|iframe)\b[^>]*\bsrc=\"([^\"]+)\"|<link\b[^>]*\brel=\"stylesheet\"[^>]*\bhref=\"([^\"]+)\""
)


def built(folder: Path) -> dict[str, str]:
    """Build the site into a folder, with warnings as errors; its pages by name."""
    # Long tables of the studies are cut: their rows are written by one function for each table.
    sphinx = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-t",
        "short",
        "-b",
        "html",
    ]
    command = [*sphinx, "-d", str(folder / "doctrees"), "docs", str(folder / "html")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    html = folder / "html"
    found = [*html.glob("*.html"), *(html / "_evidence").glob("*.html")]
    names = [page.relative_to(html).with_suffix("").as_posix() for page in found]
    return dict(zip(names, (page.read_text(encoding="utf-8") for page in found), strict=True))


INNER = {"columns", "facts", "frame", "summary"}  # described once, for all results


def members() -> list[str]:
    """Methods and properties of the public classes, as the reference has to show them."""
    return [
        f"{place}.{name}.{member}"
        for place, module in (("rocbands", rocbands), ("rocbands.results", rocbands.results))
        for name in module.__all__
        if isinstance(kind := getattr(module, name), type)
        for member, value in vars(kind).items()
        if member[0] != "_" and member not in INNER
        if callable(value)
        or isinstance(value, property | cached_property | classmethod | staticmethod)
    ]


def test_the_site_is_whole_and_needs_no_network(tmp_path: Path) -> None:
    # One test, not several: tests that run side by side would each build the site.
    pages = built(tmp_path)
    for start, folder in (("index", DOCS), (EVIDENCE, STUDIES)):
        for page in folder.glob("*.md"):
            link = f'href="{page.stem}.html"'
            assert page.stem == "index" or link in pages[start], page.name
    for name in ("docs", "studies"):
        assert f"../{name}/" not in " ".join(pages.values()), "a link of the repository in the site"
    for name, text in pages.items():
        needed = [source or style for source, style in NEEDED.findall(text)]
        assert needed, name
        assert [link for link in needed if re.match(r"(https?:)?//", link)] == [], name
    folder = tmp_path / "html" / "reference"
    reference = "".join(page.read_text(encoding="utf-8") for page in folder.glob("*.html"))
    assert [member for member in members() if f'id="{member}"' not in reference] == []
    assert pages["likelihood"].count("<math") > 20
    assert "\\frac" not in pages["likelihood"]
    assert "$$" not in pages["likelihood"]
    made = {picture.name for picture in (tmp_path / "html" / "_images").iterdir()}
    assert {
        "band.png",
        "gap.png",
        "both.png",
        "dugas-2009-figure1.png",
        "macskassy-2004-figure4.png",
    } <= made
