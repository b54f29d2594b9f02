"""Import rules: who may import whom, and what `import rocbands` costs."""

from __future__ import annotations

import ast
import inspect
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = [
    "scipy",
    "scipy.stats",
    "matplotlib",
    "pandas",
    "polars",
    "narwhals",
    "pyarrow",
    "numba",
    "duckdb",
    "click",
    "jinja2",
    "rich",
    "sklearn",
    "dask",
    "pyspark",
]


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = f"import sys, rocbands; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_reading_rows_does_not_wait_for_pandas(tmp_path: Path) -> None:
    code = (
        "import sys, pyarrow.csv, pyarrow.parquet as pq; from rocbands.io.files import read_scores;"
        "rows = 'y,score\\n' + '1,0.123456789\\n0,0.5\\n' * 20_000; open('a.csv', 'w').write(rows);"
        "table = pyarrow.csv.read_csv('a.csv'); pq.write_table(table, 'a.parquet');"
        "assert all(read_scores(name).y_true.size == 40_000 for name in ('a.csv', 'a.parquet'));"
        "print('pandas' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_every_public_name_can_be_had() -> None:
    import rocbands

    assert len(set(rocbands.__all__)) == len(rocbands.__all__)
    for name in (*rocbands.__all__, *rocbands._PACKAGES):
        assert getattr(rocbands, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'roc_bend'"):
        rocbands.roc_bend  # noqa: B018


def test_stub_completion_and_reference_come_from_one_table() -> None:
    import rocbands
    from tools.make_reference import pages
    from tools.make_stub import STUB, stub

    text = STUB.read_text(encoding="utf-8")
    assert text == stub(), "run python -m tools.make_stub"
    names = {*rocbands.__all__, *rocbands._PACKAGES}
    body = ast.parse(text).body
    known = {one.asname for node in body if isinstance(node, ast.ImportFrom) for one in node.names}
    known |= {node.name for node in body if isinstance(node, ast.FunctionDef)}
    assert known - {None} == names | {*rocbands._OPTIONAL}
    for page, made in pages().items():
        assert page.read_text(encoding="utf-8") == made, "run python -m tools.make_reference"


def test_completion_shows_questions_data_displays_and_errors() -> None:
    import rocbands
    from rocbands.core.result import Result

    assert dir(rocbands) == sorted(rocbands.__all__)
    public = {name: getattr(rocbands, name) for name in dir(rocbands) if name[:1] != "_"}
    assert 50 <= len(public) <= 58
    classes = {name for name, value in public.items() if isinstance(value, type)}
    data = {"Sample", "Readings", "RocCurve", "ScoreCounts", "Table"}
    displays = {name for name in classes if name.endswith("Display")}
    errors = {name for name in classes if issubclass(public[name], (Exception, Warning))}
    assert classes == data | displays | errors
    assert all(inspect.isfunction(public[name]) for name in public.keys() - classes)
    # What functions return is in rb.results; only counts and tables are also made by hand.
    made = {name for name in classes if issubclass(public[name], Result)}
    assert made <= data
    assert not {*rocbands.results.__all__} & public.keys()


def test_no_package_hides_a_public_name() -> None:
    """Importing a module of a package makes the package an attribute of rocbands."""
    import rocbands

    packages = {path.stem for path in Path(rocbands.__file__).parent.iterdir()}
    assert not packages & set(rocbands.__all__)


# Where src/rocbands may import a library: packages, or single files. What is not here is imported
# nowhere, scikit-learn, pandas and the studies among them; frames of pandas are read by narwhals.
ANYWHERE = ("",)
MAY_IMPORT = {
    "numpy": ANYWHERE,
    "scipy": ANYWHERE,
    "matplotlib": ("plot/",),
    "narwhals": ("core/columns.py", "io/", "scale/"),
    "pyarrow": ("core/columns.py", "io/", "scale/"),
    "openpyxl": ("io/",),
    "click": ("cli/",),
    "rich": ("cli/", "io/layout.py"),
    "jinja2": ("reporting/",),
    "markupsafe": ("reporting/",),
    "starlette": ("app/",),
    "uvicorn": ("app/",),
    "python_multipart": ("app/",),
    "duckdb": ("io/",),
    "torch": ("scale/", "torch.py"),
    "torchmetrics": ("torch.py",),
    "triton": ("scale/",),
}


@cache
def list_libraries(text: str) -> frozenset[str]:
    """List the libraries that a module imports, late imports and import_module("name") included.

    Imports for type checkers only do not count, but those of our other distributions, which are not
    installed where the package is alone.
    """
    tree = ast.parse(text)
    typed = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for part in node.body
        for inner in ast.walk(part)
    }
    found = set()
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = ["rocbands" if node.level else node.module or ""]
        elif isinstance(node, ast.Call) and getattr(
            node.func, "attr", getattr(node.func, "id", "")
        ) in ("import_module", "__import__"):
            names = [each.value for each in node.args[:1] if isinstance(each, ast.Constant)]
        libraries = {name.partition(".")[0] for name in names}
        found |= {one for one in libraries if id(node) not in typed or one.startswith("rocbands_")}
    return frozenset(found - sys.stdlib_module_names - {"rocbands"})


def find_forbidden(place: str, text: str) -> set[str]:
    """Find the libraries that a module imports, and may not; `place` is its path in src/rocbands."""
    return {name for name in list_libraries(text) if not place.startswith(MAY_IMPORT.get(name, ()))}


SOURCES = {
    path.relative_to(ROOT / "src" / "rocbands").as_posix(): path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "src" / "rocbands").rglob("*.py"))
}


