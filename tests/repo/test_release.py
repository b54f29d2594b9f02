"""What a release and its contributors rely on: versions, the changelog, the workflow."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import rocbands

ROOT = Path(__file__).parents[2]
TOWNCRIER = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
    "towncrier"
]
KINDS = [kind["directory"] for kind in TOWNCRIER["type"]]


def read(*parts: str) -> str:
    return ROOT.joinpath(*parts).read_text(encoding="utf-8")


def test_one_version_everywhere() -> None:
    version = re.escape(rocbands.__version__)
    assert re.search(rf"^version: {version}$", read("CITATION.cff"), re.MULTILINE)
    assert re.search(rf'^version = "{version}"$', read("studies", "pyproject.toml"), re.MULTILINE)
    assert re.search(rf"^## {version} \(", read("CHANGELOG.md"), re.MULTILINE)


def test_changes_have_names_that_the_changelog_is_made_from() -> None:
    known = {"README.md", "template.md.jinja"}
    names = {path.name for path in (ROOT / "changes").iterdir()} - known
    wrong = [n for n in names if not re.fullmatch(rf"[a-z0-9-]+\.({'|'.join(KINDS)})\.md", n)]
    assert wrong == [], f"Name changes NAME.KIND.md, where KIND is one of {', '.join(KINDS)}."


def test_the_workflow_only_calls_targets_that_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):.*## ", read("Makefile"), re.MULTILINE))
    workflow = read(".github", "workflows", "check.yml")
    runs = re.findall(r"run: (.*)", workflow)
    made = [line.removeprefix("make ") for line in runs if line.startswith("make ")]
    nightly = re.findall(r"target: \[(.*)\]", workflow)[0].split(", ")
    made = [one for one in made if "$" not in one] + nightly
    assert {"test", "test-all", "test-machines", "docs", "wheel"} <= {*made} <= targets
    # Windows has no make; every other step is a target.
    assert [line for line in runs if not line.startswith(("make ", "python -m "))] == []
