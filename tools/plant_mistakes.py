"""Plant mistakes in the package, one at a time, and count how many the tests catch.

Measure first which tests reach which line, with contexts, then plant::

    python -m pytest -m "not simulation" --cov=src/rocbands --cov-branch --cov-context=test
    python -m tools.plant_mistakes --seed 1 --number 100 --tests "not simulation"

The mistakes are drawn from the seed, equally many of each kind: another operator, another
constant, the first two arguments exchanged, a value that is not returned. Each is made in a copy
of the repository, where the tests that reach its line run until one fails. The outcome is written
to a file, from which ``--again FILE`` plants the same mistakes in another version; the tests are
then chosen by the coverage of the first one. coverage and pytest-cov must be installed.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Queue
from typing import Any

SOURCE = Path("src/rocbands")
OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.Lt: ast.LtE, ast.LtE: ast.Lt,
    ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or,
    ast.Or: ast.And, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
CHANGED = ast.BinOp | ast.BoolOp | ast.Compare | ast.UnaryOp | ast.Constant | ast.Call | ast.Return
FIRST = 40  # tests of the first batch, from the folder of the same name


@dataclass
class Mistake:
    """A changed piece of one statement; `line` is where the piece begins."""

    path: str
    line: int
    kind: str
    old: str
    new: str
    text: str  # the lines of the piece, by which it is found in another version
    column: int
    caught: str = ""  # the first test that failed, or how it was caught


def list_mistakes(path: Path) -> Iterator[Mistake]:
    """List all mistakes that can be made in a module."""
    text = path.read_text(encoding="utf-8")
    tree, lines = ast.parse(text), text.splitlines()
    for node in _walk_code(tree):
        for kind, changed in _change(node):
            assert node.end_lineno is not None, path
            assert node.end_col_offset is not None, path
            piece = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            after = len(lines[node.end_lineno - 1]) - node.end_col_offset
            old, new = piece[node.col_offset : len(piece) - after], ast.unparse(changed)
            if piece.isascii() and ast.unparse(node) != new:
                new = new if kind == "return" else f"({new})"
                found = Mistake(path.as_posix(), node.lineno, kind, old, new, piece, 0)
                found.column = node.col_offset
                yield found


def _walk_code(tree: ast.AST) -> Iterator[ast.expr | ast.Return]:
    """Go through expressions and returns that run; not annotations, imports for types, text."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.JoinedStr):
            continue
        for name in ("annotation", "returns"):
            if getattr(node, name, None) is not None:
                setattr(node, name, None)
        if isinstance(node, ast.expr | ast.Return):
            yield node
        yield from _walk_code(node)


