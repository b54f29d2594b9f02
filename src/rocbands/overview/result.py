"""Models by metrics with confidence limits, and which model to use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from rocbands.core.attributes import Axes, Count, Level, type_columns
from rocbands.core.phrases import count_classes, name_cases, write_shares
from rocbands.core.result import Result, document_plot, percent
from rocbands.core.thresholds import FAR, ONE_VALUE, TWO_VALUES
from rocbands.overview.metrics import Value
from rocbands.overview.recommendation import Recommendation
from rocbands.overview.wording import arrange_points
from rocbands.points.choose import Point, Rule

_MOST_COLUMNS = 8  # of a table in LaTeX; a larger one has a row for each number
_DIGITS = 3
_MOST_METRICS = 4  # beside each other; more become rows, if there are fewer models
_OTHERS = ("sentence", "models", "level", "notes")  # facts of a summary that are its own


def describe_recommendation(found: Recommendation) -> dict[str, Any]:
    """Return a recommendation as plain values; thresholds are the scores and their text."""
    facts = asdict(found)
    facts["rules"] = [_describe_rule(rule) for rule in found.rules]
    facts["points"] = [_describe_point(point) for point in found.points]
    facts["point"] = None if found.point is None else _describe_point(found.point)
    return facts


def _describe_rule(rule: Rule) -> dict[str, Any]:
    return {"name": rule.name, "at": list(rule.at) if rule.name == "costs" else rule.at}


def _describe_point(point: Point) -> dict[str, Any]:
    numbers = {**asdict(point), "rule": _describe_rule(point.rule)}
    text = numbers.pop("text") or None
    return {
        key: value
        for name, number in numbers.items()
        for key, value in ((name, number), ("threshold_text", text))[: 1 + (name == "threshold")]
    }


# Metrics of the curve, between two thresholds if none has exactly the rate.
_OF_CURVE = re.compile(r" at [\d.]+% (specificity|sensitivity|recall|FPR|TPR)$")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Summary(Result):
    """Metrics of one or several models with confidence limits, and which model to use.

    Attributes
    ----------
    models : tuple of str
        The models.
    metrics : tuple of str
        The metrics, such as 'AUC' or 'sensitivity at 90% specificity'.
    values : mapping of str to mapping of str to Value
        Estimate, low, high and method by model and metric: ``values["logistic"]["AUC"].low``. A
        metric that the data do not allow is missing, and `notes` say why.
    recommendation : Recommendation or None
        Which model to use, at which threshold, and what it then finds; None if the data do not
        allow it. Its limits allow for the choice among the models, those of `values` do not.
    level : float
        Confidence level of each interval.
    positive, negative : object
        The labels, where they are known.
    n_pos, n_neg : int
        Class sizes.
    falling : tuple of str
        Metrics of which smaller values are better.
    notes : tuple of str
        What the reader should know.

    See Also
    --------
    rocbands.summary : make it.
    """

    schema: ClassVar[str] = "rocbands.summary/2"
    FACTS: ClassVar[str] = "models metrics level n_pos n_neg advice notes"
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns(
        (str, "model metric"), (float | None, "estimate low high"), (str | None, "method")
    )

    models: tuple[str, ...]
    metrics: tuple[str, ...]
    values: Mapping[str, Mapping[str, Value]]
    recommendation: Recommendation | None
    level: Level
    n_pos: Count
    n_neg: Count
    positive: object = None
    negative: object = None
    falling: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    frame: str | None = None

    @property
    def sentence(self) -> str:
        """Which model to use, at which threshold, and what it then finds."""
        return "" if self.recommendation is None else self.recommendation.sentence

    @property
    def advice(self) -> dict[str, Any] | None:
        """The numbers of the sentence by name."""
        if self.recommendation is None:
            return None
        facts = describe_recommendation(self.recommendation)
        return {name: facts[name] for name in facts if name not in _OTHERS}

    def columns(self) -> Mapping[str, Any]:
        rows = [
            (model, metric, self.values[model].get(metric))
            for model in self.models
            for metric in self.metrics
        ]
        own: dict[str, Any] = {
            name: [None if value is None else getattr(value, name) for _, _, value in rows]
            for name in ("estimate", "low", "high", "method")
        }
        return {"model": [row[0] for row in rows], "metric": [row[1] for row in rows], **own}

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        cases = name_cases(self.positive, self.negative)
        said = f"{percent(self.level)} confidence limits, for each number by itself"
        methods: dict[str, str] = {}
        for cells in self.values.values():
            methods |= {metric: value.method for metric, value in cells.items()}
        how = ", ".join(f"{metric} ({methods[metric]}{_say_where(metric)})" for metric in methods)
        looks_wrong = [note for note in self.notes if note.endswith((ONE_VALUE, TWO_VALUES, FAR))]
        lines = [
            *looks_wrong,
            f"{said}.",
            f"Methods: {how}." if how else "",
            f"{count_classes(self.n_pos, self.n_neg, cases)}.",
            *(note for note in self.notes if note not in looks_wrong),
        ]
        return "\n".join(filter(None, lines)), self.wide()

    def _lead(self) -> tuple[Mapping[str, Any], str]:
        rows = {} if self.recommendation is None else arrange_points(self.recommendation)
        count = len(self.models)
        note = f"These limits allow for the choice among {count} models." if count > 1 else ""
        return rows, note

    def wide(self, digits: int | None = None) -> dict[str, list[str]]:
        """Return a row for each model and a column for each metric, limits in parentheses.

        Many metrics of few models become rows instead. `digits`: decimals, by default 3, or more if
        limits would be equal.
        """
        if digits is None:
            widths = [
                value.high - value.low for cells in self.values.values() for value in cells.values()
            ]
            narrowest = min((width for width in widths if width > 0.0), default=1.0)
            digits = _DIGITS + sum(narrowest < step for step in (2e-3, 2e-4))

        def write(model: str, metric: str) -> str:
            value = self.values[model].get(metric)
            if value is None:
                return ""
            estimate, low, high = write_shares(*value[:3], digits=digits)
            return f"{estimate} ({low}, {high})"

        if _MOST_METRICS < len(self.metrics) > len(self.models):
            return {"metric": list(self.metrics)} | {
                model: [write(model, metric) for metric in self.metrics] for model in self.models
            }
        return {"model": list(self.models)} | {
            metric: [write(model, metric) for model in self.models] for metric in self.metrics
        }

    def to_metrics(self, prefix: str = "") -> dict[str, float]:
        """Return all numbers, under ``prefix + model + "/" + metric`` and with ``_low, _high``."""
        from rocbands.io.records import metric_name, metrics_of

        found = super().to_metrics(prefix)
        for model, cells in self.values.items():
            numbers = {
                f"{metric}{end}": number
                for metric, value in cells.items()
                for end, number in zip(("", "_low", "_high"), value[:3], strict=True)
            }
            found |= metrics_of(numbers, {}, f"{prefix}{metric_name(model)}/")
        return found

    def _latex_rows(self, digits: int | None) -> Mapping[str, Any]:
        wide: Mapping[str, Any] = self.wide(digits)
        if len(wide) <= _MOST_COLUMNS:
            return wide
        return {name: column for name, column in self.columns().items() if name != "method"}

    def _brief(self) -> str:
        models = f"{len(self.models)} model{'s' * (len(self.models) != 1)}"
        return f"{models}: {', '.join(self.models)}; {', '.join(self.metrics)}"

    @document_plot
    def plot(self, ax: Axes | None = None, *, color: Any = None) -> Axes:
        """Draw a forest plot for each metric, models in rows."""
        return self._draw(ax, color=color)


def _say_where(metric: str) -> str:
    """Say of a metric at a rate that it is the curve's there, and no threshold's.

    >>> _say_where("sensitivity at 90% specificity"), _say_where("AUC")
    (', of the curve at exactly this specificity', '')
    """
    found = _OF_CURVE.search(metric)
    return f", of the curve at exactly this {found[1]}" if found else ""
