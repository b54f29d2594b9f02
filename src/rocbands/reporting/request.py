"""The request for a report: the rows, the models, and the initial settings of the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias, TypeVar

from rocbands.core.checks import check_costs, check_future, check_level, check_number
from rocbands.core.models import list_given
from rocbands.core.phrases import RARE, UNNAMED, usual_fpr
from rocbands.core.randomness import Rng, share_source
from rocbands.core.roc import RocCurve
from rocbands.core.sample import Sample
from rocbands.cost.conditions import check_prevalence, operating_condition
from rocbands.errors import InputError, Message, arg
from rocbands.multiclass.result import ClassBands
from rocbands.plot.shapes import Vertices, follow_curve
from rocbands.reporting.words import name_kinds, say
from rocbands.resample.streams import map_columns
from rocbands.subgroup.result import Subgroups

LEVELS = (0.8, 0.9, 0.95, 0.99)  # that a reader can choose from, besides the asked one
CAPACITIES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)

# Designs whose refusals have words of their own in a report.
_REFUSED = ("weights", "class weights", "clusters", "strata", "folds", "repeats")

T = TypeVar("T")
Kind: TypeAlias = Literal["model", "group", "class"]  # what the curves of a report are of


class Omitted:
    """What a report does not contain, and why."""

    def __init__(self) -> None:
        self._why: dict[tuple[str, str], list[str]] = {}

    def add(self, section: str, why: str, model: str | None = None) -> None:
        """Note that a section is missing; models with the same reason share a line."""
        models = self._why.setdefault((section, why), [])
        if model is not None and model not in models:
            models.append(model)

    def attempt(
        self,
        section: str,
        model: str | None,
        what: str,
        ask: Callable[..., T],
        *data: Any,
        **how: Any,
    ) -> T | None:
        """Return ``ask(*data, **how)``, which is `what`; if the data do not allow it, note why."""
        try:
            return ask(*data, **how)
        except InputError as problem:
            why = " ".join(str(problem).split())
            if what and problem.extra in _REFUSED:
                why = say("omitted", problem.extra.replace(" ", "_"), what=what)
            self.add(section, why, model)
            return None

    def extend(self, other: Omitted) -> None:
        """Add all that another list notes."""
        for (section, why), models in other._why.items():
            self._why.setdefault((section, why), [])
            for model in models:
                self.add(section, why, model)

    def to_list(self) -> list[dict[str, Any]]:
        """Return all of it as plain values."""
        return [
            {"section": section, "why": why, "models": models}
            for (section, why), models in self._why.items()
        ]


@dataclass(frozen=True, eq=False)
class CountedCurves:
    """Curves without their rows: of models that were counted elsewhere, of groups, of classes."""

    curves: Mapping[str, RocCurve]  # by name; those of models are all of the same rows
    positive: str | None  # the positive label, if there is one and it is known
    notes: tuple[str, ...] = ()  # what results must say about the data
    kind: Kind = "model"
    result: Subgroups | ClassBands | None = None  # what is known of groups or classes together


@dataclass(frozen=True)
class Preset:
    """Initial settings of a page, all of which its reader can change."""

    fpr: float  # false positive rate at which the curves are read first
    log_axis: bool  # whether the axis of false positive rates is logarithmic: for rare positives
    c_fn: float | None  # costs of a missed positive and of a false alarm, if the user said them
    c_fp: float | None
    prevalence: float  # share of positives where the model will be used
    capacity: float  # share of the cases that can be acted on
    asked: tuple[str, ...] = ()  # which of these the user has chosen

    @classmethod
    def from_options(
        cls,
        sizes: tuple[int, int],
        own: float | None = None,
        *,
        fpr: float | None = None,
        costs: tuple[float, float] | None = None,
        prevalence: float | None = None,
        capacity: float | None = None,
    ) -> Preset:
        """Check the user's settings, and choose the others from the data.

        `own`: share of positives, if rows have weights.
        """
        n_pos, n_neg = sizes
        own = n_pos / (n_pos + n_neg) if own is None else own
        share = own if prevalence is None else _check_share(prevalence)
        c_fn, c_fp = (None, None) if costs is None else check_costs(costs)
        given = {"fpr": fpr, "costs": costs, "prevalence": prevalence, "capacity": capacity}
        asked = tuple(name for name, value in given.items() if value is not None)
        fpr = usual_fpr(n_pos, n_neg, own / (1.0 - own)) if fpr is None else fpr
        capacity = _choose_capacity(own, n_pos + n_neg) if capacity is None else capacity
        return cls(
            fpr=check_number(fpr, "fpr", above=0, below=1),
            log_axis=own < RARE,
            c_fn=c_fn,
            c_fp=c_fp,
            prevalence=share,
            capacity=check_number(capacity, "capacity", above=0, below=1),
            asked=asked,
        )

    @property
    def w(self) -> float | None:
        """The operating condition of the costs; None without costs."""
        if self.c_fn is None or self.c_fp is None:
            return None
        return float(operating_condition(self.c_fn, self.c_fp, self.prevalence))


def _choose_capacity(prevalence: float, rows: int) -> float:
    """Choose a round share, at most one fifth, that is enough for all positives."""
    able = [share for share in CAPACITIES if share * rows >= 1.0]
    return next((share for share in able if share >= prevalence), CAPACITIES[-1])


@dataclass(frozen=True, eq=False)
class ReportRequest:
    """The rows and what was asked for, checked."""

    # the rows with each model's scores; or curves, where only counts are known
    models: Sample | CountedCurves
    level: float  # confidence level
    # class sizes of a future test set; None for those of each group or class
    future: tuple[int, int] | None
    title: str  # what to call the report, and where the rows come from
    source: str
    seed: int  # source of all randomness; every random part starts from it
    preset: Preset  # where the page starts
    # the one or two models that are shown in detail; empty to choose them by their AUC
    focus: tuple[str, ...]
    command: str  # how to make the report again
    kind: Kind = "model"
    without_weight: int = 0  # rows of weight 0, which were left out
    omitted: Omitted = field(default_factory=Omitted)  # what could not be made
    _lines: dict[str, Vertices] = field(default_factory=dict)

    @classmethod
    def from_models(
        cls,
        models: Sample | CountedCurves,
        *,
        level: float = 0.95,
        future: tuple[int, int] | None = None,
        title: str | None = None,
        source: str = "arrays",
        focus: str | Sequence[str] | None = None,
        command: str | None = None,
        rng: Rng = 0,
        **start: Any,
    ) -> ReportRequest:
        """Check what was asked for; the arguments are those of :func:`rocbands.report`.

        `start` is where the page starts, as :meth:`Preset.from_options` takes it.
        """
        kind = models.kind if isinstance(models, CountedCurves) else "model"
        given = 0
        if isinstance(models, Sample):
            given, models = models.n, models.leave_out_zeros()
        sizes = check_future(future)
        if sizes is None and kind == "model":
            sizes = _count_classes(models)
        names = tuple(models.curves) if isinstance(models, CountedCurves) else models.models
        default = _name_report(models)
        if len(names) <= 3:
            default = f"{default}: {', '.join(names)}"
        seed = choose_seed(rng)
        own = None
        if isinstance(models, Sample) and models.weights is not None:
            own = float(models.weights @ models.is_positive / models.weights.sum())
        preset = Preset.from_options(_count_classes(models), own, **start)
        return cls(
            models=models,
            level=check_level(level),
            future=sizes,
            title=default if title is None else str(title),
            source=source,
            seed=seed,
            preset=preset,
            focus=_check_focus(focus, names, kind),
            command=command or f"rb.report(..., rng={seed})",
            kind=kind,
            without_weight=given - models.n if isinstance(models, Sample) else 0,
        )

    @cached_property
    def curves(self) -> Mapping[str, RocCurve]:
        """Each model's curve; this is where scores are sorted, once."""
        if isinstance(self.models, CountedCurves):
            return self.models.curves
        return _count_curves(self.models)

    def fork(self) -> ReportRequest:
        """Return the same with omissions of its own; curves are those that are counted already."""
        made = replace(self, omitted=Omitted())
        vars(made)["curves"] = self.curves
        return made

    def follow_curve(self, name: str) -> Vertices:
        """Return a model's curve with no more vertices than a picture can show."""
        if name not in self._lines:
            self._lines[name] = follow_curve(self.curves[name].curve)
        return self._lines[name]

    @property
    def levels(self) -> list[float]:
        """All levels of bands."""
        return sorted({*LEVELS, self.level})

    def each(self, level: float) -> float:
        """Level of the limits of one curve; those of all groups or classes hold together."""
        return level if self.kind == "model" else math.exp(math.log(level) / len(self.curves))

    @property
    def own_levels(self) -> dict[float, float]:
        """Level of the band of one curve, for all levels of all curves together."""
        return {self.each(level): level for level in self.levels}

    @property
    def result(self) -> Subgroups | ClassBands | None:
        """What is known of groups or classes together; None for models."""
        return self.models.result if isinstance(self.models, CountedCurves) else None

    @property
    def given_prevalence(self) -> float | None:
        """The share of positives where the model will be used, if the user said it."""
        return self.preset.prevalence if "prevalence" in self.preset.asked else None

    @property
    def sizes(self) -> tuple[int, int]:
        """Number of positives and of negatives; of classes, in the mean of their curves."""
        return _count_classes(self.models)

    def sizes_of(self, name: str) -> tuple[int, int]:
        """Return the numbers of positives and of negatives behind one curve."""
        return self.curves[name].n_pos, self.curves[name].n_neg

    @property
    def rows(self) -> Sample | None:
        """The rows; None if there are only counts."""
        return None if isinstance(self.models, CountedCurves) else self.models

    @cached_property
    def extras(self) -> tuple[str, ...]:
        """Features of the rows beyond equal weight and independence, as in `Sample`."""
        if self.rows is not None:
            return self.rows.design
        found = dict.fromkeys(extra for roc in self.curves.values() for extra in roc.design)
        return tuple(extra for extra in found if extra != "bins")

    @property
    def notes(self) -> tuple[str, ...]:
        """What the report must say about the rows."""
        left = f"{self.without_weight:,} rows of weight 0 were left out."
        return (*self.models.notes, *((left,) if self.without_weight else ()))

    @property
    def weighted(self) -> str | None:
        """How rows are weighted, in words; None if they count equally."""
        if not {"weights", "class weights"} & {*self.extras}:
            return None
        name = None if self.rows is None else self.rows.drawn.weights_name
        return f"weighted by {name}" if name else "weighted"

    @property
    def n_strata(self) -> int | None:
        """Number of strata, if there are several."""
        strata = None if self.rows is None else self.rows.strata
        return None if strata is None or "strata" not in self.extras else int(strata.max()) + 1


