"""Errors and notes of the library in the words of the page, and the field that they are about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rocbands.errors import InputError, Mention, Message

# What the page calls the library's arguments.
TITLES = {
    "label": "Outcome",
    "positive": "Positive label",
    "score": "Scores",
    "clusters": "Clusters",
    "weights": "Weights",
    "reverse": "Direction",
    "strata": "Strata",
    "missing": "Leave out rows with missing values",
    "sheet": "Sheet",
    "encoding": "Encoding",
    "decimal": "Decimal sign",
    "level": "Confidence level",
    "costs": "Costs",
    "prevalence": "Prevalence",
    "capacity": "Capacity",
    "fpr": "False positive rate",
    "title": "Title",
    "reader": "Reader",
    "case": "Case",
    "test": "Test",
    "margin": "Margin",
    "auc": "Expected AUC",
    "width": "Width of the interval",
    "against": "AUC to test against",
    "other": "AUC of the other model",
    "band_width": "Mean width of the band",
    "correlation": "Correlation",
    "ratio": "Negatives for each positive",
    "power": "Power",
    "alternative": "Alternative",
    "check": "Check by simulation",
}
# Remedies in the app, by the topic of a remedy in Python; other topics have none.
_ADVICE = {"readings": "For a reader study open the tab Readers."}
_SAME = {"y_true": "label", "y_score": "score", "scores": "score"}  # other names of arguments
_FIELDS = {"score": "scores", "missing": "drop_missing"}  # whose field has another name
# Columns of the form; the first field of a request that names a column is the one in error.
_COLUMNS = (
    "scores",
    "label",
    "clusters",
    "weights",
    "strata",
    "by",
    "score",
    "reader",
    "case",
    "test",
)
# Fields that are in %, with what to do where the number is none.
_PERCENT = dict.fromkeys(
    ("prevalence", "capacity"), "Write a percentage; for a number of rows, their share of all rows."
) | {"level": "Write, for example, 95.", "power": "Write, for example, 80."}
_RATE = re.compile(r"\bbetween 0 and 1\b|\bgot (-?[\d.]+)\b")
_PLACE = re.compile(r"\b(?:line|row) (\d+)\b")
_COLUMN = re.compile(r"[Cc]olumn '((?:[^'\\]|\\.)*)'|[Cc]olumn \"([^\"]*)\"")
# Instead of comparing one class with the rest, for which the page has no field.
_TWO_LABELS = (
    "Here two are needed: choose another column, or keep only the rows of two labels. On the "
    "command line, 'rocbands classes' shows several classes, and --rest compares one with all "
    "others."
)
# What is meant by a number that is no share.
_MEANT = re.compile(r"For (?:[\d.e+]+% choose|a number of cases) .*")


def spell(mention: Mention) -> str:
    """Spell a mention of the library as the page does."""
    kind, name, value = mention
    if kind == "part":
        return _TWO_LABELS if name == "rest" else str(value.render(spell))
    if kind == "python":
        return _ADVICE.get(name, "")
    if kind == "function":
        return mention.in_python()
    name = _SAME.get(name, name)
    title = f"“{TITLES.get(name, name)}”"
    if kind == "argument" or name == "missing" or value is True or value == "NAME":
        return title
    return f"{title} {_write_value(value, name in _PERCENT)}"


def say(text: str) -> str:
    """Return a message of the library in the words of the page.

    Examples
    --------
    >>> from rocbands.errors import arg
    >>> say(Message("For 90% pass {}.", arg("level", 0.9)))
    'For 90% choose “Confidence level” 90%.'
    """
    said = " ".join(Message(text).render(spell).split())
    for end in ("", ", for example,"):  # one passes arguments, and chooses fields
        for passed, chosen in (("Pass", "Choose"), ("pass", "choose")):
            said = said.replace(f"{passed}{end} “", f"{chosen}{end} “")
    return said


def describe(problem: InputError, request: Mapping[str, Any]) -> dict[str, Any]:
    """Return an error for the page: the message, the field of the form, the row of the file."""
    text = say(problem.message)
    if problem.argument in _PERCENT:
        text = _MEANT.sub(_PERCENT[problem.argument], _RATE.sub(_write_rate, text))
    path, name = str(request.get("path", "")), str(request.get("name", ""))
    text = text.replace(path, name) if path else text
    place = _PLACE.search(text)
    return {
        "message": text,
        "field": _find_field(problem, text, request),
        "row": int(place[1]) if place else None,
    }


def _find_field(problem: InputError, text: str, request: Mapping[str, Any]) -> str | None:
    """Find the field that an error is about: its argument, a column that it names, a mention."""
    mentioned: list[str] = []
    problem.message.render(lambda mention: _note(mention, mentioned))
    for name in ("positive", "decimal"):  # where one must be chosen, whatever column is named
        if name in mentioned:
            return name
    if problem.argument is not None:
        return _name_field(problem.argument)
    named = _COLUMN.search(text)
    if named is not None:
        column = named[1] if named[1] is not None else named[2]
        for field in _COLUMNS:
            given = request.get(field)
            if column == given or (isinstance(given, list) and column in given):
                return field
    return next(iter(mentioned), None)


def _note(mention: Mention, found: list[str]) -> str:
    if mention.kind in ("argument", "value"):
        found.append(_name_field(mention.name))
    return ""


def _name_field(argument: str) -> str:
    name = _SAME.get(argument, argument)
    return _FIELDS.get(name, name)


def _write_value(value: Any, percent: bool) -> str:
    if percent and isinstance(value, (int, float)):
        return f"{100 * value:.10g}%"
    return " ".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)


def _write_rate(found: re.Match[str]) -> str:
    """Write what a rate must be, or is, in percent."""
    return "between 0% and 100%" if found[1] is None else f"got {100 * float(found[1]):.10g}%"
