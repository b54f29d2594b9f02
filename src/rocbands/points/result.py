"""Operating points: the rates of single thresholds with confidence limits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, get_args

import numpy as np
import numpy.typing as npt

from rocbands.core.attributes import Axes, Derived, Level, Number, Rate, list_columns
from rocbands.core.checks import FloatArray, check_choice
from rocbands.core.randomness import Simulation
from rocbands.core.result import RocAxis, Words, document_plot, percent, require
from rocbands.core.roc import CurveFacts, RocCurve
from rocbands.points.measures import MEASURES

_NAMES: dict[str, dict[str, str]] = {
    "rates": {},
    "medical": {"fpr": "specificity", "tpr": "sensitivity"},
    "learning": {"tpr": "recall", "ppv": "precision"},
}
# Measures that are printed besides both rates.
_SHOWN = {"rates": (), "medical": ("ppv", "npv", "lr_pos", "lr_neg"), "learning": ("ppv", "f1")}
_ENDS = ("", "_lower", "_upper")
_RATE = re.compile(r"\b(fpr|tpr)( [01](?:\.\d+)?(?:e-\d+)?)?\b")


_EMPTY = partial(np.empty, 0)  # until `PointMethod.add_measures` fills it in


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OperatingPoints(CurveFacts):
    """Points on an ROC curve with their thresholds and confidence limits, one for each row.

    Attributes
    ----------
    threshold : ndarray of shape (k,)
        A row is called positive when its score >= threshold; inf calls none positive.
    fpr, tpr : ndarray of shape (k,)
        The rates.
    fpr_lower, fpr_upper, tpr_lower, tpr_upper : ndarray of shape (k,)
        Their confidence limits. For a fixed rate both limits equal the rate, and tables omit them.
    threshold_fpr, threshold_tpr : ndarray of shape (k,)
        The rates of the threshold itself on these rows. If a rate was fixed, `fpr` and `tpr` are a
        point of the curve, which need not belong to a threshold.
    ppv, npv, lr_pos, lr_neg, f1 : ndarray of shape (k,)
        Positive and negative predictive value (PPV is the precision), likelihood ratios of a
        positive and of a negative result, and the F1 score, at `prevalence`. NaN if no row is on
        the side of the threshold in question.
    ppv_lower, ppv_upper, npv_lower, npv_upper, lr_pos_lower, lr_pos_upper : ndarray of shape (k,)
        Their confidence limits, pointwise.
    lr_neg_lower, lr_neg_upper, f1_lower, f1_upper : ndarray of shape (k,)
        The same.
    prevalence : float
        Share of positives for PPV, NPV and F1.
    prevalence_given : bool
        Whether it was given; otherwise it is estimated from the rows, and limits allow for its
        error.
    fixed : str
        What was fixed: 'fpr', 'tpr', 'threshold', or 'eer' for the equal error rate.
    words : {'rates', 'medical', 'learning'}
        The names of columns in tables and frames: fpr and tpr, specificity and sensitivity, or fpr
        and recall, with PPV as precision. JSON has the names of the attributes.
    roc : RocCurve
        The curve that the rates are read from.
    asked : str
        What was asked for, such as 'fpr' or 'best youden'.
    level : float
        Nominal confidence level: of each interval, or of each rectangle where `joint`.
    method : str
        How the limits were computed.
    parameters : dict
        The method's parameters, such as the number of resamples.
    joint : bool
        Whether the level is for both rates of a point together.
    n_pos, n_neg : int
        Class sizes of `roc`.
    auc : float
        Area under `roc`.
    notes : tuple of str
        What the reader should know about these points.
    simulation : Simulation or None
        Seed, number of resamples and Monte Carlo error, where limits are simulated.

    See Also
    --------
    rocbands.operating_points : compute them.
    """

    schema: ClassVar[str] = "rocbands.operating-points/4"
    FACTS: ClassVar[str] = (
        "asked fixed level method parameters joint n_pos n_neg auc prevalence prevalence_given "
        "notes"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = list_columns(
        (Number, "threshold"),
        (Rate, "threshold_fpr threshold_tpr fpr tpr"),
        (Rate | None, "fpr_lower fpr_upper tpr_lower tpr_upper"),
        (Rate | None, "ppv npv f1"),
        (Rate, "ppv_lower ppv_upper npv_lower npv_upper f1_lower f1_upper"),
        (Number | None, "lr_pos lr_neg"),
        (Number, "lr_pos_lower lr_pos_upper lr_neg_lower lr_neg_upper"),
    )

    threshold: npt.NDArray[Any]
    fpr: FloatArray
    fpr_lower: FloatArray
    fpr_upper: FloatArray
    tpr: FloatArray
    tpr_lower: FloatArray
    tpr_upper: FloatArray
    roc: RocCurve
    asked: str
    level: Level
    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    joint: bool = False
    notes: tuple[str, ...] = ()
    simulation: Simulation | None = None
    threshold_fpr: FloatArray = field(default_factory=_EMPTY)
    threshold_tpr: FloatArray = field(default_factory=_EMPTY)
    ppv: FloatArray = field(default_factory=_EMPTY)
    ppv_lower: FloatArray = field(default_factory=_EMPTY)
    ppv_upper: FloatArray = field(default_factory=_EMPTY)
    npv: FloatArray = field(default_factory=_EMPTY)
    npv_lower: FloatArray = field(default_factory=_EMPTY)
    npv_upper: FloatArray = field(default_factory=_EMPTY)
    lr_pos: FloatArray = field(default_factory=_EMPTY)
    lr_pos_lower: FloatArray = field(default_factory=_EMPTY)
    lr_pos_upper: FloatArray = field(default_factory=_EMPTY)
    lr_neg: FloatArray = field(default_factory=_EMPTY)
    lr_neg_lower: FloatArray = field(default_factory=_EMPTY)
    lr_neg_upper: FloatArray = field(default_factory=_EMPTY)
    f1: FloatArray = field(default_factory=_EMPTY)
    f1_lower: FloatArray = field(default_factory=_EMPTY)
    f1_upper: FloatArray = field(default_factory=_EMPTY)
    prevalence: Rate = 0.5
    prevalence_given: bool = False
    fixed: str = "threshold"
    words: Words = "rates"

    def _check(self) -> None:
        check_choice(self.words, get_args(Words), "words")
        for name in MEASURES if self.ppv.size else ():
            low, value, high = (getattr(self, f"{name}{end}") for end in ("_lower", "", "_upper"))
            require(not ((low > value) | (value > high)).any(), f"Limits must contain the {name}.")
        for rate in ("fpr", "tpr"):
            low, value, high = (getattr(self, f"{rate}{end}") for end in ("_lower", "", "_upper"))
            inside = (low >= 0.0) & (value >= low) & (high >= value) & (high <= 1.0)
            require(inside.all(), f"Limits must contain the {rate}, inside [0, 1].")

    auc = Derived[Rate](lambda points: points.roc.auc, "Area under the curve.")

    def __len__(self) -> int:
        return int(self.threshold.size)

    def columns(self) -> Mapping[str, Any]:
        return self._take_columns(MEASURES)

    def _take_columns(self, measures: tuple[str, ...]) -> dict[str, Any]:
        """Return the fixed rate, the rates of the curve there, and the threshold, in this order."""
        rates = [name + end for name in ("fpr", "tpr") for end in _ENDS]
        if self.fixed == "threshold":
            names = ["threshold", *rates]
        else:
            rates = [name for name in rates if name[:4] != f"{self.fixed}_"]
            if self.fixed == "tpr":
                rates = [*rates[-1:], *rates[:-1]]
            names = [*rates, "threshold", "threshold_fpr", "threshold_tpr"]
        names += [name + end for name in measures for end in _ENDS]
        return dict(self._name_column(name) for name in names)

    def _name_column(self, name: str) -> tuple[str, Any]:
        """Return the name of a column in the chosen words, and its values."""
        words, values = _NAMES[self.words], getattr(self, name)
        base = name.removeprefix("threshold_")
        stem, _, end = base.partition("_") if base[:3] in ("fpr", "tpr", "ppv") else (base, "", "")
        if stem not in words:
            return name, values
        if words[stem] == "specificity":
            other = {"lower": f"{stem}_upper", "upper": f"{stem}_lower"}.get(end, name)
            values = 1.0 - getattr(self, other)
        return name.replace(stem, words[stem]), values

    def _record_columns(self) -> Mapping[str, Any]:
        columns = {name: getattr(self, name) for name in self.COLUMNS}
        for name in (f"{self.fixed}_lower", f"{self.fixed}_upper"):
            if name in columns:  # a rate that was asked for has no limits
                columns[name] = [None] * len(self)
        return columns

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        each = "rectangles" if self.joint else "limits"
        sentence = (
            f"Operating points ({_NAMES[self.words].get(self.asked, self.asked)}) with "
            f"{percent(self.level)} confidence {each} ({self.method})."
        )
        sizes = f"{self.n_pos} positives, {self.n_neg} negatives, AUC {self.auc:.4f}."
        shown = _SHOWN[self.words] or (("ppv", "npv") if self.prevalence_given else ())
        of = "the given prevalence" if self.prevalence_given else "the prevalence of the rows"
        at: tuple[str, ...] = ()
        if shown:
            at = (f"Predictive values are for {of}, {self.prevalence:.4g}.",)
            if self.asked in ("fpr", "tpr"):
                at += (
                    "They and the ratios are for the fixed rates, not for those of the threshold.",
                )
        notes = (self._translate(note) for note in self.notes)
        return "\n".join([sentence, sizes, *at, *notes]), self._take_columns(shown)

    def _brief(self) -> str:
        each = "rectangles" if self.joint else "limits"
        return (
            f"{len(self)} operating point{'s' * (len(self) != 1)} ({self.asked}), "
            f"{percent(self.level)} confidence {each}, {self.method}"
        )

    def _translate(self, note: str) -> str:
        """Write the rates of a note in the chosen words: 'at fpr 0.1' as 'at specificity 0.9'."""
        names = _NAMES[self.words]

        def spell(found: re.Match[str]) -> str:
            rate, number = found.groups()
            name = names.get(rate, rate)
            if number and name == "specificity":
                number = f" {1.0 - float(number):.10g}"
            return name + (number or "")

        return _RATE.sub(spell, note)

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
        point_kwargs: Mapping[str, Any] | None = None,
        legend: bool | str = True,
    ) -> Axes:
        """Draw the points on their curve, with whiskers, or rectangles where limits are joint."""
        return self._draw(locals())
