"""What the project says of itself runs: docstrings, README and documentation."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from operator import attrgetter
from pathlib import Path

import pytest

import rocbands

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / ".github").glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
MODULES = [
    module.name
    for module in pkgutil.walk_packages(rocbands.__path__, "rocbands.")
    if not module.name.endswith("__main__")
]

# What is skipped where a library that no other extra installs is missing.
NEEDS = {
    "rocbands.torch": "torchmetrics",
    "rocbands.scale.triton_kernel": "triton",
    "training.md": "lightning",
}

GOLDEN = ROOT / "tests" / "golden"
BLOCK = re.compile(
    r"^```python\n(.*?)^```$(?:\n+prints\n+^```(?:text|latex)\n(.*?)^```$)?",
    re.DOTALL | re.MULTILINE,
)


def python_blocks(page: Path) -> list[tuple[str, str]]:
    """Pair each block of code with what the page says that it prints, or ''."""
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def prints(shown: str, got: str) -> bool:
    """Compare as doctest does; lines of dots stand for anything."""
    how = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(shown, got, how)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason=f"needs {NEEDS[name]}: make test-torch")
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


FIRST_PAGES = [ROOT / "README.md", ROOT / "docs" / "tutorial.md"]


@pytest.mark.parametrize(
    "page", [p for p in PAGES if python_blocks(p) and p not in FIRST_PAGES], ids=lambda p: p.name
)
def test_python_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page.name in NEEDS:
        pytest.importorskip(NEEDS[page.name], reason=f"needs {NEEDS[page.name]}: make test-torch")
    monkeypatch.chdir(tmp_path)
    shutil.copy(GOLDEN / "asah.csv", tmp_path)  # a file that pages read
    namespace: dict[str, object] = {"__name__": page.stem}
    for code, shown in python_blocks(page):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(code, str(page), "exec", dont_inherit=True), namespace)
        assert not shown or prints(shown, out.getvalue()), f"{code}\nprints\n{out.getvalue()}"
    assert namespace.keys() - {"__name__", "__builtins__"}


# What only extras install; None among the modules makes Python say that there is none.
EXTRAS = (
    "pandas",
    "polars",
    "pyarrow",
    "sklearn",
    "duckdb",
    "distributed",
    "pyspark",
    "torch",
    "hypothesis",
)


@pytest.mark.parametrize("page", FIRST_PAGES, ids=lambda p: p.name)
def test_first_pages_run_and_need_no_extra(page: Path, tmp_path: Path) -> None:
    blocks = python_blocks(page)
    code = "\nprint('\\f')\n".join(code for code, _ in blocks)
    before = f"import sys\nsys.modules.update(dict.fromkeys({EXTRAS!r}))\n"
    done = subprocess.run(
        [sys.executable, "-"],
        input=before + code,
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "agg", "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    for (block, shown), said in zip(blocks, done.stdout.split("\f\n"), strict=True):
        assert not shown or prints(shown, said), f"{block}\nprints\n{said}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_and_pictures_exist(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    kept = [link for link in links if not link.startswith("_made/")]  # made with the site
    missing = [link for link in kept if not (page.parent / link).exists()]
    assert missing == []


FORMULAS = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


def test_what_the_code_cites_exists() -> None:
    missing = []
    for path in sorted((ROOT / "src").rglob("*.py")):
        text = re.sub(r"\s+(?:# )?", " ", path.read_text(encoding="utf-8"))
        pages = re.findall(r"docs/[\w./-]+?\.md", text)
        missing += [(path.name, page) for page in pages if not (ROOT / page).exists()]
        cited = re.findall(r"[Ff]ormulas? \(([A-Z]\d+)\)(?: (?:and|to) \(([A-Z]\d+)\))?", text)
        names = [name for pair in cited for name in pair if name]
        missing += [(path.name, n) for n in names if f"\\text{{({n})}}" not in FORMULAS]
    assert missing == []


REFERENCE = "\n".join(
    page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs" / "reference").glob("*.md"))
)


NAMES = [name for name in rocbands.__all__ if name != "__version__"]
NAMES += [f"results.{name}" for name in rocbands.results.__all__]


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_is_documented(name: str) -> None:
    assert attrgetter(name)(rocbands).__doc__
    assert len(re.findall(rf"^\.\. auto\w+:: (?:rocbands\.)?{name}$", REFERENCE, re.MULTILINE)) == 1
    assert f"`{name}`" in (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
