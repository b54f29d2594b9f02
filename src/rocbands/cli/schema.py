"""`rocbands schema`: what the JSON of a command looks like."""

from __future__ import annotations

import click

from rocbands.cli import messages
from rocbands.cli.messages import usage

__all__ = ["command"]


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from rocbands.cli.documents import all_schemas

    return [name for name in all_schemas() if name.startswith(incomplete)]


@messages.command(
    "schema",
    short_help="What the JSON of a command looks like.",
    epilog="""\b
Examples:
  rocbands schema
  rocbands schema rocbands.bands/1 > bands.schema.json
""",
)
@click.argument("name", required=False, shell_complete=_complete)
def command(name: str | None) -> None:
    """Print the JSON Schema called NAME, as in "schema" of a document; without NAME, all names."""
    import json
    from difflib import get_close_matches

    from rocbands.cli.documents import all_schemas

    known = all_schemas()
    if name is None:
        click.echo("\n".join(known))
        return
    if name not in known:
        close = get_close_matches(name, known, n=1)
        hint = f"Did you mean {close[0]!r}? " if close else ""
        raise usage(f"There is no schema {name!r}. {hint}'rocbands schema' lists them")
    click.echo(json.dumps(known[name], indent=1))
