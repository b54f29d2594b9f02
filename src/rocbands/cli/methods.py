"""`rocbands methods`: which methods there are, and what each promises."""

from __future__ import annotations

import textwrap

import click

from rocbands.cli import messages, options
from rocbands.cli.layout import bold, terminal_width
from rocbands.cli.output import show_result

__all__ = ["command"]

# As in rocbands._methods; here without loading it, for help and completion.
_QUESTIONS = ("bands", "auc", "points", "comparison", "cost", "rates")


@messages.command(
    "methods",
    short_help="Methods and what each promises.",
    epilog="""\b
Examples:
  rocbands methods
  rocbands methods auc
  rocbands methods bands --format markdown
""",
)
@click.argument("question", type=options.OneOf(_QUESTIONS), required=False)
@options.forms
def command(question: str | None, form: str) -> None:
    """All methods, or those of one QUESTION: what each does, and what is known about its level.

    QUESTION is bands, auc, points, comparison, cost or rates.
    """
    import rocbands as rb

    table = rb.methods(question)
    if form != "text":
        show_result(form, table)
        return
    columns = table.columns()
    before = None
    for row in zip(*columns.values(), strict=True):
        facts = dict(zip(columns, row, strict=True))
        group, name, is_default = (facts.pop(key) for key in ("question", "method", "default"))
        if group != before:
            click.echo(bold(group.upper()) if before is None else f"\n{bold(group.upper())}")
            before = group
        click.echo(f"{bold(name)} (the default)" if is_default else bold(name))
        for fact, value in facts.items():
            first, rest = f"  {fact:<11}", " " * 13
            width = terminal_width()
            click.echo(textwrap.fill(value, width, initial_indent=first, subsequent_indent=rest))
