"""`rocbands sql`: the query that counts in a database."""

from __future__ import annotations

import click

from rocbands.cli import messages
from rocbands.cli.options import OneOf

__all__ = ["command"]

# As in rocbands.scale.sql; here without loading it, for help and completion.
_DIALECTS = ("duckdb", "postgres", "bigquery", "snowflake", "spark", "sqlite")


@messages.command(
    "sql",
    short_help="Query that counts in a database.",
    epilog="""\b
Examples:
  rocbands sql scored --label y --score s --dialect bigquery
  rocbands sql shop.scored --label y --score s --group country > query.sql
""",
)
@click.argument("table", metavar="TABLE")
@click.option("--label", metavar="NAME", required=True, help="Column of labels.")
@click.option(
    "--score",
    "scores",
    metavar="NAME",
    multiple=True,
    required=True,
    help="Column of scores; repeat it for several models.",
)
@click.option(
    "--positive",
    metavar="LABEL",
    default="1",
    show_default=True,
    help="The positive label: a number, true, or text; text that looks like a number in quotes.",
)
@click.option("--group", metavar="NAME", help="Column of groups.")
@click.option("--exact", is_flag=True, help="Count each score by itself, instead of bins.")
@click.option(
    "--dialect",
    type=OneOf(_DIALECTS),
    metavar="NAME",
    default="duckdb",
    show_default=True,
    help=f"Whose SQL to write: {', '.join(_DIALECTS)}.",
)
def command(
    table: str,
    label: str,
    scores: tuple[str, ...],
    positive: str,
    group: str | None,
    exact: bool,
    dialect: str,
) -> None:
    """Print the query that counts the rows of TABLE inside a database.

    Export its result as CSV or Parquet: every command that takes counts reads it. Bins are those
    of 'rocbands count', so counts from different places can be merged.
    """
    from rocbands.scale.sql import counting_query

    query = counting_query(
        table,
        dialect,
        label=label,
        scores=scores,
        positive=_literal(positive),
        group=group,
        exact=exact,
    )
    click.echo(query)


def _literal(text: str) -> object:
    if text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
