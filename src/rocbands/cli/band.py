"""`rocbands band` and `roc`: confidence bands, and the curves themselves."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from rocbands.cli import load, many, messages, options
from rocbands.cli.output import (
    Page,
    draw_models,
    draw_pictures,
    for_each,
    json_models,
    save_plot,
    show,
    show_models,
)

__all__ = ["band", "roc"]

_WITHOUT_PREVALENCE = ("roc", "det", "cost")  # views that are the same at any share of positives


@messages.command(
    "band",
    "Confidence bands around ROC curves.",
    """
  rocbands band --example --plot roc.png
  rocbands band scores.csv --folds fold --seed 1
  rocbands band scores.csv --method joint-region --set boxes=berk-jones
  rocbands band --example --view pr --view gains --prevalence 0.1 --plot v.png
""",
)
@load.reads_counts
@options.method("bands", "Band method")
@options.settings
@options.level
@options.future(
    "Band for the curve of a future test set of P positives and N negatives, instead of the true "
    "curve."
)
@click.option(
    "--view",
    "views",
    multiple=True,
    type=click.Choice(["roc", "pr", "gains", "lift", "det", "cost", "net-benefit"]),
    help="Other coordinates for the same band: precision-recall, cumulative gains, lift, DET, "
    "least costs or net benefit; repeat it for several.",
)
@options.number(
    "--prevalence",
    "Share of positives where the model will be used, with --view; by default that of the "
    "rows, with its error.",
    "P",
)
@load.design
@load.column(
    "--folds", "Column of cross-validation folds; the default method is then fold-average."
)
@many.options
@click.option("--pairs", is_flag=True, help="With --classes: of each class against each other one.")
@click.option(
    "--against",
    type=click.Choice(["pairs", "rest"]),
    help="With --by: compare each pair of groups, or each group with all others.",
)
@click.option(
    "--threshold",
    type=options.NUMBER,
    metavar="T",
    help="With --by: rates of all groups at this threshold.",
)
@options.resamples
@options.plot("Draw all models in a PNG, PDF or SVG file.")
@options.log
@options.forms
@options.seed()
def band(
    *,
    rows: dict[str, Any],
    choose: options.Choose,
    views: tuple[str, ...],
    prevalence: float | None,
    classes: str | None,
    pairs: bool,
    by: str | None,
    against: str | None,
    threshold: float | None,
    plot: str | None,
    log: bool | None,
    form: str,
    **how: Any,
) -> None:
    """Confidence band around the ROC curve of each model in SCORES.

    SCORES is a CSV, TSV, JSON lines, Parquet, Feather or Excel file, plain or packed, or - for
    stdin: one row for each case, one column of labels, one column of scores for each model; or
    counts that 'rocbands count' wrote. A larger score means more positive.
    """
    import rocbands as rb

    if prevalence is not None and not views:
        raise messages.usage("--prevalence goes with --view. Say, for example, --view pr.")
    many.check_own(classes, by, {"--pairs": pairs, "--against": against, "--threshold": threshold})
    if log is not None and (views or classes is not None or by is not None):
        raise messages.usage(
            "--log and --linear are for ROC curves, not for --view, --classes or --by."
        )
    usual = None if rows["folds"] is None else "fold-average"
    chosen = choose(default=usual, level=how["level"], future=how["future"])
    if classes is not None or by is not None:
        others = {"--view": views or None, "--future": how.pop("future")}
        own: dict[str, Any] = {"against": against or "pairs", "threshold": threshold}
        if classes is not None:
            own = {"multi_class": "ovo" if pairs else "ovr"}
        together = many.build(classes, by, rows, others, method=chosen, **how, **own)
        save_plot(together, plot)
        found = dict(zip(many.names_of(together), together.bands, strict=True))
        schema = f"rocbands.{'class' if classes is not None else 'group'}-bands/1"
        show(form, [Page.of(together)], lambda: json_models(found, schema, together=together))
        return
    models = load.read_models(**rows)
    roc_band = rb.roc_band  # loaded here, so that the bar shows the time of the work alone
    bands = for_each(models.curves, "Band", lambda _, roc: roc_band(roc, method=chosen, **how))
    if views:
        found = {}
        for view in dict.fromkeys(views):
            asked = {"prevalence": prevalence, "rng": how["rng"]}
            if len(views) > 1 and view in _WITHOUT_PREVALENCE:
                asked["prevalence"] = None
            make = partial(_view, view=view, **asked)
            found[view] = for_each(bands, "View", make)
        draw_pictures(list(found.values()), plot)
        named = {
            name if len(found) == 1 else f"{name}, {view}": result
            for view, results in found.items()
            for name, result in results.items()
        }
        show_models(form, named, "rocbands.views/1")
        return
    draw_models(bands, plot, log=options.choose_axis(log, plot, models.sizes))
    show_models(form, bands, "rocbands.bands/1")


def _view(_: str, band: Any, *, view: str, **asked: Any) -> Any:
    return band.view(view, **asked)


@messages.command(
    "roc",
    "ROC curves themselves, as data.",
    """
  rocbands roc --example
  rocbands roc scores.csv --score score_logistic --format csv > roc.csv
  rocbands roc scores.csv --plot roc.png
""",
)
@load.reads_counts
@options.plot("Draw all models in a PNG, PDF or SVG file.")
@options.log
@options.forms
def roc(*, rows: dict[str, Any], plot: str | None, log: bool | None, form: str) -> None:
    """ROC curve of each model in SCORES: counts and rates at every distinct score.

    The table shows a few of the thresholds; --format csv and --json have all of them. A case is
    called positive when its score is at or above the threshold.
    """
    models = load.read_models(**rows)
    draw_models(models.curves, plot, log=options.choose_axis(log, plot, models.sizes))
    show_models(form, models.curves, "rocbands.roc-curves/1")
