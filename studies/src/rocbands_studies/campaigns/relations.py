"""Relations between results: what the same data, told differently, must give.

A case draws a call that fits (campaigns/calls.py), makes it on plain arrays, changes its rows or
its level, makes it again, and compares the numbers of both results. Methods that draw do so from
``rng=0``, in an order that does not change with the order of rows, increasing transforms of scores,
names or the level, so that their results are compared as well. `EXCEPTIONS` lists where two
results may differ, and why.
"""

from __future__ import annotations

import copy
import inspect
import json
import pickle
import random
import re
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import rocbands as rb
from rocbands.core.result import Result
from rocbands_studies.campaigns.calls import draw_call
from rocbands_studies.campaigns.data import Call, Rows, build
from rocbands_studies.campaigns.forms import DATA
from rocbands_studies.campaigns.invariants import (
    GRID,
    LIMITS,
    PATIENCE,
    SLACK,
    BrokenError,
    check_sentence,
    check_writing,
    time_limit,
)
from rocbands_studies.campaigns.reach import Reach

# (relation, function, method): regular expressions; and why results may differ. A relation of
# weighted rows is also called "... of weights".
EXCEPTIONS: tuple[tuple[str, str, str, str], ...] = (
    ("transform", ".*", "working-hotelling|binormal|asymmetric-.*", "a model of the scores"),
    ("transform", "net_benefit.*", "", "scores are probabilities"),
    ("transform", "best_threshold", "", "the table has the threshold"),
    ("repeat", ".*", "working-hotelling", "half a case is added to each of the counts"),
    ("repeat", "two_sided_curve", ".*", "rules are chosen in half of the rows"),
    ("repeat", "rate_bounds|rate_difference", ".*", "the rates are those at which rows are cut"),
    (
        "repeat|split",
        "roc_band|pr_band|class_bands",
        "vertical|threshold",
        "its curve is an average",
    ),
    ("classes", "roc_band", "vertical|threshold|fold-average", "averages along one of the axes"),
    ("classes", "roc_band", "working-hotelling", "a regression of one rate on the other"),
    ("repeat", "summary", "", "the specificity that it asks for grows with the rows"),
    ("repeat", "smooth_curve", "(binormal)?", "the fit stops when steps are small for its rows"),
    ("classes", "smooth_curve", "(binormal)?", "a regression of one rate on the other"),
    ("classes", ".*", "hanley-mcneil", "its model of the scores is not the same for both classes"),
    ("split", "compare_tpr|difference_band", "", "slopes are taken over a width set by the rows"),
    ("split", "(roc|class)_bands?|subgroups", "(likelihood)?", "the critical value counts rows"),
    ("split", "summary", "", "metrics that cannot use weights are empty"),
    ("split", "mcnemar|(cost|rate|net_benefit).*", ".*", "pools of effective numbers count rows"),
    (
        "split of weights",
        "average_precision.*|fold_auc_interval",
        ".*",
        "the classes' weights are compared in slices of equal numbers of rows",
    ),
    ("transform", "summary|brier_score_interval", "", "scores may be probabilities"),
    (
        "split",
        "operating_points|pr_band",
        ".*",
        "limits of the prevalence count rows beside clusters",
    ),
)
# And of results that draw, only estimates are compared where a relation changes the counts along
# the curve ("classes", "split"): what is drawn follows these counts.


class NotAskedError(Exception):
    """A relation says nothing about this call."""


