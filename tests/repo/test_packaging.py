"""The wheel: what is in it, and what an index page shows."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

from rocbands.errors import say_install
from tools.lowest_versions import list_lowest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    done = subprocess.run([*build, str(ROOT)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


@pytest.fixture(scope="module")
def metadata(wheel: zipfile.ZipFile) -> Message:
    (name,) = [name for name in wheel.namelist() if name.endswith("/METADATA")]
    return Parser().parsestr(wheel.read(name).decode())


def test_everything_that_the_package_reads_is_in_the_wheel(wheel: zipfile.ZipFile) -> None:
    source = ROOT / "src"
    wanted = {
        path.relative_to(source).as_posix()
        for path in (source / "rocbands").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    found = {name for name in wheel.namelist() if name.startswith("rocbands/")}
    assert found == wanted
    assert "rocbands/py.typed" in found
    assert {Path(name).suffix for name in found} >= {".npz", ".json", ".csv"}


def test_the_metadata_name_author_and_versions(metadata: Message) -> None:
    assert metadata["Author"]
    kinds = metadata.get_all("Classifier")
    assert {f"Programming Language :: Python :: 3.{minor}" for minor in (11, 12, 13)} <= set(kinds)
    assert "Operating System :: OS Independent" in kinds
    assert metadata["License-Expression"] == "BSD-3-Clause"


def test_the_index_page_has_no_relative_link(metadata: Message) -> None:
    page = str(metadata.get_payload())
    assert "pip install" in page
    links = re.findall(r"\]\(([^)]+)\)", page)
    assert [link for link in links if not link.startswith("https://")] == []
    # No address is guessed: the project has none yet.
    addresses = [*links, *(metadata.get_all("Project-URL") or [])]
    assert [address for address in addresses if "rocbands/" in address] == []


def test_lines_that_install_an_extra_name_its_libraries() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]

    def list_needed(extra: str) -> set[str]:
        found: set[str] = set()
        for needed in extras[extra]:
            inner = re.fullmatch(r"rocbands\[(\w+)\]", needed)
            found |= list_needed(inner[1]) if inner else {needed}
        return found

    for extra in ("app", "parquet", "excel", "sql", "dask", "torch"):
        line = say_install(extra)
        assert line.startswith("pip install ")
        assert set(re.findall(r'"([^"]+)"', line)) == list_needed(extra)


def test_lowest_versions_are_read_from_the_bounds() -> None:
    lowest = dict(line.split("==") for line in list_lowest(["parquet", "sql"]))
    assert lowest["click"] == "8.1"
    assert {"numpy", "scipy", "matplotlib", "narwhals", "rich", "jinja2"} < set(lowest)
    assert {"pyarrow", "duckdb"} < set(lowest)
