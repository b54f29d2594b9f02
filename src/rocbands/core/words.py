"""Alternative names of rates: specificity is 1 - fpr, sensitivity is tpr."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from rocbands.core.checks import check_unit_interval, read_numbers, suggest_shares, wrong_value
from rocbands.errors import InputError, Message, arg, join

# The rate that each name refers to.
_RATES = {"specificity": "fpr", "sensitivity": "tpr"}
_NARROWEST = 1e-9  # range of an area


def pick_one(example: str = "", **given: Any) -> tuple[str, Any]:
    """Return the only argument that was given, and its value."""
    names = [name for name, value in given.items() if value is not None]
    if len(names) != 1:
        listed = [arg(name) for name in given]
        raise InputError(
            Message("Exactly one of {} and {} must be given", join(", ", listed[:-1]), listed[-1]),
            join(" and ", map(arg, names)) + " were" if names else "none was",
            example,
        )
    return names[0], given[names[0]]


def as_rate(name: str, value: Any) -> tuple[str, Any]:
    """Return the rate that a name refers to, and its value: fpr for specificity."""
    if name == "specificity":
        value = _complement(value)
    return _RATES.get(name, name), value


def as_range(name: str, value: Any) -> tuple[str, Any]:
    """Return the rate that a name refers to, and a range of its values, the smaller end first."""
    given = read_numbers(value)
    if name == "specificity" and given is not None and given.size != 2:
        must = "must be two rates, the smaller first"
        raise wrong_value("specificity", value, must, example=(0.5, 0.95))
    kind, rates = as_rate(name, value)
    if name == "specificity":
        rates = tuple(sorted(np.ravel(rates).tolist()))
    return kind, rates


@contextmanager
def spoken(name: str) -> Iterator[None]:
    """Use the caller's name of the rate in errors."""
    try:
        yield
    except InputError as problem:
        if name not in _RATES:
            raise
        raise problem.rename({_RATES[name]: name}) from None


def _complement(value: Any) -> Any:
    """Return one minus rates, rounded so that .9 becomes .1."""
    given = read_numbers(value)
    if given is None:
        must = "must be numbers between 0 and 1"
        raise wrong_value("specificity", value, must, example=0.9)
    wrong = given[(given < 0.0) | (given > 1.0)]
    if wrong.size:
        remedy: str = Message("Pass, for example, {}.", arg("specificity", 0.9))
        if several := suggest_shares(value, "specificity"):
            remedy = several
        elif 1 < wrong[0] <= 100:
            remedy = Message(
                "For {:g}% pass {}.", wrong[0], arg("specificity", float(f"{wrong[0] / 100:g}"))
            )
        found = f"got {wrong[0]:g}"
        raise InputError("must lie between 0 and 1", found, remedy, argument="specificity")
    rates = np.round(1.0 - given, 15)
    return float(rates) if rates.ndim == 0 else rates


def check_range(fpr: Any = None, tpr: Any = None) -> tuple[str, tuple[float, float]]:
    """Return which of the two ranges is given, and its ends."""
    axis, given = pick_one(
        Message("Pass, for example, {}.", arg("fpr", (0, 0.1))), fpr=fpr, tpr=tpr
    )
    example = Message("Pass, for example, {}.", arg(axis, (0.9, 1) if axis == "tpr" else (0, 0.1)))
    ends = check_unit_interval(given, axis, suggest_shares(given, axis) or example).ravel()
    if ends.size != 2 or not ends[0] < ends[1]:
        raise InputError(
            "must be two rates, the smaller first", f"got {given!r}", example, argument=axis
        )
    if ends[1] - ends[0] < _NARROWEST:
        raise InputError(
            f"must be a range of at least {_NARROWEST:g}",
            f"it is {ends[1] - ends[0]:.3g} wide",
            "Over narrower ranges rounding errors dominate the area.",
            argument=axis,
        )
    return axis, (float(ends[0]), float(ends[1]))
