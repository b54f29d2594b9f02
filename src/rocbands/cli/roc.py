"""`rocbands roc`: ROC curves themselves, as data."""

from __future__ import annotations

from typing import Any

import click

from rocbands.cli import options
from rocbands.cli.given import read_given, reads_counts
from rocbands.cli.outputs import draw_models, show_models

__all__ = ["command"]


@click.command(
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
@reads_counts
@options.plot("Draw all models in a PNG, PDF or SVG file.")
@options.forms
def command(*, plot: str | None, form: str, **rows: Any) -> None:
    """ROC curve of each model in SCORES: counts and rates at every distinct score.

    The table shows a few of the thresholds; --format csv and --json have all of them. A case is
    called positive when its score is at or above the threshold.
    """
    from rocbands.core.roc import as_roc_curve
    from rocbands.plot.files import check_target

    if plot is not None:
        check_target(plot)
    found = {name: as_roc_curve(*part) for name, part in read_given(**rows).parts.items()}
    if plot is not None:
        draw_models(found, plot)
    show_models(form, found, "rocbands.roc-curves/1")