def _change(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Return the kinds of mistakes in a node, with the changed node."""
    if not isinstance(node, CHANGED):
        return
    copy: Any = deepcopy(node)
    if isinstance(copy, ast.BinOp | ast.BoolOp) and type(copy.op) in OPERATORS:
        copy.op = OPERATORS[type(copy.op)]()
        yield "operator", copy
    elif isinstance(copy, ast.Compare) and type(copy.ops[0]) in OPERATORS:
        copy.ops[0] = OPERATORS[type(copy.ops[0])]()
        yield "operator", copy
    elif isinstance(copy, ast.UnaryOp) and isinstance(copy.op, ast.Not | ast.USub):
        yield "operator", copy.operand
    elif isinstance(copy, ast.Constant) and isinstance(copy.value, bool | int | float):
        value: Any = copy.value
        yield "constant", ast.Constant(not value if isinstance(value, bool) else value + 1)
    elif isinstance(copy, ast.Call) and len(copy.args) > 1:
        if not any(isinstance(one, ast.Starred) for one in copy.args[:2]):
            copy.args[0], copy.args[1] = copy.args[1], copy.args[0]
            yield "arguments", copy
    elif isinstance(node, ast.Return) and node.value is not None:
        yield "return", ast.Return()


def draw_mistakes(number: int, seed: int) -> list[Mistake]:
    """Draw mistakes, equally many of each kind, over the whole package."""
    every = [found for path in sorted(SOURCE.rglob("*.py")) for found in list_mistakes(path)]
    kinds, chosen = sorted({one.kind for one in every}), random.Random(seed)
    share = [number // len(kinds) + (i < number % len(kinds)) for i in range(len(kinds))]
    found = []
    for kind, count in zip(kinds, share, strict=True):
        found += chosen.sample([one for one in every if one.kind == kind], count)
    return found


def plant(mistake: Mistake, root: Path) -> tuple[Path, str] | None:
    """Write the mistake; return the file and its text before. None if the lines are not there."""
    path = root / mistake.path
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    starts = [0, *(i + 1 for i, c in enumerate(text) if c == "\n")]
    places = [i for i in range(len(text)) if text.startswith(mistake.text, i) and i in {*starts}]
    if not places:
        return None
    near = min(places, key=lambda i: abs(text.count("\n", 0, i) + 1 - mistake.line))
    at = near + mistake.column
    assert text.startswith(mistake.old, at), mistake
    path.write_text(text[:at] + mistake.new + text[at + len(mistake.old) :], encoding="utf-8")
    mistake.line = text.count("\n", 0, near) + 1
    return path, text


def find_tests(mistake: Mistake, data: Any, known: set[str]) -> list[str]:
    """List the tests that reach the lines of the mistake; those of its own folder first."""
    measured = [f for f in data.measured_files() if f.replace("\\", "/").endswith(mistake.path)]
    found: set[str] = set()
    for name in measured:
        by_line = data.contexts_by_lineno(name)
        last = mistake.line + mistake.text.count("\n")
        for line, contexts in by_line.items():
            if mistake.line <= line <= last:
                found |= {context.partition("|")[0] for context in contexts}
        if not found - {""}:  # it runs at import, or never
            ran = any(mistake.line <= line <= last for line in by_line)
            every = {c.partition("|")[0] for contexts in by_line.values() for c in contexts}
            found |= every if ran else set()
    folder = f"/{mistake.path.split('/')[2]}/"
    found &= known
    return sorted(found, key=lambda test: (folder not in test, test))


def run_tests(tests: list[str], root: Path, limit: float) -> str:
    """Run tests until one fails; return its name, or how it ended; empty if all pass."""
    for batch in (tests[:FIRST], tests[FIRST:]):
        if not batch:
            continue
        listed = root / "chosen-tests.txt"
        listed.write_text("\n".join(batch), encoding="utf-8")
        # Of a package that is installed elsewhere, too, the copy must be imported.
        paths = os.pathsep.join(str(root / part) for part in ("src", "studies/src"))
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
        try:
            done = subprocess.run(
                [*command, f"@{listed}"],
                cwd=root,
                env={**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
                capture_output=True,
                text=True,
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "did not end"
        if done.returncode not in (0, 5):
            names = [x for x in done.stdout.splitlines() if x.startswith(("FAILED", "ERROR"))]
            return names[0].split(" - ")[0] if names else f"exit {done.returncode}"
    return ""


def main() -> None:
    """Draw mistakes or read them, plant each, and print how many were caught."""
    parser = argparse.ArgumentParser(prog="python -m tools.plant_mistakes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--number", type=int, default=100)
    parser.add_argument("--again", metavar="FILE", help="plant the mistakes of this file")
    parser.add_argument("--tests", default="", help="which tests run, as in pytest -m")
    parser.add_argument("--coverage", default=".coverage", help="which tests reach which line")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for a batch of tests")
    parser.add_argument("-o", "--out", default="out/mistakes.json")
    asked = parser.parse_args()
    from coverage import CoverageData  # noqa: PLC0415 - not among the project's own tools

    data = CoverageData(asked.coverage)
    data.read()
    if asked.again:
        stored = json.loads(Path(asked.again).read_text(encoding="utf-8"))
        mistakes = [Mistake(**{**one, "caught": ""}) for one in stored]
    else:
        mistakes = draw_mistakes(asked.number, asked.seed)
    listing = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", asked.tests]
    collected = subprocess.run(listing, capture_output=True, text=True, check=False).stdout
    known = {line for line in collected.splitlines() if "::" in line}
    copies: Queue[Path] = Queue()
    with tempfile.TemporaryDirectory() as folder:
        for place in range(os.cpu_count() or 1):
            root = Path(folder) / f"copy{place}"
            shutil.copytree(
                ".", root, ignore=shutil.ignore_patterns(".git", ".venv*", "out", "__pycache__")
            )
            copies.put(root)

        def judge(mistake: Mistake) -> Mistake:
            root = copies.get()
            tests = find_tests(mistake, data, known)
            planted = plant(mistake, root)
            if planted is None:
                mistake.caught = "not there"
            else:
                mistake.caught = run_tests(tests, root, asked.limit) if tests else ""
                planted[0].write_text(planted[1], encoding="utf-8")
            copies.put(root)
            changed = f"{mistake.old[:40]!r} -> {mistake.new[:40]!r}"
            place = f"{mistake.path}:{mistake.line}"
            print(f"{mistake.caught or 'NOT CAUGHT':60.60} {place}: {changed}", flush=True)
            return mistake

        with ThreadPoolExecutor(copies.qsize()) as pool:
            done = list(pool.map(judge, mistakes))
    out = Path(asked.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps([asdict(one) for one in done], indent=1), encoding="utf-8")
    tried = [one for one in done if one.caught != "not there"]
    by_kind = Counter(one.kind for one in tried)
    for kind, count in sorted(by_kind.items()):
        caught = sum(bool(one.caught) for one in tried if one.kind == kind)
        print(f"{kind:10} {caught} of {count} caught")
    print(f"all        {sum(bool(one.caught) for one in tried)} of {len(tried)} caught")


if __name__ == "__main__":
    main()
