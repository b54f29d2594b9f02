"""`rocbands report`: all that can be said, in one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocbands.cli import options
from rocbands.cli.band import sizes_of
from rocbands.cli.given import Given, read_given, reads_counts
from rocbands.cli.pages import wrapped
from rocbands.cli.progress import ReportBar
from rocbands.cli.words import cli_words, say_remarks

if TYPE_CHECKING:
    from rocbands.core.scores import PairedScores
    from rocbands.reporting.request import CountedCurves

__all__ = ["command"]


@click.command(
    "report",
    short_help="All of it in one HTML file.",
    epilog="""\b
Examples:
  rocbands report --example
  rocbands report scores.csv -o models.html --title "Spring release" --seed 1
  rocbands report scores.csv --folds fold --json > report.json
""",
)
@reads_counts
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(),
    default="report.html",
    show_default=True,
    help="The HTML file to write.",
)
@options.level
@click.option(
    "--future",
    metavar="P,N",
    help="Class sizes of the future test set; by default those of SCORES.",
)
@click.option("--groups", metavar="NAME", help="Column that says which rows belong together.")
@click.option("--folds", metavar="NAME", help="Column of cross-validation folds.")
@click.option("--title", metavar="TEXT", help="What to call the report.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print all numbers as JSON instead of writing a file."
)
@options.seed()
def command(
    *,
    output: str,
    level: float,
    future: str | None,
    groups: str | None,
    folds: str | None,
    title: str | None,
    as_json: bool,
    seed: int | None,
    source: str | None,
    **rows: Any,
) -> None:
    """Write a report on all models in SCORES: one HTML file that needs no other and no network.

    It holds curves with bands by several methods and at several levels, areas, thresholds, costs
    and rates with limits, where one model is better, and how far all of that can be trusted.
    """
    from rocbands.core.checks import check_future, check_level
    from rocbands.reporting.payload import build_payload
    from rocbands.reporting.report import check_page, write_page
    from rocbands.reporting.request import ReportRequest

    # A slip in an option should not cost the time that reading a large file takes.
    with cli_words():
        sizes = check_future(sizes_of(future))
        check_level(level)
    target = None if as_json else check_page(output)
    keys = tuple(key for key in (groups, folds) if key)
    given = read_given(source, **rows, keys=keys)
    with cli_words(), ReportBar() as bar:
        asked = ReportRequest.from_models(
            _models(given),
            level=level,
            future=sizes,
            groups=None if groups is None else given.keys[groups],
            folds=None if folds is None else given.keys[folds],
            title=title,
            source=_name_of(source),
            rng=seed,
        )
        payload = build_payload(asked, bar)
    say_remarks()
    if target is None:
        from rocbands.io.records import json_of

        click.echo(json_of(payload))
        return
    write_page(payload, target)
    click.echo("\n".join(line for said in payload["headline"] for line in wrapped(said)))
    click.echo(f"Wrote {output}", err=True)


def _models(given: Given) -> PairedScores | CountedCurves:
    from rocbands.reporting.request import CountedCurves

    if given.rows is not None:
        return given.rows
    curves = {name: roc for name, (roc, _) in given.parts.items()}
    return CountedCurves(curves, given.positive or "label not known")


def _name_of(source: str | None) -> str:
    if source is None:
        return "the example"
    return "stdin" if source == "-" else Path(source).name
