"""`rocbands completion`: let the shell complete commands, options, methods and columns."""

from __future__ import annotations

import click

from rocbands.cli import messages
from rocbands.cli.options import OneOf

__all__ = ["command"]


@messages.command(
    "completion",
    short_help="Script that makes a shell complete rocbands.",
    epilog="""\b
Examples:
  eval "$(rocbands completion bash)"         in ~/.bashrc
  eval "$(rocbands completion zsh)"          in ~/.zshrc
  rocbands completion fish | source          in ~/.config/fish/config.fish
""",
)
@click.argument("shell", type=OneOf(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script that makes SHELL complete commands, options, methods and columns."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None, "click knows the shells that the argument allows"
    click.echo(kind(ctx.find_root().command, {}, "rocbands", "_ROCBANDS_COMPLETE").source())
