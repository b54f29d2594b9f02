"""`rocbands difference`: where one model finds more positives than another."""

from __future__ import annotations

from typing import Any

import click

from rocbands.cli import inputs, options
from rocbands.cli.inputs import read_rows, reads_scores, two_names
from rocbands.cli.outputs import draw_one, show_result
from rocbands.cli.progress import working
from rocbands.cli.words import cli_words

__all__ = ["command"]


@click.command(
    "difference",
    short_help="Where one model finds more positives than another.",
    epilog="""\b
Examples:
  rocbands difference --example --plot difference.png
  rocbands difference scores.csv --fpr-range 0.1,0.5 --groups patient --seed 1
  rocbands difference scores.csv --level 0.9 --format csv
""",
)
@reads_scores
@options.level
@click.option(
    "--fpr-range",
    type=options.Range(),
    metavar="A,B",
    default="0.05,0.95",
    show_default=True,
    help="False positive rates that the band is for, inside (0, 1).",
)
@inputs.groups
@options.resamples
@options.plot()
@options.forms
@options.seed()
def command(
    *,
    level: float,
    fpr_range: tuple[float, float],
    groups: str | None,
    resamples: int | None,
    plot: str | None,
    form: str,
    seed: int | None,
    **rows: Any,
) -> None:
    """Band for the difference of two ROC curves: the first model in SCORES minus the second.

    The limits hold at all false positive rates of the range at once. Where they have the same
    sign, one model finds more positives at the same false positive rate.
    """
    from rocbands.comparison.difference_band import check_fpr_range, difference_band
    from rocbands.core.checks import check_level, check_resamples
    from rocbands.plot.files import check_target

    draws = {} if resamples is None else {"n_resamples": resamples}
    with cli_words(fpr="fpr-range"):  # a slip should not cost the time that reading takes
        check_level(level)
        check_fpr_range(fpr_range)
        check_resamples(draws.get("n_resamples", 20))
    if plot is not None:
        check_target(plot)
    models, columns = read_rows(**rows, keys=() if groups is None else (groups,))
    one, two = two_names(models)
    with cli_words(fpr="fpr-range"), working("Drawing differences"):
        band = difference_band(
            models.is_positive,
            models.models[one],
            models.models[two],
            level=level,
            fpr=fpr_range,
            groups=None if groups is None else columns[groups],
            names=(one, two),
            rng=seed,
            **draws,
        )
    if plot is not None:
        draw_one(band, plot)
    show_result(form, band)
