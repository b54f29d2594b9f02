"""Everything that is said about a sample: sentences, tables and pages, with their numbers read."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from html.parser import HTMLParser
from typing import Any, NamedTuple

import numpy as np

import rocbands as rb
from rocbands.core.phrases import UNNAMED, name_model
from tests.properties.statement_samples import Case

NUMBER = r"(?:(?:less|more) than )?[-−+]?\d[\d,]*(?:\.\d+)?"
CUT = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
_TYPED = 0.5  # a threshold that somebody typed


class Statement(NamedTuple):
    """A text, where it stands, and the model that it is about, if it does not name it."""

    where: str
    text: str
    model: str | None = None


class Calls(NamedTuple):
    """What a threshold does on the rows."""

    tp: int
    fp: int
    tpr: float
    fpr: float
    share: float  # of all cases


class Said(NamedTuple):
    """A point as a sentence or a table says it; limits may be missing."""

    model: str
    cut: str
    found: str
    found_limits: tuple[str, str] | None
    alarms: str
    alarms_limits: tuple[str, str] | None
    highest: bool = False  # the highest threshold that finds any, although it breaks the promise
    promise: str = ""  # of a row of a table


def span(text: str) -> tuple[float, float]:
    """Return the numbers that are printed as a text.

    >>> span("69"), span("0.900")[0], span("less than 0.0001")
    ((68.5, 69.5), 0.8995, (-inf, 0.0001))
    """
    *word, number = text.replace(",", "").replace("−", "-").split()
    value = float(number)
    if word:
        return (-np.inf, value) if word[0] == "less" else (value, np.inf)
    half = 0.5 * 10.0 ** -len(number.partition(".")[2])
    return value - half, value + half


def prints(text: str, value: float) -> bool:
    """Tell whether a number may be printed as a text."""
    low, high = span(text)
    return low - 1e-6 * abs(low) - 1e-9 <= value <= high + 1e-6 * abs(high) + 1e-9


def agree(one: str, two: str) -> bool:
    """Tell whether two texts may print one number."""
    (low_1, high_1), (low_2, high_2) = span(one), span(two)
    return max(low_1, low_2) <= min(high_1, high_2) + 1e-9


def join(text: str) -> str:
    """Undo the wrapping of lines, and the comments of LaTeX."""
    return " ".join(re.sub(r"(?m)^% ?", "", text).split())


class Rows:
    """The rows of a sample, and what thresholds do on them."""

    def __init__(self, sample: rb.Sample) -> None:
        self.sample = sample
        self._known: dict[tuple[str, str], Calls] = {}

    @cached_property
    def models(self) -> dict[str, str]:
        """The models by what sentences call them."""
        names = {name_model(name): name for name in self.sample.models}
        first = self.sample.models[0]
        if len(names) == 1 and first in UNNAMED:
            names |= {"the model": first, "The model": first}
        return names

    @cached_property
    def names(self) -> str:
        """Pattern of what sentences call the models, or the only one."""
        return "|".join(re.escape(name) for name in sorted(self.models, key=len, reverse=True))

    def call(self, model: str, cut: str) -> Calls:
        """Feed a printed threshold back, and count the rows that it calls, too."""
        if (model, cut) not in self._known:
            part = self.sample[model]
            at = rb.operating_points(part, threshold=float(cut))
            called = part.values >= np.float64(cut)
            if part.values.dtype.kind == "f":  # in its own precision, too
                assert (called == (part.values >= part.values.dtype.type(cut))).all(), (model, cut)
            ill = part.is_positive
            tpr, fpr, pi = float(at.tpr[0]), float(at.fpr[0]), part.roc.prevalence
            share = pi * tpr + (1.0 - pi) * fpr
            tp, fp = int((called & ill).sum()), int((called & ~ill).sum())
            self._known[model, cut] = Calls(tp, fp, tpr, fpr, share)
        return self._known[model, cut]

    def read_points(self, statement: Statement) -> Iterator[Said]:
        """Read the points of a text: those of sentences, then those of a table in Markdown."""
        text, names = join(statement.text), self.names
        limits = rf"(?: \(({NUMBER}) to ({NUMBER})(?: at exactly this \w+)?\))?"
        rate = rf"({NUMBER})(?: of 100(?: [a-z]+)*)?{limits}"
        does = rf"finds {rate},?(?: and)? alarms on {rate}"
        for cut, name, *numbers in re.findall(
            rf"[Aa]t threshold ({CUT})(?: \([ft]pr [\d.]+\))? ({names}|it) {does}", text
        ):
            model = self.models.get(name, statement.model)
            if model is not None:
                yield _read_said(model, cut, numbers)
        for name, cut, *numbers in re.findall(rf"({names}) at ({CUT}) {does}", text):
            yield _read_said(self.models[name], cut, numbers)
        none = rf"({names}) has no threshold that finds any with [^;]*; the highest that finds any"
        for name, cut, *numbers in re.findall(rf"(?i:{none}), ({CUT}), {does}", text):
            model = {called.lower(): own for called, own in self.models.items()}[name.lower()]
            yield _read_said(model, cut, numbers)._replace(highest=True)
        yield from self._read_rows(statement.text)

    def _read_rows(self, text: str) -> Iterator[Said]:
        columns = "at most", "model", "threshold", "finds of 100", "alarms on of 100"
        inside = False
        for line in text.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            if tuple(cells[:5]) == columns:
                inside = True
            elif inside and not line.startswith("|"):
                return
            elif inside and len(cells) > 4 and cells[2] not in ("none", "--:", "---"):
                found, alarms = (
                    re.fullmatch(
                        rf"({NUMBER})(?: \(({NUMBER}) to ({NUMBER})(?: at exactly this \w+)?\))?",
                        cell,
                    )
                    for cell in cells[3:5]
                )
                if found and alarms:
                    said = _read_said(cells[1], cells[2], [*found.groups(), *alarms.groups()])
                    yield said._replace(promise=cells[0])


def _read_said(model: str, cut: str, numbers: list[str]) -> Said:
    found, found_low, found_high, alarms, alarms_low, alarms_high = numbers
    return Said(
        model,
        cut,
        found,
        (found_low, found_high) if found_low else None,
        alarms,
        (alarms_low, alarms_high) if alarms_low else None,
    )


class _Page(HTMLParser):
    """The text of a page without its scripts, and the rows of its tables by column."""

    _BREAKS = frozenset({"p", "td", "th", "tr", "li", "h1", "h2", "h3", "div", "summary", "option"})

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.rows: list[dict[str, str]] = []
        self._skipped, self._column = 0, None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "style", "svg"):
            self._skipped += 1
        if tag in self._BREAKS:
            self.parts.append("\n")
        if tag == "small":
            self.handle_data(" ")
        if tag == "tr":
            self.rows.append({})
        if tag in ("td", "th"):
            self._column = dict(attrs).get("data-label", "" if tag == "th" else None)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style", "svg"):
            self._skipped -= 1
        if tag in ("td", "th"):
            self._column = None

    def handle_data(self, data: str) -> None:
        if self._skipped:
            return
        self.parts.append(data)
        if self._column is not None and self.rows:
            row = self.rows[-1]
            row[self._column] = row.get(self._column, "") + data


def read_page(html: str) -> tuple[str, list[dict[str, str]]]:
    """Return the text of a page, and the rows of its tables."""
    page = _Page()
    page.feed(html)
    lines = ("".join(page.parts)).splitlines()
    text = "\n".join(line.strip() for line in lines if line.strip())
    rows = [{name: " ".join(cell.split()) for name, cell in row.items()} for row in page.rows]
    return text, [row for row in rows if row]


@dataclass(frozen=True)
class Answers:
    """All answers about a case."""

    case: Case
    with_report: bool = True
    thorough: bool = True  # with those that draw resamples

    @cached_property
    def rows(self) -> Rows:
        """The rows."""
        return Rows(self.case.sample)

    @cached_property
    def summary(self) -> Any:
        """The summary for the rule."""
        return rb.summary(self.case.sample, **self.case.rule)

    @property
    def advice(self) -> Any:
        """The recommendation of the summary."""
        return self.summary.recommendation

    @cached_property
    def compared(self) -> Any:
        """All AUCs compared; None where that is refused."""
        many = len(self.case.sample.models) > 1
        return ask(rb.compare_many, self.case.sample) if many else None

    @cached_property
    def areas(self) -> dict[str, Any]:
        """The AUC of each model by itself."""
        return {name: rb.auc_interval(self.case.sample[name]) for name in self.case.sample.models}

    @cached_property
    def report(self) -> Any:
        """The report for the same rule; None if it is not asked for."""
        if not self.with_report:
            return None
        rule = {("capacity" if k == "rate" else k): value for k, value in self.case.rule.items()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return rb.report(self.case.sample, path=None, progress=False, **rule)

    @cached_property
    def page(self) -> tuple[str, list[dict[str, str]]]:
        """Text and tables of the page."""
        return ("", []) if self.report is None else read_page(self.report.to_html())

    @cached_property
    def groups(self) -> Any:
        """Groups of people, if there are any and each has both classes."""
        if self.case.groups is None:
            return None
        part = self.case.sample[self.case.sample.models[0]]
        return ask(rb.subgroups, part, by=self.case.groups, n_resamples=500)

    @cached_property
    def results(self) -> dict[str, tuple[str | None, Any]]:
        """Results of the functions that make statements, with the model that they are about."""
        sample = self.case.sample
        first, *others = sample.models
        part, rule = sample[first], self.case.rule
        fpr, rate = rule.get("fpr", 0.1), rule.get("rate", 0.1)
        costs = {"costs": rule.get("costs", (5, 1))}
        cut = float(np.median(part.values))
        asked: dict[str, tuple[str | None, Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = {
            f"auc_interval of {name}": (name, lambda name=name: self.areas[name], (), {})
            for name in sample.models[:3]
        }
        points = (
            {"threshold": cut},
            {"fpr": fpr},
            {"rate": rate},
            {"tpr": 0.9},
            {"best": "youden"},
        )
        for how in points:
            words = ", ".join(f"{k}={v}" for k, v in how.items())
            asked[f"operating_points({words})"] = first, rb.operating_points, (part,), how
        asked |= {
            "rate_bounds": (first, rb.rate_bounds, (part,), {"rate": rate}),
            "cost_interval": (first, rb.cost_interval, (part,), {"thresholds": cut, **costs}),
            "average_precision_interval": (first, rb.average_precision_interval, (part,), {}),
        }
        if part.values.min() >= 0.0 and part.values.max() <= 1.0:
            asked["net_benefit"] = first, rb.net_benefit, (part,), {}
            asked["net_benefit at one"] = first, rb.net_benefit, (part,), {"thresholds": 0.3}
            asked["brier_score_interval"] = first, rb.brier_score_interval, (part,), {}
        if self.thorough:
            asked["best_threshold"] = first, rb.best_threshold, (part,), {"n_resamples": 200}
        if others:
            two = sample[[first, others[0]]]
            cuts = {name: float(np.median(two[name].values)) for name in two.models}
            asked |= {
                "compare": (None, rb.compare, (two,), {}),
                "compare_many": (None, lambda: self.compared, (), {}),
                "compare_tpr": (None, rb.compare_tpr, (two,), {"fpr": fpr}),
                "rate_difference": (None, rb.rate_difference, (two,), {"rate": rate}),
                "cost_difference": (
                    None,
                    rb.cost_difference,
                    (two,),
                    {"thresholds": cuts, **costs},
                ),
                "mcnemar": (None, rb.mcnemar, (two,), {"thresholds": cuts}),
                "average_precision_difference": (None, rb.average_precision_difference, (two,), {}),
            }
            if self.thorough:
                asked["difference_band"] = None, rb.difference_band, (two,), {"n_resamples": 500}
        found = {
            where: (model, ask(function, *data, **how))
            for where, (model, function, data, how) in asked.items()
        }
        found |= {"summary": (None, self.summary), "subgroups": (first, self.groups)}
        found["report"] = None, self.report
        return {where: one for where, one in found.items() if one[1] is not None}

    @cached_property
    def statements(self) -> list[Statement]:
        """All texts."""
        found = []
        for where, (model, result) in self.results.items():
            texts = {
                "sentence": result.sentence,
                "print": str(result),
                "Markdown": result.to_markdown(),
                "LaTeX": result.to_latex(),
            }
            found += [Statement(f"{where} ({how})", text, model) for how, text in texts.items()]
        if self.report is not None:
            found += [Statement("page", self.page[0])]
            found += [Statement(f"page, {k}", v) for k, v in _list_texts(self.report.payload)]
        return found


def ask(function: Callable[..., Any], *data: Any, **how: Any) -> Any:
    """Return a result, or None where the rows do not allow it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*data, **how)
        except rb.InputError:
            return None


def _list_texts(payload: Any, where: str = "payload") -> Iterator[tuple[str, str]]:
    """List the sentences of a payload."""
    if isinstance(payload, dict):
        for key, value in payload.items():
            yield from _list_texts(value, f"{where}.{key}")
    elif isinstance(payload, list):
        if len(payload) < 30:
            for k, value in enumerate(payload):
                yield from _list_texts(value, f"{where}[{k}]")
    elif isinstance(payload, str) and payload.endswith("."):
        yield where, payload


Check = Callable[[Answers], Iterator[str]]


def run_checks(
    checks: dict[str, Check], answers: Answers, read: Counter[str], found: dict[str, list[str]]
) -> None:
    """Count the statements that each check reads, and keep what contradicts them."""
    for name, check in checks.items():
        for contradiction in check(answers):
            read[name] += 1
            if contradiction:
                found.setdefault(name, []).append(f"{answers.case}: {contradiction}")
