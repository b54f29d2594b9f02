"""Two words for one rate: specificity is 1 - fpr, sensitivity is tpr."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from rocbands.errors import InputError, arg

# Word of a question: the rate that it is about, and the words in which the answer is given.
_RATES = {"specificity": "fpr", "sensitivity": "tpr"}


def pick_one(example: str = "", **given: Any) -> tuple[str, Any]:
    """Return the only argument that was given, and its value."""
    names = [name for name, value in given.items() if value is not None]
    if len(names) != 1:
        listed = [arg(name) for name in given]
        raise InputError(
            f"Exactly one of {', '.join(listed[:-1])} and {listed[-1]} must be given",
            " and ".join(map(arg, names)) + " were" if names else "none was",
            example,
        )
    return names[0], given[names[0]]


def as_rate(name: str, value: Any) -> tuple[str, Any]:
    """Return the rate that a word stands for, and its value: that of fpr for specificity."""
    if name == "specificity":
        value = _complement(value)
    return _RATES.get(name, name), value


@contextmanager
def spoken(name: str) -> Iterator[None]:
    """Let errors about a rate use the word of the question."""
    try:
        yield
    except InputError as problem:
        if name not in _RATES:
            raise
        raise problem.rename({_RATES[name]: name}) from None


def _complement(value: Any) -> Any:
    """Return one minus rates, rounded so that .9 becomes .1; a range turns round."""
    try:
        with np.errstate(over="ignore"):
            rates = np.round(1.0 - np.asarray(value, np.float64), 15)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            "must be numbers between 0 and 1", f"got {value!r}", argument="specificity"
        ) from None
    if ((rates < 0.0) | (rates > 1.0)).any():
        wrong = np.asarray(value, np.float64)[(rates < 0.0) | (rates > 1.0)].flat[0]
        share = f"For {wrong:g}% pass {arg('specificity', float(f'{wrong / 100:g}'))}."
        raise InputError(
            "must lie between 0 and 1",
            f"got {wrong:g}",
            share if 1 < wrong <= 100 else f"Pass, for example, {arg('specificity', 0.9)}.",
            argument="specificity",
        )
    if isinstance(value, tuple):
        return tuple(sorted(rates.tolist()))
    return float(rates) if rates.ndim == 0 else rates
