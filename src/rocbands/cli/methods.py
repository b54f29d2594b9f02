"""`rocbands methods`: which bands there are, and what each promises."""

from __future__ import annotations

import textwrap

import click

from rocbands.cli import options

__all__ = ["command"]


@click.command(
    "methods",
    short_help="Band methods and what each promises.",
    epilog="""\b
Examples:
  rocbands methods
  rocbands methods --json | jq -r '.columns.method[]'
""",
)
@options.table_or_json
def command(as_json: bool) -> None:
    """All band methods: what each is for, and what is known about its level."""
    from rocbands.bands import DEFAULT, methods

    table = methods()
    if as_json:
        click.echo(table.to_json())
        return
    columns = table.to_dict()["columns"]
    for row in zip(*columns.values(), strict=True):
        facts = dict(zip(columns, row, strict=True))
        name = facts.pop("method")
        click.echo(f"{name} (the default)" if name == DEFAULT else name)
        for fact, value in facts.items():
            first, rest = f"  {fact:<11}", " " * 13
            click.echo(textwrap.fill(value, 80, initial_indent=first, subsequent_indent=rest))
