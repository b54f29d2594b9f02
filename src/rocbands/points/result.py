"""Operating points: the rates of single thresholds with confidence limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, get_args

import numpy as np
import numpy.typing as npt

from rocbands.core.attributes import Axes, Derived, Level, Number, Rate, type_columns
from rocbands.core.checks import FloatArray, check_choice
from rocbands.core.phrases import count_classes, in_100, join_words
from rocbands.core.randomness import Simulation
from rocbands.core.result import RocAxis, Words, document_plot, percent, require
from rocbands.core.roc import CurveFacts, RocCurve
from rocbands.core.thresholds import repeat_threshold, write_threshold
from rocbands.errors import Message
from rocbands.points.measures import MEASURES

_NAMES: dict[str, dict[str, str]] = {
    "rates": {},
    "medical": {"fpr": "specificity", "tpr": "sensitivity"},
    "learning": {"tpr": "recall", "ppv": "precision"},
}
# Measures that are printed besides both rates: those of the question, and those of the words.
_ASKED = {"rate": ("rate", "ppv"), "precision": ("ppv",)}
_SHOWN = {"rates": (), "medical": ("ppv", "npv", "lr_pos", "lr_neg"), "learning": ("ppv", "f1")}
_AT_PREVALENCE = ("rate", "ppv", "npv", "f1")
_ENDS = ("", "_lower", "_upper")
_RATE = re.compile(r"\b(fpr|tpr|ppv)( [01](?:\.\d+)?(?:e-\d+)?)?\b")


def speak(text: str, words: str) -> str:
    """Write rates in the chosen words.

    Examples
    --------
    >>> speak("At fpr 0.1 it is so.", "medical"), speak("tpr", "learning")
    ('At specificity 0.9 it is so.', 'recall')
    """
    names = _NAMES[words]

    def spell(found: re.Match[str]) -> str:
        rate, number = found.groups()
        name = names.get(rate, rate)
        if number and name == "specificity":
            number = f" {1.0 - float(number):.10g}"
        return name + (number or "")

    return text if isinstance(text, Message) else _RATE.sub(spell, text)


def _with_ends(*names: str) -> str:
    """List quantities and their limits."""
    return " ".join(name + end for name in names for end in _ENDS)


def _shorten(number: str) -> str:
    """Leave out zeros at the end of a number out of 100."""
    digits = number.removesuffix(" of 100")
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


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
    rate : ndarray of shape (k,)
        Share of all cases that are called positive, at `prevalence`.
    ppv_lower, ppv_upper, npv_lower, npv_upper, lr_pos_lower, lr_pos_upper : ndarray of shape (k,)
        Their confidence limits, pointwise.
    lr_neg_lower, lr_neg_upper, f1_lower, f1_upper, rate_lower, rate_upper : ndarray of shape (k,)
        The same.
    prevalence : float
        Share of positives for PPV, NPV, F1 and `rate`.
    prevalence_given : bool
        Whether it was given; otherwise it is estimated from the rows, and limits allow for its
        error.
    fixed : str
        What was fixed: 'fpr', 'tpr', 'threshold', or 'eer' for the equal error rate.
    words : {'rates', 'medical', 'learning'}
        The names of columns in tables, frames and JSON: fpr and tpr, specificity and sensitivity,
        or fpr and recall, with PPV as precision. The equal error rate is called eer.
    roc : RocCurve
        The curve that the rates are read from.
    asked : str
        What was asked for, such as 'specificity' or 'best youden'.
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

    schema: ClassVar[str] = "rocbands.operating-points/6"
    FACTS: ClassVar[str] = (
        "asked fixed words level method parameters joint n_pos n_neg auc prevalence "
        "prevalence_given notes"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns(
        (Number, "threshold"),
        (str, "threshold_text"),
        (Rate | None, _with_ends("rate", "npv", "f1")),
        (Number | None, _with_ends("lr_pos", "lr_neg")),
    )
    MORE: ClassVar[Mapping[str, Any]] = type_columns(
        (Rate, _with_ends("fpr", "tpr", "specificity", "sensitivity", "recall", "eer")),
        (Rate, "threshold_fpr threshold_tpr threshold_specificity threshold_sensitivity"),
        (Rate, "threshold_recall"),
        (Rate | None, _with_ends("ppv", "precision")),
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
    rate: FloatArray = field(default_factory=_EMPTY)
    rate_lower: FloatArray = field(default_factory=_EMPTY)
    rate_upper: FloatArray = field(default_factory=_EMPTY)
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

    @property
    def threshold_text(self) -> list[str]:
        """Each threshold as text that makes the same calls; one that was given as it was typed."""
        if self.asked == "threshold":
            return [repeat_threshold(cut) for cut in self.threshold]
        return [write_threshold(self.roc, cut) for cut in self.threshold]

    def columns(self) -> Mapping[str, Any]:
        return self._take_columns(MEASURES)

    def _take_columns(self, measures: Iterable[str]) -> dict[str, Any]:
        """Return what was fixed or asked for, then the rates, the threshold and the measures."""
        if self.fixed == "threshold":
            first = _ASKED.get(self.asked, ())[:1]
            names = ["threshold", "threshold_text", *_with_ends(*first, "fpr", "tpr").split()]
        else:
            free = {"fpr": "tpr", "tpr": "fpr", "eer": ""}[self.fixed]
            names = _with_ends(free).split() if free else []
            names = [*([self.fixed] if free else _with_ends("eer").split()), *names]
            names += ["threshold", "threshold_text", "threshold_fpr", "threshold_tpr"]
        names += [name for name in _with_ends(*measures).split() if name not in names]
        return dict(self._name_column(name) for name in names)

    def _name_column(self, name: str) -> tuple[str, Any]:
        """Return the name of a column in the chosen words, and its values."""
        if name == "threshold_text":
            return name, self.threshold_text
        words = _NAMES[self.words]
        base = name.removeprefix("threshold_")
        stem, _, end = base.partition("_") if base[:3] in ("fpr", "tpr", "ppv") else (base, "", "")
        if stem not in words:
            return name, getattr(self, name.replace("eer", "fpr"))
        spoken = name.replace(stem, words[stem])
        if words[stem] != "specificity":
            return spoken, getattr(self, name)
        other = {"lower": f"{stem}_upper", "upper": f"{stem}_lower"}.get(end, name)
        return spoken, 1.0 - getattr(self, other)

    @property
    def sentence(self) -> str:
        """What the first point means for cases, and how many points there are."""
        more = f" The table has {len(self)} points." if len(self) > 1 else ""
        return f"{self._say_point(0)}.{more}" if len(self) else ""

    def _say_point(self, at: int) -> str:
        """Say in words what happens at a point."""

        def say(name: str, of: str) -> str:
            value, low, high = (float(getattr(self, name + end)[at]) for end in _ENDS)
            return in_100(value, of=of) if low == high else in_100(value, low, high, of)

        cut = self.threshold[at]
        known = self.threshold_text[at]
        where = "Above all scores" if np.isinf(cut) else f"At threshold {known}"
        if self.fixed == "threshold" and cut > self.roc.span[1]:
            said = where if np.isinf(cut) else f"{where}, above all scores"
            return f"{said}, nothing is called positive"
        finds, alarms = say("tpr", "positives"), say("fpr", "negatives")
        if self.fixed == "eer":
            return (
                f"At the equal error rate, near threshold {known}, it gets {say('fpr', '')} "
                "wrong, of the positives as of the negatives"
            )
        if self.fixed != "threshold":
            name, column = self._name_column(self.fixed)
            asked = f"{name} {column[at]:.4g}"
            pairs = (self.threshold_tpr, self.tpr), (self.threshold_fpr, self.fpr)
            own, curve = (
                [in_100(float(rate[at])) for rate in side] for side in zip(*pairs, strict=True)
            )
            if list(map(_shorten, own)) != list(map(_shorten, curve)):
                return (
                    f"At {asked} it finds {finds} and alarms on {alarms}, between two thresholds; "
                    f"{where[0].lower()}{where[1:]} it finds {own[0]} and alarms on {own[1]}"
                )
            where = f"{where} ({asked})"
            if self.fixed in ("fpr", "tpr"):  # limits are those of the curve, not of the threshold
                finds, alarms = (
                    said.replace(")", f" at exactly this {name})") for said in (finds, alarms)
                )
        if self.asked not in _ASKED or np.isnan(self.ppv[at]):
            return f"{where} it finds {finds} and alarms on {alarms}"
        right = f"{say('ppv', 'alarms')} are right"
        if self.asked == "rate":
            return f"{where} it alarms on {say('rate', 'cases')} and finds {finds}; {right}"
        return f"{where} it finds {finds}, and {right}"

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        each = "rectangles" if self.joint else "limits"
        sentence = (
            f"Operating points ({self.asked}) with {percent(self.level)} confidence {each} "
            f"({self.method})."
        )
        sizes = f"{count_classes(self.n_pos, self.n_neg)}, AUC {self.auc:.4f}."
        of_words = _SHOWN[self.words] or (("ppv", "npv") if self.prevalence_given else ())
        shown = tuple(dict.fromkeys((*_ASKED.get(self.asked, ()), *of_words)))
        at: tuple[str, ...] = ()
        if shown:
            of = "given prevalence" if self.prevalence_given else "prevalence of the rows"
            names = [speak(name, self.words) for name in shown if name in _AT_PREVALENCE]
            at = (f"The {of}, {self.prevalence:.4g}, is used for {join_words(names)}.",)
            if self.fixed in ("fpr", "tpr"):
                every = ", ".join(speak(name, self.words) for name in shown)
                at += (f"At the fixed rates, not at those of the threshold: {every}.",)
        rows = self._take_columns(shown)
        cuts = rows.pop("threshold_text")
        rows = {name: cuts if name == "threshold" else column for name, column in rows.items()}
        return "\n".join([sentence, sizes, *at, *self.notes]), rows

    def _brief(self) -> str:
        each = "rectangles" if self.joint else "limits"
        return (
            f"{len(self)} operating point{'s' * (len(self) != 1)} ({self.asked}), "
            f"{percent(self.level)} confidence {each}, {self.method}"
        )

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
        return self._draw(
            ax,
            x=x,
            log=log,
            label=label,
            color=color,
            curve_kwargs=curve_kwargs,
            point_kwargs=point_kwargs,
            legend=legend,
        )
