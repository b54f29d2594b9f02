"""Random numbers are drawn in resample/ and study/; every other module that draws has a reason."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np

import rocbands

SOURCE = Path(rocbands.__file__).parent
DRAWING = {name for name in dir(np.random.Generator) if name[0] != "_"} - {"bit_generator", "spawn"}

REASONS = {
    "comparison/sample_size.py": "normal scores of a planned test set: there are no rows to resample",
    "comparison/venkatraman.py": "a permutation test: models are exchanged, rows are not resampled",
    "cost/simultaneous.py": "multipliers of placements, laid out as the costs are",
    "cost/thresholds.py": "one random half of the rows, not a resample",
    "rates/bootstrap.py": "samples of a rate curve: labels given the rate, not rows of a test set",
    "reporting/request.py": "one seed for all sections of a report",
}


def find_draws(text: str) -> set[str]:
    """Methods of random generators that a module calls."""
    return {
        node.func.attr
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr in DRAWING and not is_module(node.func.value)
    }


def is_module(node: ast.expr) -> bool:
    """Tell whether a name is that of NumPy or of the standard library."""
    return isinstance(node, ast.Name) and node.id in {"np", "math", "secrets"}


def test_only_modules_with_a_reason_draw_random_numbers() -> None:
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if find_draws(path.read_text(encoding="utf-8"))
    }
    outside = {name for name in found if name.split("/")[0] not in ("resample", "study")}
    assert outside == set(REASONS)
    assert all(len(reason) > 20 for reason in REASONS.values())


def test_a_new_draw_would_be_seen() -> None:
    assert find_draws("def draw(stream):\n    return stream.standard_normal(3)") == {
        "standard_normal"
    }
    assert not find_draws("import numpy as np\nx = np.random.default_rng(1)")