def test_libraries_are_imported_where_they_may_be() -> None:
    wrong = {
        place: found for place, text in SOURCES.items() if (found := find_forbidden(place, text))
    }
    assert not wrong, "see MAY_IMPORT in tests/repo/test_imports.py"


def test_every_place_of_the_table_uses_its_library() -> None:
    used = {(name, place) for place, text in SOURCES.items() for name in list_libraries(text)}
    idle = [
        (library, start)
        for library, starts in MAY_IMPORT.items()
        for start in starts
        if not any(name == library and place.startswith(start) for name, place in used)
    ]
    assert not idle


PLANTED = {
    "matplotlib outside plot": ("bands/joint_region.py", "import matplotlib.pyplot"),
    "a frame library inside core": ("core/sample.py", "import narwhals"),
    "by name": ("core/sample.py", "importlib.import_module('pyarrow.parquet')"),
    "pandas": ("io/files.py", "import pandas as pd"),
    "jinja outside reporting": ("io/files.py", "from jinja2 import Template"),
    "a database outside io": ("scale/query.py", "import duckdb"),
    "a cluster": ("scale/query.py", "import pyspark.sql"),
    "PyTorch outside scale": ("io/files.py", "import torch"),
    "torchmetrics in scale": ("scale/tensors.py", "import torchmetrics"),
    "click outside cli": ("io/files.py", "import click"),
    "a web server outside app": ("cli/serve.py", "from starlette.responses import Response"),
    "late": ("cli/band.py", "def late():\n    import matplotlib"),
    "scikit-learn": ("io/estimators.py", "import sklearn.tree"),
    "a library that nothing else uses": ("io/files.py", "import requests"),
    "studies": ("cli/app.py", "import rocbands_studies.catalog"),
    "types of studies": (
        "plot/forest.py",
        "if TYPE_CHECKING:\n    from rocbands_studies.results import StudyResult",
    ),
}


@pytest.mark.parametrize("case", PLANTED)
def test_a_planted_library_is_found(case: str) -> None:
    place, line = PLANTED[case]
    assert not find_forbidden(place, SOURCES[place])
    assert len(find_forbidden(place, f"{SOURCES[place]}\n{line}\n")) == 1


def test_imports_against_the_order_and_between_band_methods_are_found(tmp_path: Path) -> None:
    """`make lint` checks the code as it stands; this is its control, on a copy."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    module = tmp_path / "src" / "rocbands" / "core" / "roc.py"
    module.write_text(f"import rocbands.bands\n{SOURCES['core/roc.py']}", encoding="utf-8")
    nosy = tmp_path / "src" / "rocbands" / "bands" / "nosy.py"
    nosy.write_text("from rocbands.bands.joint_region import JointRegion\n", encoding="utf-8")
    # Its own source folder stands first on the path, before the installed package.
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'src')!r});"
        "from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert len(re.findall(r"^.* BROKEN\b", done.stdout, re.MULTILINE)) == 2, done.stdout
    for planted in (
        "rocbands.core.roc -> rocbands.bands",
        "rocbands.bands.nosy -> rocbands.bands.joint_region",
    ):
        assert planted in done.stdout


def test_late_imports_are_listed_where_packages_are_explained() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.partition("### Late imports\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([\w.]+)` \| (.+?) \|", table, re.MULTILINE)
    listed = [
        f"rocbands.{module} -> rocbands.{other}"
        for module, others in rows
        for other in re.findall(r"`([\w.]+)`", others)
    ]
    assert len(listed) > 5
    assert sorted(listed) == sorted(layers["ignore_imports"])


def test_packages_are_explained_in_the_order_that_is_checked() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.partition("## Packages\n")[2].partition("\n### ")[0]
    shown = re.findall(r"^\| `(\w+)(?:/|\.py)` \|", table, re.MULTILINE)
    ranks = {name: -place for place, layer in enumerate(layers) for name in layer.split(" | ")}
    assert {*shown} == ranks.keys() - {"_version"}
    assert [ranks[name] for name in shown] == sorted(ranks[name] for name in shown)
