"""The command `rocbands`: its subcommands, its exit codes, and one line for every mistake."""

from __future__ import annotations

import signal
import sys
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from rocbands._version import __version__
from rocbands.cli.messages import BAD_INPUT, print_line
from rocbands.cli.signals import end_on_signals
from rocbands.errors import RocBandsError

__all__ = ["App", "main"]

# The most useful first. The module of a command has its name, and is loaded only when the command
# is called or listed; none imports more than click before it runs, so that help is quick.
_COMMANDS = (
    "band",
    "auc",
    "ap",
    "roc",
    "points",
    "rate",
    "cost",
    "compare",
    "difference",
    "condition",
    "plan",
    "report",
    "count",
    "merge",
    "sql",
    "study",
    "methods",
    "schema",
    "completion",
)

_UNEXPECTED = 1
_SIGNALLED = 128  # plus the signal's number, as shells say


class App(click.Group):
    """A group of commands that are loaded when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands, the most useful first."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command."""
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"rocbands.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; if there is none of that name, say which was perhaps meant."""
        name = args[0]
        if name not in _COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            close = get_close_matches(name, _COMMANDS, n=1)
            hint = f"Did you mean {close[0]!r}? " if close else ""
            commands = ", ".join(_COMMANDS)
            raise click.UsageError(f"No such command {name!r}. {hint}Commands: {commands}.", ctx)
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run, and end the process: 0 fine, 2 bad input, 128 + signal if ended, 1 anything else.

        When a reader such as head leaves early, click ends the process without a word.
        """
        extra["standalone_mode"] = False
        code: Any
        try:
            with end_on_signals():
                code = super().main(*args, **extra)
        except (click.Abort, KeyboardInterrupt):
            print_line("interrupted.")
            code = _SIGNALLED + signal.SIGINT
        except click.ClickException as problem:
            ctx = getattr(problem, "ctx", None)
            path = ctx.command_path if ctx else "rocbands"
            message = " ".join(problem.format_message().split())
            stop = "" if message.endswith((".", "?", "?)")) else "."
            print_line(f"{message}{stop} See '{path} --help'.")
            code = BAD_INPUT
        except RocBandsError as problem:
            print_line(str(problem))
            code = _UNEXPECTED
        except MemoryError:
            print_line(
                "out of memory. Count the rows first by 'rocbands count', ask for fewer resamples, "
                "or use a larger machine."
            )
            code = _UNEXPECTED
        except OSError as problem:
            # A full disk, say, where the output goes to.
            print_line(f"{problem.strerror or problem}.")
            code = _UNEXPECTED
        sys.exit(code)


@click.command(
    cls=App,
    name="rocbands",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
Examples:
  rocbands band --example
  rocbands auc biopsies.csv --label diagnosis --positive malignant
  rocbands band scores.csv --method joint-region --plot roc.png
""",
)
@click.version_option(__version__, prog_name="rocbands", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """How far an ROC curve can be trusted: confidence bands from a file of scores."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
