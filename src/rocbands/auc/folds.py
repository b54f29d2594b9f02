"""Intervals for the AUC from the folds of a cross-validation; the estimate is the folds' mean.

Scores of different folds come from different models and are never compared. 'score' has Wilson's
limits; the other methods are the mean plus and minus a quantile times a standard error, and differ
in the standard error and in what the interval is for. Rows may have weights, clusters within folds,
and strata: sums over clusters (:mod:`rocbands.design.row_design`) then replace single placements.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.special import ndtri, stdtrit

from rocbands.core.arguments import explain
from rocbands.core.data import as_roc_curve
from rocbands.core.interval import FoldInterval
from rocbands.core.method import Alternative, Extra, Method, resolve_method
from rocbands.core.references import DELONG, NADEAU_BENGIO, WILSON, documented
from rocbands.core.roc import RocCurve
from rocbands.core.sample import Sample
from rocbands.core.score_variance import score_limits
from rocbands.design.fold_sums import (
    FoldSums,
    add_variances,
    average_area,
    count_folds,
    estimate_average,
    find_spread,
)
from rocbands.design.row_design import LEAST, RowDesign, correct_few
from rocbands.errors import InputError, Message, arg, call, in_python

_LEARNER = "expected AUC of models trained as the folds' models were"
_MODELS = "average AUC of the folds' models on new cases"
_NEAR_ONE = 0.94  # mean AUC from which the symmetric limits get a note
_FEW = 10  # cases of a class in a fold
_WEAK = (
    "Near AUC 1 these limits are too narrow: with AUCs of .95 to .99 and 60 to 300 rows they held "
    "the true value in .65 to .98 of data sets at .95, 'score' in .96 to .99."
)
_CHANCE = (
    "If nothing was learned these limits are too narrow: they held the true value in .81 to .85 of "
    "data sets at .95, 'score' in .94 or more."
)
_POINT = (
    "The estimated variance is 0, so the limits equal the estimate; this does not mean that the "
    "AUC is known exactly."
)


@dataclass(frozen=True)
class FoldAucMethod(Method):
    """Base class of intervals from folds; subclasses define :meth:`compute_error`.

    Attributes
    ----------
    target : str
        The parameter that the interval is for.
    note : str
        Note attached to every interval of the method.
    student : bool
        Use Student's quantiles, with one degree of freedom fewer than there are folds, instead of
        normal ones.
    doubles_chance : bool
        Whether limits ignore that rows which agree by chance count twice; a note says it.
    held_of_groups : str
        Measured coverage at .95 with clusters, if it is too low; a note says it.
    """

    question: ClassVar[str] = "auc"
    handles: ClassVar[tuple[Extra, ...]] = ("folds", "clusters", "weights", "strata", "one-sided")
    target: ClassVar[str] = ""
    note: ClassVar[str] = ""
    student: ClassVar[bool] = False
    doubles_chance: ClassVar[bool] = False
    held_of_groups: ClassVar[str] = ""
    held_in_small_folds: ClassVar[str] = ""

    @abstractmethod
    def compute_error(self, folds: Sequence[RocCurve]) -> float:
        """Compute the standard error of the mean of the folds' AUCs."""

    def compute_limits(self, folds: Sequence[RocCurve], tail: float) -> tuple[float, float]:
        """Compute limits with probability `tail` beyond each; they need not be in [0, 1]."""
        quantile = -float(stdtrit(len(folds) - 1.0, tail) if self.student else ndtri(tail))
        mean, half = average_area(folds), quantile * self.compute_error(folds)
        return mean - half, mean + half

    def _describe(self, mean: float, low: float, high: float) -> tuple[str, ...]:
        weak: tuple[str, ...] = (_WEAK,) if max(mean, 1.0 - mean) > _NEAR_ONE else ()
        if self.doubles_chance and low <= 0.5 <= high:
            weak += (_CHANCE,)
        return (self.note, *weak) if low < high else (self.note, *weak, _POINT)

    def _note_sizes(self, folds: Sequence[RocCurve]) -> tuple[str, ...]:
        fewest = min(min(fold.n_pos, fold.n_neg) for fold in folds)
        if not self.held_in_small_folds or fewest >= _FEW:
            return ()
        said = (
            f"With {fewest} cases of a class in a fold these limits are too narrow: with 3 and 5 "
        )
        held = f"they held {self.held_in_small_folds}; use "
        return (Message("{}{}{}.", said, held, arg("method", "score")),)

    def _note_design(self, roc: RocCurve) -> tuple[str, ...]:
        if roc.independent or self.student:
            return ()
        grouped: tuple[str, ...] = ()
        if self.held_of_groups and roc.clusters is not None:
            said = f"Of 20 to 200 groups these limits held {self.held_of_groups} at 0.95, "
            grouped = (Message("{}{} 0.96 or more.", said, arg("method", "score")),)
        mean = average_area(roc.folds)
        cases = FoldSums.add_up(roc.folds, mean).count_cases(mean)
        rows = zip((roc.n_pos, roc.n_neg), cases.tolist(), strict=True)
        named = zip(("positives", "negatives"), rows, strict=True)
        return (*grouped, *RowDesign.of_curve(roc).describe(dict(named)))

    def __call__(
        self, roc: RocCurve, *, level: float = 0.95, alternative: Alternative = "two-sided"
    ) -> FoldInterval:
        """Compute the interval of a curve with folds."""
        request = self.check_request(roc, level=level, alternative=alternative)
        if not roc.folds:
            raise InputError(
                "must say the fold of each row",
                "there are none",
                Message("For one test set see {}.", call("auc_interval")),
                argument="folds",
            )
        aucs = np.array([fold.auc for fold in roc.folds])
        mean, error = average_area(roc.folds), self.compute_error(roc.folds)
        low, high = self.compute_limits(roc.folds, request.tail)
        unclipped = (
            -math.inf if request.alternative == "less" else low,
            math.inf if request.alternative == "greater" else high,
        )
        return FoldInterval(
            quantity="AUC",
            estimate=mean,
            low=min(max(unclipped[0], 0.0), mean),
            high=max(min(unclipped[1], 1.0), mean),
            level=request.level,
            method=self.name,
            parameters=self.parameters,
            n_pos=roc.n_pos,
            n_neg=roc.n_neg,
            standard_error=error if error > 0.0 or low == high else None,
            alternative=request.alternative,
            target=self.target,
            notes=(
                *self._describe(mean, low, high),
                *self._note_sizes(roc.folds),
                *self._note_design(roc),
                *roc.bin_notes,
            ),
            fold_estimates=aucs,
            unclipped=unclipped,
            frame=roc.frame,
        )


