"""What is forgotten when a method is added is noticed here, with what to do about it."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import rocbands
from rocbands import bands
from rocbands._methods import QUESTIONS, _list_tables, known_functions
from tools.make_reference import PAGES

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = "docs/adding-a-method.md, 'A method that ships with the package'"
CASES = [
    (purpose.partition(",")[0], name, method)
    for purpose, known in _list_tables().items()
    for name, method in known.items()
]
every_method = pytest.mark.parametrize(
    ("question", "name", "method"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES]
)

# Bands that reports do not show, with the reason.
NOT_REPORTED = {
    "sup-t": "a relative of fixed-width, which is shown",
    "vertical": "pointwise: the whole curve is contained less often than the level says",
    "working-hotelling": "wrong unless scores are binormal, which a reader cannot tell",
    "threshold": "pointwise, and does not cover at a given false positive rate",
}


@every_method
def test_its_class_is_public(question: str, name: str, method: type) -> None:
    package = import_module(f"rocbands.{question}")
    assert method.__name__ in package.__all__, (
        f"Method {name!r}: import {method.__name__} in src/rocbands/{question}/__init__.py and "
        f"add it to __all__ there, so that rb.{question}.{method.__name__} is public; see {GUIDE}."
    )
    assert getattr(package, method.__name__) is method


@every_method
def test_its_class_is_in_the_reference(question: str, name: str, method: type) -> None:
    page = next(page for page, listed in PAGES.items() if question in listed.methods)
    text = (DOCS / "reference" / f"{page}.md").read_text(encoding="utf-8")
    assert re.search(rf"^\.\. autoclass:: {method.__name__}$", text, re.MULTILINE), (
        f"Method {name!r}: docs/reference/{page}.md has no entry for {method.__name__}; run "
        f"'python -m tools.make_reference', see {GUIDE}."
    )


@pytest.mark.parametrize("name", bands.METHODS)
def test_reports_show_it_or_there_is_a_reason(name: str) -> None:
    kinds = bands.METHODS[name].reported_for
    assert set(kinds) <= {"independent", "clusters", "folds"}
    assert bool(kinds) != (name in NOT_REPORTED), (
        f"Band {name!r}: set reported_for, the kinds of rows for which a report shows it "
        f"('independent', 'clusters', 'folds'), or give the reason why none does in NOT_REPORTED "
        f"of tests/repo/test_adding.py, but not both; see {GUIDE}."
    )


NAMES = [name for name in (*rocbands.__all__, *rocbands.results.__all__) if name != "__version__"]


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_its_command(name: str) -> None:
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    assert f"`{name}`" in page, (
        f"{name} is not in the table 'Functions and their commands' of docs/commands.md: add it "
        f"to the row of its command, or say there why it has none; see {GUIDE}."
    )


def test_functions_that_state_their_designs_are_public() -> None:
    hidden = [one.function for one in known_functions() if one.function not in rocbands.__all__]
    assert not hidden, f"Add {hidden} to the public names in src/rocbands/__init__.py; see {GUIDE}."


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_guide_names_every_question(question: str) -> None:
    assert f"| `{question}` |" in (DOCS / "adding-a-method.md").read_text(encoding="utf-8")
