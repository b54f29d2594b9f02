"""Random numbers are drawn in resample/; every other module that draws has a reason."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np

import rocbands

SOURCE = Path(rocbands.__file__).parent
DRAWING = {name for name in dir(np.random.Generator) if name[0] != "_"} - {"bit_generator", "spawn"}
CALL = re.compile(rf"\.({'|'.join(sorted(DRAWING))})\(")

REASONS = {
    "bands/working_hotelling.py": "lines and future sets of a fitted model, not rows of a test set",
    "planning/simulation.py": "normal scores of a planned test set: there are no rows to resample",
    "comparison/venkatraman.py": "a permutation test: models are exchanged, rows are not resampled",
    "cost/thresholds.py": "one random half of the rows, not a resample",
    "rates/bootstrap.py": "samples of a rate curve: labels given the rate, not rows of a test set",
    "smooth/asymmetric.py": "cells of a fitted distribution, fitted anew",
    "smooth/kernel.py": "cells of a smoothed class, smoothed anew",
    "core/randomness.py": "one number, so that a generator that was shared counts as used",
    "reporting/request.py": "one seed for all sections of a report",
}


def find_draws(text: str) -> set[str]:
    """Methods of random generators that a module calls; functions of imported modules are not."""
    if not CALL.search(text):
        return set()  # need not be parsed
    tree = ast.parse(text)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    imported = {alias.asname or alias.name for node in imports for alias in node.names}
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {
        call.attr
        for call in calls
        if isinstance(call, ast.Attribute) and call.attr in DRAWING
        if not (isinstance(call.value, ast.Name) and call.value.id in imported)
    }


def test_only_modules_with_a_reason_draw_random_numbers() -> None:
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if find_draws(path.read_text(encoding="utf-8"))
    }
    outside = {name for name in found if name.split("/")[0] != "resample"}
    assert outside == set(REASONS)
    assert all(len(reason) > 20 for reason in REASONS.values())


def test_a_new_draw_would_be_seen() -> None:
    assert find_draws("def draw(stream):\n    return stream.standard_normal(3)") == {
        "standard_normal"
    }
    assert not find_draws("import numpy as np\nx = np.random.default_rng(1)")
