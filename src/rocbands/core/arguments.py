"""Helpful errors for arguments that a public function does not have."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from functools import cache, wraps
from typing import Any, NoReturn, ParamSpec, TypeVar

from rocbands.core.names import find_argument, find_style
from rocbands.errors import ArgumentError, Message, arg, join, warn

P = ParamSpec("P")
R = TypeVar("R")

PROPORTIONS = ("sensitivity", "specificity", "tpr", "fpr", "sens", "spec")
NO_PROPORTION = (
    "Sizes are for AUCs, bands and reader studies, not for a sensitivity or specificity. That is a "
    "share p of n cases: its 95% limits are W apart with about n = 15.4 p (1 - p) / W^2 of them, "
    "139 positives for 0.9 and 0.1."
)
TWO_MEANINGS = ("group", "groups")  # of people, or of rows that depend on each other
FROM_FRAME = "rb.Sample.from_frame(df, label=..., score=...)"
# Examples of arguments that must be given, by their name or that of the class.
_NEEDED = {
    "Sample": (
        f"Pass rb.Sample(y_true, y_score); columns of a frame by {FROM_FRAME}, a file by "
        "rb.Sample.from_file(path)."
    ),
    "thresholds": Message(
        "Pass what decides, chosen on other rows, such as {}.", arg("thresholds", 0.5)
    ),
    "columns": (
        "Name the columns of scores by reader and test: case='id', label='ill', "
        "columns={('R1', 'aided'): 'aided_R1', ...}."
    ),
}


def say_both_meanings() -> str:
    """Say what is meant by groups here: one never guesses which of the two a user wants."""
    return Message(
        "Rows that depend on each other, such as the lesions of a patient, are {} of the "
        "sample; groups of people are compared by rb.subgroups(sample, by=...).",
        arg("clusters"),
    )


class HasNotes:
    """Data with notes that belong to every result, such as rows that were left out."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes that results must repeat."""
        return ()


def explain(function: Callable[P, R], hints: Mapping[str, str] | None = None) -> Callable[P, R]:
    """Explain unknown and missing arguments of a function.

    Notes of a sample, such as rows that were left out, are added to the notes of the result.
    """
    checked = explain_constructor(function, hints)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        result = checked(*args, **kwargs)
        level = kwargs.get("level")
        if isinstance(level, float) and level < 0.5:
            meant = arg("level", round(1.0 - level, 12))
            said = Message("A level of {:g}% is very low. Did you mean {}?", 100.0 * level, meant)
            result = add_notes(result, [Message(said)])
        for data in (*args, *kwargs.values()):
            if isinstance(data, HasNotes) and data.notes:
                result = add_notes(result, data.notes)
        return result

    return call


def explain_constructor(
    function: Callable[P, R], hints: Mapping[str, str] | None = None
) -> Callable[P, R]:
    """Explain unknown and missing arguments of a constructor or another method."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        check_arguments(function, args, kwargs, hints)
        return function(*args, **kwargs)

    return call


def explain_with(**hints: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Explain arguments as :func:`explain` does; `hints` are what to do instead of a name."""
    return lambda function: explain(function, hints)


def add_notes(result: R, notes: Iterable[str]) -> R:
    """Return a result with further notes before its own; without a field for them, warn."""
    fields: Mapping[str, Any] = getattr(result, "__dataclass_fields__", {})
    new = tuple(note for note in notes if note not in getattr(result, "notes", ()))
    if "notes" not in fields:
        for note in new:
            warn(note)
        return result
    return replace(result, notes=(*new, *result.notes))  # type: ignore[type-var, attr-defined]


def check_arguments(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    hints: Mapping[str, str] | None = None,
) -> None:
    """Raise an error that explains arguments that do not fit."""
    signature = _read_signature(function)
    with suppress(TypeError):
        signature.bind(*args, **kwargs)
        return
    bound = next(iter(signature.parameters), "") in ("self", "cls")
    name = function.__qualname__.removesuffix(".__init__")
    own = {k: v for k, v in signature.parameters.items() if k not in ("self", "cls")}
    _refuse(name, own, args[bound:], kwargs, hints or {})


_read_signature = cache(inspect.signature)


def _refuse(
    function: str,
    own: Mapping[str, inspect.Parameter],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    hints: Mapping[str, str],
) -> NoReturn:
    """Explain what is wrong with the arguments of a call: the first that does not fit."""
    places = [name for name, each in own.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
    given = {*places[: len(args)], *kwargs}
    for name, value in kwargs.items():
        if name not in own:
            remedy = say_both_meanings() if name in TWO_MEANINGS else ""
            remedy = remedy or hints.get(name, "").format(value=value)
            remedy = remedy or find_argument(name, value, own, given, function)
            if "Display." in function:
                remedy = remedy or find_style(name, value, own, "display.ax_")
            remedy = remedy or _find_close(name, own, given)
            raise ArgumentError(f"{function}() has no argument {name!r}", "", remedy)
    if len(args) > len(places):
        free = [name for name in own if name not in (*places, *kwargs, "positive")]
        count = f"{len(places)} arguments ({', '.join(places)})"
        count = {0: "no argument", 1: "one argument"}.get(len(places), count)
        raise ArgumentError(
            f"{function}() takes {count} by position",
            f"got {len(args)}",
            _find_place(function, places, free, args),
        )
    for name in places[: len(args)]:
        if name in kwargs:
            raise ArgumentError(
                Message("{}() takes {} once", function, arg(name)),
                "it was given by position and by name",
                "Leave one of them out.",
            )
    missing = [k for k, each in own.items() if each.default is each.empty and k not in given]
    if missing[0] in ("y_true", "sample") and function.islower():
        remedy = "Pass a Sample, for example."
        raise ArgumentError(f"{function}() needs the data", "none were given", remedy)
    known = f"Its arguments are {', '.join(own)}."
    remedy = next((_NEEDED[name] for name in (function, *missing) if name in _NEEDED), known)
    if function.endswith("Display.from_estimator"):
        display = function.partition(".")[0]
        remedy = f"For labels and scores: rb.{display}.from_predictions(y_true, y_score)."
    raise ArgumentError(
        Message("{}() needs {}", function, join(" and ", map(arg, missing))),
        "it was not given" if len(missing) == 1 else "they were not given",
        remedy,
    )


def _find_place(function: str, places: list[str], free: list[str], args: tuple[Any, ...]) -> str:
    """Say how to pass the first argument that is too many by position."""
    others, further = "the others" if places else "it", args[len(places)]
    if not isinstance(further, str):
        free = [name for name in free if name != "method"] or free
    if places == ["sample"]:
        return f"Pass a Sample: rb.{function}(rb.Sample(y_true, {{name_1: scores_1, ...}}))."
    if not free:
        return f"Leave {others} out."
    if hasattr(args[0], "columns") and "y_score" in places and isinstance(further, str):
        return f"Columns of a frame: rb.{function}({FROM_FRAME})."
    if isinstance(further, (str, int, float)):
        return Message("Name {}, for example {}.", others, arg(free[0], further))
    return f"Name {others}, which may be {', '.join(free)}."


def _find_close(name: str, own: Iterable[str], given: set[str]) -> str:
    """Suggest a similar argument that was not given, or list all."""
    close = [known for known in get_close_matches(name, own) if known not in given]
    close.sort(key=lambda known: sorted(known) != sorted(name))  # the same letters: exchanged
    if close:
        return Message("Did you mean {}?", arg(close[0]))
    return f"It has {', '.join(own)}." if own else "It has none."
