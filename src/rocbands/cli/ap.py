"""`rocbands ap`: average precisions with confidence intervals."""

from __future__ import annotations

from typing import Any

import click

from rocbands.cli import load, messages, options
from rocbands.cli.output import Page, for_each, json_models, save_plot, show

__all__ = ["command"]


@messages.command(
    "ap",
    short_help="Average precisions, with confidence intervals.",
    epilog="""\b
Examples:
  rocbands ap --example
  rocbands ap scores.csv --prevalence 0.02
""",
)
@load.reads_counts
@options.level
@options.alternative("'greater' for a lower limit only, 'less' for an upper one only.")
@click.option(
    "--prevalence",
    type=options.NUMBER,
    metavar="P",
    help="Share of positives where the model will be used; by default that of the rows, with its "
    "error.",
)
@options.plot("Forest plot in a PNG, PDF or SVG file.")
@options.forms
def command(
    *,
    level: float,
    alternative: str,
    prevalence: float | None,
    plot: str | None,
    form: str,
    **rows: Any,
) -> None:
    """Average precision of each model in SCORES, with its interval.

    The number is scikit-learn's average_precision_score: tied scores are one step. SCORES is a CSV,
    TSV, Parquet or JSON lines file, plain or packed with gzip, or - for stdin: one row for each
    case, one column of labels, one column of scores for each model; or counts that 'rocbands count'
    wrote. A larger score means more positive.
    """
    import rocbands as rb

    models = load.read_models(**rows)
    how: dict[str, Any] = {"level": level, "alternative": alternative, "prevalence": prevalence}
    found = for_each(
        models.curves, "Interval", lambda _, roc: rb.average_precision_interval(roc, **how)
    )
    gap = None
    if models.rows is not None and len(found) == 2 and alternative == "two-sided":
        one, two = models.rows.models
        gap = rb.average_precision_difference(
            models.rows.is_positive,
            *models.rows.models.values(),
            level=level,
            prevalence=prevalence,
            names=(str(one), str(two)),
        )
    table = rb.tabulate(found)
    save_plot(table, plot)
    pages = [Page.of(table)]
    more = {} if gap is None else {"difference": gap}
    pages += [Page.of(gap, "Difference", "difference")] if gap is not None else []
    show(form, pages, lambda: json_models(found, "rocbands.average-precisions/1", **more))