def _check_share(prevalence: Any) -> float:
    share = check_prevalence(prevalence)
    if share.ndim:
        raise InputError(
            "must be one number",
            f"got {prevalence!r}",
            Message("Pass, for example, {}.", arg("prevalence", 0.02)),
            argument="prevalence",
        )
    return float(share)


def _check_focus(focus: Any, names: tuple[str, ...], kind: Kind) -> tuple[str, ...]:
    chosen = () if focus is None else tuple(list_given(focus))
    if len(chosen) > 2 or not all(isinstance(name, str) and name in names for name in chosen):
        raise InputError(
            f"must be one or two of the {name_kinds(kind)} {', '.join(map(repr, names))}",
            f"got {focus!r}",
            Message("Pass, for example, {}.", arg("focus", names[0])),
            argument="focus",
        )
    return chosen


def _name_report(models: Sample | CountedCurves) -> str:
    """Name a report; one on groups names their model."""
    if isinstance(models, Sample) or models.kind == "model":
        return "ROC report"
    result = models.result
    model = result.gaps.model if isinstance(result, Subgroups) else None
    of = "" if model is None or model in UNNAMED else f" of {model}"
    return f"ROC report{of} by {models.kind}"


def _count_classes(models: Sample | CountedCurves) -> tuple[int, int]:
    if not isinstance(models, CountedCurves):
        return models.n_pos, models.n_neg
    sizes = [(roc.n_pos, roc.n_neg) for roc in models.curves.values()]
    if models.kind == "model":
        return sizes[0]
    # Groups have no rows in common; classes have all of them.
    parts = 1 if models.kind == "group" else len(sizes)
    n_pos, n_neg = (max(1, round(sum(side) / parts)) for side in zip(*sizes, strict=True))
    return n_pos, n_neg


def _count_curves(sample: Sample) -> dict[str, RocCurve]:
    """Count each model's curve, by one sort; a sample keeps them."""
    parts = [sample[name] for name in sample]
    curves = map_columns(lambda part: part.roc, parts, sample.n)
    return dict(zip(sample, curves, strict=True))


def choose_seed(rng: Rng) -> int:
    """Return a seed: the given one, a new one, or a draw of the given generator."""
    source = share_source(rng)
    return source if isinstance(source, int) else int(source.integers(2**32))
