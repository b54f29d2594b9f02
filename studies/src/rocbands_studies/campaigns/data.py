"""Random test sets: labels, scores, designs; and every container that people keep columns in.

:class:`Rows` is a test set in plain arrays, which relations can change (campaigns/relations.py).
:class:`Call` is a call that can be written and made; a sample or curve in an argument is a call too.
"""

from __future__ import annotations

import decimal
import fractions
import inspect
import random
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import rocbands as rb

# Anything at all: an argument of a hostile call may be one of these.
ANYTHING: tuple[Any, ...] = (
    None, "", "no", "nan", 0, -1, 1, 2, 5, 0.0, -0.0, 0.5, 1.0, 5e-324, 1e-300, 1e-17, 1e-12, 1e-9,
    1 - 1e-16, 1 - 1e-9, 1e300, float("nan"), float("inf"), -float("inf"), 10**30, 10**400,
    True, False, b"x", [], [0.1], (0, 1), (0.1, 0.1), [[1], [1, 2]], {}, object(), np.float32(0.5), np.int8(1),
    np.array(0.5), np.array([]), np.array([[0.1, 0.2]]), np.array([1 + 1j]), decimal.Decimal("0.9"),
    fractions.Fraction(9, 10), pd.NA, pd.NaT, "\ud800", "=1+1", "$x_$", 1j, "0.95",
)  # fmt: skip
MISSING = (None, float("nan"), pd.NA, pd.NaT)
CLASSES = ((0, 1), (0, 1), (0, 1), (-1, 1), (False, True), ("a", "b"), (0.0, 1.0), (1, 2))
MODELS = ("a", "b", "=c", "$x_$", "model\n4", "1")
KEPT = ("sex", "é", "")
ROWS = (20, 30, 60, 60, 200)
FEW_ROWS = (2, 3, 5, 8, 12)
DESIGN = ("clusters", "weights", "strata", "folds")


# ------------------------------------------------------------------------------------------- calls


@dataclass(frozen=True)
class Call:
    """A call: what is called, by its public name, and with what.

    Arguments that are calls are made first: they may be refused. `rows`: its test sets, if it has
    any. `hostile`: whether something that does not fit was put in on purpose.
    """

    name: str
    function: Callable[..., Any]
    given: dict[str, Any]
    rows: tuple[Rows, ...] = ()
    hostile: bool = False

    def make(self) -> Any:
        """Make the call: arguments by their place, as far as that goes, the others by name."""
        named = {name: build(value) for name, value in self.given.items()}
        places = []
        for name, parameter in inspect.signature(self.function).parameters.items():
            if parameter.kind > parameter.POSITIONAL_OR_KEYWORD or name not in named:
                break
            places.append(named.pop(name))
        return self.function(*places, **named)

    def walk(self) -> Iterator[Call]:
        """Go over the calls in its arguments, and over itself."""
        for value in self.given.values():
            if isinstance(value, Call):
                yield from value.walk()
        yield self

    def __repr__(self) -> str:
        return f"rb.{self.name}({show(self.given)})"


@dataclass(frozen=True)
class Recipe:
    """What is made anew for each call, such as a generator or a file; and how to write it."""

    words: str
    make: Callable[[], Any]

    def __repr__(self) -> str:
        return self.words


def build(value: Any) -> Any:
    """Make what is a call or a recipe, also in lists and tuples; leave the rest."""
    if isinstance(value, Call | Recipe):
        return value.make()
    if type(value) in (list, tuple) and any(isinstance(one, Call | Recipe) for one in value):
        return type(value)(map(build, value))
    return value


def show(given: dict[str, Any]) -> str:
    """Write arguments, the long ones cut off."""
    parts = []
    for name, value in given.items():
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
                text = " ".join(repr(value).split())
        except ValueError:
            text = type(value).__name__
        parts.append(f"{name}={text[: 1000 if isinstance(value, Call | Recipe) else 120]}")
    return ", ".join(parts)


# -------------------------------------------------------------------------------------------- rows