@dataclass(frozen=True)
class Trial:
    """A call on plain samples: a function, its test sets and its other arguments."""

    call: Call
    rows: tuple[Rows, ...]
    options: dict[str, Any]

    @classmethod
    def of(cls, call: Call) -> Trial | None:
        """Take the data of a call apart; None if it has none, or is not asked about a sample."""
        first = next(iter(call.given), "")
        if first not in ("y_true", "sample") or call.name.startswith(("Sample", "ScoreCounts")):
            return None
        if isinstance(call.given[first], Call) and call.given[first].name in (
            "class_bands",
            "subgroups",
        ):
            return None
        options = {
            name: value for name, value in call.given.items() if name not in DATA and name != "rng"
        }
        rows = call.rows
        if "by" in call.given:
            options["by"] = next(iter(rows[0].kept))
        if "path" in call.given or "path" in _parameters(call):  # a page, not a result
            return None
        if call.name == "class_bands" and len(rows[0].labels) == 2:
            return None
        return cls(call, rows, options)

    @property
    def method(self) -> str:
        given = self.options.get("method", "")
        return given.name.partition(".")[2] if isinstance(given, Call) else str(given)

    def make(self, rows: tuple[Rows, ...] | None = None, **changes: Any) -> Any:
        """Make the call, on these rows or on others, with its arguments or with others."""
        options = {name: build(value) for name, value in (self.options | changes).items()}
        samples = [one.sample() for one in (self.rows if rows is None else rows)]
        return self.call.function(*samples, **options)

    def change(self, how: Callable[[Rows], Rows]) -> tuple[Rows, ...]:
        return tuple(how(one) for one in self.rows)

    def has(self, column: str) -> bool:
        return any(getattr(one, column) is not None for one in self.rows)


# ----------------------------------------------------------------------------------------- numbers


