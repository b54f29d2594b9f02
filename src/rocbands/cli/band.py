"""`rocbands band`: confidence bands."""

from __future__ import annotations

from typing import Any

import click

from rocbands.cli import load, messages, options
from rocbands.cli.output import draw_models, for_each, show_models

__all__ = ["command"]


@messages.command(
    "band",
    short_help="Confidence bands around ROC curves.",
    epilog="""\b
Examples:
  rocbands band --example --plot roc.png
  rocbands band scores.csv --folds fold --groups patient --seed 1
  rocbands band survey.csv --weights weight --groups household
  rocbands band scores.csv --method joint-region --set boxes=berk-jones
  rocbands band --example --view pr --prevalence 0.02 --plot pr.png
  zcat ill.csv.gz | rocbands band - --positive ill --json > bands.json
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
    type=click.Choice(["roc", "pr", "gains", "lift", "det", "cost", "net-benefit"]),
    help="Other coordinates for the same band: precision-recall, cumulative gains, lift, DET, "
    "least costs or net benefit.",
)
@click.option(
    "--prevalence",
    type=options.NUMBER,
    metavar="P",
    help="Share of positives where the model will be used, with --view; by default that of the "
    "rows, with its error.",
)
@load.design
@click.option(
    "--folds",
    metavar="NAME",
    shell_complete=load.complete_column,
    help="Column of cross-validation folds; the default method is then fold-average.",
)
@options.resamples
@options.plot("Draw all models in a PNG, PDF or SVG file.")
@options.forms
@options.seed()
def command(
    *,
    method: str | None,
    settings: tuple[str, ...],
    level: float,
    future: tuple[int, int] | None,
    view: str | None,
    prevalence: float | None,
    folds: str | None,
    n_resamples: int | None,
    plot: str | None,
    form: str,
    rng: int | None,
    **rows: Any,
) -> None:
    """Confidence band around the ROC curve of each model in SCORES.

    SCORES is a CSV, TSV, Parquet or JSON lines file, plain or packed with gzip, or - for stdin:
    one row for each case, one column of labels, one column of scores for each model; or counts that
    'rocbands count' wrote. A larger score means more positive.
    """
    import rocbands as rb

    if prevalence is not None and view is None:
        raise messages.usage("--prevalence goes with --view. Say, for example, --view pr.")
    chosen = options.build_method(
        "bands",
        method,
        settings,
        default=None if folds is None else "fold-average",
        n_resamples=n_resamples,
        level=level,
        future=future,
    )
    models = load.read_models(**rows, folds=folds)
    roc_band = rb.roc_band  # loaded here, so that the bar shows the time of the work alone
    asked: dict[str, Any] = {"level": level, "future": future, "rng": rng}
    bands = for_each(models.curves, "Band", lambda _, roc: roc_band(roc, method=chosen, **asked))
    if view is not None:
        asked = {"prevalence": prevalence, "rng": rng}
        views = for_each(bands, "View", lambda _, band: band.view(view, **asked))
        draw_models(views, plot)
        show_models(form, views, "rocbands.views/1")
        return
    draw_models(bands, plot)
    show_models(form, bands, "rocbands.bands/1")
