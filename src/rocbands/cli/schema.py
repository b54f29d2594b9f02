"""`rocbands schema`: what the JSON of a command looks like."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from rocbands.cli.options import completes, usage

__all__ = ["command", "names", "text_of"]

_FOLDER = "schemas"


def names() -> list[str]:
    """Return the names that stand in "schema" of a document."""
    files = (entry.name for entry in _entries() if entry.name.endswith(".json"))
    return sorted("rocbands." + "/".join(name[:-5].rsplit("-", 1)) for name in files)


def text_of(name: str) -> str:
    """Return the JSON Schema of that name."""
    file = name.removeprefix("rocbands.").replace("/", "-") + ".json"
    (found,) = (entry for entry in _entries() if entry.name == file)
    return str(found.read_text(encoding="utf-8"))


def _entries() -> Iterable[Any]:
    from importlib.resources import files

    return files("rocbands.cli").joinpath(_FOLDER).iterdir()


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    found: list[str] = completes(*names())(ctx, param, incomplete)
    return found


@click.command(
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
    from difflib import get_close_matches

    known = names()
    if name is None:
        click.echo("\n".join(known))
        return
    if name not in known:
        close = get_close_matches(name, known, n=1)
        hint = f"Did you mean {close[0]!r}? " if close else ""
        raise usage(f"There is no schema {name!r}. {hint}'rocbands schema' lists them")
    click.echo(text_of(name), nl=False)
