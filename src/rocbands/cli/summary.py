"""`rocbands summary`: which model to use, and the usual metrics of all models."""

from __future__ import annotations

from typing import Any

from rocbands.cli import load, messages, options
from rocbands.cli.output import Output
from rocbands.cli.progress import working


@messages.command("summary", "Which model to use, and metrics of all models with limits.")
@load.reads
@options.text(
    "--metric",
    "Metric, such as auc, brier or 'sensitivity at specificity 0.95'; repeat it for several.",
    "NAME",
    multiple=True,
    name="metrics",
)
@options.level
@options.number("--prevalence", "Prevalence where the models will be used.", "P")
@options.output("Forest plots in a PNG, PDF or SVG file.")
@options.seed()
def summary(*, source: load.Source, metrics: tuple[str, ...], out: Output, **how: Any) -> None:
    """Which model in SCORES to use, and the metrics of all models with confidence limits.

    By default AUC, average precision, sensitivity at 90% specificity, and the Brier score of
    scores from 0 to 1. A metric at a rate or a threshold is written as 'precision at rate 0.05',
    'specificity at sensitivity 0.9' or 'accuracy at threshold 0.5'. SCORES is a file of rows or
    counts: see 'rocbands band --help'.
    """
    import rocbands as rb

    data = source.read()
    with working("Summary"), messages.warnings_about("summary"):
        found = rb.summary(data, metrics=metrics or None, **how)
    out.show_result(found)
