"""Import rules: who may import whom, and what `import rocbands` costs."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
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
    assert dir(rocbands) == sorted(names)
    body = ast.parse(text).body
    known = {one.asname for node in body if isinstance(node, ast.ImportFrom) for one in node.names}
    known |= {node.name for node in body if isinstance(node, ast.FunctionDef)}
    assert known - {None} == names | {*rocbands._OPTIONAL}
    for page, made in pages().items():
        assert page.read_text(encoding="utf-8") == made, "run python -m tools.make_reference"


def test_no_package_hides_a_public_name() -> None:
    """Importing a module of a package makes the package an attribute of rocbands."""
    import rocbands

    packages = {path.stem for path in Path(rocbands.__file__).parent.iterdir()}
    assert not packages & set(rocbands.__all__)


PLANTED = {
    "a package imports one below it": ("core/roc.py", "import rocbands.bands"),
    "matplotlib outside plot": ("bands/joint_region.py", "import matplotlib.pyplot"),
    "a frame library inside core": ("core/sample.py", "import narwhals"),
    "jinja outside reporting": ("io/files.py", "import jinja2"),
    "a database outside scale": ("io/files.py", "import duckdb"),
    "a cluster outside scale": ("io/files.py", "import pyspark.sql"),
    "PyTorch outside scale": ("io/files.py", "import torch"),
    "click outside cli": ("io/files.py", "import click"),
    "scikit-learn in the library": ("auc/folds.py", "import sklearn.tree"),
    "a study in the library": ("auc/folds.py", "import rocbands_studies.engine"),
}


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    # Run on a copy: its own source folder stands first on the path, before the installed package.
    code = (
        f"import sys; sys.path.insert(0, {str(root / 'src')!r});"
        "from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    )
    return subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_code_as_it_stands_keeps_the_rules(copy: Path) -> None:
    done = lint(copy)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("case", PLANTED)
def test_a_planted_import_is_found(copy: Path, case: str) -> None:
    name, line = PLANTED[case]
    module = copy / "src" / "rocbands" / name
    text = module.read_text(encoding="utf-8")
    module.write_text(
        text.replace(
            "from __future__ import annotations\n",
            f"from __future__ import annotations\n\n{line}\n",
            1,
        ),
        encoding="utf-8",
    )
    done = lint(copy)
    assert done.returncode != 0
    assert "BROKEN" in done.stdout


def test_two_band_methods_that_know_each_other_are_found(copy: Path) -> None:
    nosy = copy / "src" / "rocbands" / "bands" / "nosy.py"
    nosy.write_text("from rocbands.bands.joint_region import JointRegion\n", encoding="utf-8")
    assert lint(copy).returncode != 0


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
