"""Checks of the numbers that steer a calculation; columns of data are checked in `core.columns`."""

from __future__ import annotations

import numbers
from difflib import get_close_matches
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.errors import InputError

__all__ = [
    "BoolArray",
    "CountArray",
    "FloatArray",
    "IndexArray",
    "check_choice",
    "check_flag",
    "check_future",
    "check_level",
    "check_number",
    "check_rate",
    "check_resamples",
    "check_rng",
    "check_unit_interval",
    "frozen",
]

FloatArray = npt.NDArray[np.float64]
CountArray = npt.NDArray[np.int64]
IndexArray = npt.NDArray[np.intp]
BoolArray = npt.NDArray[np.bool_]


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a read-only view, so that a result cannot be changed behind its own back."""
    view = array.view()
    view.flags.writeable = False
    return view


def check_level(level: float) -> float:
    """Return `level` as a float strictly between 0 and 1."""
    value = _real(level)
    if value is None:
        raise InputError(f"`level` must be a number, such as 0.95; got {level!r}.")
    if 0 < value < 1:
        return value
    advice = f"For {value:g}% pass level={value / 100:g}." if 1 < value < 100 else "Try level=0.95."
    raise InputError(f"`level` must lie strictly between 0 and 1; got {value:g}. {advice}")


def check_rate(rate: float, name: str) -> float:
    """Return `rate` as a float from 0 to 1."""
    value = _real(rate)
    if value is None or not 0 <= value <= 1:
        advice = _in_range(value, name)
        raise InputError(f"`{name}` must be a number from 0 to 1; got {rate!r}. {advice}")
    return value


def check_number(value: Any, name: str, *, above: float = -np.inf, below: float = np.inf) -> float:
    """Return `value` as a float strictly between two bounds."""
    number = _real(value)
    if number is not None and above < number < below:
        return number
    where = f"above {above:g}" if np.isinf(below) else f"strictly between {above:g} and {below:g}"
    advice = _in_range(number, name) if (above, below) == (0, 1) else "Pass such a number."
    raise InputError(f"`{name}` must be a number {where}; got {value!r}. {advice}")


def check_future(future: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return `future` as (n_pos, n_neg), both at least 1, or None."""
    if future is None:
        return None
    try:
        n_pos, n_neg = (_whole(size) for size in future)
    except (TypeError, ValueError):
        n_pos = n_neg = None
    if n_pos is None or n_neg is None:
        raise InputError(
            f"`future` must be two whole numbers (n_pos, n_neg), both at least 1; got {future!r}. "
            "Pass the class counts of the future test set, for example future=(50, 200)."
        )
    return n_pos, n_neg


def check_choice(value: object, choices: tuple[str, ...], name: str) -> None:
    """Refuse a value that is not one of the choices, and say which was perhaps meant."""
    if isinstance(value, str) and value in choices:
        return
    close = get_close_matches(str(value), choices, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else "Choose one of these."
    raise InputError(f"`{name}` must be one of {', '.join(choices)}; got {value!r}. {hint}")


def check_flag(value: object, name: str) -> None:
    """Refuse what is neither True nor False: 'no' would count as True."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"`{name}` must be True or False; got {value!r}.")


def check_rng(rng: Any) -> np.random.Generator:
    """Return anything that `numpy.random.default_rng` takes as a generator."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as problem:
        raise InputError(
            "`rng` must be None, a whole number from 0 on, a SeedSequence or a Generator; got "
            f"{rng!r}. Pass, for example, rng=1."
        ) from problem


def _in_range(value: float | None, name: str) -> str:
    """Say what to pass instead of a number outside 0 to 1: perhaps it was meant in percent."""
    if value is not None and 1 < value <= 100:
        return f"For {value:g}% pass {name}={value / 100:g}."
    return f"Pass, for example, {name}=0.1."


def check_resamples(n_resamples: Any, least: int = 20, name: str = "n_resamples") -> None:
    """Refuse a number of resamples that is no number or too small to show anything."""
    whole = isinstance(n_resamples, numbers.Integral) and not isinstance(n_resamples, bool)
    if not whole or n_resamples < least:
        raise InputError(
            f"`{name}` must be a whole number of at least {least}; got {n_resamples!r}. Pass, for "
            f"example, {name}=1000."
        )


def _real(value: Any) -> float | None:
    """Return a real number that is not a bool or text as a float; anything else as None."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return float(value) if is_number else None


def _whole(value: Any) -> int | None:
    number = _real(value)
    return int(number) if number is not None and number >= 1 and number.is_integer() else None


def check_unit_interval(values: npt.ArrayLike, name: str, advice: str | None = None) -> FloatArray:
    """Return `values` as floats in [0, 1], of any shape; `advice` says what to do otherwise."""
    try:
        rates = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        rates = np.array(np.nan)
    if values is None or np.isnan(rates).any():
        advice = advice or f"Pass, for example, {name}=0.1."
        raise InputError(f"`{name}` must be numbers between 0 and 1, not {values!r}. {advice}")
    inside = (rates >= 0) & (rates <= 1)
    if not inside.all():
        wrong = rates[~inside].flat[0]
        advice = advice or _in_range(float(wrong), name)
        raise InputError(f"`{name}` must lie between 0 and 1; got {wrong:g}. {advice}")
    return rates
