"""Checks of arguments other than columns of data, and arrays that are read-only."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from functools import wraps
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from rocbands.core.arguments import FROM_FRAME, suggest
from rocbands.core.tolerance import SAME, SLACK
from rocbands.errors import InputError, Message, arg, join

FloatArray = npt.NDArray[np.float64]
CountArray = npt.NDArray[np.int64]
IndexArray = npt.NDArray[np.intp]
BoolArray = npt.NDArray[np.bool_]

# Limits of the work of one call. Larger requests raise an error at once: they would take hours or
# all memory, for digits that are not shown (docs/reliability.md).
MOST_RESAMPLES = 1_000_000  # a quantile at level .95 then has a standard error of .0002
HIGHEST_SIMULATED = 0.9999  # quantiles of simulated test sets need 5 / (1 - level) draws
MOST_CASES = 10**15  # cases of a class: with more, adjacent rates can be the same float
MOST_CELLS = 2**28  # elements of one array of results, or 2 GiB

_LONGEST = 200  # characters of a value in a message


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the array if its memory is read-only, otherwise a read-only copy.

    Writing to an array that a result was made from then never changes the result.
    """
    owner: Any = array
    while isinstance(owner, np.ndarray):
        if owner.flags.writeable:
            return freeze(array.copy())
        owner = owner.base
    return array


