"""Thresholds for operating conditions, chosen without the test set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.arguments import explain
from rocbands.core.attributes import Number, Rate, type_columns
from rocbands.core.checks import BoolArray, FloatArray
from rocbands.core.columns import Column, Labels, Numbers, score_column
from rocbands.core.counting import find_levels
from rocbands.core.data import Data
from rocbands.core.randomness import (
    Keys,
    Rng,
    join_keys,
    key_floats,
    key_models,
    make_generator,
    sum_keys,
)
from rocbands.core.result import Result, require
from rocbands.core.sample import Sample
from rocbands.core.thresholds import repeat_threshold
from rocbands.cost.conditions import check_flat, check_prevalence, check_shapes, check_w
from rocbands.cost.envelope import cost_curve
from rocbands.cost.wording import number_of
from rocbands.errors import InputError, Message, arg, call

Thresholds: TypeAlias = tuple[npt.NDArray[Any], npt.NDArray[Any]]  # of two models


@dataclass(frozen=True, eq=False, repr=False)
class CostThresholds(Result):
    """Thresholds that were chosen for operating conditions; an array to NumPy.

    Attributes
    ----------
    thresholds : ndarray of shape (k,)
        Scores, or inf where no row should be called positive.
    w : ndarray of shape (k,)
        The operating conditions they were chosen for.
    """

    schema: ClassVar[str] = "rocbands.cost-thresholds/1"
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns((Rate, "w"), (Number, "thresholds"))

    thresholds: npt.NDArray[Any]
    w: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "thresholds", np.atleast_1d(self.thresholds))
        object.__setattr__(self, "w", np.atleast_1d(self.w))
        super().__post_init__()

    def _check(self) -> None:
        same = self.thresholds.shape == self.w.shape
        require(same, "There must be one threshold for each operating condition.")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.thresholds, dtype=dtype, copy=copy is not False)

    def __len__(self) -> int:
        return len(self.thresholds)

    @property
    def sentence(self) -> str:
        """The rule at the operating condition nearest to one half."""
        if not self.w.size:
            return "No thresholds: no conditions were given."
        row = int(np.argmin(np.abs(self.w - 0.5)))
        cut = self.thresholds[row]
        rule = f"cases with scores of at least {repeat_threshold(cut)}"
        rule = "no case" if np.isposinf(cut) else rule
        return f"At w = {self.w[row]:.3g} call {rule} positive."

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        said = "Thresholds with the least cost on the rows that they were chosen on."
        return said, {"w": self.w, "thresholds": list(map(repeat_threshold, self.thresholds))}

    def _brief(self) -> str:
        return number_of(len(self), "threshold")


@explain
def cost_thresholds(
    y_true: Labels | Data, y_score: Column | None = None, *, positive: object = None, w: Numbers
) -> CostThresholds:
    """Thresholds that are best on a validation set, one for each operating condition.

    None of its rows may be in the test set that the thresholds will be judged on.

    Parameters
    ----------
    y_true : Sample, RocCurve or ScoreCounts, or array-like of shape (n,)
        The data of one model; or two labels of any kind.
    y_score : array-like of shape (n,), optional
        With labels, the scores; a larger one means more positive.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    w : float or array-like
        Operating conditions, from 0 to 1.

    Returns
    -------
    CostThresholds
        Scores of the validation set, or inf where no row should be called positive; they decrease
        with w. The lower of two equally good thresholds is chosen. Rows with an infinite score are
        called positive at every threshold, even inf.

    See Also
    --------
    rocbands.cost.calibrated_thresholds : thresholds for scores that are probabilities.
    rocbands.cost_interval : costs of such thresholds, with limits.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, score = [1, 1, 0, 1, 0, 1], [0.89, 0.75, 0.6, 0.45, 0.3, 0.17]
    >>> print(rb.cost_thresholds(y, score, w=[0.1, 0.5, 0.9]).thresholds)
    [0.75 0.75 0.17]
    """
    at = check_flat(check_w(w), "w")
    return CostThresholds(cost_curve(y_true, y_score, positive=positive).threshold_at(at), at)


def calibrated_thresholds(w: Numbers, prevalence: float = 0.5) -> FloatArray:
    """Thresholds for scores that are calibrated probabilities of being positive.

    Parameters
    ----------
    w : float or array-like
        Operating conditions, from 0 to 1.
    prevalence : float, default 0.5
        Share of positives in the data to which the model was fitted.

    Returns
    -------
    ndarray
        p (1 - w) / (p (1 - w) + (1 - p) w) with p the prevalence; 1 - w for one half.

    Examples
    --------
    >>> print(calibrated_thresholds([0.1, 0.5], prevalence=0.1))
    [0.5 0.1]
    """
    at, share = check_w(w), check_prevalence(prevalence)
    check_shapes(share, at, "w")
    return np.asarray(share * (1.0 - at) / (share * (1.0 - at) + (1.0 - share) * at))


def check_thresholds(thresholds: Any, size: int) -> npt.NDArray[Any]:
    """Return one threshold for each of `size` conditions; a single one is for all of them."""
    if thresholds is None:
        raise InputError(
            "must be chosen before the test set is seen",
            "got None",
            Message("Choose them on other rows by {}, or pass your own.", call("cost_thresholds")),
            argument="thresholds",
        )
    try:
        dimensions = np.ndim(thresholds)
    except ValueError:  # rows of different lengths
        dimensions = 2
    if dimensions > 1:
        raise InputError(
            "must be a number or one-dimensional",
            "each row has several",
            "Pass one value for each operating condition.",
            argument="thresholds",
        )
    column = score_column([thresholds] if dimensions == 0 else thresholds, "thresholds")
    if column.size == 1:
        return np.repeat(column, size)
    if size not in (1, column.size):
        raise InputError(
            "must have one value for each operating condition",
            f"there are {column.size} for {size}",
            Message("Pass the {} that the thresholds were chosen for.", arg("w")),
            argument="thresholds",
        )
    return column


def match_thresholds(thresholds: tuple[Any, Any], size: int) -> Thresholds:
    """Return the thresholds of two models, equally many; `size`: number of conditions."""
    cuts = [check_thresholds(cut, size) for cut in thresholds]
    size = max(cut.size for cut in cuts)
    return check_thresholds(cuts[0], size), check_thresholds(cuts[1], size)


def choose_half(sample: Sample, rng: Rng) -> BoolArray:
    """Choose half of the rows of either class at random; there must be two of either.

    Rows of a cluster stay together: half of the clusters with positives are chosen, and half of the
    others. The choice depends on the labels, scores, weights and strata and on `rng`, not on the
    order of rows or models: rows are sorted by their contents first. It is a split, not a resample,
    and so does not use `resample`.
    """
    keys, positive = _key_rows(sample), sample.is_positive
    generator = make_generator(rng)
    clusters = sample.clusters if "clusters" in sample.design else None
    if clusters is not None:
        size = int(clusters.max()) + 1
        keys = sum_keys(keys, clusters, size)
        positive = np.bincount(clusters[positive], minlength=size) > 0
    chosen = np.zeros(keys.size, dtype=np.bool_)
    for own in (positive, ~positive):
        rows = np.flatnonzero(own)
        rows = rows[np.argsort(keys[rows], kind="stable")]
        chosen[rows[generator.choice(rows.size, rows.size // 2, replace=False)]] = True
    chosen = chosen if clusters is None else chosen[clusters]
    for part in (chosen, ~chosen):
        if part[sample.is_positive].sum() * part[~sample.is_positive].sum() == 0:
            units = "rows" if clusters is None else "clusters"
            raise InputError(
                f"Halves of the {units} need two {units} of either class",
                "one class has only 1",
                "Choose thresholds on other rows.",
            )
    return chosen


def _key_rows(sample: Sample) -> Keys:
    """Key of each row, from its class, scores, weight and stratum; equal rows have equal keys."""
    scores = (np.asarray(sample[name].values, dtype=np.float64) for name in sample)
    rows = [join_keys(key_floats(column), sample.is_positive) for column in scores]
    models = key_models(rows)
    keys = join_keys(*(rows[i] for i in sorted(range(len(rows)), key=models.__getitem__)))
    own, weights, strata = sample.is_positive, sample.weights, sample.strata
    if weights is not None and any(np.ptp(weights[side]) > 0.0 for side in (own, ~own)):
        # Ranks, which a common factor of the weights does not change.
        keys = join_keys(keys, find_levels(weights).level)
    if strata is not None:
        keys = join_keys(keys, sum_keys(keys, strata, int(strata.max()) + 1)[strata])
    return keys


def split_rows(sample: Sample, rng: Rng) -> tuple[Sample, Sample]:
    """Split the rows at random: half of each class chooses thresholds, the rest is for testing."""
    first = choose_half(sample, rng)
    return sample.take(first), sample.take(~first)