@dataclass(frozen=True)
class RepeatedFolds(FoldAucMethod):
    """Base class of methods that take repetitions of a cross-validation."""

    handles: ClassVar[tuple[Extra, ...]] = (*FoldAucMethod.handles, "repeats")

    repeats: int = 1

    def __post_init__(self) -> None:
        whole = isinstance(self.repeats, int | np.integer) and not isinstance(self.repeats, bool)
        if not whole or self.repeats < 1:
            raise InputError(
                "must be a whole number of at least 1",
                f"got {self.repeats!r}",
                Message("Pass, for example, {}.", arg("repeats", 1)),
                argument="repeats",
            )


@dataclass(frozen=True)
class FoldScore(RepeatedFolds):
    """Wilson's limits with the variance of placements about the mean, widened near chance.

    The variance relative to A (1 - A) is that of 'score-delong', from the placements of each row
    within its fold, taken about the mean A of the folds' AUCs. It does not vanish near AUC 1. It is
    multiplied by 1 + (k / (k - 1)) / (1 + z^2 / 10), with k folds and the standard errors z between
    A and 1/2: where nothing is learned, rows that agree by chance count twice, as training and as
    test rows, and Nadeau and Bengio's factor is needed.

    Parameters
    ----------
    repeats : int, default 1
        Number of repetitions of the cross-validation with different folds of the same rows. Each
        row then occurs once per repetition, and fold names differ between repetitions.
    """

    name: ClassVar[str] = "score"
    guarantee: ClassVar[str] = (
        "asymptotic; measured .92 to .99 at .95, also near AUC 1; .86 for an unstable learner"
    )
    idea: ClassVar[str] = "Wilson interval from placements within folds, widened near chance"
    references: ClassVar[tuple[str, ...]] = (WILSON, DELONG, documented("AUC"))
    target: ClassVar[str] = f"{_MODELS}, and {_LEARNER}"
    note: ClassVar[str] = (
        "Not for a model fitted again to all rows; too narrow for the expected AUC of an unstable "
        "learner."
    )

    def compute_error(self, folds: Sequence[RocCurve]) -> float:
        """Compute the error at the mean; 0 at an AUC of 0 or 1, where the limits need none."""
        mean, variance = estimate_average(folds, self.repeats)
        return math.sqrt(variance.unit * mean * (1.0 - mean))

    def compute_limits(self, folds: Sequence[RocCurve], tail: float) -> tuple[float, float]:
        low, high = score_limits(*estimate_average(folds, self.repeats), tail)
        return float(low), float(high)

    def _describe(self, mean: float, low: float, high: float) -> tuple[str, ...]:
        return (self.note,)


