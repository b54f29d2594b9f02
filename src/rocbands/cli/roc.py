"""`rocbands roc`: ROC curves themselves, as data."""

from __future__ import annotations

from typing import Any

from rocbands.cli import load, messages, options
from rocbands.cli.output import draw_models, show_models

__all__ = ["command"]


@messages.command(
    "roc",
    short_help="ROC curves themselves, as data.",
    epilog="""\b
Examples:
  rocbands roc --example
  rocbands roc scores.csv --score score_new --format csv > roc.csv
  rocbands roc scores.csv --plot roc.png
  rocbands roc counts.parquet --format markdown
""",
)
@load.reads_counts
@options.plot("Draw all models in a PNG, PDF or SVG file.")
@options.forms
def command(*, plot: str | None, form: str, **rows: Any) -> None:
    """ROC curve of each model in SCORES: counts and rates at every distinct score.

    The table shows a few of the thresholds; --format csv and --json have all of them. A case is
    called positive when its score is at or above the threshold.
    """
    curves = load.read_models(**rows).curves
    draw_models(curves, plot)
    show_models(form, curves, "rocbands.roc-curves/1")
