"""Intervals for the AUC from the folds of a cross-validation; the estimate is the folds' mean.

Scores of different folds come from different models and are never compared. All methods are the
mean plus and minus a quantile times a standard error; they differ in the standard error, and in
what the interval is for.
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
from rocbands.core.delong import compute_moments, variance_from_moments
from rocbands.core.interval import FoldInterval
from rocbands.core.method import Alternative, Extra, Method, resolve_method
from rocbands.core.references import DELONG
from rocbands.core.roc import RocCurve
from rocbands.core.sample import Sample
from rocbands.errors import InputError, arg, call, in_python

_LEARNER = "expected AUC of models trained as the folds' models were"
_MODELS = "average AUC of the folds' models on new cases"
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
    """

    question: ClassVar[str] = "auc"
    handles: ClassVar[tuple[Extra, ...]] = ("folds", "one-sided")
    target: ClassVar[str] = ""
    note: ClassVar[str] = ""
    student: ClassVar[bool] = False

    @abstractmethod
    def compute_error(self, folds: Sequence[RocCurve]) -> float:
        """Compute the standard error of the mean of the folds' AUCs."""

    def __call__(
        self, roc: RocCurve, *, level: float = 0.95, alternative: Alternative = "two-sided"
    ) -> FoldInterval:
        """Compute the interval of a curve with folds."""
        request = self.check_request(roc, level=level, alternative=alternative)
        if not roc.folds:
            raise InputError(
                "must say the fold of each row",
                "there are none",
                f"For one test set see {call('auc_interval')}.",
                argument="folds",
            )
        aucs = np.array([fold.auc for fold in roc.folds])
        mean, error = float(aucs.mean()), self.compute_error(roc.folds)
        tail = request.tail
        half = -float(stdtrit(aucs.size - 1.0, tail) if self.student else ndtri(tail)) * error
        unclipped = (
            -math.inf if request.alternative == "less" else mean - half,
            math.inf if request.alternative == "greater" else mean + half,
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
            standard_error=error,
            alternative=request.alternative,
            target=self.target,
            notes=(self.note,) if error > 0.0 else (self.note, _POINT),
            fold_estimates=aucs,
            unclipped=unclipped,
            frame=roc.frame,
        )


@dataclass(frozen=True)
class FoldT(FoldAucMethod):
    """The mean and Student's t of the folds' AUCs, as if folds were independent.

    Folds share training rows, so the interval tends to be too narrow.
    """

    name: ClassVar[str] = "t"
    guarantee: ClassVar[str] = "none, as folds share training rows; measured .83 to .95 at .95"
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

    def compute_error(self, folds: Sequence[RocCurve]) -> float:
        """Divide the standard deviation of the folds' AUCs by the root of their number."""
        return _spread(folds) / math.sqrt(len(folds))


@dataclass(frozen=True)
class NadeauBengio(FoldAucMethod):
    """Like 't', with 1/k replaced by 1/k + 1/(k - 1), the ratio of test to training rows added.

    Parameters
    ----------
    repeats : int, default 1
        Number of repetitions of the cross-validation with different folds of the same rows. Each
        row then occurs once per repetition, and fold names differ between repetitions.
    """

    name: ClassVar[str] = "nadeau-bengio"
    handles: ClassVar[tuple[Extra, ...]] = ("folds", "repeats", "one-sided")
    guarantee: ClassVar[str] = "a rule of thumb; measured .92 to .99 at .95"
    idea: ClassVar[str] = "Student's t, widened for training rows that folds share"
    references: ClassVar[tuple[str, ...]] = (
        "Nadeau and Bengio (2003), Inference for the generalization error, Machine Learning 52, "
        "239-281.",
    )
    target: ClassVar[str] = _LEARNER
    note: ClassVar[str] = (
        "Folds share training rows, which this interval allows for by a rule of thumb."
    )
    student: ClassVar[bool] = True

    repeats: int = 1

    def __post_init__(self) -> None:
        whole = isinstance(self.repeats, int | np.integer) and not isinstance(self.repeats, bool)
        if not whole or self.repeats < 1:
            raise InputError(
                "must be a whole number of at least 1",
                f"got {self.repeats!r}",
                f"Pass, for example, {arg('repeats', 1)}.",
                argument="repeats",
            )

    def compute_error(self, folds: Sequence[RocCurve]) -> float:
        """Multiply the folds' standard deviation by the root of 1/k + test rows/training rows."""
        total = len(folds)
        if total % self.repeats or total // self.repeats < 2:
            raise InputError(
                f"must divide the {total} folds into repetitions of two or more",
                f"got {self.repeats!r}",
                argument="repeats",
            )
        ratio = 1.0 / (total / self.repeats - 1.0)
        return _spread(folds) * math.sqrt(1.0 / total + ratio)


