"""Pages of the documentation and of the studies, and their blocks of Python."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS, STUDIES = ROOT / "docs", ROOT / "studies" / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / ".github").glob("*.md")),
    *sorted(DOCS.glob("*.md")),
]
STUDY_PAGES = sorted(STUDIES.glob("*.md"))  # their code needs rocbands-studies
LINKED = [*PAGES, *sorted((DOCS / "reference").glob("*.md")), *sorted(STUDIES.rglob("*.md"))]

BLOCK = re.compile(
    r"^```python\n(.*?)^```$(?:\n+prints\n+^```(?:text|latex)\n(.*?)^```$)?",
    re.DOTALL | re.MULTILINE,
)


def python_blocks(page: Path) -> list[tuple[str, str]]:
    """Pair each block of code with what the page says that it prints, or ''."""
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def run_blocks(page: Path) -> None:
    """Run a page's blocks of code one after the other; they must print what the page says."""
    namespace: dict[str, object] = {"__name__": page.stem}
    for code, shown in python_blocks(page):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(code, str(page), "exec", dont_inherit=True), namespace)
        assert not shown or prints(shown, out.getvalue()), f"{code}\nprints\n{out.getvalue()}"
    assert namespace.keys() - {"__name__", "__builtins__"}


def prints(shown: str, got: str) -> bool:
    """Compare as doctest does; lines of dots stand for anything."""
    how = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(shown, got, how)
