"""`rocbands difference`: where one model finds more positives than another."""

from __future__ import annotations

from typing import Any

import click

from rocbands.cli import load, messages, options
from rocbands.cli.messages import usage
from rocbands.cli.output import save_plot, show_result
from rocbands.cli.progress import working

__all__ = ["command"]


@messages.command(
    "difference",
    short_help="Where one model finds more positives than another.",
    epilog="""\b
Examples:
  rocbands difference --example --plot difference.png
  rocbands difference scores.csv --fpr-range 0.1,0.5 --groups patient --seed 1
  rocbands difference scores.csv --level 0.9 --format csv
""",
)
@load.reads_scores
@options.level
@click.option(
    "--fpr-range",
    "fpr",
    type=options.Range(),
    metavar="A,B",
    default="0.05,0.95",
    show_default=True,
    help="False positive rates that the band is for, inside (0, 1).",
)
@load.groups
@options.resamples
@options.plot()
@options.forms
@options.seed()
def command(
    *,
    level: float,
    fpr: tuple[float, float],
    n_resamples: int | None,
    plot: str | None,
    form: str,
    rng: int | None,
    **rows: Any,
) -> None:
    """Band for the difference of two ROC curves: the first model in SCORES minus the second.

    The limits hold at all false positive rates of the range at once. Where they have the same
    sign, one model finds more positives at the same false positive rate.
    """
    import rocbands as rb

    models, groups = load.read_rows(**rows)
    if len(models) != 2:
        found = (
            f"only {models.names[0]!r} was found"
            if len(models) == 1
            else f"there are {len(models)}"
        )
        raise usage(f"Two models are needed; {found}. Name them by --score A --score B")
    asked: dict[str, Any] = {} if n_resamples is None else {"n_resamples": n_resamples}
    one, two = models.names
    with working("Drawing differences"):
        band = rb.difference_band(
            models.is_positive,
            models.models[one],
            models.models[two],
            level=level,
            fpr=fpr,
            groups=groups,
            names=(one, two),
            rng=rng,
            **asked,
        )
    save_plot(band, plot)
    show_result(form, band)
