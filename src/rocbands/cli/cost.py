"""`rocbands cost` and `net-benefit`: costs of errors, and decision curves, with limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from rocbands.cli import load, messages, options
from rocbands.cli.messages import remark, usage
from rocbands.cli.output import Output, Page, for_each, json_models
from rocbands.errors import InputError

if TYPE_CHECKING:
    from rocbands.core.sample import Sample

# Operating conditions if none is named: at 0 and 1 themselves one kind of error is free.
GRID = [i / 100 for i in range(1, 100)]
_MARKED = 12  # operating conditions up to which each is marked in the plot
_CHOOSERS = ("validation", "calibrated", "thresholds", "split")
_LIMITS = ("method", "settings", "n_resamples", "sampling", "share_sd", "level", "simultaneous")

Cut = Callable[[str, Any], Any]  # thresholds of the model of that name, at some w


@messages.command("cost", "Costs of errors, with confidence limits.")
@load.reads
@options.input_file("--validation", "Choose thresholds on this file; same columns.")
@options.number("--calibrated", "Thresholds of probabilities calibrated at this prevalence.", "P")
@options.numbers("--threshold", "Threshold: one, or one for each --w.", "T", name="thresholds")
@options.flag("--split", "Choose thresholds on half of the rows, evaluate them on the other half.")
@options.numbers(
    "--w",
    "Operating condition, from 0 to 1: the share of missed positives in the cost of getting "
    "every row wrong. Can be repeated; by default 0.01 to 0.99.",
    "W",
)
@options.costs
@options.number("--prevalence", "Prevalence, with --costs; by default that of SCORES.", "P")
@options.method("cost", "Method of the limits; differences use the default if it has none")
@options.one_of("--sampling", "Prevalence: known, or random.", ("stratified", "full"))
@options.number(
    "--share-sd",
    "The prevalence varies between populations with this standard deviation about --prevalence, or "
    "about an unknown mean if that is left out.",
    "S",
)
@options.level
@options.flag("--simultaneous", "Limits of the difference simultaneous over w; for two models.")
@options.flag("--h-measure", "Print Hand's H measure of each model, with an interval.")
@options.number(
    "--severity-ratio",
    "With --h-measure: cost of a false positive, relative to a false negative; by default the "
    "ratio of positives to negatives.",
    "S",
)
@options.flag("--condition", "Without SCORES: print w for --costs, or costs for --w.")
@options.output(options.PLOT)
@options.seed("Seed of --split and --simultaneous.")
def cost(
    *,
    source: load.Source,
    choose: options.Choose,
    w: tuple[float, ...],
    costs: tuple[float, float] | None,
    prevalence: float | None,
    condition: bool,
    h_measure: bool,
    severity_ratio: float | None,
    out: Output,
    **how: Any,
) -> None:
    """Cost of the errors of each model in SCORES, relative to getting every row wrong.

    Confidence limits need thresholds that were not chosen on the same rows: pass --validation,
    --calibrated, --threshold or --split. With two models also the difference, and where one is
    cheaper. Without these options the cost curve is printed: the least cost of any threshold on
    these rows, which is optimistic and has no limits.

    With --h-measure only the H measure is printed: the costs of errors have a distribution whose
    mode is --severity-ratio.
    """
    if condition:
        _show_condition(w, costs, prevalence, out)
        return
    if h_measure:
        _show_h_measure(source, severity_ratio, how, out)
        return
    options.refuse("costs; it is for --h-measure", "severity_ratio")
    is_open = not w and costs is None
    at = GRID if is_open else list(w) or None
    asked = {"w": at, "costs": costs, "prevalence": prevalence}
    chooser = _find_chooser(how)
    if chooser is None:
        options.refuse(
            "cost curves, which have no limits",
            *_LIMITS,
            instead="pass --validation FILE, --calibrated P, --threshold T or --split",
        )
        _show_curves(source.read(), asked, is_open, out)
        return
    method = choose(level=how["level"])
    data = source.read_rows() if chooser == "split" else replace(source, shared=True).read()
    _check_simultaneous(how["simultaneous"], data)
    data, cut = _choose_cut(chooser, how, data, source)
    if how["share_sd"] is not None:
        _vary_share(how, prevalence)
        asked["prevalence"] = None
    limits = Limits(data, load.split_models(data), method, how)
    at = _find_conditions(limits.parts, asked | {"sampling": how["sampling"]}).w.tolist()
    cuts = {name: cut(name, at) for name in limits.parts}
    found, gap = limits.intervals(cuts, asked), limits.difference(cuts, asked)
    if out.plot is not None:
        from rocbands.plot.costs import draw_models_by_cost

        drawn: Any = (found, gap)
        mark: list[float] = []
        if not is_open and not (chooser == "thresholds" and len(how["thresholds"]) > 1):
            drawn, mark = limits.find_along_w(cut, at, gap), at if len(at) <= _MARKED else []
        out.save(draw_models_by_cost(*drawn, mark=mark, prevalence=prevalence))
    out.show_models(found, "rocbands.costs/2", difference=gap)


def _show_h_measure(
    source: load.Source, ratio: float | None, how: dict[str, Any], out: Output
) -> None:
    """Print the H measure of each model."""
    import rocbands as rb

    options.refuse("--h-measure", *_CHOOSERS, "w", "costs", "prevalence", "method", "sampling")
    options.refuse("--h-measure", "simultaneous")
    asked = {"severity_ratio": ratio, "level": how["level"], "rng": how["rng"]}
    parts = load.split_models(source.read())
    found = for_each(parts, "Interval", lambda _, part: rb.h_measure_interval(part, **asked))
    table = rb.Table(found)
    out.save(table)
    out.show([Page.of(table)], lambda: json_models(found, "rocbands.h-measures/1"))


def _show_condition(
    w: tuple[float, ...], costs: tuple[float, float] | None, prevalence: float | None, out: Output
) -> None:
    """Print the operating condition of costs and a prevalence, or costs that give a w."""
    import rocbands as rb
    from rocbands.cli.documents import Condition

    known = {"w", "costs", "c_fn", "c_fp", "prevalence", "condition"}
    known |= {"form", "as_json", "caption", "digits"}
    others = {str(param.name) for param in click.get_current_context().command.params} - known
    options.refuse("--condition", *others)
    if prevalence is None or len(w) + (costs is not None) != 1:
        raise usage("--condition takes --costs A B or one --w W, and --prevalence P with either.")
    if costs is None:
        c_fn, c_fp = (float(cost) for cost in rb.cost.costs_at(w[0], prevalence))
        out.show_result(Condition(w[0], c_fn, c_fp, prevalence))
    else:
        at = float(rb.operating_condition(*costs, prevalence))
        out.show_result(Condition(at, *costs, prevalence))


def _vary_share(how: dict[str, Any], mean: float | None) -> None:
    """Make --sampling a distribution of the prevalence, about --prevalence if there is one."""
    import rocbands as rb

    if how["sampling"] != "stratified":
        raise usage("--share-sd and --sampling full exclude each other.")
    try:
        how["sampling"] = rb.cost.ShareLaw(how["share_sd"], mean)
    except InputError as problem:
        raise problem.rename({"sd": "share_sd", "mean": "prevalence"}) from None


def _find_chooser(given: dict[str, Any]) -> str | None:
    """Return which of `_CHOOSERS` chooses the thresholds, if any."""
    named = [name for name in _CHOOSERS if given[name] not in (None, (), False)]
    if len(named) > 1:
        words = " and ".join(f"--{name.removesuffix('s')}" for name in named)
        raise usage(f"Thresholds must come from one option; {words} were given.")
    return named[0] if named else None


def _check_simultaneous(simultaneous: bool, data: Any) -> None:
    from rocbands.core.sample import Sample

    rows = isinstance(data, Sample)
    if simultaneous and not (rows and len(data.models) == 2):
        raise InputError(
            "--simultaneous is for the difference of two models on the same rows",
            f"there are {len(data.models)}" if rows else "SCORES contains counts",
            "Name them by --score A --score B, or leave it out." if rows else "Leave it out.",
        )


def _choose_cut(
    chooser: str, how: dict[str, Any], data: Any, source: load.Source
) -> tuple[Any, Cut]:
    """Return the data to evaluate, and the thresholds of a model at some w."""
    import rocbands as rb

    if chooser == "thresholds":
        own = list(how["thresholds"]) if len(how["thresholds"]) > 1 else how["thresholds"][0]
        return data, lambda *_: own
    if chooser == "calibrated":
        try:
            rb.cost.calibrated_thresholds(GRID, how["calibrated"])
        except InputError as problem:
            raise problem.rename({"prevalence": "calibrated"}) from None
        _check_probabilities(data)
        return data, lambda _, w: rb.cost.calibrated_thresholds(w, how["calibrated"])
    if chooser == "split":
        valid, data = _split(data, how["rng"])
    else:
        path = how["validation"]
        if source.path is not None and _is_same_file(source.path, path):
            raise InputError(
                f"--validation must contain different rows from SCORES; both are '{path}'. Name "
                "another file, or pass --split."
            )
        valid = source.read_second(path, data.models)
    parts = load.split_models(valid)
    return data, lambda name, w: rb.cost_thresholds(parts[name], w=w).thresholds


def _is_same_file(one: str, other: str) -> bool:
    both = Path(one).exists() and Path(other).exists()
    return one == other or (both and Path(one).samefile(other))


def _check_probabilities(data: Any) -> None:
    """Refuse scores that cannot be probabilities."""
    for name in data.models:
        thresholds = data[name].roc.thresholds  # of bins, where they begin
        low, high = float(thresholds[-1]), float(thresholds[0])
        if low < 0.0 or high > 1.0:
            raise InputError(
                f"--calibrated is for probabilities, from 0 to 1; {name!r} goes from {low:g} to "
                f"{high:g}. Pass --validation, --threshold or --split instead."
            )


def _split(sample: Sample, rng: Any) -> tuple[Sample, Sample]:
    """Split the rows at random: half of each class chooses thresholds, the rest evaluates them."""
    from rocbands.cost.thresholds import split_rows

    if min(sample.n_pos, sample.n_neg) < 2:
        raise InputError(
            "--split needs two rows of either class; one class has only 1. Name a --validation "
            "file instead."
        )
    valid, judged = split_rows(sample, rng)
    remark(f"thresholds chosen on {valid.n} rows, evaluated on the other {judged.n}", prefix="")
    return valid, judged


def _find_conditions(parts: dict[str, Any], asked: dict[str, Any]) -> Any:
    """Return the operating conditions."""
    from rocbands.cost.conditions import build_conditions

    roc = next(iter(parts.values())).roc
    if asked["costs"] is not None and asked["prevalence"] is None and not roc.has_equal_weights:
        asked = asked | {"prevalence": roc.prevalence}
    return build_conditions(**asked, sizes=(roc.n_pos, roc.n_neg))


class Limits(NamedTuple):
    """The data to evaluate, and which confidence limits are wanted."""

    data: Any
    parts: dict[str, Any]  # the data of each model
    method: Any
    how: dict[str, Any]

    def intervals(self, cuts: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
        """Evaluate the thresholds of each model."""
        import rocbands as rb

        how = {name: self.how[name] for name in ("sampling", "level")}
        ask = partial(rb.cost_interval, method=self.method, **how, **asked)
        return for_each(self.parts, "Costs", lambda name, part: ask(part, thresholds=cuts[name]))

    def difference(self, cuts: dict[str, Any], asked: dict[str, Any]) -> Any:
        """Compare two models."""
        import rocbands as rb

        how = {name: self.how[name] for name in ("sampling", "level", "simultaneous", "rng")}
        how |= {"thresholds": cuts, "method": self.method}
        return load.find_difference(self.data, rb.cost_difference, **how, **asked)

    def find_along_w(self, cut: Cut, at: list[float], gap: Any) -> tuple[dict[str, Any], Any]:
        """Return intervals and difference at all w, for the plot."""
        import numpy as np

        w = np.union1d(GRID, at)
        cuts = {name: cut(name, w) for name in self.parts}
        # Limits simultaneous over the given w are not those simultaneous over all w.
        if not self.how["simultaneous"]:
            gap = self.difference(cuts, {"w": w})
        return self.intervals(cuts, {"w": w}), gap


def _show_curves(data: Any, asked: dict[str, Any], is_open: bool, out: Output) -> None:
    """Print cost curves, and the best thresholds at operating conditions that were named."""
    import rocbands as rb
    from rocbands.io.records import json_of

    parts = load.split_models(data)
    curves = for_each(parts, "Cost curve", lambda _, part: rb.cost_curve(part))
    at = _find_conditions(parts, asked)
    unit = None if at.per_row is None else float(at.per_row[0])
    best = {name: _best_at(curve, at.w.tolist(), unit) for name, curve in curves.items()}
    out.draw_panels([curves], prevalence=asked["prevalence"])
    if is_open:
        out.show_models(curves, "rocbands.costs/2")
        return
    models_best = {name: curve.to_dict() for name, curve in curves.items()}
    document = {"schema": "rocbands.costs/2", "models": models_best, "best": best}
    said = "The best at the given w, just as optimistic:"
    pages = []
    for name, curve in curves.items():
        whole = partial(best.__getitem__, name)
        if unit is not None:  # with costs, a table of w was not asked for
            shown = {key: best[name][key] for key in (*_MONEY, "threshold")}
            lines = f"{_BEST_IN_MONEY}\n{curve.notes[0]}"
            pages.append(Page(f"Model {name}", lines, shown, whole, name))
            continue
        # For CSV the curve itself is not asked for: only what is best at the given w.
        pages += [] if "csv" in out.form else [Page.of(curve, f"Model {name}")]
        pages.append(Page("", said, best[name], whole, name))
    out.show(pages, lambda: json_of(document))


_MONEY = ("cost_per_1000", "all_alike_per_1000")
_BEST_IN_MONEY = "Least cost per 1,000 rows in the given costs; all_alike: all rows in one class."


def _best_at(curve: Any, w: list[float], unit: float | None) -> dict[str, list[float]]:
    """Return the least cost at each w, also in the given costs: times `unit` for a row."""
    best = {
        "cost": curve.at(w),
        "threshold": curve.threshold_at(w),
        "cost_all_alike": curve.trivial(w),
    }
    if unit is not None:
        pair = (best["cost"], best["cost_all_alike"])
        best |= {name: 1000.0 * unit * x for name, x in zip(_MONEY, pair, strict=True)}
    return {"w": w} | {name: column.tolist() for name, column in best.items()}


@messages.command("net-benefit", "Net benefit of treating by a probability: decision curves.")
@load.reads_rows
@options.numbers(
    "--threshold",
    "Threshold probability; by default 0.01, 0.02, ..., 0.99. Can be repeated.",
    "T",
    name="thresholds",
    also="--thresholds",
)
@options.text(
    "--simultaneous/--pointwise",
    "Limits for all thresholds together, or for each by itself.",
    name="simultaneous",
    default=True,
)
@options.number("--prevalence", "Prevalence; by default estimated from the rows.", "P")
@options.level
@options.resamples
@options.output("Plot of all models and the difference of two in a PNG, PDF or SVG file.")
@options.seed()
def net_benefit(
    *, source: load.Source, thresholds: tuple[float, ...], out: Output, **asked: Any
) -> None:
    """Net benefit of treating the cases whose probability is at least a threshold.

    Scores must be probabilities. Each model is compared with treating all and treating none: the
    first sentence says where it is better than both. With two models also the difference, first
    minus second. The table shows a few of the thresholds; --format csv and --json have all.
    """
    import rocbands as rb

    how = {name: value for name, value in asked.items() if value is not None}
    how["thresholds"] = list(thresholds) or None
    data = source.read_rows()
    found = for_each(
        {name: data[name] for name in data},
        "Net benefit",
        lambda _, part: rb.net_benefit(part, **how),
    )
    gap = load.find_difference(data, rb.net_benefit_difference, **how)
    if out.plot is not None:
        from rocbands.plot.decisions import draw_models_by_net_benefit

        out.save(draw_models_by_net_benefit(found, gap))
    out.show_models(found, "rocbands.net-benefits/1", difference=gap)
