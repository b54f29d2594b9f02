"""User code under two type checkers: good calls have concrete types, bad ones are errors."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

import rocbands as rb

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
GOOD, BAD = HERE / "good.py", HERE / "bad.py"
LINES = BAD.read_text(encoding="utf-8").splitlines()
WRONG = {number: line for number, line in enumerate(LINES, start=1) if line.endswith("  # bad")}
Errors = dict[str, dict[int, str]]  # by file and line


def run_mypy(folder: Path) -> Errors:
    """Run mypy, with the project's strict settings and its cache."""
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-pretty", "--no-error-summary", GOOD, BAD],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    found: Errors = {GOOD.name: {}, BAD.name: {}}
    pattern = r"^tests.typing.(good\.py|bad\.py):(\d+): error: (.*)$"
    for name, line, text in re.findall(pattern, done.stdout, re.MULTILINE):
        found[name][int(line)] = text
    assert found[BAD.name], done.stdout + done.stderr
    return found


def run_basedpyright(folder: Path) -> Errors:
    """Run basedpyright as pyright is by default; it brings its own Node and loads nothing."""
    settings = {
        "include": [str(GOOD), str(BAD)],
        "extraPaths": [str(ROOT / "src")],
        "typeCheckingMode": "standard",
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    program = [sys.executable, "-m", "basedpyright", "--outputjson", "--level", "error"]
    done = subprocess.run(
        [*program, "-p", str(folder), "--pythonpath", sys.executable],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    found: Errors = {GOOD.name: {}, BAD.name: {}}
    for one in json.loads(done.stdout)["generalDiagnostics"]:
        found[Path(one["file"]).name][one["range"]["start"]["line"] + 1] = one["message"]
    assert found[BAD.name], done.stdout + done.stderr
    return found


@pytest.mark.parametrize("run", [run_mypy, run_basedpyright])
def test_good_calls_are_typed_and_bad_calls_are_errors(
    run: Callable[[Path], Errors], tmp_path: Path
) -> None:
    found = run(tmp_path)
    assert found[GOOD.name] == {}
    assert [line for number, line in WRONG.items() if number not in found[BAD.name]] == []
    assert {n: text for n, text in found[BAD.name].items() if n not in WRONG} == {}


def test_there_are_many_calls() -> None:
    assert len(WRONG) >= 30
    assert GOOD.read_text(encoding="utf-8").count("\nassert_type(") >= 30


def test_good_calls_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")
    runpy.run_path(str(GOOD))


@pytest.mark.parametrize("line", WRONG.values())
def test_bad_calls_are_refused(line: str) -> None:
    names: dict[str, Any] = {}
    exec("\n".join(line for line in LINES if not line.endswith("  # bad")), names)
    refusals = (rb.InputError, AttributeError, FrozenInstanceError, KeyError, TypeError)
    with pytest.raises(refusals):
        exec(line, names)