@dataclass(frozen=True)
class FoldT(FoldAucMethod):
    """The mean and Student's t of the folds' AUCs, as if folds were independent.

    Folds share training rows, so the interval tends to be too narrow.
    """

    name: ClassVar[str] = "t"
    guarantee: ClassVar[str] = "none, as folds share training rows; measured .71 to .95 at .95"
    handles: ClassVar[tuple[Extra, ...]] = ("folds", "clusters", "weights", "one-sided")
    idea: ClassVar[str] = "Student's t of the folds' AUCs"
    references: ClassVar[tuple[str, ...]] = (
        "Komarek (2004), Logistic regression for data mining and high-dimensional classification, "
        "PhD thesis, Carnegie Mellon University, section 5.1.4.",
    )
    target: ClassVar[str] = _LEARNER
    note: ClassVar[str] = (
        "Folds share training rows, which this interval ignores; it tends to be too narrow."
    )
    student: ClassVar[bool] = True
    doubles_chance: ClassVar[bool] = True

    def compute_error(self, folds: Sequence[RocCurve]) -> float:
        """Divide the standard deviation of the folds' AUCs by the root of their number."""
        return find_spread([fold.auc for fold in folds]) / math.sqrt(len(folds))


@dataclass(frozen=True)
class NadeauBengio(RepeatedFolds):
    """Like 't', with 1/k replaced by 1/k + 1/(k - 1), the ratio of test to training rows added.

    Parameters
    ----------
    repeats : int, default 1
        Number of repetitions of the cross-validation with different folds of the same rows. Each
        row then occurs once per repetition, and fold names differ between repetitions.
    """

    name: ClassVar[str] = "nadeau-bengio"
    guarantee: ClassVar[str] = "a rule of thumb; measured .71 to .99 at .95, lowest near AUC 1"
    handles: ClassVar[tuple[Extra, ...]] = (*FoldT.handles, "repeats")
    idea: ClassVar[str] = "Student's t, widened for training rows that folds share"
    references: ClassVar[tuple[str, ...]] = (NADEAU_BENGIO,)
    target: ClassVar[str] = _LEARNER
    note: ClassVar[str] = (
        "Folds share training rows, which this interval allows for by a rule of thumb."
    )
    student: ClassVar[bool] = True

    def compute_error(self, folds: Sequence[RocCurve]) -> float:
        """Multiply the folds' standard deviation by the root of 1/k + test rows/training rows."""
        ratio = 1.0 / (count_folds(folds, self.repeats) - 1.0)
        return find_spread([fold.auc for fold in folds]) * math.sqrt(1.0 / len(folds) + ratio)


@dataclass(frozen=True)
class Influence(FoldAucMethod):
    """The influence curve of the cross-validated AUC, ties counted one half.

    The published formula is for folds of nearly one size; it is too small for very unequal ones.
    """

    name: ClassVar[str] = "influence"
    guarantee: ClassVar[str] = "asymptotic; measured .65 to .95 at .95, lowest near AUC 1"
    idea: ClassVar[str] = "variance of the rows' contributions to the mean of the folds' AUCs"
    references: ClassVar[tuple[str, ...]] = (
        "LeDell, Petersen and van der Laan (2015), Computationally efficient confidence intervals "
        "for cross-validated area under the ROC curve estimates, Electronic Journal of Statistics "
        "9, 1583-1607.",
    )
    target: ClassVar[str] = _MODELS
    note: ClassVar[str] = "Not for a model fitted again to all rows."
    doubles_chance: ClassVar[bool] = True
    held_of_groups: ClassVar[str] = "0.65 to 0.92"
    held_in_small_folds: ClassVar[str] = "0.67 and 0.69 at 0.80"

    def compute_error(self, folds: Sequence[RocCurve]) -> float:
        """Root of the mean square of the influences over the number of rows, or of clusters."""
        # A positive's influence is its placement minus the fold's AUC, divided by the share of
        # positives in all rows; a negative's likewise. They are summed over the rows of a cluster;
        # squares are averaged within each fold, and then over folds.
        sums = FoldSums.add_up(folds)
        share, units = sums.rows / sums.rows.sum(axis=0), sums.units
        squares = (share**2 * sums.square).sum(axis=1) + 2.0 * share.prod(axis=1) * sums.across
        return math.sqrt(float(np.mean(squares / units)) * units.sum())


