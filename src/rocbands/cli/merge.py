"""`rocbands merge`: counts of parts become counts of the whole."""

from __future__ import annotations

import click

from rocbands.cli import options
from rocbands.cli.words import cli_words

__all__ = ["command"]


@click.command(
    "merge",
    short_help="Add up files of counts.",
    epilog="""\b
Examples:
  rocbands merge monday.parquet tuesday.parquet -o week.parquet
  rocbands merge monday.parquet tuesday.parquet -o week.parquet --json
""",
)
@click.argument("parts", metavar="COUNTS...", type=click.Path(), nargs=-1, required=True)
@options.counts_out
@options.forms
def command(parts: tuple[str, ...], output: str, form: str) -> None:
    """Add up COUNTS, files that 'rocbands count' wrote or that a database exported.

    The order does not matter. All must count the same models, in bins or exactly, with the same
    positive label.
    """
    from rocbands.cli.outputs import wrote_counts
    from rocbands.io.writing import check_place
    from rocbands.scale.counts import ScoreCounts
    from rocbands.scale.saved import read_counts

    check_place(output)
    read = [read_counts(part) for part in parts]
    with cli_words():
        whole = ScoreCounts.merge(read)
    wrote_counts(whole, output, form)
