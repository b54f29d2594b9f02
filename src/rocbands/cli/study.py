"""`rocbands study`, which comes with the distribution rocbands-studies."""

from __future__ import annotations

from importlib.metadata import entry_points

import click

_MISSING = "Coverage in simulations; needs rocbands-studies."


@click.command(
    "study",
    short_help=_MISSING,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    epilog="""\b
Examples:
  pip install ./studies
  rocbands study list
""",
)
def _ask_to_install() -> None:
    """Measure how often bands hold; needs rocbands-studies: pip install ./studies."""
    raise click.ClickException(
        "'rocbands study' needs the distribution rocbands-studies, which is not installed. Run "
        "'pip install ./studies' in a checkout of rocbands; 'make demo' installs it, too."
    )


def _find_command() -> click.Command:
    found = [point.load() for point in entry_points(group="rocbands.commands", name="study")]
    command: click.Command = found[0] if found else _ask_to_install
    return command


study = _find_command()
