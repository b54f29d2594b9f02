"""`rocbands cost`: what errors cost, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rocbands.cli import options
from rocbands.cli.cost_order import (
    GRID,
    Order,
    Thresholds,
    check_probabilities,
    halves,
    read_validation,
)
from rocbands.cli.given import Given, read_given, reads_counts
from rocbands.cli.outputs import Page, draw_models, show, show_models

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from rocbands.cost.result import CostCurve

__all__ = ["command"]

MARKED = 12  # operating conditions up to which each stands out in the picture


def _complete_method(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[str | CompletionItem]:
    from rocbands.cost import METHODS

    return [name for name in METHODS if name.startswith(incomplete)]


@click.command(
    "cost",
    short_help="What errors cost, and how sure that is.",
    epilog="""\b
Examples:
  rocbands cost --example
  rocbands cost --example --split --seed 1 --plot cost.png
  rocbands cost scores.csv --validation valid.csv --c-fn 10 --c-fp 1
  rocbands cost scores.csv --calibrated 0.5 --simultaneous --json
""",
)
@reads_counts
@click.option(
    "--validation",
    metavar="FILE",
    type=click.Path(),
    help="Take the thresholds that are best on this file, with the same columns.",
)
@click.option(
    "--calibrated",
    type=options.NUMBER,
    metavar="P",
    help="Scores are calibrated probabilities, learned from data with this share of positives: "
    "take the thresholds that follow.",
)
@click.option(
    "--threshold",
    type=options.NUMBER,
    multiple=True,
    metavar="T",
    help="Threshold that is already set: one for all, or one for each --w.",
)
@click.option(
    "--split",
    is_flag=True,
    help="Let half of the rows choose thresholds, and judge them on the other half.",
)
@click.option(
    "--w",
    type=options.NUMBER,
    multiple=True,
    metavar="W",
    help="Operating condition, from 0 to 1: the share of missed positives in the cost of getting "
    "every row wrong. Repeat it for several; by default 0.01 to 0.99.",
)
@click.option(
    "--c-fn", type=options.NUMBER, metavar="A", help="Cost of a missed positive, instead of --w."
)
@click.option(
    "--c-fp", type=options.NUMBER, metavar="B", help="Cost of a false alarm, instead of --w."
)
@click.option(
    "--prevalence",
    type=options.NUMBER,
    metavar="P",
    help="Share of positives where decisions will be made, with --c-fn and --c-fp; by default "
    "that of SCORES.",
)
@click.option(
    "--method",
    metavar="NAME",
    default="mover",
    show_default=True,
    shell_complete=_complete_method,
    help="mover, gaussian, exact, score or binormal. The last two are for one model; "
    "differences then are by mover.",
)
@click.option(
    "--sampling",
    type=options.OneOf(["stratified", "full"]),
    default="stratified",
    show_default=True,
    help="stratified: the share of positives is known. full: it is as random as the rows.",
)
@options.level
@click.option(
    "--simultaneous",
    is_flag=True,
    help="Limits of the difference that hold at all w together; for two models.",
)
@options.plot()
@options.forms
@options.seed("Make --split and --simultaneous repeatable.")
def command(*, plot: str | None, form: str, **asked: Any) -> None:
    """Cost of the errors of each model in SCORES, as a share of getting every row wrong.

    Confidence limits need thresholds that were not chosen on the rows they are judged on: say
    --validation, --calibrated, --threshold or --split. Of two models there is also the difference,
    and where one is cheaper. Without any of these options the cost curve is printed, the best that
    any threshold does on these very rows: that is optimistic, and has no limits.
    """
    from rocbands.plot.files import check_target

    order = Order(**{name: asked.pop(name) for name in Order._fields})
    order.check()
    if plot is not None:
        check_target(plot)
    given = read_given(**asked)
    if not order.has_source:
        _curves(order, given, plot, form)
        return
    order.check_given(given, asked["source"])
    given, thresholds = _chosen(order, given, asked)
    at = order.at(given)
    cuts = [thresholds(name, at) for name in given.names]
    found = {
        name: order.interval(given, name, cut, order.conditions)
        for name, cut in zip(given.names, cuts, strict=True)
    }
    pair = given.pair()
    gap = None if pair is None else order.difference(pair, cuts, order.conditions)
    if plot is not None:
        _draw(order, given, thresholds, (found, gap), plot)
    besides = {} if gap is None else {"difference": gap}
    show_models(form, found, "rocbands.costs/2", **besides)


def _chosen(order: Order, given: Given, asked: dict[str, Any]) -> tuple[Given, Thresholds]:
    """Return what is judged, and where its thresholds come from."""
    from rocbands.cost.thresholds import calibrated_thresholds, cost_thresholds

    if order.calibrated is not None:
        learned_at = order.calibrated
        check_probabilities(given)
        return given, lambda _, w: calibrated_thresholds(w, learned_at)
    if order.threshold:
        own = list(order.threshold) if len(order.threshold) > 1 else order.threshold[0]
        return given, lambda *_: own
    if order.validation is not None:
        valid = read_validation(order.validation, given, **asked)
    else:
        assert given.rows is not None, "counts cannot be split"
        valid, given = (Given.of(half) for half in halves(given.rows, order.seed))
        click.echo(
            f"{valid.size} rows chose the thresholds, the other {given.size} are judged", err=True
        )
    return given, lambda name, w: cost_thresholds(*valid.parts[name], w=w)


def _draw(order: Order, given: Given, thresholds: Thresholds, found: Any, path: str) -> None:
    """Draw what was found; where thresholds are known at every w, all along w."""
    import numpy as np

    from rocbands.plot import save
    from rocbands.plot.costs import draw_models_by_cost

    intervals, gap = found
    mark: list[float] = []
    if not order.is_open and len(order.threshold) < 2:
        at = order.at(given)
        mark = at if len(at) <= MARKED else []
        w = np.union1d(GRID, at)
        cuts = [thresholds(name, w) for name in given.names]
        intervals = {
            name: order.interval(given, name, cut, {"w": w})
            for name, cut in zip(given.names, cuts, strict=True)
        }
        # Limits for the given w together are not those for all w together.
        if gap is not None and given.rows is not None and not order.simultaneous:
            gap = order.difference(given.rows, cuts, {"w": w})
    save(draw_models_by_cost(intervals, gap, mark=mark, prevalence=order.prevalence), path)
    click.echo(f"Wrote {path}", err=True)


def _curves(order: Order, given: Given, plot: str | None, form: str) -> None:
    """Print cost curves, and the best thresholds at operating conditions that were named."""
    from rocbands.cost.envelope import cost_curve
    from rocbands.io.records import json_of

    curves = {name: cost_curve(*part) for name, part in given.parts.items()}
    if plot is not None:
        draw_models(curves, plot, prevalence=order.prevalence)
    if order.is_open:
        show_models(form, curves, "rocbands.costs/2")
        return
    best = {name: _best(curve, order.at(given)) for name, curve in curves.items()}
    both = {name: curve.to_dict() | {"best": best[name]} for name, curve in curves.items()}
    said = "The best at the given w, just as optimistic:"
    pages = []
    for name, curve in curves.items():
        # For CSV the curve itself is not asked for: only what is best at the given w.
        pages += [] if form == "csv" else [Page.of(curve, f"Model {name}")]
        pages.append(Page("", said, best[name], best[name], name))
    show(form, pages, lambda: json_of({"schema": "rocbands.costs/2", "models": both}))


def _best(curve: CostCurve, w: list[float]) -> dict[str, list[float]]:
    best = {
        "cost": curve.at(w),
        "threshold": curve.threshold_at(w),
        "cost_all_alike": curve.trivial(w),
    }
    return {"w": w} | {name: column.tolist() for name, column in best.items()}