@dataclass(frozen=True)
class FoldDeLong(FoldAucMethod):
    """DeLong's variance in each fold; each needs two cases of both classes."""

    name: ClassVar[str] = "fold-delong"
    guarantee: ClassVar[str] = "asymptotic; measured .65 to .96 at .95, lowest near AUC 1"
    idea: ClassVar[str] = "DeLong's variance in each fold"
    references: ClassVar[tuple[str, ...]] = (DELONG,)
    target: ClassVar[str] = _MODELS
    note: ClassVar[str] = "Not for a model fitted again to all rows."
    doubles_chance: ClassVar[bool] = True
    held_of_groups: ClassVar[str] = "0.82 to 0.93"

    def compute_error(self, folds: Sequence[RocCurve]) -> float:
        """Root of the sum of the folds' variances, over the number of folds."""
        sums = FoldSums.add_up(folds)
        few = np.argwhere(sums.kish < 1.0 + 1e-9)
        if few.size:
            kind = ("positive", "negative")[few[0, 1]]
            kind = kind if folds[few[0, 0]].clusters is None else f"cluster with a {kind}"
            raise InputError(
                "Method 'fold-delong' needs two cases of each class in every fold",
                f"fold number {few[0, 0] + 1} of {len(folds)} has one {kind}",
                Message("Use {}, or fewer folds.", arg("method", "influence")),
            )
        own = (correct_few(sums.kish) * sums.square).sum(axis=1)
        across = 2.0 * correct_few(sums.units) * sums.across
        return math.sqrt(add_variances(np.maximum(own + across, LEAST * own)))


FOLD_METHODS: dict[str, type[FoldAucMethod]] = {
    "score": FoldScore,
    "t": FoldT,
    "nadeau-bengio": NadeauBengio,
    "influence": Influence,
    "fold-delong": FoldDeLong,
}


@explain
def fold_auc_interval(
    sample: Sample | RocCurve,
    *,
    method: str | FoldAucMethod | None = None,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> FoldInterval:
    """Confidence interval for the AUC from cross-validated scores; the estimate is the folds' mean.

    Scores of different folds come from different models and are never compared.

    Parameters
    ----------
    sample : Sample or RocCurve
        One model's sample with folds, each row scored by the model that was fitted without its
        fold; or its curve. Every fold must have both classes.
    method : {'score', 't', 'nadeau-bengio', 'influence', 'fold-delong'} or FoldAucMethod, optional
        By default 'score', which is for the average AUC of the models at hand and for the expected
        AUC of models trained in the same way. 't' and 'nadeau-bengio' are for the latter,
        'influence' and 'fold-delong' for the former, and all four are too narrow near AUC 1:

        - 'score': Wilson's limits from the placements of the rows in their folds, widened where the
          AUC is close to 1/2.
        - 't': the mean and Student's t of the folds' AUCs, as if folds were independent. They
          share training rows, so the interval is too narrow.
        - 'nadeau-bengio': the same with 1/k replaced by 1/k + 1/(k - 1).
        - 'influence': the influence curve of the cross-validated AUC, ties counted one half.
        - 'fold-delong': DeLong's variance in each fold; better for small folds. Each fold needs
          two cases of both classes.
    level : float, default 0.95
        Confidence level.
    alternative : {'two-sided', 'greater', 'less'}
        'greater' gives a lower limit only, 'less' an upper one only.

    Returns
    -------
    FoldInterval
        With `fold_estimates`, the `target` of the method, and `unclipped`, the limits as the
        formula gives them: `low` and `high` are clipped to [0, 1].

    Examples
    --------
    >>> import rocbands as rb
    >>> y = [1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0]
    >>> s = [4, 3, 2, 1, 4, 2, 3, 1, 4, 1, 3, 2]
    >>> sample = rb.Sample(y, s, folds=[1] * 4 + [2] * 4 + [3] * 4)
    >>> auc = rb.fold_auc_interval(sample, method="t")
    >>> auc.fold_estimates
    array([1.  , 0.75, 0.5 ])
    >>> auc.estimate, round(auc.unclipped[1], 4)
    (0.75, 1.371)
    >>> auc = rb.fold_auc_interval(sample)
    >>> round(auc.low, 2), round(auc.high, 2)
    (0.2, 0.97)
    """
    if not isinstance(sample, (Sample, RocCurve)):
        raise InputError(
            "must be a sample with folds",
            f"it is {type(sample).__name__}",
            in_python("Pass rb.Sample(y_true, y_score, folds=...)."),
            argument="sample",
        )
    roc = as_roc_curve(sample)
    chosen = resolve_method(method, FOLD_METHODS, FoldAucMethod, "score")
    if isinstance(chosen, RepeatedFolds):
        chosen = replace(chosen, repeats=max(chosen.repeats, roc.repeats))
    return chosen(roc, level=level, alternative=alternative)
