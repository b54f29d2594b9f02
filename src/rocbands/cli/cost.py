"""`rocbands cost` and `condition`: what errors cost, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocbands.cli import load, messages, options
from rocbands.cli.load import Models
from rocbands.cli.messages import remark, usage
from rocbands.cli.output import (
    Page,
    draw_models,
    for_each,
    save_plot,
    show,
    show_models,
    show_result,
)
from rocbands.errors import InputError

if TYPE_CHECKING:
    from rocbands.core.method import Method
    from rocbands.core.scores import PairedScores

__all__ = ["GRID", "condition", "cost"]


# Operating conditions if none is named: at 0 and 1 themselves one kind of error is free.
GRID = [i / 100 for i in range(1, 100)]
_MARKED = 12  # operating conditions up to which each stands out in the picture
_SOURCES = ("validation", "calibrated", "thresholds", "split")

_OPTIONS = {"settings": "set", "n_resamples": "resamples"}  # where names differ

Thresholds = Callable[[str, Any], Any]  # of the model of that name, at some w


@messages.command(
    "cost",
    "What errors cost, and how sure that is.",
    """
  rocbands cost --example
  rocbands cost --example --split --seed 1 --plot cost.png
  rocbands cost scores.csv --validation later.csv --c-fn 10 --c-fp 1
  rocbands cost scores.csv --calibrated 0.5 --simultaneous --json
