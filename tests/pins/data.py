"""Small data sets from fixed seeds, and the designs in which they are given to a function.

Only sums, products and rounding of uniform numbers are used, so that every processor has the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

import rocbands as rb
from tests.pins.names import class_sample_of, readings_of, sample_of

# Rows, share of positives, shift of their scores, and what is done to the scores.
SETS: dict[str, tuple[int, float, float, str]] = {
    "untied": (60, 0.4, 0.5, ""),
    "tied": (120, 0.45, 0.5, "digits"),
    "votes": (90, 0.4, 0.6, "votes"),
    "separated": (40, 0.5, 2.5, ""),
    "decisions": (50, 0.5, 0.8, "decisions"),
    "one positive": (40, 0.0, 0.3, "digits"),
    "one negative": (40, 1.0, 0.3, "digits"),
    "below chance": (60, 0.5, -0.6, "digits"),
    "rare": (3000, 0.0, 0.9, "digits"),
    "float32": (60, 0.5, 0.7, "float32"),
    "ratings": (80, 0.4, 0.9, "ratings"),
    "infinite": (50, 0.5, 0.7, "infinite"),
    "large": (400, 0.3, 0.8, "logits"),
}
SCALES: dict[str, Any] = {
    "": lambda s: s,
    "digits": lambda s: s.round(2),
    "votes": lambda s: (s * 5).round() / 5,
    "decisions": lambda s: (s > 0.5).astype(float),
    "float32": lambda s: s.astype(np.float32),
    "ratings": lambda s: 1 + (s * 4).round().astype(int),
    "infinite": lambda s: np.where(s > 0.75, np.inf, np.where(s < 0.2, -np.inf, s)),
    "logits": lambda s: 8.0 * s - 4.0,
}
DESIGNED = ("untied", "tied", "votes", "separated")  # given in every design; others in one
STUDIES = ("factorial", "one test", "incomplete", "clusters", "two readers", "ratings")
# Columns of the designs, which are also what a method must handle.
DESIGNS = {name: tuple(name.split(", ")) for name in (
    *("clusters", "weights", "class weights", "strata", "clusters, weights"),
    *("clusters, weights, strata", "folds", "folds, clusters", "folds, weights"),
    *("folds, class weights", "folds, weights, strata", "repeats"),
)}  # fmt: skip
COUNTED = ("counts", "exact counts", "weighted counts", "bins", "weighted bins")
TWO_SETS = ("", "clusters", "common clusters", "weights", "class weights", "strata", "folds")
# What a method must handle for the other designs.
NEEDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("rows", "exact counts", ""), ()),
    **dict.fromkeys(("counts", "bins"), ("bins",)),
    **dict.fromkeys(("weighted counts", "weighted bins"), ("bins", "weights")),
    "class weights": ("weights",),
    "repeats": ("folds", "repeats"),
    "two sets, clusters": ("unpaired clusters",),
    "two sets, common clusters": ("common clusters",),
}


def find_needs(design: str) -> set[str]:
    """Return what a method must handle for a design."""
    kind = design.removeprefix("two sets").removeprefix(", ")
    needs = NEEDS.get(design) or NEEDS.get(kind, DESIGNS.get(kind, ()))
    return {*needs, *(["unpaired"] if design != kind else [])}


def list_forms(kind: str, handles: set[str] | None) -> Iterator[tuple[str, str]]:
    """List (data, design): all data sets in the plain design, some of them in the others.

    A design that is not handled is tried on one data set.
    """
    if kind == "readers":
        yield from ((study, study if study in DESIGNS else "rows") for study in STUDIES)
        return
    plain = "folds" if kind == "folds" else "rows"
    sets = ("classes", "tied classes") if kind == "classes" else tuple(SETS)
    designs = ["rows", *DESIGNS, *(COUNTED if kind != "classes" else ())]
    if kind == "two":
        designs += [f"two sets, {one}".rstrip(", ") for one in (*TWO_SETS, *COUNTED)]
    for design in designs:
        able = handles is None or find_needs(design) <= handles
        more = ("rare",) if design in ("clusters", "weights", "bins") else ()
        some = (*DESIGNED, *more) if kind != "classes" else sets
        chosen = sets if design == plain else some if able else sets[1:2]
        yield from ((name, design) for name in chosen)


@cache
def make_rows(name: str, part: int = 0) -> dict[str, Any]:
    """Return labels, the scores of three models and columns of designs; parts are independent."""
    n, share, shift, how = SETS[name]
    rng = np.random.default_rng([list(SETS).index(name), part])
    y = (rng.random(n) < share).astype(int)
    y[:2] = 1, 0
    if name == "rare":
        y[[700, 1900]] = 1
    rows: dict[str, Any] = {"y": y, "repeats": 2}
    common = rng.random(n)
    for model, more in {"a": shift, "b": 0.7 * shift, "c": 0.4 * shift}.items():
        raw = (common + rng.random(n) + more * y + max(-more, 0.0)) / (2.0 + abs(more))
        rows[model] = SCALES[how](raw)
    rows["strata"] = rng.integers(0, 3, n)
    rows["clusters"] = rows["strata"] + 3 * rng.integers(0, max(3, n // 9), n)  # within strata
    rows["weights"] = (0.5 + 1.5 * rng.random(n)).round(2)
    rows["class weights"] = rows["weights"] * np.where(y == 1, 0.25, 2.0)
    rows["folds"] = np.empty(n, dtype=int)
    rows["folds"][np.argsort(y, kind="stable")] = np.arange(n) % 4
    rows["sex"] = np.where(rng.random(n) < 0.5, "f", "m")
    return rows


def choose_columns(rows: dict[str, Any], design: str) -> dict[str, Any]:
    """Return the columns of a design."""
    found = {use.removeprefix("class "): rows[use] for use in DESIGNS.get(design, ())}
    if design == "folds, clusters":
        found["folds"] = rows["clusters"] // 3 % 4
    return found


def make_sample(name: str, design: str, models: str, part: int = 0) -> Any:
    """Return the sample of some models in a design; parts have clusters of their own."""
    rows, kind = make_rows(name, part), design.removeprefix("common ")
    given, y, sex = choose_columns(rows, kind), rows["y"], rows["sex"]
    scores = {model: rows[model] for model in models}
    if name == "votes":  # labels in words
        given["positive"], y = "ill", np.where(y == 1, "ill", "well")
    if kind == "repeats":
        y, sex = np.tile(y, 2), np.tile(sex, 2)
        given["folds"] = np.concatenate([rows["folds"], np.roll(rows["folds"], 1) + 4])
        scores = {model: np.concatenate([s, s[::-1]]) for model, s in scores.items()}
    if "clusters" in given and design == kind:
        given["clusters"] = given["clusters"] + 10_000 * part
    return sample_of(y, scores, keep={"sex": sex}, **given)


def make_counts(name: str, design: str, models: str, part: int = 0) -> Any:
    """Return counts of some models; for bins the curve of the first, from ten bins."""
    rows = make_rows(name, part)
    y, weights = rows["y"], rows["weights"]
    if "counts" in design:
        more = {"weights": weights} if "weighted" in design else {}
        scores = {model: rows[model] for model in models}
        return rb.ScoreCounts.from_arrays(y, scores, exact="exact" in design, **more)
    bins = 9 - np.clip((rows[models[0]] * 10).astype(int), 0, 9)
    sums = [np.bincount(bins[y == c], weights[y == c] ** k, 10) for k in (1, 2) for c in (0, 1)]
    fp, tp = (np.cumsum(np.bincount(bins[y == c], minlength=10)) for c in (0, 1))
    given = {"weights": tuple(sums)} if "weighted" in design else {}
    return rb.RocCurve.from_counts(np.arange(10)[::-1] / 10, fp, tp, bins=True, **given)


def make_classes(name: str, design: str) -> Any:
    """Return a sample of three classes."""
    rng, codes = np.random.default_rng(5), np.arange(90) % 3
    scores = rng.random((90, 3)) + 0.6 * np.eye(3)[codes]
    scores = (scores / scores.sum(axis=1)[:, None]).round(1 if "tied" in name else 12)
    given = choose_columns(make_rows("votes"), design)
    return class_sample_of(np.array(["x", "y", "z"])[codes], scores, **given)


@cache
def make_study(name: str) -> Any:
    """Return the readings of a small study, on a scale from 1 to 5 or without ties."""
    rng = np.random.default_rng([77, STUDIES.index(name)])
    readers, tests, n = 2 if name == "two readers" else 4, 1 if name == "one test" else 2, 36
    test, reader, case = np.indices((tests, readers, n)).reshape(3, -1)
    y = (np.arange(n) % 3 == 0).astype(int)
    raw = rng.random(n)[case] + rng.random(case.size) + y[case] * (0.9 - 0.3 * test)
    scores = raw if name == "factorial" else 1 + (raw * 1.6).round()
    columns = {"reader": reader, "case": case, "test": np.array(["A", "B"])[test]}
    if name == "clusters":
        columns["clusters"] = case // 3
    kept = rng.random(case.size) < (0.9 if name == "incomplete" else 1.0)
    columns = {word: column[kept] for word, column in columns.items()}
    return readings_of(y[case][kept], scores[kept], **columns)


@cache
def make_data(kind: str, name: str, design: str) -> tuple[Any, ...]:
    """Return the positional arguments that give a function its data."""
    models = {"two": "ab", "many": "abc"}.get(kind, "a")
    if kind == "readers":
        return (make_study(name),)
    if kind == "classes":
        return (make_classes(name, design),)
    if design == "rows" and kind in ("one", "two"):
        return tuple(make_rows(name)[column] for column in ("y", *models))
    make = make_counts if design.removeprefix("two sets, ") in COUNTED else make_sample
    if design.startswith("two sets"):
        own = design.removeprefix("two sets").removeprefix(", ")
        return tuple(make(name, own, model, part) for part, model in enumerate(models))
    return (make(name, design, models),)
