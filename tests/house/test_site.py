"""The site can be built, without a warning and without a network."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx")
pytest.importorskip("pydata_sphinx_theme")

ROOT = Path(__file__).parents[2]
NEEDED = re.compile(
    r"<(?:script|img|iframe)\b[^>]*\bsrc=\"([^\"]+)\"|<link\b[^>]*\brel=\"stylesheet\"[^>]*\bhref=\"([^\"]+)\""
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    sphinx = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    command = [*sphinx, "-d", str(folder / "doctrees"), "docs", str(folder / "html")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "html"


def pages(site: Path) -> dict[str, str]:
    return {page.stem: page.read_text(encoding="utf-8") for page in site.glob("*.html")}


def test_every_page_is_in_a_table_of_contents(site: Path) -> None:
    front = pages(site)["index"]
    for page in (ROOT / "docs").glob("*.md"):
        assert f'href="{page.stem}.html"' in front or page.stem == "index", page.name


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for name, text in pages(site).items():
        needed = [source or style for source, style in NEEDED.findall(text)]
        assert needed or name == "search", name
        assert [link for link in needed if re.match(r"(https?:)?//", link)] == [], name


def test_formulas_are_written_out(site: Path) -> None:
    text = pages(site)["likelihood"]
    assert text.count("<math") > 20
    assert "\\frac" not in text
    assert "$$" not in text


def test_pictures_are_made(site: Path) -> None:
    made = {picture.name for picture in (site / "_images").iterdir()}
    assert {"band.png", "gap.png", "both.png", "cost-space.png", "curves-to-bands.png"} <= made
