"""Random data: columns of every kind and container, samples with designs, curves and counts."""

from __future__ import annotations

import copy
import decimal
import fractions
import pickle
import random
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import rocbands as rb

# Anything at all: every argument gets one of these now and then.
ANYTHING: tuple[Any, ...] = (
    None, "", "no", "nan", 0, -1, 1, 2, 0.0, -0.0, 0.5, 1.0, 5e-324, 1e-300, 1e-17, 1e-12, 1e-9,
    1 - 1e-16, 1 - 1e-9, 1e300, float("nan"), float("inf"), -float("inf"), 10**30, 10**400,
    True, False, b"x", [], [0.1], (0, 1), (0.1, 0.1), {}, object(), np.nan, np.float32(0.5), np.int8(1),
    np.array(0.5), np.array([]), np.array([[0.1, 0.2]]), decimal.Decimal("0.9"),
    fractions.Fraction(9, 10), pd.NA, pd.NaT, "\ud800", "=1+1", "$x_$", 1j, "0.95",
)  # fmt: skip
CLASSES = ((0, 1), (0, 1), (0, 1), (-1, 1), (False, True), ("a", "b"), (0.0, 1.0), (1, 2))
MODELS = ("a", "b", "=c", "$x_$", "model\n4")
ROWS = (2, 3, 5, 8, 20, 60, 60, 200)


@dataclass(frozen=True)
class Recipe:
    """What is made when a call is made, for it may be refused; and how to write it."""

    words: str
    make: Callable[[], Any]

    def __repr__(self) -> str:
        return self.words


def build(value: Any) -> Any:
    """Make what is a recipe; leave the rest."""
    return value.make() if isinstance(value, Recipe) else value


def show(given: dict[str, Any]) -> str:
    """Write arguments, the long ones cut off."""
    parts = []
    for name, value in given.items():
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
                text = " ".join(repr(value).split())
        except ValueError:
            text = type(value).__name__
        most = 1000 if isinstance(value, Recipe) else 120
        parts.append(f"{name}={text[:most]}" if name else text[:most])
    return ", ".join(parts)


@dataclass(frozen=True)
class Draw:
    """One test set in the making."""

    r: random.Random
    size: int
    two: tuple[Any, Any]
    labels: list[Any]

    @classmethod
    def new(cls, r: random.Random) -> Draw:
        size, two = r.choice(ROWS), r.choice(CLASSES)
        return cls(r, size, two, draw_labels(r, size, two))

    @property
    def length(self) -> int:
        """Of a column: the wrong one now and then."""
        return self.size if self.r.random() < 0.985 else self.size + 1

    def scores(self) -> Any:
        return dress(self.r, draw_scores(self.r, self.length))

    def codes(self, units: int) -> Any:
        column: list[Any] = [self.r.randrange(max(1, units)) for _ in range(self.length)]
        if self.r.random() < 0.1:
            column = [f"unit {code}" for code in column]
        if self.r.random() < 0.03:
            column[-1] = self.r.choice((None, float("nan"), "x", [], pd.NA))
        return dress(self.r, column)

    def weights(self) -> Any:
        some = (0.0, 1.0, 1.0, 2.0, 0.5, 1e-9, 1e9, self.r.random())
        column: list[Any] = [self.r.choice(some) for _ in range(self.length)]
        if self.r.random() < 0.05:
            column[-1] = self.r.choice((None, -1.0, float("nan"), float("inf"), "x", 1e300))
        return dress(self.r, column)

    def positive(self) -> dict[str, Any]:
        """The positive label, where it must be said."""
        if self.two[1] in ("b", 2) or self.r.random() < 0.05:
            return {"positive": self.two[1]}
        return {}

    def again(self) -> Draw:
        """Return another test set with the same labels."""
        size = self.r.choice(ROWS)
        return Draw(self.r, size, self.two, draw_labels(self.r, size, self.two))


def draw_labels(r: random.Random, size: int, two: tuple[Any, Any] = (0, 1)) -> list[Any]:
    """Two classes, or something that has not two."""
    share = r.choice((0.5, 0.5, 0.1, 0.9))
    labels = [two[r.random() < share] for _ in range(size)]
    if r.random() < 0.95 and size > 1:
        labels[0], labels[1] = two
    if r.random() < 0.04:
        labels[-1] = r.choice((None, float("nan"), 7, "c", {}, [], pd.NA, 10**400))
    return labels


def draw_scores(r: random.Random, size: int) -> list[Any]:
    """Scores of every kind: untied, tied, all alike, infinite, of extreme size."""
    kind = r.randrange(8)
    if kind <= 2:
        scores: list[Any] = [r.gauss(0, 1) for _ in range(size)]
    elif kind <= 4:
        scores = [float(r.randint(-2, 2)) for _ in range(size)]
    elif kind == 5:
        scores = [1.0] * size
    elif kind == 6:
        scores = [2**53 + r.randint(0, 3) for _ in range(size)]
    else:
        odd = (np.inf, -np.inf, 1e308, -1e308, 5e-324, 0.0, -0.0, 1.0, 1.0 + 2**-52)
        scores = [r.choice(odd) for _ in range(size)]
    if r.random() < 0.04:
        scores[-1] = r.choice((None, float("nan"), "x", 1j, [], pd.NA, 10**400, True))
    return scores


