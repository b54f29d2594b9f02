"""The coordinates of each view: the map from ROC space and its inverse.

In what follows u is the false positive rate, v the true positive rate (recall), p the prevalence.
Straight pieces of an ROC curve stay straight in gains; in precision-recall and lift they are arcs
of hyperbolas (Davis and Goadrich 2006), so curves are always joined in ROC space.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np

from rocbands.core.checks import BoolArray, FloatArray, freeze
from rocbands.core.curve import Curve
from rocbands.core.phrases import in_100
from rocbands.core.tolerance import SAME, SLACK
from rocbands.errors import InputError
from rocbands.views.sections import Limits, Sections

# Numbers from 0 to 1, closer to the ends: 101 of them, 161 for fine lines, 601 for quotients.
QUICK, FINE, _FINEST = (
    freeze(0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, k))) for k in (101, 161, 601)
)


def _refuse(curve: str, wrong: BoolArray, describe: Callable[[int], str]) -> None:
    """Refuse a curve that no ranking can have, naming its first impossible point."""
    if wrong.any():
        problem = f"A {curve} curve must be one that a ranking can have"
        raise InputError(problem, describe(int(np.argmax(wrong))))


class Coordinates(ABC):
    """One view's axes and limits."""

    name: ClassVar[str]  # as in ``band.view("pr")``
    title: ClassVar[str]  # what the curve is called in sentences
    abscissa: ClassVar[str]
    ordinate: ClassVar[str]
    uses_prevalence: ClassVar[bool] = True  # whether the maps depend on the prevalence
    same_abscissa: ClassVar[bool] = False  # limits at one abscissa are limits at one fpr
    spoken_at: ClassVar[float] = 0.1  # abscissa at which the answer is given in words

    @abstractmethod
    def limits(self, sections: Sections, x: FloatArray, low: float, high: float) -> Limits:
        """Limits of the ordinate at each abscissa, over all prevalences from `low` to `high`."""

    def grid(self) -> FloatArray:
        """Abscissae of the table."""
        return np.arange(101) / 100

    def say(self, at: float, value: float, low: float, high: float) -> str:
        """Say the value at an abscissa, with its limits."""
        raise NotImplementedError


class MappedCoordinates(Coordinates):
    """Points are mapped one to one; the other views are envelopes, which are not invertible."""

    @abstractmethod
    def forward(self, u: FloatArray, v: FloatArray, p: float) -> tuple[FloatArray, FloatArray]:
        """Map vertices of a curve, in their order."""

    @abstractmethod
    def back(self, x: FloatArray, y: FloatArray, p: float) -> tuple[FloatArray, FloatArray]:
        """Map a curve's vertices back to ROC space; refuse what no ranking can have."""


class Roc(MappedCoordinates):
    """The band as it is."""

    name = "roc"
    title = "ROC curve"
    abscissa, ordinate = "fpr", "tpr"
    uses_prevalence = False
    same_abscissa = True

    def say(self, at: float, value: float, low: float, high: float) -> str:
        found = in_100(value, low, high, of="positives")
        return f"At a false positive rate of {100 * at:g}% the scores find {found}."

    def limits(self, sections: Sections, x: FloatArray, low: float, high: float) -> Limits:
        below, above = sections.vertical(x)
        # Every curve ends in the corner (1, 1).
        return np.where(x == 1.0, 1.0, below), np.where(x == 1.0, 1.0, above)

    def forward(self, u: FloatArray, v: FloatArray, p: float) -> tuple[FloatArray, FloatArray]:
        return u, v

    def back(self, x: FloatArray, y: FloatArray, p: float) -> tuple[FloatArray, FloatArray]:
        return x, y


class Det(Roc):
    """Detection error trade-off: the false negative rate; plots have probit axes."""

    name = "det"
    title = "DET curve"
    abscissa, ordinate = "fpr", "fnr"

    def say(self, at: float, value: float, low: float, high: float) -> str:
        missed = in_100(value, low, high, of="positives")
        return f"At a false positive rate of {100 * at:g}% the scores miss {missed}."

    def limits(self, sections: Sections, x: FloatArray, low: float, high: float) -> Limits:
        below, above = super().limits(sections, x, low, high)
        return 1.0 - above, 1.0 - below

    def forward(self, u: FloatArray, v: FloatArray, p: float) -> tuple[FloatArray, FloatArray]:
        return u, 1.0 - v

    def back(self, x: FloatArray, y: FloatArray, p: float) -> tuple[FloatArray, FloatArray]:
        return x, 1.0 - y


def _precision_of(v: FloatArray, u: FloatArray, p: float) -> FloatArray:
    """Precision p v / (p v + (1 - p) u) at recall v and fpr u; NaN at the corner (0, 0)."""
    called = p * v + (1.0 - p) * u
    return np.divide(p * v, called, out=np.full_like(called, np.nan), where=called > 0.0)