@dataclass(frozen=True)
class Rows:
    """A test set in plain arrays: the class of each row, scores by model, and how it was drawn."""

    codes: Any  # 0 negative, 1 positive; of several classes, their places in `labels`
    labels: tuple[Any, ...]
    scores: dict[Any, Any]  # by model; of several classes, by class
    clusters: Any = None
    weights: Any = None
    strata: Any = None
    folds: Any = None
    repeats: int = 1
    kept: dict[str, Any] = field(default_factory=dict)
    rest: bool = False  # the negatives have several labels

    @property
    def size(self) -> int:
        return int(self.codes.size)

    @property
    def models(self) -> list[Any]:
        return list(self.scores)

    @property
    def design(self) -> dict[str, Any]:
        """The columns that say how rows were drawn."""
        found = {name: getattr(self, name) for name in DESIGN}
        return {name: column for name, column in found.items() if column is not None}

    def y_true(self) -> Any:
        found = np.asarray(self.labels)[self.codes]
        if self.rest:  # other labels for every second negative
            found = found.astype(object)
            found[np.flatnonzero(self.codes == 0)[1::2]] = "another"
        return found

    def take(self, places: Any) -> Rows:
        """Return some of the rows, in this order."""
        changes: dict[str, Any] = {}
        for name in (one.name for one in fields(self)):
            value = getattr(self, name)
            if isinstance(value, np.ndarray):
                changes[name] = value[places]
            elif isinstance(value, dict):
                changes[name] = {key: column[places] for key, column in value.items()}
        return replace(self, **changes)

    def sample(self) -> Any:
        """The sample of these rows, from plain arrays."""
        if len(self.labels) > 2:
            design = {name: column for name, column in self.design.items() if name != "folds"}
            return rb.Sample.of_classes(self.y_true(), self.scores, **design)
        more: dict[str, Any] = {"positive": self.labels[1], "rest": self.rest, **self.design}
        if self.folds is not None:
            more["repeats"] = self.repeats
        return rb.Sample(self.y_true(), self.scores, keep=self.kept or None, **more)


@dataclass(frozen=True)
class Plan:
    """What test sets a function takes."""

    models: int = 1
    classes: int = 2
    design: tuple[str, ...] = DESIGN  # that it can use
    needed: tuple[str, ...] = ()
    repeats: bool = False
    rest: bool = False
    probabilities: bool = False


def draw_rows(r: random.Random, plan: Plan, *, extreme: bool = False) -> Rows:
    """Draw a test set. Extreme: very few rows, rows of one score, infinite scores."""
    rng = np.random.default_rng(r.getrandbits(32))
    size = r.choice(FEW_ROWS if extreme and r.random() < 0.7 else ROWS)
    if plan.classes > 2:
        size = max(size, 2 * plan.classes)
    share = r.choice((0.5, 0.5, 0.3, 0.15, 0.8))
    few = 1 if extreme else 5
    n_pos = min(max(few, round(share * size)), max(1, size - few))
    codes = rng.permutation(
        np.arange(size) % plan.classes if plan.classes > 2 else np.arange(size) < n_pos
    ).astype(np.int64)
    if plan.classes > 2:
        numbers, names = tuple(range(plan.classes)), ("=a", "b", "c", "é")[: plan.classes]
        labels: tuple[Any, ...] = r.choice((numbers, names, tuple(n + 0.5 for n in numbers)))
        scores = {
            label: _draw_scores(r, rng, codes == place, extreme)
            for place, label in enumerate(labels)
        }
    else:
        labels = r.choice(CLASSES)
        kind = r.choice((2, 6)) if plan.probabilities else r.randrange(7)  # of all models
        scores = {
            model: _draw_scores(r, rng, codes == 1, extreme, kind)
            for model in r.sample(MODELS, plan.models)
        }
    kept = {}
    if "keep" in plan.needed or r.random() < 0.15:
        for name in r.sample(KEPT, r.randint(1, 2)):
            kept[name] = _spread(rng, codes, r.choice((2, 2, 3)))
            if r.random() < 0.3:
                kept[name] = np.asarray(["f", "m", "d"])[kept[name]]
    rows = Rows(codes, labels, scores, kept=kept, **_draw_design(r, rng, codes, plan))
    if rows.folds is not None and plan.repeats and r.random() < 0.4:
        twice = rows.take(np.tile(np.arange(size), 2))
        again = _spread(rng, codes, int(rows.folds.max()) + 1) + int(rows.folds.max()) + 1
        rows = replace(twice, folds=np.concatenate((rows.folds, again)), repeats=2)
    if plan.rest and r.random() < 0.2:
        rows = replace(rows, rest=True, labels=("a", "b"))
    return rows


def _spread(rng: np.random.Generator, codes: Any, parts: int) -> Any:
    """Put the rows of each class into parts, as evenly as they go."""
    found = np.empty(codes.size, np.int64)
    for code in np.unique(codes):
        places = rng.permutation(np.flatnonzero(codes == code))
        found[places] = np.arange(places.size) % parts
    return found


def _draw_scores(
    r: random.Random, rng: np.random.Generator, high: Any, extreme: bool, kind: int | None = None
) -> Any:
    """Scores that are larger where `high`: normal, probabilities, rounded, tied; or extreme."""
    size = high.size
    usual = rng.normal(size=size) + r.choice((0.0, 0.7, 1.5, 1.5, 3.0, 8.0)) * high
    kind = r.randrange(7) if kind is None else kind
    if kind == 6:  # rounded probabilities, with ties
        return np.round(1.0 / (1.0 + np.exp(-usual)), 1)
    if extreme and r.random() < 0.6:
        odd = (np.inf, -np.inf, 1e308, -1e308, 5e-324, 0.0, -0.0, 1.0, 1.0 + 2**-52)
        ways: tuple[Callable[[], Any], ...] = (
            lambda: np.ones(size),
            lambda: rng.choice(np.asarray(odd), size),
            lambda: 2**53 + rng.integers(0, 4, size),
            lambda: np.where(high, 1.0, 0.0),
        )
        return r.choice(ways)()
    if kind <= 1:
        return usual
    if kind <= 3:
        return 1.0 / (1.0 + np.exp(-usual))
    return np.round(usual, 1) if kind == 4 else np.clip(np.round(usual), -2, 2)


