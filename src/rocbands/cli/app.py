"""The command `rocbands`: its subcommands, exit codes and one-line error messages."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import FrameType
from typing import Any, NoReturn

import click

from rocbands._version import __version__
from rocbands.cli.messages import BAD_INPUT, print_line, refuse_command
from rocbands.core.progress import limit_of_memory, silence
from rocbands.errors import RocBandsError

# The commands by headings of the help, the most useful first, with their modules. A command is the
# function of its name, and its module is loaded only when the command is called or listed; none
# imports more than click before it runs, so that help is quick.
_HEADINGS = {
    "Most people need": {
        "app": "serve",
        "summary": "report",
        "report": "report",
        "band": "band",
        "compare": "compare",
        "points": "points",
        "subgroups": "several",
        "plan": "compare",
    },
    "Areas and curves": {
        "auc": "auc",
        "ap": "auc",
        "roc": "band",
        "smooth": "band",
        "average": "band",
        "difference": "compare",
    },
    "Costs, benefit and fixed budgets": {"cost": "cost", "net-benefit": "cost", "rate": "rate"},
    "Several classes, two-sided markers, several readers": {
        "classes": "several",
        "two-sided": "band",
        "readers": "readers",
    },
    "Many rows": {"count": "count", "merge": "count"},
    "About methods, and help": {
        "methods": "about",
        "study": "study",
        "cite": "about",
        "example": "about",
        "schema": "about",
        "completion": "about",
    },
}
_COMMANDS = {name: module for commands in _HEADINGS.values() for name, module in commands.items()}

_UNEXPECTED = 1
_LEAST_MEMORY = 250_000_000  # bytes; with less, loading SciPy's OpenBLAS ends or hangs the process
_SIGNALLED = 128  # plus the signal's number, as shells say


class App(click.Group):
    """A group of commands that are loaded when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands, the most useful first."""
        return list(_COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands under their headings, in columns that are the same for all."""
        width = max(map(len, _COMMANDS)) + 2  # of the names, with the gap
        for heading, names in _HEADINGS.items():
            commands = {name: self.get_command(ctx, name) for name in names}
            rows = [
                (name, one.get_short_help_str(formatter.width))
                for name, one in commands.items()
                if one
            ]
            with formatter.section(heading):
                formatter.write_dl(rows, col_spacing=width - max(map(len, names)))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command."""
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"rocbands.cli.{_COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; if there is none, suggest a similar name."""
        name = args[0]
        if name not in _COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            raise refuse_command(ctx, name, list(_COMMANDS))
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run, and exit: 0 for success, 2 for bad input, 128 + signal if interrupted, else 1.

        If a reader such as head closes the pipe early, click exits silently.
        """
        extra["standalone_mode"] = False
        code: Any
        try:
            with end_on_signals(), silence():  # commands have bars of their own
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
        except Exception as problem:
            said = _explain_machine(problem)
            if said is None:
                raise
            print_line(said)
            code = _UNEXPECTED
        sys.exit(code)


def _explain_machine(problem: Exception) -> str | None:
    """Say in one line what the machine lacks; None if the error is of another kind."""
    if isinstance(problem, MemoryError) or "can't start new thread" in str(problem):
        return (
            "out of memory. Count the rows first by 'rocbands count', ask for fewer resamples, or "
            "use a larger machine or a larger limit."
        )
    if isinstance(problem, ImportError):  # NumPy's error has many lines, the cause in the last
        cause = str(problem).strip().splitlines()[-1].strip().rstrip(".")
        return (
            f"a library cannot be loaded: {cause}. Use a machine with more memory, or install it "
            "again."
        )
    if isinstance(problem, OSError):  # for example a full disk
        place = "" if problem.filename is None else f"{problem.filename}: "
        return f"{place}{problem.strerror or problem}."
    return None


@click.command(
    cls=App,
    name="rocbands",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
Examples:
  rocbands summary --example
  rocbands example -o scores.csv
  rocbands auc scores.csv --positive malignant --score logistic
  rocbands compare --example
""",
)
@click.version_option(__version__, prog_name="rocbands", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """How far an ROC curve can be trusted: confidence bands from a file of scores."""
    # Before NumPy is loaded: BLAS threads wait in a busy loop, and would take processors from our
    # own threads.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if limit_of_memory() < _LEAST_MEMORY and ctx.invoked_subcommand is not None:
        raise MemoryError
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


_PAUSE = 0.02  # seconds before a signal received during an import is sent again; doubled each time
_LONGEST = 0.5  # at most: on a busy machine each attempt slows the import
_PATIENCE = 15.0  # seconds after which the signal is handled even during an import


@contextmanager
def end_on_signals() -> Iterator[None]:
    """Turn termination signals into an exception, so that resources are cleaned up.

    Not during an import: extension modules would turn the exception into other errors and leave a
    partly loaded module. Such a signal is sent again a moment later. Whatever error finally
    results, the exit code is the signal's.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    owner, tries, since, ended = os.getpid(), 0, 0.0, 0

    def end(number: int, frame: FrameType | None) -> None:
        nonlocal tries, since, ended
        since = since or time.monotonic()
        if os.getpid() != owner:  # a forked worker has nothing to clean up
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        elif _is_importing(frame) and time.monotonic() - since < _PATIENCE:
            pause = min(_PAUSE * 2**tries, _LONGEST)
            tries += 1
            again = threading.Timer(pause, os.kill, (owner, number))
            again.daemon = True
            again.start()
        else:
            ended = number
            leave(number)

    def leave(number: int) -> NoReturn:
        if number == signal.SIGINT:
            raise KeyboardInterrupt from None
        raise SystemExit(_SIGNALLED + number) from None

    before = {signal.SIGTERM: signal.signal(signal.SIGTERM, end)}
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        before[signal.SIGINT] = signal.signal(signal.SIGINT, end)
    try:
        yield
    except BaseException:
        if ended:
            leave(ended)
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