def freeze(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Make an array that was just computed read-only, so that :func:`frozen` need not copy it."""
    array.flags.writeable = False
    return array


def freeze_all(value: object) -> None:
    """Make an array, or all arrays of a tuple or mapping, read-only."""
    if isinstance(value, np.ndarray):
        freeze(value)
    elif isinstance(value, (tuple, Mapping)):
        for each in value.values() if isinstance(value, Mapping) else value:
            freeze_all(each)


class FrozenState:
    """Base class of frozen objects, whose arrays stay read-only after unpickling and copying."""

    MAPPINGS: ClassVar[tuple[str, ...]] = ()  # attributes that are read-only mappings

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {name: dict(getattr(self, name)) for name in self.MAPPINGS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        freeze_all(state)
        self._fill(state | {name: MappingProxyType(state[name]) for name in self.MAPPINGS})

    def _fill(self, values: Mapping[str, Any]) -> Self:
        """Set fields of an object that is being made."""
        for name, value in values.items():
            object.__setattr__(self, name, value)
        return self

    def _copy(self, **changes: Any) -> Self:
        """Return a copy with other values of some fields, where the constructor takes others."""
        known: Any = self
        values = {each.name: getattr(self, each.name) for each in fields(known)}
        made: Self = object.__new__(type(self))
        return made._fill(values | changes)


def wrong_value(
    name: str, value: object, must: str, remedy: str = "", *, example: object = None
) -> InputError:
    """Return the error of an argument: what it must be, what was given, and what to pass."""
    if example is not None:
        remedy = Message("Pass, for example, {}.", arg(name, example))
    return InputError(must, show_given(value), remedy, argument=name)


def show_given(value: object) -> str:
    """Show a passed value, shortened: an integer may have more digits than Python prints."""
    try:
        text = repr(value)
    except ValueError:
        text = f"{type(value).__name__} with too many digits to show"
    return f"got {text}" if len(text) <= _LONGEST else f"got {text[:_LONGEST]}..."


def check_level(level: float) -> float:
    """Return `level` as a float strictly between 0 and 1."""
    value = _real(level)
    if value is None:
        raise wrong_value("level", level, "must be a number, such as 0.95")
    if SLACK <= value <= 1 - SLACK:
        return value
    if 0 < value < 1:
        raise wrong_value(
            "level",
            value,
            f"must be at least {SLACK:g} away from 0 and 1",
            Message("Try {}.", arg("level", 0.95 if value < 0.5 else 0.999)),
        )
    remedy = Message("Try {}.", arg("level", 0.95))
    if 1 < value < 100:
        remedy = Message("For {:g}% pass {}.", value, arg("level", _short(value / 100)))
    raise InputError(
        "must lie strictly between 0 and 1", f"got {value:g}", remedy, argument="level"
    )


def check_rate(rate: float, name: str) -> float:
    """Return `rate` as a float from 0 to 1."""
    value = _real(rate)
    if value is None or not 0 <= value <= 1:
        raise wrong_value(name, rate, "must be a number from 0 to 1", _in_range(value, name))
    return value


def check_number(value: Any, name: str, *, above: float = -np.inf, below: float = np.inf) -> float:
    """Return `value` as a float strictly between two bounds."""
    number = _real(value)
    if number is not None and above < number < below:
        return number
    where = f" above {above:g}" if np.isinf(below) else f" strictly between {above:g} and {below:g}"
    remedy = _in_range(number, name) if (above, below) == (0, 1) else "Pass such a number."
    free = np.isinf(above) and np.isinf(below)
    must = "must be a finite number" if free else f"must be a number{where}"
    raise wrong_value(name, value, must, remedy)


def check_costs(costs: Any) -> tuple[float, float]:
    """Return the costs of a false negative and of a false positive, both above 0."""
    try:
        c_fn, c_fp = costs
    except (TypeError, ValueError):
        c_fn = c_fp = None
    pair = _real(c_fn), _real(c_fp)
    if pair[0] is None or pair[1] is None or not (0 < pair[0] < np.inf and 0 < pair[1] < np.inf):
        raise wrong_value(
            "costs",
            costs,
            "must be the cost of a false negative and that of a false positive, both above 0",
            example=(10, 1),
        )
    return pair[0], pair[1]


def check_share(share: Any, name: str, least: float = SAME) -> float:
    """Return a share of positives as a float at least `least` away from 0 and 1."""
    value = check_number(share, name, above=0.0, below=1.0)
    if not least <= value <= 1.0 - least:
        raise wrong_value(
            name,
            share,
            f"must be at least {least:g} away from 0 and 1",
            "Without one of the classes there is nothing to decide.",
        )
    return value


def check_future(future: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return `future` as (n_pos, n_neg), both at least 1, or None."""
    if future is None:
        return None
    try:
        n_pos, n_neg = (_whole(size) for size in future)
    except (TypeError, ValueError):
        n_pos = n_neg = None
    if n_pos is None or n_neg is None:
        raise wrong_value(
            "future",
            future,
            "must be two whole numbers (n_pos, n_neg), both at least 1",
            Message(
                "Pass the class counts of the future test set, for example {}.",
                arg("future", (50, 200)),
            ),
        )
    if max(n_pos, n_neg) > MOST_CASES:
        raise wrong_value("future", future, "must be at most 10**15 cases of a class")
    return n_pos, n_neg


def check_choice(
    value: object, choices: tuple[str, ...], name: str, also: Mapping[str, str] | None = None
) -> None:
    """Refuse a value that is not one of the choices, and suggest a similar one.

    `also`: other names of choices.
    """
    if isinstance(value, str) and value in choices:
        return
    other = (also or {}).get(str(value))
    hint = suggest(value if other is None else other, choices, "Choose one of these.")
    raise wrong_value(name, value, f"must be one of {', '.join(choices)}", hint)


def check_flag(value: object, name: str) -> None:
    """Refuse values other than True and False: 'no' would count as True."""
    if not isinstance(value, bool | np.bool_):
        raise wrong_value(name, value, "must be True or False")


def check_path(path: object, from_frame: str = FROM_FRAME) -> None:
    """Refuse values that are not the path of a file; `from_frame`: what takes a frame."""
    if not isinstance(path, (str, os.PathLike)):
        remedy = (
            f"Pass a frame by {from_frame}." if hasattr(path, "columns") else "Pass it as text."
        )
        found = f"got {type(path).__name__}" if hasattr(path, "columns") else show_given(path)
        raise InputError("must be the path of a file", found, remedy, argument="path")
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise wrong_value("path", path, "must be a name that files can have") from None


def check_progress(progress: object) -> None:
    """Refuse values that cannot be called with the progress; None shows none."""
    if progress is not None and not callable(progress):
        raise wrong_value("progress", progress, "must be a function of what is done and the total")


def check_text(value: object, name: str) -> None:
    """Refuse values that are neither text nor None."""
    if not (value is None or isinstance(value, str)):
        raise wrong_value(name, value, "must be text")


def check_rng(rng: Any) -> int | np.random.Generator | None:
    """Return a seed, a generator, or None, which asks for a new seed.

    `rng` is anything that `numpy.random.default_rng` takes. The generator of a seed is made where
    random numbers are drawn.
    """
    if rng is None or isinstance(rng, np.random.Generator):
        return rng
    if isinstance(rng, int | np.integer) and rng >= 0:
        return int(rng)
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError, OverflowError) as problem:
        raise wrong_value(
            "rng",
            rng,
            "must be a whole number from 0 on, None, a SeedSequence or a Generator",
            example=1,
        ) from problem


def _in_range(value: float | None, name: str) -> str:
    """Suggest what to pass instead of a number outside [0, 1]; it may be a percentage."""
    if value is not None and 1 < value <= 100:
        return Message("For {:g}% pass {}.", value, arg(name, _short(value / 100)))
    if value is not None and 100 < value < 1e9 and value == int(value):
        rows = 100 * 10 ** len(str(int(value)))
        share = arg(name, _short(value / rows))
        return Message(
            "For a number of cases pass their share: {:g} of {:,} are {}.", value, rows, share
        )
    return Message("Pass, for example, {}.", arg(name, 0.1))