def _draw_design(
    r: random.Random, rng: np.random.Generator, codes: Any, plan: Plan
) -> dict[str, Any]:
    """Columns that say how the rows were drawn."""
    wanted = {name for name in plan.design if r.random() < 0.2} | set(plan.needed)
    size, given = codes.size, {}
    if "folds" in wanted:  # not in strata; clusters lie in one fold
        given["folds"] = _spread(rng, codes, r.choice((2, 3, 3, 5)))
        wanted -= {"strata", "clusters"} if r.random() < 0.9 else {"strata"}
    if "clusters" in wanted:
        units = max(2, size // r.choice((1, 2, 2, 3, 5)))
        given["clusters"] = rng.permutation(np.arange(size) % units)
    if "weights" in wanted:
        some = r.choice(((1.0, 2.0, 0.5), (0.05, 0.3, 1.0), (0.0, 1.0, 1.0), (1e-9, 1.0, 1e9)))
        given["weights"] = r.choice((rng.uniform(0.2, 2.0, size), rng.choice(some, size)))
    if "strata" in wanted:
        inside = given.get(
            "clusters", codes
        )  # clusters lie in one stratum; else both have both classes
        few = r.randint(2, 3)
        given["strata"] = inside % few if "clusters" in given else _spread(rng, codes, few)
    if "folds" in given and "clusters" in given:
        given["folds"] = given["clusters"] % 2
    return given


# -------------------------------------------------------------------------------------- containers


def _read_only(values: Any) -> Any:
    array = np.array(values)
    array.flags.writeable = False
    return array


# A column of values that fit keeps its values in each of these.
CONTAINERS: tuple[Callable[[Any], Any], ...] = (
    np.asarray,
    np.asarray,
    np.asarray,
    lambda values: values.tolist(),
    lambda values: tuple(values.tolist()),
    pd.Series,
    lambda values: pd.Series(values, index=np.arange(len(values), 0, -1)),
    pl.Series,
    pa.array,
    lambda values: pa.chunked_array([values[:1], values[1:]]),
    lambda values: np.asarray(values.tolist(), dtype=object),
    lambda values: np.repeat(values, 2)[::2],
    lambda values: values.astype(values.dtype.newbyteorder(">")),
    _read_only,
)
FRAMES: tuple[Callable[[Any], Any], ...] = (dict, pd.DataFrame, pl.DataFrame, pa.table)


def dress(r: random.Random, values: Any) -> Any:
    """Put a column into one of the containers that people have."""
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        try:
            return r.choice(CONTAINERS)(values)
        except Exception:  # the container refuses these values: a list takes everything
            return list(values)


def frame_of(r: random.Random, columns: Mapping[Any, Any]) -> Any:
    """Put columns into a frame of pandas, Polars or PyArrow, or leave the mapping."""
    with warnings.catch_warnings(action="ignore"):
        try:
            return r.choice(FRAMES)(dict(columns))
        except Exception:  # the frame refuses such columns or names: a mapping takes everything
            return dict(columns)


def spoil(r: random.Random, values: Any) -> Any:
    """Return a column with something in it that does not fit."""
    column = list(values) if hasattr(values, "__len__") else [values]
    kind = r.randrange(4)
    if kind == 0:
        column = column[:-1]
    elif kind == 1 and column:
        column[r.randrange(len(column))] = r.choice(MISSING)
    elif kind == 2 and column:
        column[-1] = r.choice(("x", 1j, [], {}, 10**400, True, 7, -1.0, float("inf"), "c", 1e300))
    else:
        as_arrays: tuple[Callable[[list[Any]], Any], ...] = (
            lambda own: np.asarray(own).astype(np.float16),
            lambda own: np.asarray(own).astype(np.longdouble),
            lambda own: np.asarray(own)[:, None],
            lambda own: np.asarray(own, dtype=object),
        )
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            try:
                return r.choice(as_arrays)(column)
            except Exception:  # not numbers
                return column
    return column


class Scorer:
    """A fitted classifier of two classes, by scikit-learn's conventions."""

    def __init__(self, classes: tuple[Any, ...], column: int = 0) -> None:
        self.classes_, self.column = np.asarray(classes), column

    def decision_function(self, X: Any) -> Any:  # noqa: N803
        return np.asarray(X)[:, self.column]

    def predict_proba(self, X: Any) -> Any:  # noqa: N803
        with np.errstate(over="ignore"):
            high = 1.0 / (1.0 + np.exp(-self.decision_function(X)))
        return np.column_stack((1.0 - high, high))

    def __repr__(self) -> str:
        return f"Scorer({self.classes_.tolist()}, {self.column})"
