"""Words of the pins and their names in the present version. Only this file knows names that move.

Keys of the store keep their words, so a rename changes a line here and no key.
"""

from __future__ import annotations

import inspect
from typing import Any

import rocbands as rb

# Words of the keys: present names, where they differ.
FUNCTIONS: dict[str, str] = {}
ARGUMENTS: dict[str, str] = {}
METHODS = {  # (function, word): present name
    ("compare", "delong"): "score-delong",
    ("compare", "wald-delong"): "delong",
}
# Stored texts and names of fields that were renamed: pattern, replacement (re.sub).
TEXTS: tuple[tuple[str, str], ...] = ()
# Functions that take the methods of another one.
BORROWED = {
    "pr_band": "roc_band",
    "class_bands": "roc_band",
    "subgroups": "roc_band",
    "cost_difference": "cost_interval",
}


def word_of(table: dict[Any, str], present: str) -> str:
    """Return the word that stands for a present name."""
    return next((word for word, name in table.items() if name == present), present)


def list_functions() -> list[str]:
    """Return the words of all public functions."""
    functions = [name for name in rb.__all__ if inspect.isfunction(getattr(rb, name))]
    return [word_of(FUNCTIONS, name) for name in functions]


def function_of(word: str) -> Any:
    """Return the public function that a word stands for."""
    return getattr(rb, FUNCTIONS.get(word, word))


def sample_of(y: Any, scores: Any, **design: Any) -> Any:
    """Make a sample; its design is named by words."""
    return rb.Sample(y, scores, **{ARGUMENTS.get(word, word): c for word, c in design.items()})


def class_sample_of(y: Any, scores: Any, **design: Any) -> Any:
    """Make a sample of several classes."""
    given = {ARGUMENTS.get(word, word): column for word, column in design.items()}
    return rb.Sample.of_classes(y, scores, **given)


def readings_of(y: Any, scores: Any, **columns: Any) -> Any:
    """Make the readings of a reader study."""
    return rb.Readings(y, scores, **{ARGUMENTS.get(word, word): c for word, c in columns.items()})


def list_methods() -> dict[str, list[tuple[str, Any, set[str]]]]:
    """Return word, method and what it handles for each function, from the package's registry."""
    found: dict[str, list[tuple[str, Any, set[str]]]] = {}
    known, columns = rb.methods(), rb.methods().columns()
    every = [method for methods in known.tables.values() for method in methods]
    rows = zip(columns["function"], columns["method"], columns["handles"], strict=True)
    for place, (present, name, handles) in enumerate(rows):
        function = word_of(FUNCTIONS, present)
        own = {key[1]: value for key, value in METHODS.items() if key[0] == function}
        method = every[place] if place < len(every) else None
        word = word_of(own, name) if method is not None else ""
        words = {word_of(ARGUMENTS, part) for part in handles.split(", ")}
        found.setdefault(function, []).append((word, method, words))
    for function, lender in BORROWED.items():
        found[function] = [*found.get(function, []), *found[lender]]
    return found
