"""`rocbands methods`: which bands there are, and what each promises."""

from __future__ import annotations

import textwrap

import click

from rocbands.cli import options
from rocbands.cli.outputs import show_result
from rocbands.cli.pages import bold, terminal_width

__all__ = ["command"]


@click.command(
    "methods",
    short_help="Band methods and what each promises.",
    epilog="""\b
Examples:
  rocbands methods
  rocbands methods --format markdown
""",
)
@options.forms
def command(form: str) -> None:
    """All band methods: what each is for, and what is known about its level."""
    from rocbands.bands import DEFAULT, methods

    table = methods()
    if form != "text":
        show_result(form, table)
        return
    columns = table.to_dict()["columns"]
    for row in zip(*columns.values(), strict=True):
        facts = dict(zip(columns, row, strict=True))
        name = facts.pop("method")
        click.echo(f"{bold(name)} (the default)" if name == DEFAULT else bold(name))
        for fact, value in facts.items():
            first, rest = f"  {fact:<11}", " " * 13
            width = terminal_width()
            click.echo(textwrap.fill(value, width, initial_indent=first, subsequent_indent=rest))
