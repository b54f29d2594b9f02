"""`rocbands plan`: how many cases a study needs."""

from __future__ import annotations

from typing import Any

import click

from rocbands.cli import messages, options
from rocbands.cli.output import show_result
from rocbands.cli.progress import working

__all__ = ["command"]


@messages.command(
    "plan",
    short_help="How many cases a study needs.",
    epilog="""\b
Examples:
  rocbands plan --auc 0.8 --width 0.1
  rocbands plan --auc 0.7 --against 0.5 --power 0.9 --ratio 4
  rocbands plan --auc 0.85 --other 0.8 --correlation 0.6 --json
""",
)
@click.option("--auc", type=options.NUMBER, required=True, help="The AUC that is guessed.")
@click.option("--width", type=options.NUMBER, help="For an interval of this width.")
@click.option("--against", type=options.NUMBER, help="For a test against this AUC.")
@click.option("--other", type=options.NUMBER, help="For a paired test: the other model's AUC.")
@click.option("--band-width", type=options.NUMBER, help="For a likelihood band of this mean width.")
@click.option(
    "--correlation",
    type=options.NUMBER,
    default=0.5,
    show_default=True,
    help="Of the two models' estimated AUCs.",
)
@click.option(
    "--ratio",
    type=options.NUMBER,
    default=1.0,
    show_default=True,
    help="Negatives for each positive.",
)
@options.level
@click.option("--power", type=options.NUMBER, help="Of a test; 0.8 unless said.")
@options.alternative("two-sided, less or greater.")
@click.option(
    "--variance",
    metavar="NAME",
    shell_complete=options.completes("mann-whitney", "obuchowski"),
    help="mann-whitney or obuchowski.",
)
@options.forms
@options.seed("Make simulations repeatable.")
def command(*, form: str, **asked: Any) -> None:
    """Class sizes that a study needs, and what they achieve.

    Say exactly one of --width, --against, --other and --band-width.
    """
    import rocbands as rb

    with working("Trying sizes"):
        plan = rb.sample_size(**asked)
    show_result(form, plan)