""",
    aliases={
        "costs": "--c-fn and --c-fp",
        "thresholds_1": "--threshold",
        "thresholds_2": "--threshold",
    },
)
@load.reads_counts
@options.input_file(
    "--validation", "Take the thresholds that are best on this file, with the same columns."
)
@options.number(
    "--calibrated",
    "Scores are calibrated probabilities, learned from data with this share of positives: "
    "take the thresholds that follow.",
    "P",
)
@options.number(
    "--threshold",
    "Threshold that is already set: one for all, or one for each --w.",
    "T",
    name="thresholds",
    multiple=True,
)
@options.flag(
    "--split", "Let half of the rows choose thresholds, and judge them on the other half."
)
@options.number(
    "--w",
    "Operating condition, from 0 to 1: the share of missed positives in the cost of getting "
    "every row wrong. Repeat it for several; by default 0.01 to 0.99.",
    "W",
    multiple=True,
)
@options.costs
@options.number(
    "--prevalence",
    "Share of positives where decisions will be made, with --c-fn and --c-fp; by default "
    "that of SCORES.",
    "P",
)
@options.method("cost", "Method of the limits; differences are by the default if it has none")
@options.settings
@options.resamples
@click.option(
    "--sampling",
    type=options.OneOf(["stratified", "full"]),
    default="stratified",
    show_default=True,
    help="stratified: the share of positives is known. full: it is as random as the rows.",
)
@options.level
@options.flag(
    "--simultaneous", "Limits of the difference that hold at all w together; for two models."
)
@options.plot()
@options.forms
@options.seed("Seed of --split and --simultaneous.")
def cost(
    *,
    rows: dict[str, Any],
    choose: options.Choose,
    sampling: str,
    level: float,
    plot: str | None,
    form: str,
    **how: Any,
) -> None:
    """Cost of the errors of each model in SCORES, as a share of getting every row wrong.

    Confidence limits need thresholds that were not chosen on the rows they are judged on: say
    --validation, --calibrated, --threshold or --split. Of two models there is also the difference,
    and where one is cheaper. Without any of these options the cost curve is printed, the best that
    any threshold does on these rows: that is optimistic, and has no limits.
    """
    source = _find_source({name: how[name] for name in _SOURCES})
    c_fn, c_fp = how.pop("costs") or (None, None)
    conditions = Conditions(how.pop("w"), c_fn, c_fp, how.pop("prevalence"))
    conditions.check()
    if source is None:
        _refuse_limits()
        _show_curves(conditions, load.read_models(**rows), plot, form)
        return
    limits = Limits(choose(level=level), sampling, level, how["simultaneous"], how["rng"])
    models = load.read_models(**rows, label_is_elsewhere=how["validation"] is not None)
    limits.check(models, source, rows["source"])
    models, thresholds = _choose_thresholds(source, how, models, rows)
    cuts = {name: thresholds(name, conditions.at(models)) for name in models.names}
    found = limits.intervals(models, cuts, conditions.as_arguments)
    pair = models.pair()
    gap = None if pair is None else limits.difference(pair, cuts, conditions.as_arguments)
    if plot is not None:
        one_each = source == "thresholds" and len(how["thresholds"]) > 1
        _draw(conditions, limits, models, None if one_each else thresholds, (found, gap), plot)
    show_models(form, found, "rocbands.costs/2", difference=gap)


@dataclass(frozen=True)
class Conditions:
    """What errors weigh: operating conditions w, or costs and a prevalence."""

    w: tuple[float, ...]
    c_fn: float | None
    c_fp: float | None
    prevalence: float | None

    def check(self) -> None:
        """Refuse costs beside w, and a prevalence without costs."""
        if self.w and self.c_fn is not None:
            raise usage(
                "Either w or costs say what errors weigh; both were given. Pass --w, or --c-fn and "
                "--c-fp"
            )
        if self.prevalence is not None and self.c_fn is None:
            raise usage("--prevalence goes with --c-fn and --c-fp, which were not given.")

    @property
    def is_open(self) -> bool:
        """Whether no operating condition was named."""
        return not self.w and self.c_fn is None

    @property
    def as_arguments(self) -> dict[str, Any]:
        """Operating conditions, as the library takes them."""
        costs = None if self.c_fn is None else (self.c_fn, self.c_fp)
        w = GRID if self.is_open else list(self.w) or None
        return {"w": w, "costs": costs, "prevalence": self.prevalence}

    def at(self, models: Models) -> list[float]:
        """Operating conditions as w."""
        import rocbands as rb

        if self.c_fn is None or self.c_fp is None:
            return list(self.w) or GRID
        share = models.prevalence if self.prevalence is None else self.prevalence
        return [float(rb.operating_condition(self.c_fn, self.c_fp, share))]

    def cost_per_row(self, models: Models) -> float | None:
        """Return what a cost of 1 is in the given costs, for each row."""
        if self.c_fn is None or self.c_fp is None:
            return None
        share = models.prevalence if self.prevalence is None else self.prevalence
        return share * self.c_fn + (1.0 - share) * self.c_fp


@dataclass(frozen=True)
class Limits:
    """Which confidence limits are wanted."""

    method: Method | None
    sampling: str
    level: float
    simultaneous: bool
    rng: Any

    def check(self, models: Models, source: str, file: str | None) -> None:
        """Refuse limits that what was read cannot give."""
        if self.simultaneous and len(models.names) != 2:
            raise InputError(
                f"--simultaneous is for the difference of two models; there are "
                f"{len(models.names)}. Name them by --score A --score B, or leave it out."
            )
        if models.rows is None and (self.simultaneous or source == "split"):
            option, why = (
                ("--split", "cannot be parted into halves. Name a --validation file")
                if source == "split"
                else ("--simultaneous", "have no difference of two models. Leave it out")
            )
            raise InputError(
                f"{option} needs rows; {file} contains counts, which {why}, or name the file that "
                "was counted."
            )

    @property
    def _arguments(self) -> dict[str, Any]:
        return {"sampling": self.sampling, "level": self.level}

    def intervals(
        self, models: Models, cuts: dict[str, Any], conditions: dict[str, Any]
    ) -> dict[str, Any]:
        """Judge the thresholds of each model."""
        import rocbands as rb

        asked = {**self._arguments, **conditions}
        if self.method is not None:
            asked["method"] = self.method
        return for_each(
            models.curves,
            "Costs",
            lambda name, roc: rb.cost_interval(roc, thresholds=cuts[name], **asked),
        )

    def difference(
        self, pair: PairedScores, cuts: dict[str, Any], conditions: dict[str, Any]
    ) -> Any:
        """Compare two models; by the default method if the chosen one is for one model."""
        import rocbands as rb

        one, two = pair.names
        asked = {**self._arguments, **conditions, "simultaneous": self.simultaneous}
        if self.method is not None and "paired" in self.method.handles:
            asked["method"] = self.method
        return rb.cost_difference(
            pair.is_positive,
            pair.models[one],
            pair.models[two],
            thresholds_1=cuts[one],
            thresholds_2=cuts[two],
            names=(one, two),
            rng=self.rng,
            **asked,
        )


def _find_source(given: dict[str, Any]) -> str | None:
    """Return where thresholds come from, of `_SOURCES`; None if from the rows themselves."""
    named = [name for name, value in given.items() if value not in (None, (), False)]
    if len(named) > 1:
        words = " and ".join(f"--{name.removesuffix('s')}" for name in named)
        raise usage(f"Thresholds come from one place; {words} were given.")
    return named[0] if named else None


def _refuse_limits() -> None:
    """Refuse options of limits where there will be none."""
    for name in ("method", "settings", "n_resamples", "sampling", "level", "simultaneous"):
        if options.is_given(name):
            option = f"--{_OPTIONS.get(name, name)}"
            raise usage(
                f"{option} is for confidence limits, which need thresholds that were not chosen on "
                "the same rows. Say where they come from: --validation FILE, --calibrated P, "
                "--threshold T or --split."
            )


def _choose_thresholds(
    source: str, how: dict[str, Any], models: Models, rows: dict[str, Any]
) -> tuple[Models, Thresholds]:
    """Return what is judged, and the thresholds of a model at some w."""
    import rocbands as rb

    if source == "calibrated":
        learned_at = how["calibrated"]
        try:
            rb.calibrated_thresholds(GRID, learned_at)
        except InputError as problem:
            raise problem.rename({"prevalence": "calibrated"}) from None
        _check_probabilities(models)
        return models, lambda _, w: rb.calibrated_thresholds(w, learned_at)
    if source == "thresholds":
        own = list(how["thresholds"]) if len(how["thresholds"]) > 1 else how["thresholds"][0]
        return models, lambda *_: own
    if source == "validation":
        valid = _read_validation(how["validation"], models.names, rows)
    else:
        valid, models = _split(models, how["rng"])
    return models, lambda name, w: rb.cost_thresholds(valid.curves[name], w=w)


def _read_validation(path: str, names: tuple[str, ...], rows: dict[str, Any]) -> Models:
    """Read what chooses thresholds: the same columns, or models, of another file."""
    source = rows["source"]
    if source is not None and (source == path or _is_same_file(source, path)):
        raise InputError(
            f"--validation must contain other rows than SCORES; both are '{path}'. Choose "
            "thresholds "
            "on rows that are not judged, or say --split."
        )
    try:
        asked = {**load.second_file(path, rows), "scores": names}
        return load.read_models(**asked, label_is_elsewhere=True)
    except InputError as problem:
        if path in str(problem):
            raise
        raise InputError(f"{path}: {problem.message.raw}") from problem


def _is_same_file(one: str, other: str) -> bool:
    return Path(one).exists() and Path(other).exists() and Path(one).samefile(other)


def _check_probabilities(models: Models) -> None:
    """Refuse scores that cannot be probabilities: thresholds for those would mean nothing."""
    for name, roc in models.curves.items():
        low, high = float(roc.thresholds[-1]), float(roc.thresholds[0])  # of bins, where they begin
        if low < 0.0 or high > 1.0:
            raise InputError(
                f"--calibrated is for probabilities, from 0 to 1; {name!r} goes from {low:g} to "
                f"{high:g}. Name a --validation file, a --threshold, or say --split."
            )


def _split(models: Models, seed: Any) -> tuple[Models, Models]:
    """Part the rows at random: half of either class to choose thresholds, the others to judge."""
    from rocbands.cost.thresholds import split_rows

    assert models.rows is not None, "counts cannot be split"
    if min(models.sizes) < 2:
        raise InputError(
            "--split needs two rows of either class; one class has only 1. Name a --validation "
            "file instead."
        )
    valid, judged = (Models(half) for half in split_rows(models.rows, seed))
    remark(
        f"{sum(valid.sizes)} rows chose the thresholds, the other {sum(judged.sizes)} are judged",
        prefix="",
    )
    return valid, judged


def _draw(
    conditions: Conditions,
    limits: Limits,
    models: Models,
    thresholds: Thresholds | None,
    found: tuple[dict[str, Any], Any],
    path: str,
) -> None:
    """Draw what was found; where thresholds are known at every w, all along w."""
    import numpy as np

    from rocbands.plot.costs import draw_models_by_cost

    intervals, gap = found
    mark: list[float] = []
    if not conditions.is_open and thresholds is not None:
        at = conditions.at(models)
        mark = at if len(at) <= _MARKED else []
        w = np.union1d(GRID, at)
        cuts = {name: thresholds(name, w) for name in models.names}
        intervals = limits.intervals(models, cuts, {"w": w})
        # Limits for the given w together are not those for all w together.
        if gap is not None and models.rows is not None and not limits.simultaneous:
            gap = limits.difference(models.rows, cuts, {"w": w})
    drawn = draw_models_by_cost(intervals, gap, mark=mark, prevalence=conditions.prevalence)
    save_plot(drawn, path)


def _show_curves(conditions: Conditions, models: Models, plot: str | None, form: str) -> None:
    """Print cost curves, and the best thresholds at operating conditions that were named."""
    import rocbands as rb
    from rocbands.io.records import json_of

    at = conditions.at(models)
    curves = for_each(models.curves, "Cost curve", lambda _, roc: rb.cost_curve(roc))
    unit = conditions.cost_per_row(models)
    best = {name: _best_at(curve, at, unit) for name, curve in curves.items()}
    draw_models(curves, plot, prevalence=conditions.prevalence)
    if conditions.is_open:
        show_models(form, curves, "rocbands.costs/2")
        return
    models_best = {name: curve.to_dict() for name, curve in curves.items()}
    document = {"schema": "rocbands.costs/2", "models": models_best, "best": best}
    said = "The best at the given w, just as optimistic:"
    pages = []
    for name, curve in curves.items():
        whole = partial(best.__getitem__, name)
        if unit is not None:  # whoever gave costs did not ask for a table of w
            shown = {key: best[name][key] for key in (*_MONEY, "threshold")}
            lines = f"{_BEST_IN_MONEY}\n{curve.notes[0]}"
            pages.append(Page(f"Model {name}", lines, shown, whole, name))
            continue
        # For CSV the curve itself is not asked for: only what is best at the given w.
        pages += [] if "csv" in form else [Page.of(curve, f"Model {name}")]
        pages.append(Page("", said, best[name], whole, name))
    show(form, pages, lambda: json_of(document))


_MONEY = ("cost_per_1000", "all_alike_per_1000")
_BEST_IN_MONEY = "Least cost per 1,000 rows in the given costs, and that of calling all rows alike."


def _best_at(curve: Any, w: list[float], unit: float | None) -> dict[str, list[float]]:
    """Return the least cost at each w; in the given costs too, of which 1 is `unit` for a row."""
    best = {
        "cost": curve.at(w),
        "threshold": curve.threshold_at(w),
        "cost_all_alike": curve.trivial(w),
    }
    if unit is not None:
        pair = (best["cost"], best["cost_all_alike"])
        best |= {name: 1000.0 * unit * x for name, x in zip(_MONEY, pair, strict=True)}
    return {"w": w} | {name: column.tolist() for name, column in best.items()}


@messages.command(
    "condition",
    "Costs and prevalence as one number w, and back.",
    """
  rocbands condition --c-fn 9 --c-fp 1 --prevalence 0.1
  rocbands condition --w 0.5 --prevalence 0.1
""",
)
@options.costs
@options.number("--w", "Operating condition, from 0 to 1.", "W")
@options.number(
    "--prevalence", "Share of positives where decisions will be made.", "P", required=True
)
@options.forms
def condition(
    *, costs: tuple[float, float] | None, w: float | None, prevalence: float, form: str
) -> None:
    """Operating condition w that costs and a prevalence make, or costs that make a given w.

    w is the share of missed positives in the cost of getting every row wrong: what
    'rocbands cost --w' takes. Of all costs that make the same w those are printed that weigh 1
    for getting every row wrong.
    """
    import rocbands as rb
    from rocbands.cli.documents import Condition

    if w is not None and costs is None:
        c_fn, c_fp = (float(cost) for cost in rb.costs_at(w, prevalence))
    elif w is None and costs is not None:
        c_fn, c_fp = costs
        w = float(rb.operating_condition(c_fn, c_fp, prevalence))
    else:
        raise usage("Give --c-fn and --c-fp, or --w, and --prevalence with either.")
    show_result(form, Condition(w, c_fn, c_fp, prevalence))