def flatten(found: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Go over the numbers of a result, by the names that lead to them."""
    if isinstance(found, dict):
        for name, value in found.items():
            yield from flatten(value, f"{path}.{name}" if path else name)
    elif isinstance(found, list):
        for place, value in enumerate(found):
            yield from flatten(value, f"{path}[{place}]")
    elif isinstance(found, int | float | None) or found is None:
        yield path, found


def list_numbers(found: Any) -> dict[str, Any]:
    """Return the numbers of a result, by name."""
    whole = json.loads(found.to_json())
    for name in ("parameters", "simulation", "certificate"):
        whole.pop(name, None)
    return dict(flatten(whole))


def compare_numbers(
    one: Any, two: Any, *, skip: str = "$^", slack: float = SLACK, seeds: bool = True
) -> None:
    """Raise if numbers of the same name differ by more than `slack`, absolutely or relatively.

    `skip`: a pattern of names that are not compared. Seeds: whether both draw from the same one;
    otherwise limits that were drawn are not compared, only estimates.
    """
    hidden = re.compile(skip)
    drawn = not seeds and None not in (getattr(one, "simulation", None), two)
    found, other = (
        {
            name: value
            for name, value in list_numbers(each).items()
            if not hidden.search(name) and (_ESTIMATES.search(name) or not drawn)
        }
        for each in (one, two)
    )
    if found.keys() != other.keys():
        raise BrokenError(f"other numbers: {sorted(found.keys() ^ other.keys())[:6]}")
    for name, value in found.items():
        same = value == other[name]
        if not same and None not in (value, other[name]):
            size = max(1.0, abs(value), abs(other[name]))
            same = abs(value - other[name]) <= slack * size
        if not same:
            raise BrokenError(f"{name}: {value!r} and {other[name]!r}")


# --------------------------------------------------------------------------------------- relations


def keep_order(trial: Trial, r: random.Random) -> None:
    """Rows in another order: the same numbers."""
    moved = trial.change(lambda rows: rows.take(np.asarray(r.sample(range(rows.size), rows.size))))
    compare_numbers(trial.make(), trial.make(moved))


def keep_transformed(trial: Trial, r: random.Random) -> None:
    """Scores of another scale, in the same order: the same numbers, but for thresholds."""
    if trial.options.keys() & {"threshold", "thresholds"}:
        raise NotAskedError

    def rank(rows: Rows) -> Rows:
        for own in rows.scores.values():
            if np.unique(own).size > np.unique(own.astype(float)).size:
                raise NotAskedError  # whole numbers that floats cannot tell apart
        levels = np.unique(np.concatenate([own.astype(float) for own in rows.scores.values()]))
        scores = {}
        for model, own in rows.scores.items():
            values = own.astype(float)  # no threshold is above an infinite score
            ranked = np.searchsorted(levels, values) ** 3 / 7.0
            scores[model] = np.where(np.isinf(values), values, ranked)
        return replace(rows, scores=scores)

    both = trial.make(), trial.make(trial.change(rank))
    compare_numbers(*both, skip="threshold")


def keep_scaled(trial: Trial, r: random.Random) -> None:
    """Weights times a constant: the same numbers."""
    if not trial.has("weights"):
        raise NotAskedError
    factor = r.choice((0.25, 4.0, 3.0, 1000.0))
    scaled = trial.change(
        lambda rows: rows if rows.weights is None else replace(rows, weights=factor * rows.weights)
    )
    compare_numbers(trial.make(), trial.make(scaled), slack=1e-6)  # searches of limits end at 1e-7


def keep_coded(trial: Trial, r: random.Random) -> None:
    """Labels of other names, in the same order: the same numbers."""
    if len(trial.rows[0].labels) > 2:
        kinds = len(trial.rows[0].labels)
        labels: tuple[Any, ...] = r.choice((("p", "q", "r", "s"), (10, 20, 30, 40)))[:kinds]

        def name(rows: Rows) -> Rows:
            scores = dict(zip(labels, rows.scores.values(), strict=True))
            return replace(rows, labels=labels, scores=scores)
    else:
        labels = r.choice((("well", "ill"), (5, 3), (False, True), ("b", "a")))

        def name(rows: Rows) -> Rows:
            return replace(rows, labels=labels)

    both = trial.make(), trial.make(trial.change(name))
    compare_numbers(*both, skip="classes|positive|negative")


def keep_named(trial: Trial, r: random.Random) -> None:
    """Clusters and strata of other names: the same numbers."""
    if not (trial.has("clusters") or trial.has("strata")):
        raise NotAskedError

    every = [own for rows in trial.rows for own in (rows.clusters, rows.strata) if own is not None]
    most = 1 + max(int(own.max()) for own in every)
    names = np.asarray([f"unit {n}" for n in r.sample(range(10**6), most)])  # of all test sets

    def name(rows: Rows) -> Rows:
        codes = {column: getattr(rows, column) for column in ("clusters", "strata")}
        return replace(rows, **{c: names[own] for c, own in codes.items() if own is not None})

    compare_numbers(trial.make(), trial.make(trial.change(name)), slack=1e-7)


def split_rows(trial: Trial, r: random.Random) -> None:
    """Each row as two halves of half its weight in its cluster: the same estimates and limits."""
    whole = trial.change(
        lambda rows: replace(
            rows,
            weights=np.ones(rows.size) if rows.weights is None else rows.weights,
            clusters=np.arange(rows.size) if rows.clusters is None else rows.clusters,
        )
    )
    halves = tuple(_double(rows) for rows in whole)
    both = trial.make(whole), trial.make(halves)
    compare_numbers(*both, skip=_SIZES, slack=1e-6, seeds=False)


def repeat_rows(trial: Trial, r: random.Random) -> None:
    """Each row twice with half its weight: the same estimates. (Limits are of more rows.)"""
    if trial.has("clusters"):
        raise NotAskedError
    whole = trial.change(
        lambda rows: replace(
            rows, weights=np.ones(rows.size) if rows.weights is None else rows.weights
        )
    )
    both = trial.make(whole), trial.make(tuple(map(_double, whole)))
    if getattr(both[0], "simulation", None) is not None and isinstance(both[0], rb.results.Band):
        raise NotAskedError  # its curve is an average of those that were drawn
    compare_numbers(*both, skip=rf"{_SIZES}|^(?!{_ESTIMATES.pattern})")


def leave_out(trial: Trial, r: random.Random) -> None:
    """Rows of weight 0 are left out of every analysis: the same numbers without them."""
    if trial.has("folds"):
        raise NotAskedError
    rng = np.random.default_rng(r.getrandbits(32))

    def add(rows: Rows) -> Rows:
        extra = rng.integers(0, rows.size, 1 + rows.size // 3)
        more = rows.take(np.concatenate((np.arange(rows.size), extra)))
        counted = np.arange(more.size) < rows.size
        weights = np.ones(more.size) if more.weights is None else more.weights
        scores = {m: np.where(counted, own, rng.permutation(own)) for m, own in more.scores.items()}
        codes = np.where(counted, more.codes, rng.permutation(more.codes))
        return replace(more, codes=codes, scores=scores, weights=np.where(counted, weights, 0.0))

    whole = trial.change(
        lambda rows: replace(
            rows, weights=np.ones(rows.size) if rows.weights is None else rows.weights
        )
    )
    compare_numbers(trial.make(whole), trial.make(trial.change(add)))


def weigh_equally(trial: Trial, r: random.Random) -> None:
    """Equal weights, and clusters of one row each: the same numbers as without."""
    if trial.has("weights"):
        raise NotAskedError
    weight = r.choice((1.0, 3.0))
    equal = trial.change(lambda rows: replace(rows, weights=np.full(rows.size, weight)))
    compare_numbers(trial.make(), trial.make(equal))


def _double(rows: Rows) -> Rows:
    twice = rows.take(np.repeat(np.arange(rows.size), 2))
    return replace(twice, weights=twice.weights / 2.0)


_SIZES = r"^n_|\bn_(pos|neg|total)|class_sizes|\.(fp|tp|fn|cases)\b|notes|df"
_ESTIMATES = re.compile(r"(columns\.)?(estimate|auc|difference|tpr|macro_auc)(\[|$)")


def swap_classes(trial: Trial, r: random.Random) -> None:
    """Classes exchanged and scores reversed: the same areas under curves; bands are mirrored."""
    first, asked = trial.rows[0], trial.options
    if (
        len(first.labels) > 2
        or first.rest
        or asked.keys() & {"fpr", "specificity", "tpr", "sensitivity"}
    ):
        raise NotAskedError

    def swap(rows: Rows) -> Rows:
        scores = {model: -own for model, own in rows.scores.items()}
        return replace(rows, codes=1 - rows.codes, labels=rows.labels[::-1], scores=scores)

    changes = {"future": tuple(asked["future"])[::-1]} if "future" in asked else {}
    one, two = trial.make(), trial.make(trial.change(swap), **changes)
    if isinstance(one, rb.results.Band):
        _check_mirrored(one, two)
    elif isinstance(
        one,
        rb.results.Interval
        | rb.results.FoldInterval
        | rb.results.Comparison
        | rb.results.Comparisons
        | rb.RocCurve,
    ):
        if getattr(one, "quantity", "AUC") != "AUC":
            raise NotAskedError
        points = r"|^columns" if isinstance(one, rb.RocCurve) else ""
        compare_numbers(one, two, skip=rf"{_SIZES}{points}", slack=1e-7, seeds=False)
    else:
        raise NotAskedError


# A band and its mirror image: areas differ by at most this share (as docs/likelihood.md says,
# critical values are found on a grid), and no point lies deeper than this in one alone.
_MIRROR = 0.003


def _check_mirrored(one: rb.results.Band, two: rb.results.Band) -> None:
    """A point (f, t) is in a band exactly if (1 - t, 1 - f) is in the mirrored band."""
    if one.simulation is not None:
        raise NotAskedError
    if abs(one.area - two.area) > _MIRROR * max(one.area, two.area, 0.01):
        raise BrokenError(f"areas {one.area} and {two.area}")
    at = np.linspace(0.005, 0.995, 100)
    inside = _find_inside(one, at, 0.0)
    mirrored = _find_inside(two, 1.0 - at[::-1], 0.0)[::-1, ::-1].T
    different = float(np.mean(inside != mirrored))
    if different > 0.02 * max(one.area, 0.05):
        raise BrokenError(f"{different:.2%} of the square is in one of two mirrored bands")


def _find_inside(band: rb.results.Band, at: Any, depth: float) -> Any:
    """Tell which points (f, t) of a grid lie between the edges."""
    lower, upper = band.lower_at(at)[:, None], band.upper_at(at)[:, None]
    return (lower + depth <= at) & (at <= upper - depth)


def swap_models(trial: Trial, r: random.Random) -> None:
    """Models exchanged: differences and their limits change sign."""
    asked = trial.options
    if asked.get("alternative", "two-sided") != "two-sided" or asked.get("margin") is not None:
        raise NotAskedError
    if "thresholds" in asked or "y_score_1" not in _parameters(trial.call):
        raise NotAskedError
    if len(trial.rows) == 2:
        other = trial.rows[::-1]
    else:
        (rows,) = trial.rows
        other = (replace(rows, scores=dict(reversed(rows.scores.items()))),)
    one, two = trial.make().columns(), trial.make(other).columns()
    for name, mirrored in (("difference", "difference"), *LIMITS, *(pair[::-1] for pair in LIMITS)):
        if name in one and not np.allclose(
            one[name], -np.asarray(two[mirrored]), atol=1e-7, rtol=0
        ):
            raise BrokenError(f"{name}: {one[name]!r} and {two[mirrored]!r}")


def _parameters(call: Call) -> set[str]:
    return set(inspect.signature(call.function).parameters)


def nest_levels(trial: Trial, r: random.Random) -> None:
    """At a higher level limits are wider, everywhere."""
    if "level" not in _parameters(trial.call):
        raise NotAskedError
    some = sorted(
        r.sample((0.5, 0.8, 0.9, 0.95, 0.97, 0.99, 0.995, trial.options.get("level", 0.6)), 2)
    )
    if some[0] == some[1]:
        raise NotAskedError
    inner, outer = (trial.make(level=level) for level in some)
    if isinstance(inner, rb.results.Band | rb.results.View):
        _check_wider(inner, outer, some)
    for table in (lambda own: own.facts(), lambda own: own.columns()):
        one, two = table(inner), table(outer)
        if isinstance(inner, rb.results.Band | rb.results.View):
            break  # their rows are corners, which differ
        for name in one:
            for below, above in LIMITS:
                if name == below or name.endswith(f"_{below}"):
                    high = name[: len(name) - len(below)] + above
                    _check_limits(one, two, name, high, some)


def _check_limits(one: Any, two: Any, low: str, high: str, levels: list[float]) -> None:
    for name, sign in ((low, 1.0), (high, -1.0)):
        inner, outer = (np.asarray(own[name], np.float64) for own in (one, two))
        if inner.shape != outer.shape:
            continue
        with np.errstate(invalid="ignore"):  # both are infinite
            wider = np.where(outer == inner, 0.0, sign * (outer - inner))
            worst = float(np.nanmax(wider, initial=0.0))
        if worst > SLACK:
            raise BrokenError(f"{name} at levels {levels} is narrower by {worst:.3g}")


def _check_wider(inner: Any, outer: Any, levels: list[float]) -> None:
    at = np.unique(
        np.concatenate(
            (GRID, *(np.asarray(next(iter(b.columns().values()))) for b in (inner, outer)))
        )
    )
    at = at[np.isfinite(at)]
    if isinstance(inner, rb.results.Band):
        at = at[(at >= 0) & (at <= 1)]
    else:
        low, high = inner.columns()["at"][[0, -1]]
        at = at[(at >= low) & (at <= high)]
    for name, sign in (("lower_at", 1.0), ("upper_at", -1.0)):
        gap = sign * (getattr(outer, name)(at) - getattr(inner, name)(at))
        if (gap > _STEP).any():
            worst = int(np.argmax(gap))
            raise BrokenError(
                f"{name}({at[worst]:.4g}) at levels {levels} is narrower by {gap[worst]:.3g}"
            )


_STEP = 1e-6  # edges are found to about this


def copy_result(trial: Trial, r: random.Random) -> None:
    """Pickled and copied, before and after being shown: the same result."""
    found = trial.make()
    whole = found.to_json() if r.random() < 0.5 else None
    before = pickle.loads(pickle.dumps(found)), copy.deepcopy(found), copy.copy(found)
    check_writing(found)
    after = pickle.loads(pickle.dumps(found)), copy.deepcopy(found), copy.copy(found)
    whole = whole or found.to_json()
    if any(one.to_json() != whole or repr(one) != repr(found) for one in (*before, *after)):
        raise BrokenError("a copy is another result")


def use_threads(trial: Trial, r: random.Random) -> None:
    """Several threads at once: the same text."""
    with ThreadPoolExecutor(3) as pool:
        found = [one.result().to_json() for one in [pool.submit(trial.make) for _ in range(3)]]
    if set(found) != {trial.make().to_json()}:
        raise BrokenError("threads give other numbers")


def repeat_call(trial: Trial, r: random.Random) -> None:
    """The same seed: the same text. Data that were passed are as before."""
    changes = {"rng": r.randrange(100)} if "rng" in _parameters(trial.call) else {}
    before = pickle.dumps(trial.rows)
    if trial.make(**changes).to_json() != trial.make(**changes).to_json():
        raise BrokenError("the same call gives other numbers")
    if pickle.dumps(trial.rows) != before:
        raise BrokenError("the data were changed")


def change_form(trial: Trial, r: random.Random) -> None:
    """The same rows in other containers: the same numbers."""
    call, rows = trial.call, trial.rows
    used = {one.name for one in call.walk() if one is not call}
    lost = any("missing" in one.given for one in call.walk())
    if lost or used & _OTHER_SCORES or "from_counts" in repr(call) or "test" in call.given:
        raise NotAskedError
    if not any(isinstance(call.given.get(name), Call) for name in ("y_true", "sample")):
        # Columns that are passed themselves have no design.
        rows = tuple(Rows(one.codes, one.labels, one.scores, kept=one.kept) for one in rows)
    given = {name: value for name, value in call.given.items() if name != "rng"}
    compare_numbers(replace(call, given=given).make(), trial.make(rows))


_OTHER_SCORES = {"Sample.from_estimator", "ScoreCounts.from_arrays", "roc_curve"}


RELATIONS: dict[str, Callable[[Trial, random.Random], None]] = {
    "order": keep_order,
    "transform": keep_transformed,
    "scale": keep_scaled,
    "coding": keep_coded,
    "names": keep_named,
    "split": split_rows,
    "repeat": repeat_rows,
    "zeros": leave_out,
    "equal": weigh_equally,
    "classes": swap_classes,
    "models": swap_models,
    "level": nest_levels,
    "copies": copy_result,
    "threads": use_threads,
    "again": repeat_call,
    "form": change_form,
}


def find_exception(relation: str, trial: Trial) -> str:
    """Return why results may differ, if they may."""
    names = (relation, f"{relation} of weights") if trial.has("weights") else (relation,)
    for about, function, method, reason in EXCEPTIONS:
        asked = ((function, trial.call.name), (method, trial.method))
        if any(re.fullmatch(about, name) for name in names) and all(
            re.fullmatch(pattern, text) for pattern, text in asked
        ):
            return reason
    return ""


def draw_trial(r: random.Random) -> Trial:
    """Draw calls until one has rows to change."""
    while True:
        trial = Trial.of(draw_call(r.getrandbits(60), fits=True))
        if trial is not None:
            return trial


def check(relation: str, trial: Trial, r: random.Random) -> str:
    """Check one relation, and return 'held', 'refused' or 'excepted'."""
    if find_exception(relation, trial):
        return "excepted"
    with time_limit(3 * PATIENCE), warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", rb.RocBandsWarning)
        try:
            if not isinstance(trial.make(), Result):
                return "no result"
            RELATIONS[relation](trial, r)
        except rb.InputError as problem:
            check_sentence(str(problem))
            return "refused"
        except NotAskedError:
            return "not asked"
    return "held"


def try_one(seed: int, reach: Reach | None = None) -> str:
    """Check a relation on the first of some calls that it says something about."""
    r = random.Random(seed)
    relation, outcome = r.choice(list(RELATIONS)), "broken"
    try:
        for _ in range(20):
            trial = draw_trial(r)
            outcome = check(relation, trial, r)
            if outcome == "held":
                break
    except Exception as problem:
        outcome = "broken"
        sizes = ", ".join(f"{one.size} rows, {list(one.design)}" for one in trial.rows)
        problem.add_note(f"{relation}: rb.{trial.call.name}({trial.options}) of {sizes}")
        raise
    finally:
        if reach is not None:
            reach.count_relation(relation, outcome)
    return outcome