def suggest_shares(values: Any, name: str) -> str:
    """Suggest several rates in place of percentages; empty for one number and other numbers.

    Numbers that are 0 or at least 1 are percentages, all of them; otherwise those above 1.

    Examples
    --------
    >>> from rocbands.errors import Message
    >>> print(Message(suggest_shares((0, 10), "fpr")))
    In place of percentages pass fpr=(0, 0.1).
    """
    given = read_numbers(values)
    if given is None or given.ndim != 1 or given.size < 2:
        return ""
    if (given < 0.0).any() or not 1.0 < given.max() <= 100.0:  # no percentages
        return ""
    whole = bool(((given == 0.0) | (given >= 1.0)).all())
    shares = [_short(one / 100) if whole or one > 1.0 else one for one in given.tolist()]
    shown = [int(one) if one in (0.0, 1.0) else one for one in shares]
    kind = tuple if isinstance(values, tuple) else list
    return Message("In place of percentages pass {}.", arg(name, kind(shown)))


def _short(value: float) -> float:
    """Round to the six digits that messages show."""
    return float(f"{value:g}")


def check_resamples(n_resamples: Any, least: int = 20, name: str = "n_resamples") -> None:
    """Refuse a number of resamples that is not an integer, or too small or too large."""
    whole = isinstance(n_resamples, numbers.Integral) and not isinstance(n_resamples, bool)
    if not whole or n_resamples < least:
        raise wrong_value(
            name, n_resamples, f"must be a whole number of at least {least}", example=1000
        )
    if n_resamples > MOST_RESAMPLES:
        raise wrong_value(
            name,
            n_resamples,
            f"must be at most {MOST_RESAMPLES:,}",
            Message(
                "More would change no digit that is shown: pass {} or less.",
                arg(name, MOST_RESAMPLES),
            ),
        )


def check_simulated_level(level: float) -> None:
    """Refuse a level that needs too many simulated test sets."""
    if level > HIGHEST_SIMULATED + SLACK:
        raise InputError(
            f"must be at most {HIGHEST_SIMULATED} where a critical value is simulated",
            f"{level!r} would take {5.0 / (1.0 - level):,.0f} test sets",
            Message(
                "Ask for a lower level, or for a method without simulation ({} for a band).",
                arg("method", "joint-region"),
            ),
            argument="level",
        )


def check_room(n_resamples: int, width: int) -> None:
    """Refuse resamples whose results would not fit into memory, before they are drawn.

    `width`: numbers that are kept for each resample.
    """
    if n_resamples * width > MOST_CELLS:
        most = max(MOST_CELLS // width, 1)
        raise wrong_value(
            "n_resamples",
            n_resamples,
            f"must be at most {most:,} where {width:,} numbers are kept of each resample",
            Message("Pass {} or less.", arg("n_resamples", most)),
        )


def _real(value: Any) -> float | None:
    """Return a real number that is not a bool or text as a float; anything else as None."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number:
        return None
    try:
        return float(value)
    except OverflowError:  # an integer or a fraction too large for a float
        return math.inf if value > 0 else -math.inf


def _whole(value: Any) -> int | None:
    number = _real(value)
    return int(number) if number is not None and number >= 1 and number.is_integer() else None


def read_numbers(values: Any) -> FloatArray | None:
    """Return real numbers of any shape as floats; None for text, complex numbers, dates and masks.

    NumPy would turn '0.1' into a number, and take the real part of complex ones.
    """
    if np.ma.is_masked(values):
        return None
    try:
        given = np.asarray(values)
        text = given.dtype == object and any(isinstance(one, (str, bytes)) for one in given.flat)
        if text or given.dtype.kind not in "biufO":
            return None
        with np.errstate(over="ignore"):  # numbers wider than 64 bits
            return given.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return None


def check_unit_interval(values: npt.ArrayLike, name: str, advice: str | None = None) -> FloatArray:
    """Return `values` as floats in [0, 1], of any shape; `advice`: remedy in the error."""
    rates = read_numbers(values)
    if rates is None or np.isnan(rates).any():
        raise InputError(
            f"must be numbers between 0 and 1, not {show_given(values)[4:]}",
            "",
            advice or Message("Pass, for example, {}.", arg(name, 0.1)),
            argument=name,
        )
    inside = (rates >= 0) & (rates <= 1)
    if not inside.all():
        wrong = rates[~inside].flat[0]
        raise InputError(
            "must lie between 0 and 1",
            f"got {wrong:g}",
            advice or suggest_shares(values, name) or _in_range(float(wrong), name),
            argument=name,
        )
    return rates


# ----------------------------------------------------------------------------------- names of rates


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


# ------------------------------------------------------------------------------------ computed once


_Owner = TypeVar("_Owner")
_Found = TypeVar("_Found")


def once_for_each(function: Callable[[_Owner], _Found]) -> Callable[[_Owner], _Found]:
    """Let a function of a frozen object compute its result once.

    The result must not refer to the object, which would otherwise live as long as the process.

    Examples
    --------
    >>> class Rows: ...
    >>> count = once_for_each(lambda rows: [rows.__class__.__name__])
    >>> rows = Rows()
    >>> count(rows) is count(rows)
    True
    """
    known: WeakKeyDictionary[_Owner, _Found] = WeakKeyDictionary()

    @wraps(function)
    def find(owner: _Owner) -> _Found:
        found = known.get(owner)
        if found is None:
            found = known[owner] = function(owner)
        return found

    return find
