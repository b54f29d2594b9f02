"""The layout can be guessed: a question has a package, a method has a file of its name."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

import rocbands
from rocbands._methods import QUESTIONS, known_methods

SOURCE = Path(rocbands.__file__).parent
CASES = [(question, name) for question in QUESTIONS for name in known_methods(question)]


@pytest.mark.parametrize(("question", "name"), CASES)
def test_every_method_has_a_file_of_its_name_or_a_reason(question: str, name: str) -> None:
    shared = import_module(f"rocbands.{question}").SHARED_FILES
    own = SOURCE / question / f"{name.replace('-', '_')}.py"
    assert own.exists() != (name in shared)
    method = known_methods(question)[name]
    if own.exists():
        assert method.__module__ == f"rocbands.{question}.{own.stem}"
    else:
        file, _, reason = shared[name].removeprefix("in ").partition(": ")
        assert method.__module__ == f"rocbands.{question}.{Path(file).stem}"
        assert reason


@pytest.mark.parametrize(("question", "name"), CASES)
def test_every_method_states_its_facts(question: str, name: str) -> None:
    method = known_methods(question)[name]()  # some facts depend on parameters
    assert (method.name, method.question) == (name, question)
    assert method.coverage in ("simultaneous", "pointwise")
    assert method.guarantee
    assert method.idea
    assert method.__doc__


def test_few_methods_share_a_file() -> None:
    shared = sum(len(import_module(f"rocbands.{q}").SHARED_FILES) for q in QUESTIONS)
    assert shared <= len(CASES) / 3


def test_comparisons_that_are_no_methods_have_a_file_of_their_name_and_a_reason() -> None:
    for name, reason in import_module("rocbands.comparison").OTHER_FILES.items():
        assert getattr(rocbands, name).__module__ == f"rocbands.comparison.{name}"
        assert reason


def test_there_are_no_import_cycles() -> None:
    """Modules import each other in one direction, also inside a package; late imports are free."""
    edges: dict[str, set[str]] = {}
    modules = {
        ".".join(("rocbands", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(
            ".__init__"
        ): path
        for path in SOURCE.rglob("*.py")
    }
    for name, path in modules.items():
        found = edges.setdefault(name, set())
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module:
                parts = [f"{node.module}.{alias.name}" for alias in node.names]
                found |= {part if part in modules else node.module for part in parts}
            elif isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
    state: dict[str, int] = {}

    def visit(name: str, path: tuple[str, ...]) -> None:
        if state.get(name) == 2 or name not in modules:
            return
        assert name not in path, f"import cycle: {' -> '.join((*path, name))}"
        for other in edges[name]:
            visit(other, (*path, name))
        state[name] = 2

    for name in modules:
        visit(name, ())
