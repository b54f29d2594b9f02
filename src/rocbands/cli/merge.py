"""`rocbands merge`: counts of parts become counts of the whole."""

from __future__ import annotations

import os

import click

from rocbands.cli import messages, options
from rocbands.errors import InputError

__all__ = ["command"]


@messages.command(
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
    from rocbands.cli.output import save_counts
    from rocbands.io.writing import check_place, refuse_overwriting
    from rocbands.scale.counts import ScoreCounts

    check_place(output)
    _refuse_twice(parts)
    refuse_overwriting(output, parts)
    whole = ScoreCounts.merge([ScoreCounts.load(part) for part in parts])
    save_counts(whole, output, form)


def _refuse_twice(parts: tuple[str, ...]) -> None:
    """Refuse to add a file to itself: its rows would count twice."""
    places: dict[str, str] = {}
    for part in parts:
        place = os.path.realpath(part)
        if place in places:
            raise InputError(
                "Every file of counts must be named once",
                f"'{part}' and '{places[place]}' are one file, and its rows would count twice",
                "Name it once.",
            )
        places[place] = part