@dataclass(frozen=True)
class Influence(FoldAucMethod):
    """The influence curve of the cross-validated AUC, ties counted one half."""

    name: ClassVar[str] = "influence"
    guarantee: ClassVar[str] = "asymptotic; measured .81 to .94 at .95"
    idea: ClassVar[str] = "variance of the rows' contributions to the mean of the folds' AUCs"
    references: ClassVar[tuple[str, ...]] = (
        "LeDell, Petersen and van der Laan (2015), Computationally efficient confidence intervals "
        "for cross-validated area under the ROC curve estimates, Electronic Journal of Statistics "
        "9, 1583-1607.",
    )
    target: ClassVar[str] = _MODELS
    note: ClassVar[str] = "Not for a model fitted again to all rows."

    def compute_error(self, folds: Sequence[RocCurve]) -> float:
        """Root of the mean square of the influences over the number of rows."""
        # A positive's influence is its placement minus the fold's AUC, divided by the share of
        # positives in all rows; a negative's likewise. Squares are averaged within each fold, and
        # then over folds.
        n_pos, n_neg = sum(fold.n_pos for fold in folds), sum(fold.n_neg for fold in folds)
        total = n_pos + n_neg
        squares = []
        for fold in folds:
            moments = compute_moments(fold)
            square = fold.n_pos * moments.pos * (total / n_pos) ** 2
            square += fold.n_neg * moments.neg * (total / n_neg) ** 2
            squares.append(square / (fold.n_pos + fold.n_neg))
        return math.sqrt(float(np.mean(squares)) / total)


@dataclass(frozen=True)
class FoldDeLong(FoldAucMethod):
    """DeLong's variance in each fold; each needs two cases of both classes."""

    name: ClassVar[str] = "fold-delong"
    guarantee: ClassVar[str] = "asymptotic; measured .84 to .94 at .95"
    idea: ClassVar[str] = "DeLong's variance in each fold"
    references: ClassVar[tuple[str, ...]] = (DELONG,)
    target: ClassVar[str] = _MODELS
    note: ClassVar[str] = "Not for a model fitted again to all rows."

    def compute_error(self, folds: Sequence[RocCurve]) -> float:
        """Root of the sum of the folds' variances, over the number of folds."""
        for place, fold in enumerate(folds, start=1):
            if min(fold.n_pos, fold.n_neg) < 2:
                kind = "positive" if fold.n_pos < 2 else "negative"
                raise InputError(
                    "Method 'fold-delong' needs two cases of each class in every fold",
                    f"fold number {place} of {len(folds)} has one {kind}",
                    f"Use {arg('method', 'influence')}, or fewer folds.",
                )
        variances = (variance_from_moments(compute_moments(f), f.n_pos, f.n_neg) for f in folds)
        return math.sqrt(sum(variances)) / len(folds)


def _spread(folds: Sequence[RocCurve]) -> float:
    """Compute the standard deviation of the folds' AUCs."""
    return float(np.std([fold.auc for fold in folds], ddof=1))


FOLD_METHODS: dict[str, type[FoldAucMethod]] = {
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
    method : {'t', 'nadeau-bengio', 'influence', 'fold-delong'} or FoldAucMethod, optional
        By default 't', or 'nadeau-bengio' for a sample with repetitions. The first two are for the
        expected AUC of models trained in the same way, the last two for the average AUC of the
        models at hand:

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
    >>> auc = rb.fold_auc_interval(sample)
    >>> auc.fold_estimates
    array([1.  , 0.75, 0.5 ])
    >>> auc.estimate, round(auc.unclipped[1], 4)
    (0.75, 1.371)
    """
    if not isinstance(sample, (Sample, RocCurve)):
        raise InputError(
            "must be a sample with folds",
            f"it is {type(sample).__name__}",
            in_python("Pass rb.Sample(y_true, y_score, folds=...)."),
            argument="sample",
        )
    roc = as_roc_curve(sample)
    default = "t" if roc.repeats == 1 else "nadeau-bengio"
    chosen = resolve_method(method, FOLD_METHODS, FoldAucMethod, default)
    if isinstance(chosen, NadeauBengio):
        chosen = replace(chosen, repeats=max(chosen.repeats, roc.repeats))
    return chosen(roc, level=level, alternative=alternative)
