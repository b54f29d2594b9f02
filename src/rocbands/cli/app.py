"""The command `rocbands`: its subcommands, its exit codes, and one line for every mistake."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from rocbands import __version__
from rocbands.cli.signals import end_on_signals
from rocbands.errors import InputError, RocBandsError

__all__ = ["App", "main"]

# Where each command lives. A module is loaded only when its command is called or listed; none of
# them imports more than click before it runs, so that help and completion are quick.
_COMMANDS = {
    "band": "rocbands.cli.band",
    "auc": "rocbands.cli.auc",
    "roc": "rocbands.cli.roc",
    "points": "rocbands.cli.points",
    "rate": "rocbands.cli.rate",
    "cost": "rocbands.cli.cost",
    "compare": "rocbands.cli.compare",
    "difference": "rocbands.cli.difference",
    "condition": "rocbands.cli.condition",
    "plan": "rocbands.cli.plan",
    "report": "rocbands.cli.report",
    "count": "rocbands.cli.count",
    "merge": "rocbands.cli.merge",
    "sql": "rocbands.cli.sql",
    "study": "rocbands.cli.study",
    "methods": "rocbands.cli.methods",
    "schema": "rocbands.cli.schema",
    "completion": "rocbands.cli.completion",
}

_UNEXPECTED = 1
_BAD_INPUT = 2
_INTERRUPTED = 130


class App(click.Group):
    """A group of commands that are loaded when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands, the most useful first."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command."""
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(_COMMANDS[cmd_name]).command
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
        """Run, and end the process: 0 fine, 2 bad input, 130 or 143 interrupted, 1 anything else.

        When a reader such as head leaves early, click ends the process without a word.
        """
        extra["standalone_mode"] = False
        try:
            with end_on_signals():
                code = super().main(*args, **extra)
        except click.Abort:
            code = _say("interrupted.", _INTERRUPTED)
        except click.ClickException as problem:
            ctx = getattr(problem, "ctx", None)
            path = ctx.command_path if ctx else "rocbands"
            message = " ".join(problem.format_message().split())
            stop = "" if message.endswith((".", "?", "?)")) else "."
            code = _say(f"{message}{stop} See '{path} --help'.", _BAD_INPUT)
        except InputError as problem:
            code = _say(str(problem), _BAD_INPUT)
        except RocBandsError as problem:
            code = _say(str(problem), _UNEXPECTED)
        except OSError as problem:
            # A full disk, say, where the output goes to.
            code = _say(f"{problem.strerror or problem}.", _UNEXPECTED)
        sys.exit(code)


def _say(message: str, code: int) -> int:
    click.echo("rocbands: " + " ".join(message.splitlines()), err=True)
    return code


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