class PrecisionRecall(MappedCoordinates):
    """Precision against recall: (u, v) goes to (v, p v / (p v + (1 - p) u)).

    The corner (0, 0) has no image. On a ray through it precision is constant, so a curve's first
    vertex takes the precision of the next.
    """

    name = "pr"
    title = "precision-recall curve"
    abscissa, ordinate = "recall", "precision"
    spoken_at = 0.8

    def say(self, at: float, value: float, low: float, high: float) -> str:
        right = in_100(value, low, high, of="alarms")
        return f"If it is to find {in_100(at)} positives, it is right in {right}."

    def limits(self, sections: Sections, x: FloatArray, low: float, high: float) -> Limits:
        left, right = sections.horizontal(x)
        below, above = _precision_of(x, right, low), _precision_of(x, left, high)
        # Nothing is known at recall 0.
        return np.where(x > 0.0, below, 0.0), np.where(x > 0.0, above, 1.0)

    def forward(self, u: FloatArray, v: FloatArray, p: float) -> tuple[FloatArray, FloatArray]:
        precision = _precision_of(v, u, p)
        # The origin takes the precision of the next vertex; from the last one back, if repeated.
        for start in np.isnan(precision).nonzero()[0][::-1].tolist():
            precision[start] = precision[start + 1]
        return v, precision

    def back(self, x: FloatArray, y: FloatArray, p: float) -> tuple[FloatArray, FloatArray]:
        """Map by u = p r (1 - q) / ((1 - p) q) at recall r > 0, precision q."""
        w, r = self.false_per_positive(x, y)
        most = (1.0 - p) / p
        _refuse(
            "precision-recall",
            w > most * (1.0 + SLACK),
            lambda at: (
                f"precision {r[at] / (r[at] + w[at]):.6g} at recall {r[at]:.6g} is below the "
                f"{r[at] / (r[at] + most):.6g} that a prevalence of {p:.6g} gives even if all are "
                "called positive"
            ),
        )
        return np.minimum(w / most, 1.0), r

    def false_per_positive(
        self, recall: FloatArray, precision: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return false positives per positive, r (1 - q) / q, and recall; both never fall.

        Points may come from the highest recall down, as scikit-learn has them.
        """
        if recall.size and recall[0] > recall[-1]:
            recall, precision = recall[::-1], precision[::-1]
        some = recall > 0.0  # scikit-learn's point (0, 1) is dropped, too
        r, q = recall[some], precision[some]
        _refuse(
            "precision-recall",
            q <= 0.0,
            lambda at: f"precision 0 at recall {r[at]:.6g} would need infinitely many negatives",
        )
        w = r * (1.0 - q) / q
        _refuse(
            "precision-recall",
            np.diff(w) < -SAME * np.maximum(w[1:], 1.0),
            lambda at: (
                f"precision rises from {q[at]:.6g} to {q[at + 1]:.6g} between recall {r[at]:.6g} "
                f"and {r[at + 1]:.6g}: no ranking does that"
            ),
        )
        return np.maximum.accumulate(w), r


class Gains(MappedCoordinates):
    """Recall against the share of cases called positive: an affine map."""

    name = "gains"
    title = "gains curve"
    abscissa, ordinate = "rate", "recall"
    spoken_at = 0.2

    def say(self, at: float, value: float, low: float, high: float) -> str:
        found = in_100(value, low, high, of="positives")
        return f"The {100 * at:g}% of cases with the highest scores contain {found}."

    def limits(self, sections: Sections, x: FloatArray, low: float, high: float) -> Limits:
        # At a fixed rate, recall on a curve falls as the prevalence grows where the curve is above
        # the diagonal, rises where it is below, and stays at the diagonal: the ends are enough.
        ends = [sections.slanted(x, p) for p in dict.fromkeys((low, high))]
        below, above = np.min([end[0] for end in ends], 0), np.max([end[1] for end in ends], 0)
        return np.where(x >= 1.0, 1.0, below), np.where(x <= 0.0, 0.0, above)

    def forward(self, u: FloatArray, v: FloatArray, p: float) -> tuple[FloatArray, FloatArray]:
        return p * v + (1.0 - p) * u, v

    def back(self, x: FloatArray, y: FloatArray, p: float) -> tuple[FloatArray, FloatArray]:
        u = (x - p * y) / (1.0 - p)
        _refuse(
            "gains",
            (u < -SLACK) | (u > 1.0 + SLACK),
            lambda at: (
                f"recall {y[at]:.6g} at rate {x[at]:.6g} is impossible at a prevalence of {p:.6g}"
            ),
        )
        _refuse(
            "gains",
            np.diff(u) < -SAME / (1.0 - p),
            lambda at: (
                f"recall rises from {y[at]:.6g} to {y[at + 1]:.6g} between rate {x[at]:.6g} and "
                f"{x[at + 1]:.6g}: at a prevalence of {p:.6g} no ranking does that"
            ),
        )
        return np.maximum.accumulate(np.clip(u, 0.0, 1.0)), y


class Lift(Gains):
    """Precision over prevalence against the share called positive: recall over that share."""

    name = "lift"
    title = "lift curve"
    abscissa, ordinate = "rate", "lift"
    spoken_at = 0.1

    def say(self, at: float, value: float, low: float, high: float) -> str:
        return (
            f"The {100 * at:g}% of cases with the highest scores contain {value:.2f} times as many "
            f"positives as a random {100 * at:g}% ({low:.2f} to {high:.2f})."
        )

    def limits(self, sections: Sections, x: FloatArray, low: float, high: float) -> Limits:
        below, above = super().limits(sections, x, low, high)
        some = x > 0.0
        rate = np.where(some, x, 1.0)
        return np.where(some, below / rate, 0.0), np.where(some, above / rate, 1.0 / low)

    def forward(self, u: FloatArray, v: FloatArray, p: float) -> tuple[FloatArray, FloatArray]:
        precision = PrecisionRecall().forward(u, v, p)[1]
        return p * v + (1.0 - p) * u, precision / p

    def back(self, x: FloatArray, y: FloatArray, p: float) -> tuple[FloatArray, FloatArray]:
        some = x > 0.0
        return super().back(x[some], x[some] * y[some], p)


class Cost(Coordinates):
    """Least expected cost w (1 - v) + (1 - w) u against the weight w of false negatives."""

    name = "cost"
    title = "curve of least costs"
    abscissa, ordinate = "weight", "cost"
    spoken_at = 0.5
    uses_prevalence = False

    def say(self, at: float, value: float, low: float, high: float) -> str:
        wrong = in_100(value, low, high, of="cases")
        return f"With classes of equal size and equal costs the best threshold errs in {wrong}."

    def limits(self, sections: Sections, x: FloatArray, low: float, high: float) -> Limits:
        above, below = (
            x * (1.0 - v) + (1.0 - x) * u
            for u, v in (sections.best(side, x, 1.0 - x) for side in (0, 1))
        )
        return below, above


class NetBenefit(Cost):
    """Largest net benefit p v - (1 - p) u t / (1 - t) against the threshold probability t."""

    name = "net-benefit"
    title = "curve of largest net benefits"
    abscissa, ordinate = "threshold probability", "net benefit"
    uses_prevalence = True

    def limits(self, sections: Sections, x: FloatArray, low: float, high: float) -> Limits:
        below, above = (
            p * v - (1.0 - p) * u * x / (1.0 - x)
            for p, (u, v) in (
                (p, sections.best(side, p * (1.0 - x), (1.0 - p) * x))
                for side, p in ((0, low), (1, high))
            )
        )
        return below, above

    def grid(self) -> FloatArray:
        return np.arange(100) / 100

    def treat_all(self, x: FloatArray, p: float) -> FloatArray:
        """Net benefit of treating all; that of treating none is 0."""
        return np.asarray(p - (1.0 - p) * x / (1.0 - x))


class NetBenefitLead(NetBenefit):
    """Largest net benefit minus that of the better of treating all and treating none.

    The lead over treating none is net benefit itself and rises with the prevalence; that over
    treating all, (1 - p) (1 - u) t / (1 - t) - p (1 - v), falls. The best point is the same.
    """

    ordinate = "lead in net benefit"

    def limits(self, sections: Sections, x: FloatArray, low: float, high: float) -> Limits:
        over_none = super().limits(sections, x, low, high)
        over_all = super().limits(sections, x, high, low)
        lower, upper = (
            np.minimum(none, every - self.treat_all(x, p))
            for none, every, p in zip(over_none, over_all, (high, low), strict=True)
        )
        # The corners of a curve treat none and all, so the best point is never worse than these.
        return np.maximum(lower, 0.0), np.maximum(upper, 0.0)


COORDINATES: dict[str, type[Coordinates]] = {
    kind.name: kind for kind in (Roc, PrecisionRecall, Gains, Lift, Det, Cost, NetBenefit)
}


def map_curve(curve: Curve, coordinates: MappedCoordinates, p: float, fine: bool = True) -> Curve:
    """Map a curve of ROC space vertex by vertex, with more vertices where its image is curved."""
    x, y, name = curve.x, curve.y, coordinates.name
    if name in ("pr", "lift"):
        places, along = (_FINEST if fine else FINE if name == "lift" else QUICK)[1:-1], y
        if name == "lift":  # closer where rates are about the prevalence
            places, along = p * places / (1.0 - (1.0 - p) * places), p * y + (1.0 - p) * x
        x, y = (np.concatenate((side, np.interp(places, along, side))) for side in (x, y))
        order = np.argsort(x + y, kind="stable")  # both coordinates rise along a curve
        x, y = x[order], y[order]
    return Curve(*map(freeze, coordinates.forward(x, y, p)))


def sample_limits(
    limits: Callable[[FloatArray], Limits], coordinates: Coordinates, fine: bool
) -> tuple[Curve, Curve]:
    """Evaluate limits at 101 abscissae, or 161 if `fine`, closer to the ends."""
    x = (FINE if fine else QUICK) * coordinates.grid()[-1]
    x, low, high = map(freeze, (x, *limits(x)))
    return Curve(x, low), Curve(x, high)
