"""Checks of what a curve is counted from: running totals, sums of weights, groups and strata."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import (
    MOST_CASES,
    BoolArray,
    CountArray,
    FloatArray,
    IndexArray,
    freeze,
)
from rocbands.core.columns import score_column, to_column
from rocbands.errors import InputError, arg


def check_counts(
    thresholds: Any, fp: Any, tp: Any
) -> tuple[npt.NDArray[Any], CountArray, CountArray]:
    """Return thresholds and running totals of both classes as arrays, or refuse them."""
    columns = score_column(thresholds, "thresholds"), _read_counts(fp, "fp"), _read_counts(tp, "tp")
    sizes = [column.size for column in columns]
    if len(set(sizes)) > 1:
        raise InputError(
            f"{arg('thresholds')}, {arg('fp')} and {arg('tp')} must be equally long",
            f"they have {sizes[0]}, {sizes[1]} and {sizes[2]} values",
        )
    return _check_running_totals(*columns)


def check_weight_sums(
    weights: Any, neg: CountArray, pos: CountArray, seen: BoolArray
) -> tuple[FloatArray, ...]:
    """Refuse sums of weights that do not belong to the rows."""
    sums = tuple(score_column(side, "weights").astype(np.float64) for side in weights)
    fits = len(sums) == 4 and all(side.size == neg.size for side in sums)
    fits = fits and all(
        np.isfinite(side).all() and ((side > 0.0) == (rows > 0)).all()
        for side, rows in zip(sums, (neg, pos, neg, pos), strict=True)
    )
    # Of n weights the sum s and the sum of squares q have s^2 / n <= q <= s^2.
    fits = fits and all(
        ((mass**2 <= rows * squares * (1 + 1e-9)) & (squares <= mass**2 * (1 + 1e-9))).all()
        for rows, mass, squares in ((neg, sums[0], sums[2]), (pos, sums[1], sums[3]))
    )
    if not fits:
        raise InputError(
            "must be four sums for each threshold: of the weights of negatives and of positives, "
            "and of their squares, above 0 where there are such rows and 0 elsewhere",
            "they are not",
            "Check the step that made them.",
            argument="weights",
        )
    return tuple(side[seen] for side in sums)


def _read_counts(values: Any, name: str) -> CountArray:
    column = to_column(values, name)
    whole = column.dtype.kind in "iu"
    if not whole and (column.dtype.kind != "f" or not np.array_equal(column, np.rint(column))):
        raise InputError(
            "must be whole numbers",
            f"its type is {column.dtype}",
            "Pass cumulative counts, not rates.",
            argument=name,
        )
    if column.max() > MOST_CASES:
        row = int(np.argmax(column))
        raise InputError(
            "must be counts of at most 10**15",
            f"{name}[{row}] = {column[row]}",
            "Check the step that made them.",
            argument=name,
        )
    return column.astype(np.int64)


def _check_running_totals(
    thresholds: npt.NDArray[Any], fp: CountArray, tp: CountArray
) -> tuple[npt.NDArray[Any], CountArray, CountArray]:
    rises = thresholds[1:] >= thresholds[:-1]
    if rises.any():
        row = int(np.argmax(rises)) + 1
        raise InputError(
            "must be distinct and descending",
            f"thresholds[{row}] = {thresholds[row]} follows {thresholds[row - 1]}",
            "Add up equal scores and sort from the highest down.",
            argument="thresholds",
        )
    for name, counts in (("fp", fp), ("tp", tp)):
        falls = np.diff(counts, prepend=0) < 0
        if falls.any():
            row = int(np.argmax(falls))
            raise InputError(
                "must be cumulative counts, never falling",
                f"{name}[{row}] = {counts[row]} is below what stands before it",
                "Pass running totals from the highest score down.",
                argument=name,
            )
        if counts[-1] == 0:
            kind = "negative" if name == "fp" else "positive"
            raise InputError(f"There must be at least one {kind}", f"{arg(name)} ends at 0")
    return thresholds, fp, tp


def find_group_strata(codes: CountArray, size: int, strata: CountArray) -> IndexArray | None:
    """Find the stratum of each group; None if there is one stratum only."""
    strata = renumber(strata)
    found = np.empty(size, dtype=np.intp)
    found[codes] = strata
    astray = found[codes] != strata
    if astray.any():
        raise InputError(
            "must put all rows of a group in the same stratum",
            f"{np.unique(codes[astray]).size} groups have rows in several",
            "Designs have strata of groups, not groups of strata.",
            argument="strata",
        )
    return found if found.max() else None


def renumber(groups: CountArray) -> CountArray:
    """Count the groups that are there from 0, in their order."""
    seen = np.bincount(groups) > 0
    if seen.all():
        return freeze(groups)
    return freeze((np.cumsum(seen) - 1)[groups])


def check_within_folds(owners: CountArray, folds: CountArray) -> None:
    """Refuse groups with rows in several folds: drawn fold by fold they would come apart."""
    pairs = np.unique(np.stack((owners, folds)), axis=1)[0]
    if pairs.size > int(owners.max()) + 1:
        raise InputError(
            "Every group must lie within one fold",
            f"{np.count_nonzero(np.bincount(pairs) > 1)} groups have rows in several",
            "Split the rows by group, as scikit-learn's GroupKFold does.",
        )
