"""The empirical ROC curve as integer counts: the input of every method."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from rocbands.core.arguments import explain_constructor
from rocbands.core.attributes import Count, Number, Rate, type_columns
from rocbands.core.checks import (
    CountArray,
    FloatArray,
    IndexArray,
    check_flag,
    check_unit_interval,
    freeze,
)
from rocbands.core.columns import Numbers
from rocbands.core.counting import count_steps
from rocbands.core.counts import (
    Clusters,
    Steps,
    Weights,
    certificate,
    check_counts,
    check_weight_sums,
    count_design,
    inside_bins,
    split_bins,
)
from rocbands.core.curve import Curve, compute_rates
from rocbands.core.phrases import count_classes
from rocbands.core.result import Result, RocAxis, bound, document_plot
from rocbands.core.rows import Design, DesignName, Origin, Rows
from rocbands.core.thresholds import note_outside, note_repeats, note_values, write_thresholds
from rocbands.core.tolerance import SAME
from rocbands.errors import InputError, Message, arg, call

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_ROWS = 10**8  # most rows that are reconstructed from a curve
REVERSED = Message(
    "Positives rank below negatives, worse than guessing: do larger scores mean more "
    "positive, and is {} the right label?",
    arg("positive"),
)


@dataclass(frozen=True, eq=False, repr=False)
class RocCurve(Result):
    """Cumulative counts of both classes at every distinct score, from the highest down.

    Tied scores are one step. A step that contains both classes is a slanted segment of the curve:
    the average over random tie-breaking, as ties count one half in the Mann-Whitney statistic.

    Attributes
    ----------
    thresholds : ndarray of shape (k,)
        Distinct scores, descending; a row is called positive when its score >= threshold.
    fp, tp : ndarray of int64, shape (k,)
        Negatives and positives at or above each threshold.
    fpr, tpr : ndarray of float64, shape (k + 1,)
        Vertices of the curve from (0, 0), which lies above every score, to (1, 1).
    n_pos, n_neg : int
        Class sizes.
    auc : float
        Area under the curve: the Mann-Whitney statistic, ties counted one half.
    clusters : Clusters or None
        The cluster of each row, if rows are not independent.
    weights : Weights or None
        Sums of the rows' weights, if rows are weighted: rates and area are then weighted, while
        `fp`, `tp`, `n_pos` and `n_neg` count rows.
    prevalence : float
        Fraction of positives: of the rows, or of their total weight.
    folds : tuple of RocCurve
        The curve of each fold, if several models scored the rows; this curve pools them.
    repeats : int
        Number of repetitions of the cross-validation; each row occurs once per repetition.
    binned : bool
        Whether each step is a bin of scores instead of one score: the curve is exact at its
        vertices, with an unknown monotone path in between. See :attr:`extremes` and
        :attr:`certificate`.
    tops : ndarray of shape (k,) or None
        Upper end of each bin, which contains scores from its threshold up to, not including, its
        top. None if each bin ends at the threshold before it, and the first at infinity.
    origin : Origin or None
        Source of the rows, if they came in a sample; it prevents models of the same rows from being
        compared as two test sets.

    See Also
    --------
    roc_curve : make one from labels and scores.
    Sample.roc : the curve of a sample.
    RocCurve.from_counts : make one from counts, for example of a database or a cluster.

    Examples
    --------
    >>> import rocbands as rb
    >>> roc = rb.roc_curve([1, 1, 0, 1, 0, 1], [0.89, 0.75, 0.6, 0.45, 0.3, 0.17])
    >>> roc.auc
    0.625
    >>> roc.tp
    array([1, 2, 2, 3, 3, 4])
    """

    schema: ClassVar[str] = "rocbands.roc-curve/1"
    FACTS: ClassVar[tuple[str, ...]] = ("n_pos", "n_neg", "auc", "binned", "certificate")
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns(
        (Number, "threshold"), (Count, "fp tp"), (Rate, "fpr tpr")
    )
    UNPACKED: ClassVar[tuple[str, ...]] = ("fpr", "tpr", "thresholds")

    thresholds: npt.NDArray[Any]
    fp: CountArray
    tp: CountArray
    frame: str | None = field(default=None, kw_only=True)
    clusters: Clusters | None = field(default=None, kw_only=True)
    weights: Weights | None = field(default=None, kw_only=True)
    folds: tuple[RocCurve, ...] = field(default=(), kw_only=True)
    repeats: int = field(default=1, kw_only=True)
    binned: bool = field(default=False, kw_only=True)
    tops: npt.NDArray[Any] | None = field(default=None, kw_only=True)
    origin: Origin | None = field(default=None, kw_only=True)

    @property
    def n_pos(self) -> Count:
        """Number of positives."""
        return int(self.tp[-1])

    @property
    def n_neg(self) -> Count:
        """Number of negatives."""
        return int(self.fp[-1])

    @property
    def fpr(self) -> FloatArray:
        """False positive rates of the vertices, from 0 to 1."""
        return self.curve.x

    @property
    def tpr(self) -> FloatArray:
        """True positive rates of the vertices, from 0 to 1."""
        return self.curve.y

    @property
    def _weighted(self) -> Weights | None:
        """The weights, or None if they are equal in each class, so that counts suffice."""
        return None if self.weights is None or self.weights.equal else self.weights

    @property
    def independent(self) -> bool:
        """Whether counts suffice: weights are equal in each class, and each row is a cluster."""
        clusters = self.clusters
        single = clusters is None or (
            clusters.size == clusters.code.size and clusters.stratum is None
        )
        return self._weighted is None and single

    @property
    def design(self) -> tuple[DesignName, ...]:
        """How the rows differ from independent rows of equal weight.

        Weights that are equal in each class do not change the curve, but the prevalence: they are
        'class weights'. Clusters of one row and bins of one class have no effect and are omitted.
        """
        clusters = self.clusters
        if clusters is None and self.weights is None and not self.folds and not self.binned:
            return ()
        found: dict[DesignName, bool] = {
            "weights": self._weighted is not None,
            "class weights": self._weighted is None
            and self.weights is not None
            and not math.isclose(self.prevalence, self.n_pos / (self.n_pos + self.n_neg)),
            "strata": clusters is not None and clusters.stratum is not None,
            "clusters": clusters is not None and clusters.size < clusters.code.size,
            "folds": bool(self.folds),
            "repeats": self.repeats > 1,
            "bins": self.binned and self.certificate > 0.0,
        }
        return tuple(name for name, there in found.items() if there)

    @property
    def n_clusters(self) -> int | None:
        """Number of clusters; None where each row is one."""
        return self.clusters.size if self.clusters and "clusters" in self.design else None

    @property
    def has_equal_weights(self) -> bool:
        """Whether rows of one weight were counted, so that counts tell the prevalence."""
        return self.weights is None or not {"weights", "class weights"} & {*self.design}

    @property
    def prevalence(self) -> Rate:
        """Weighted fraction of positives."""
        if self.weights is not None:
            return self.weights.prevalence
        return self.n_pos / (self.n_pos + self.n_neg)

    @cached_property
    def curve(self) -> Curve:
        """The polyline through the vertices."""
        weights = self._weighted
        totals = (self.fp, self.tp)
        if weights is not None:
            totals = np.cumsum(weights.neg), np.cumsum(weights.pos)
        return Curve(*map(compute_rates, totals))

    @cached_property
    def vertices(self) -> tuple[CountArray, CountArray]:
        """Counts `fp` and `tp` at the vertices, from (0, 0), without repeated vertices."""
        fp, tp = np.zeros((2, self.fp.size + 1), dtype=np.int64)
        fp[1:], tp[1:] = self.fp, self.tp
        keep = np.append(True, (np.diff(fp) > 0) | (np.diff(tp) > 0))
        return freeze(fp.compress(keep)), freeze(tp.compress(keep))

    def __getstate__(self) -> dict[str, Any]:
        # Computing these again is faster than writing and reading them.
        made = ("curve", "vertices")
        return {name: value for name, value in vars(self).items() if name not in made}

    @property
    def mirrored(self) -> RocCurve:
        """The curve of swapped classes and negated scores: (x, y) becomes (1 - y, 1 - x).

        The false positive rate at a given true positive rate becomes one minus the true positive
        rate at a given false positive rate. Thresholds become ranks: scores need not have a sign.

        Examples
        --------
        >>> roc = RocCurve.from_counts([0.9, 0.5, 0.1], fp=[0, 2, 5], tp=[3, 4, 4])
        >>> roc.mirrored.fp, roc.mirrored.tp
        (array([0, 1, 4]), array([3, 5, 5]))
        """
        size = self.fp.size
        clusters = self.clusters
        if clusters is not None:
            clusters = replace(
                clusters, step=size - 1 - clusters.step, is_positive=~clusters.is_positive
            )
        return replace(
            self,
            thresholds=freeze(np.arange(size, 0, -1)),
            fp=_count_from_below(self.tp),
            tp=_count_from_below(self.fp),
            clusters=clusters,
            weights=None if self.weights is None else self.weights.mirrored,
            folds=tuple(fold.mirrored for fold in self.folds),
            tops=None,
        )

    @cached_property
    def auc(self) -> Rate:
        """Area under the curve; computed in integers while the number of pairs fits 62 bits."""
        fp, tp, pairs = self.fp, self.tp, 2 * self.n_pos * self.n_neg
        if self._weighted is not None or pairs >= 2**62:
            return min(self.curve.area, 1.0)  # rounding errors may exceed 1
        # Trapezoids, multiplied out. Both sums may wrap around 2^64; their difference does not.
        wrapped = int(np.dot(fp[1:], tp[:-1])) - int(np.dot(fp[:-1], tp[1:]))
        twice = pairs // 2 + (wrapped + 2**63) % 2**64 - 2**63
        return float(twice) / pairs

    @cached_property
    def extremes(self) -> tuple[RocCurve, RocCurve]:
        """Lowest and highest curve that the counts allow; without bins, both are the curve itself.

        In the lowest the negatives of each bin rank above its positives, in the highest below.
        """
        if not self.binned:
            return self, self
        return self._split_bins(positives_first=False), self._split_bins(positives_first=True)

    def _split_bins(self, *, positives_first: bool) -> RocCurve:
        steps = Steps(self.thresholds, self.fp, self.tp)
        return RocCurve(
            *split_bins(steps, positives_first=positives_first),
            frame=self.frame,
            weights=self.weights and self.weights.split(positives_first=positives_first),
        )

    @cached_property
    def certificate(self) -> Rate:
        """Largest possible error of :attr:`auc`, because of bins; 0 without them."""
        if not self.binned:
            return 0.0
        if self._weighted is not None:
            return certificate(self._weighted.neg, self._weighted.pos)
        return certificate(np.diff(self.fp, prepend=0), np.diff(self.tp, prepend=0))

    def counts_at(self, thresholds: npt.NDArray[Any]) -> tuple[CountArray, CountArray]:
        """Fewest and most rows at or above each threshold: fp and tp, one row of each array.

        They differ only where a threshold lies inside a bin.

        Examples
        --------
        >>> roc = RocCurve.from_counts([0.9, 0.5, 0.1], fp=[0, 2, 5], tp=[3, 4, 4], bins=True)
        >>> roc.counts_at(np.array([0.5, 0.3]))
        (array([[2, 2],
               [4, 4]]), array([[2, 5],
               [4, 4]]))
        """
        whole, cuts = inside_bins(self.thresholds, self.tops, thresholds)
        fewest, most = (
            np.stack([np.where(at > 0, side[at - 1], 0) for side in (self.fp, self.tp)])
            for at in (whole, whole + cuts if self.binned else whole)
        )
        return fewest, most

    def tpr_at(self, fpr: Numbers) -> FloatArray:
        """Height of the curve at any fpr; where it is vertical, the upper end.

        Examples
        --------
        >>> import rocbands as rb
        >>> roc = rb.roc_curve([1, 1, 0, 1, 0, 1], [0.89, 0.75, 0.6, 0.45, 0.3, 0.17])
        >>> print(roc.tpr_at([0, 0.5]), roc.threshold_at(fpr=0.5), roc.threshold_at(tpr=0.7))
        [0.5  0.75] 0.45 0.45
        """
        return self.curve.high(check_unit_interval(fpr, "fpr"))

    def threshold_at(
        self, fpr: Numbers | None = None, *, tpr: Numbers | None = None
    ) -> npt.NDArray[Any]:
        """Threshold with at most a given fpr that finds most, or with at least a given tpr.

        Of several thresholds that find as many it is the highest; at a given tpr the one with the
        fewest false alarms, and of several the lowest.

        Parameters
        ----------
        fpr, tpr : float or array-like
            One of them. The threshold is inf if every score exceeds the fpr.
        """
        if (fpr is None) == (tpr is None):
            raise InputError(
                Message("Exactly one of {} and {} must be given", arg("fpr"), arg("tpr")),
                "none was" if fpr is None else "both were",
            )
        kind, wanted = ("tpr", tpr) if fpr is None else ("fpr", fpr)
        rates = check_unit_interval(wanted, kind)  # type: ignore[arg-type]
        return self.get_thresholds(self.find_steps(kind, rates))

    def find_steps(self, kind: str, wanted: FloatArray) -> IndexArray:
        """Find the vertex that keeps a promise and has the best other rate.

        With at most the given fpr the one of the largest tpr, of several the highest threshold;
        with at least the given tpr the one of the smallest fpr, of several the lowest threshold.
        """
        fpr, tpr = self.curve.x, self.curve.y
        if kind == "fpr":
            last = fpr.searchsorted(wanted + SAME, side="right") - 1
            found = tpr.searchsorted(tpr[last])
        else:
            first = tpr.searchsorted(wanted - SAME)
            found = fpr.searchsorted(fpr[first], side="right") - 1
        return np.asarray(found, dtype=np.intp)

    def get_thresholds(self, steps: IndexArray) -> npt.NDArray[Any]:
        """Return the thresholds of some vertices; that of vertex 0 is inf."""
        scores = self.thresholds
        if (steps > 0).all():
            return np.asarray(scores[steps - 1])
        return np.where(steps > 0, scores[steps - 1].astype(np.float64), np.inf)

    @property
    def bin_notes(self) -> tuple[str, ...]:
        """Notes on bins and on rows without weight, if there are any."""
        notes = []
        if self.binned:
            known = f"known within {bound(self.certificate)}" if self.certificate else "exact"
            notes.append(f"Counts in bins: the AUC is {known}.")
        if self.weights is not None and self.weights.dropped:
            notes.append(f"{self.weights.dropped} rows of weight 0 were left out.")
        return tuple(notes)

    @property
    def value_notes(self) -> tuple[str, ...]:
        """Notes if scores look like labels or codes of missing values, or rows are repeated."""
        if self.binned:
            return ()
        notes = note_values(
            self.thresholds, lambda k: int(self.fp[k - 1] + self.tp[k - 1]) if k else 0
        )
        if self.clusters is not None or 2 * self.fp.size > self.n_pos + self.n_neg:
            return notes
        repeats = note_repeats(np.diff(self.tp, prepend=0), np.diff(self.fp, prepend=0))
        return (*notes, *repeats)

    def note_outside(self, thresholds: npt.NDArray[Any]) -> tuple[str, ...]:
        """Note thresholds above or below all scores."""
        return note_outside(thresholds.tolist(), *self.span)

    @property
    def span(self) -> tuple[float, float]:
        """The lowest and the highest score; counts in bins know the upper end of its bin."""
        top = self.thresholds[0] if self.tops is None else self.tops[0]
        return float(self.thresholds[-1]), float(top)

    @property
    def score_notes(self) -> tuple[str, ...]:
        """Notes if the scores look like labels, or the AUC is significantly below one half."""
        # The null variance of the Wilcoxon statistic is largest without ties.
        n_pos, n_neg = self.n_pos, self.n_neg
        error = math.sqrt((n_pos + n_neg + 1) / (12.0 * n_pos * n_neg))
        low = self.auc + self.certificate + 3.0 * error < 0.5
        return (*self.value_notes, *((REVERSED,) if low else ()))

    @classmethod
    def from_rows(
        cls, rows: Rows, drawn: Design | None = None, origin: Origin | None = None
    ) -> RocCurve:
        """Count checked rows.

        Parameters
        ----------
        rows : Rows
            Classes and scores.
        drawn : Design, optional
            How the rows were drawn, checked.
        origin : Origin, optional
            Where the rows come from.

        Examples
        --------
        >>> rows = Rows(np.array([True, False, True, False]), np.array([4, 3, 2, 1]))
        >>> RocCurve.from_rows(rows).auc
        0.75
        """
        if drawn is not None and drawn.counted:
            return cls(**count_design(rows, drawn), frame=rows.frame, origin=origin)
        thresholds, fp, tp = count_steps(rows.is_positive, rows.values)
        roc = cls(thresholds, fp[1:], tp[1:], frame=rows.frame, origin=origin)
        vars(roc)["vertices"] = fp, tp  # the cached property, without a copy of the counts
        return roc

    @classmethod
    @explain_constructor
    def from_counts(
        cls, thresholds: Any, fp: Any, tp: Any, *, bins: bool = False, weights: Any = None
    ) -> RocCurve:
        """Make a curve from cumulative counts, for example of a database.

        Parameters
        ----------
        thresholds : array-like of shape (k,)
            Distinct scores in descending order; those that no row has are left out.
        fp, tp : array-like of int, shape (k,)
            Negatives and positives with score >= threshold. The vertex (0, 0) is implied.
        bins : bool, default False
            Whether each step is a bin, with scores from its threshold up to the threshold before
            it, instead of one score; infinite scores need their own bin. Results then allow for
            every order of scores inside the bins.
        weights : tuple of four array-likes of shape (k,), optional
            For weighted rows, not cumulative: the sums of the weights of negatives and of positives
            at each threshold, and the sums of their squares.

        Examples
        --------
        >>> RocCurve.from_counts([0.9, 0.5, 0.1], fp=[0, 2, 5], tp=[3, 4, 4]).auc
        0.95
        >>> roc = RocCurve.from_counts([0.9, 0.5, 0.1], fp=[0, 2, 5], tp=[3, 4, 4], bins=True)
        >>> low, high = roc.extremes
        >>> roc.auc, roc.certificate, low.auc, high.auc
        (0.95, 0.05, 0.9, 1.0)
        """
        check_flag(bins, "bins")
        thresholds, fp, tp = check_counts(thresholds, fp, tp)
        neg, pos = np.diff(fp, prepend=0), np.diff(tp, prepend=0)
        seen = (neg > 0) | (pos > 0)
        sums = None
        if weights is not None:
            sums = Weights.from_sums(
                neg[seen], pos[seen], check_weight_sums(weights, neg, pos, seen)
            )
        if not bins:
            return cls(thresholds[seen], fp[seen], tp[seen], weights=sums)
        tops = np.concatenate(([np.inf], thresholds[:-1]))[seen]
        return cls(thresholds[seen], fp[seen], tp[seen], binned=True, tops=tops, weights=sums)

    def expand_rows(self) -> Rows:
        """Return rows with these counts, from the highest score down; bins have no such rows."""
        if self.binned:
            raise InputError(
                "The curve must be of single scores",
                "it has bins",
                "Inside a bin the order of scores is not known; count distinct scores.",
            )
        if self.n_pos + self.n_neg > _MOST_ROWS:
            raise InputError(
                f"This method needs the rows themselves, at most {_MOST_ROWS:,}",
                f"the curve has {self.n_pos + self.n_neg:,}",
                Message("Use the default method (see {}).", call("methods")),
            )
        pos, neg = np.diff(self.tp, prepend=0), np.diff(self.fp, prepend=0)
        counts = np.stack((pos, neg), axis=1).ravel()
        is_positive = np.repeat(np.tile([True, False], self.fp.size), counts)
        return Rows(is_positive, np.repeat(np.repeat(self.thresholds, 2), counts), self.frame)

    def columns(self) -> Mapping[str, Any]:
        return {
            "threshold": self.thresholds,
            "fp": self.fp,
            "tp": self.tp,
            "fpr": self.fpr[1:],
            "tpr": self.tpr[1:],
        }

    @property
    def sentence(self) -> str:
        """The size of the sample and the area, without limits."""
        return (
            f"ROC curve of {self.n_pos} positives and {self.n_neg} negatives, AUC {self.auc:.4f}."
        )

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        size = self.fp.size
        rows = np.unique(np.linspace(0, size - 1, min(size, 12)).round().astype(np.intp))
        moves = np.diff(self.fp, prepend=0) > 0, np.diff(self.tp, prepend=0) > 0
        tied = int(np.count_nonzero(moves[0] & moves[1]))
        what, how = ("bins", "with both") if self.binned else ("distinct scores", "tied across")
        ties = f", {tied} of them {how} classes" if tied else ""
        lines = [f"{size} {what}{ties}.", *self.bin_notes, *self.score_notes]
        shown: dict[str, Any] = {name: column[rows] for name, column in self.columns().items()}
        shown["threshold"] = write_thresholds(self, self.thresholds[rows])
        return "\n".join(lines), shown

    def _brief(self) -> str:
        what = "bins" if self.binned else "distinct scores"
        return f"{count_classes(self.n_pos, self.n_neg)}, {self.fp.size} {what}"

    @document_plot
    def plot(
        self,
        ax: Axes | None = None,
        *,
        x: RocAxis = "fpr",
        log: bool = False,
        label: str | None = None,
        color: Any = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        legend: bool | str = True,
    ) -> Axes:
        """Draw the curve."""
        return self._draw(
            ax, x=x, log=log, label=label, color=color, curve_kwargs=curve_kwargs, legend=legend
        )


class CurveFacts(Result):
    """Base class of results with a curve `roc`, and attributes derived from it."""

    roc: RocCurve

    @property
    def frame(self) -> str | None:  # type: ignore[override]
        """The kind of frame the data came from."""
        return self.roc.frame

    @property
    def n_pos(self) -> Count:
        """Number of positives."""
        return self.roc.n_pos

    @property
    def n_neg(self) -> Count:
        """Number of negatives."""
        return self.roc.n_neg


def _count_from_below(counts: CountArray) -> CountArray:
    """Cumulative counts from the lowest score up."""
    return freeze(np.append(counts[-1] - counts[-2::-1], counts[-1]))


def pool_curves(curves: Sequence[RocCurve]) -> RocCurve:
    """Return the curve of all rows of several curves together, with their weights.

    Examples
    --------
    >>> part = RocCurve.from_counts([2, 1], fp=[0, 1], tp=[1, 1])
    >>> pool_curves([part, part]).tp
    array([2, 2])
    """
    values = np.concatenate([roc.thresholds for roc in curves])
    distinct, place = np.unique(values, return_inverse=True)

    def pool(parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
        return np.bincount(place, np.concatenate(parts), distinct.size)[::-1]

    counts = [[np.diff(side, prepend=0) for side in (roc.fp, roc.tp)] for roc in curves]
    neg, pos = (pool(side).astype(np.int64) for side in zip(*counts, strict=True))
    weights = None
    if any(roc.weights is not None for roc in curves):
        sums = [
            (w.neg, w.pos, w.neg_squares, w.pos_squares) if (w := roc.weights) else (*own, *own)
            for roc, own in zip(curves, counts, strict=True)
        ]
        weights = Weights.from_sums(neg, pos, tuple(map(pool, zip(*sums, strict=True))))
    frame = curves[0].frame
    return RocCurve(distinct[::-1], np.cumsum(neg), np.cumsum(pos), frame=frame, weights=weights)