def dress(r: random.Random, values: list[Any]) -> Any:
    """Put a column into one of the containers that people have."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            return r.choice(CONTAINERS)(values)
    except Exception:  # the container refuses these values: a list takes everything
        return values


def _read_only(values: list[Any]) -> Any:
    array = np.asarray(values)
    array.flags.writeable = False
    return array


CONTAINERS: tuple[Callable[[list[Any]], Any], ...] = (
    np.asarray,
    np.asarray,
    np.asarray,
    list,
    tuple,
    pd.Series,
    pl.Series,
    pa.array,
    lambda values: np.asarray(values, dtype=object),
    lambda values: np.repeat(np.asarray(values), 2)[::2],
    lambda values: np.asarray(values).astype(np.asarray(values).dtype.newbyteorder(">")),
    lambda values: np.asarray(values).astype(np.float16),
    lambda values: np.asarray(values).astype(np.longdouble),
    _read_only,
)


# ----------------------------------------------------------------------------------------- samples


def draw_sample(
    draw: Draw, *, models: int = 1, design: tuple[str, ...] = (), steps: int | None = None
) -> Recipe:
    """Draw a sample: columns, how rows were drawn, and what is done with it before it is used.

    `design`: what it must have; anything else comes now and then.
    """
    r = draw.r
    names = r.sample(MODELS, models)
    scores = {name: draw.scores() for name in names}
    given: dict[str, Any] = {"y_true": dress(r, draw.labels), "y_score": scores}
    if models == 1 and r.random() < 0.6:
        given["y_score"] = scores[names[0]]
    given |= draw.positive() | draw_design(draw, design)
    if r.random() < 0.2:
        _lose_values(r, draw, given)
    if "positive" in given and r.random() < 0.1:
        given["rest"] = True
    if r.random() < 0.04:
        given[r.choice(list(given))] = r.choice(ANYTHING)
    recipe = _draw_way(r, given)
    for _ in range(r.choice((0, 0, 0, 1, 2)) if steps is None else steps):
        recipe = draw_step(draw, recipe, keep_models=models > 1)
    return recipe


def draw_design(draw: Draw, needed: tuple[str, ...] = ()) -> dict[str, Any]:
    """Draw columns that say how rows were drawn, and columns to keep."""
    r, share, given = draw.r, 0.08, {}
    units = max(1, draw.size // r.choice((1, 2, 2, 5, 10)))
    if "groups" in needed or r.random() < share:
        given["groups"] = draw.codes(units)
    if "weights" in needed or r.random() < share:
        given["weights"] = draw.weights()
    if "strata" in needed or r.random() < share:
        given["strata"] = draw.codes(r.randint(1, 3))
    if "folds" in needed or r.random() < share:
        given["folds"] = draw.codes(r.choice((1,) + (2, 3, 5) * 4))
        if r.random() < 0.2:
            given["repeats"] = r.choice((1, 2, 0, None))
    if "keep" in needed or r.random() < share:
        given["keep"] = {
            name: draw.codes(r.randint(1, 4)) for name in r.sample(("sex", "é", ""), 2)
        }
    return given


def _lose_values(r: random.Random, draw: Draw, given: dict[str, Any]) -> None:
    """Take some values away, and mostly say that their rows are to be left out."""
    missing = r.choice((None, float("nan"), pd.NA, pd.NaT))
    for column in [name for name in given if name not in ("positive", "repeats", "keep")]:
        if r.random() < 0.4 and isinstance(given[column], list | tuple | np.ndarray):
            values: list[Any] = list(given[column])
            for place in r.sample(range(len(values)), r.randint(0, len(values) // 3)):
                values[place] = missing
            given[column] = dress(r, values)
    given["missing"] = r.choice(("drop",) * 8 + ("raise", "omit"))


def _draw_way(r: random.Random, given: dict[str, Any]) -> Recipe:
    """Make the sample of columns, or of a frame that has them under their names."""
    if r.random() < 0.75 or not isinstance(given["y_score"], dict):
        return Recipe(f"rb.Sample({show(given)})", lambda: rb.Sample(**given))
    columns = {"label": given["y_true"], **given["y_score"]}
    named: dict[str, Any] = {"label": "label", "score": list(given["y_score"])}
    for name, value in given.items():
        if name in ("groups", "weights", "strata", "folds"):
            columns[name], named[name] = value, name
        elif name == "keep" and isinstance(value, dict):
            columns |= value
            named[name] = list(value)
        elif name not in ("y_true", "y_score"):
            named[name] = value
    if r.random() < 0.03:
        named[r.choice(list(named))] = r.choice(ANYTHING)
    frame: Any = columns
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            frame = r.choice((dict, pd.DataFrame, pl.DataFrame, pa.table))(columns)
    except Exception:  # the frame refuses these columns: a mapping takes everything
        frame = columns
    words = f"rb.Sample.from_frame({show({'': frame} | named)})"
    return Recipe(words, lambda: rb.Sample.from_frame(frame, **named))


STEPS = ("choose", "choose several", "mask", "places", "replace", "split", "copy", "pickle")


def draw_step(draw: Draw, recipe: Recipe, *, keep_models: bool = False) -> Recipe:
    """Draw what is made of a sample: a part of it, or another design."""
    kinds = [kind for kind in STEPS if not (keep_models and kind == "choose")]
    return _draw_step(draw, recipe, draw.r.choice(kinds))


def _draw_step(draw: Draw, recipe: Recipe, kind: str) -> Recipe:
    r, own = draw.r, draw.r.randrange(10**6)
    hostile = r.random() < 0.1
    odd = r.choice(ANYTHING)
    if kind == "replace":
        changes = draw_design(draw, (r.choice(("groups", "weights", "strata", "folds", "keep")),))
        changes = {name: r.choice((column, None)) for name, column in changes.items()}
        if hostile:
            changes[r.choice((*changes, "y_true"))] = odd
        words = f"{recipe}.replace({show(changes)})"
        return Recipe(words, lambda: recipe.make().replace(**changes))

    def make() -> Any:
        sample, rng = recipe.make(), np.random.default_rng(own)
        models, n = sample.models, sample.n
        ways: dict[str, tuple[Callable[[Any], Any], Any]] = {
            "copy": (lambda _: copy.copy(sample), None),
            "pickle": (lambda _: pickle.loads(pickle.dumps(sample)), None),
            "choose": (sample.__getitem__, models[own % len(models)]),
            "choose several": (sample.__getitem__, list(rng.permutation(models))),
            "mask": (sample.take, rng.random(n) < 0.8),
            "places": (sample.take, rng.permutation(n)[: 1 + n // 2]),
            "split": (sample.split, next(iter(sample.kept), "sex")),
        }
        if kind == "split" and not sample.kept and own % 10:
            return sample
        way, usual = ways[kind]
        found = way(odd if hostile else usual)
        return list(found.values())[own % len(found)] if kind == "split" else found

    return Recipe(f"{recipe} -> {kind} {odd if hostile else own!r}", make)


def draw_curve(draw: Draw) -> Recipe:
    """Draw a curve: of a sample, or of counts of one score or of bins, which may be large."""
    r = draw.r
    if r.random() < 0.4:
        sample = draw_sample(draw)
        return Recipe(f"{sample}.roc", lambda: sample.make().roc)
    steps, most = r.randint(1, 6), r.choice((1, 5, 1000, 10**9, 10**14))
    fp, tp = (np.cumsum([r.randint(0, most) for _ in range(steps)]) for _ in range(2))
    bins = r.random() < 0.5
    return Recipe(
        f"rb.RocCurve.from_counts(..., {fp + 1}, {tp + 1}, {bins=})",
        lambda: rb.RocCurve.from_counts(np.arange(steps, 0.0, -1), fp + 1, tp + 1, bins=bins),
    )


def draw_counts(draw: Draw) -> Recipe:
    """Draw counted scores of one model, or of two."""
    r = draw.r
    names = r.sample(MODELS, r.choice((1, 1, 1, 2)))
    given: dict[str, Any] = {"y_true": dress(r, draw.labels)} | draw.positive()
    given["y_score"] = {name: draw.scores() for name in names}
    given["exact"] = r.random() < 0.5
    if r.random() < 0.2:
        given["weights"] = draw.weights()
    if r.random() < 0.2:
        given["by"] = draw.codes(r.randint(1, 3))
    return Recipe(
        f"rb.ScoreCounts.from_arrays({show(given)})", lambda: rb.ScoreCounts.from_arrays(**given)
    )


def draw_classes(draw: Draw) -> tuple[Any, Any]:
    """Labels of several classes, and a column of scores for each."""
    r, kinds = draw.r, draw.r.choice((2, 3, 3, 4))
    names = r.choice((list(range(kinds)), ["a", "b", "=c", "d"][:kinds]))
    labels = [names[place % kinds] for place in range(draw.size)]
    r.shuffle(labels)
    columns = [draw_scores(r, draw.size) for _ in names]
    if r.random() < 0.5:
        return dress(r, labels), {
            name: dress(r, own) for name, own in zip(names, columns, strict=True)
        }
    try:
        return dress(r, labels), np.asarray(columns, dtype=np.float64).T
    except (TypeError, ValueError, OverflowError):
        return dress(r, labels), columns
