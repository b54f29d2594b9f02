"""The command line as a process of its own: imports, pipes, signals and the terminal."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from rocbands.cli import progress
from rocbands.cli.messages import Command, remember_label, spelling
from rocbands.errors import Message, arg, call

ROCBANDS = [sys.executable, "-W", "error", "-m", "rocbands"]
HEAVY = ["numpy", "scipy", "matplotlib", "narwhals", "pandas", "pyarrow", "rich"]


def test_no_help_imports_anything_heavy() -> None:
    """Which is what makes it quick."""
    code = (
        "import sys, click\nfrom rocbands.cli import main\n"
        "ctx = click.Context(main)\n"
        "lines = [['--help'], ['--version'], ['auc', '-h']]\n"
        "lines += [[name, '--help'] for name in main.list_commands(ctx)]\n"
        "lines += [['study', name, '--help'] for name in ('list', 'run', 'own')]\n"
        "for line, wrong in [*((line, 0) for line in lines), ([], None), (['bands'], 2)]:\n"
        "    try: main(line)\n"
        "    except SystemExit as end: assert (end.code or 0) == (wrong or 0), (line, end.code)\n"
        f"sys.exit(repr([name for name in {HEAVY!r} if name in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == "[]"
    assert done.stdout.count("Usage: ") >= 15


def test_auc_needs_neither_scipy_stats_nor_matplotlib() -> None:
    code = (
        "import sys\nfrom rocbands.cli import main\n"
        "try: main(['auc', '--example'])\nexcept SystemExit: pass\n"
        "sys.exit(repr([name for name in ('scipy.stats', 'matplotlib', 'rich.progress') "
        "if name in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == "[]\n"


def test_exit_codes_of_the_process(tmp_path: Path) -> None:
    good = subprocess.run([*ROCBANDS, "auc", "--example"], capture_output=True, check=False)
    assert (good.returncode, good.stderr) == (0, b"")
    bad = subprocess.run(
        [*ROCBANDS, "auc", "nowhere.csv"], capture_output=True, cwd=tmp_path, check=False
    )
    assert (bad.returncode, bad.stdout) == (2, b"")
    assert (
        bad.stderr == b"rocbands: The file must exist; there is no 'nowhere.csv'. Check the path.\n"
    )


@pytest.mark.parametrize("line", ["band --example", "band --example --json", "methods", "--help"])
def test_a_reader_that_leaves_early_is_no_news(line: str) -> None:
    outlet, inlet = os.pipe()
    os.close(outlet)
    try:
        done = subprocess.run(
            [*ROCBANDS, *line.split()], stdout=inlet, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(inlet)
    assert done.stderr == b""


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_an_interrupt_while_reading(tmp_path: Path) -> None:
    fifo = tmp_path / "scores.csv"
    os.mkfifo(fifo)
    with (
        subprocess.Popen([*ROCBANDS, "auc", str(fifo)], stderr=subprocess.PIPE) as process,
        fifo.open("wb") as slow,  # returns as soon as the command has opened its end
    ):
        slow.write(b"label,score\n1,2\n")
        slow.flush()
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=180)
    assert process.returncode == 130
    assert said.strip() == b"rocbands: interrupted."


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix")
def test_head_takes_what_it_wants() -> None:
    line = f"{shlex.join(ROCBANDS)} roc --example --format csv | head -n 1"
    done = subprocess.run(["sh", "-c", line], capture_output=True, check=False)
    assert (done.stdout, done.stderr) == (b"model,threshold,fp,tp,fpr,tpr\n", b"")


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_an_interrupt_while_computing() -> None:
    line = "band --example --method fixed-width --resamples 1000000"
    with subprocess.Popen(
        [*ROCBANDS, *line.split()], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=180)
    assert (process.returncode, out) == (130, b"")
    assert said.strip() == b"rocbands: interrupted."


def on_a_terminal(line: str, **env: str) -> bytes:
    """Run a command whose stdout and stderr are a terminal, and return all that it writes there."""
    import pty

    ours, theirs = pty.openpty()
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
    said = b""
    with subprocess.Popen(
        [*ROCBANDS, *line.split()],
        stdout=theirs,
        stderr=theirs,
        env={**plain, "TERM": "xterm", **env},
    ) as process:
        os.close(theirs)
        with contextlib.suppress(OSError):  # Linux says so when the other end is closed
            while part := os.read(ours, 65536):
                said += part
    os.close(ours)
    assert process.returncode == 0, said
    return said


@pytest.mark.skipif(sys.platform == "win32", reason="terminals differ")
def test_colours_are_for_terminals_that_want_them() -> None:
    line = "band --example --score logistic"
    assert b"\x1b[1mModel logistic\x1b[0m" in on_a_terminal(line)
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert b"\x1b" not in on_a_terminal(line, **env)
    done = subprocess.run([*ROCBANDS, *line.split()], capture_output=True, check=True)
    assert b"\x1b" not in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="terminals differ")
def test_long_work_shows_that_it_goes_on() -> None:
    line = "band --example --score logistic --method fixed-width --resamples 150000 --seed 1"
    assert b"Band of logistic" in on_a_terminal(line)
    assert b"Band of logistic" not in on_a_terminal(line, TERM="dumb")
    done = subprocess.run([*ROCBANDS, *line.split()], capture_output=True, check=True)
    assert done.stderr == b""


def test_stdin_that_comes_in_pieces() -> None:
    with subprocess.Popen(
        [*ROCBANDS, "auc", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        for piece in (b"l", b"abel,sc", b"ore\n1,2", b"\n0,1\n"):
            process.stdin.write(piece)
            process.stdin.flush()
            time.sleep(0.02)
        said, _ = process.communicate(timeout=180)
    (row,) = (line.split() for line in said.splitlines() if line.startswith(b"score"))
    assert row[1] == b"1.0000"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("total", [200, None])
def test_a_bar_for_those_who_wait(monkeypatch: pytest.MonkeyPatch, total: int | None) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(progress, "_PATIENCE", 0)
    with progress.reading_bar("[red]scores.csv") as bar:
        bar(100, total)
    said = sys.stderr.getvalue()  # type: ignore[attr-defined]
    assert "Reading [red]scores.csv" in said
    assert ("100/200" if total else "100/?") in said


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_no_bar_without_a_terminal_or_for_quick_work(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "_PATIENCE", 60 if stream.isatty() else 0)
    with progress.reading_bar("scores.csv") as bar:
        bar(100, 200)
    assert stream.getvalue() == ""


SPELLED = [
    (Message('for example {}.', arg('positive', 'not ill')), "for example --positive 'not ill'."),
    (Message('Pass, for example, {}.', arg('positive', -1)), "Pass, for example, --positive -1."),
    (Message('for example {}.', arg('future', (50, 200))), "for example --future 50,200."),
    (Message('Try {}, not {}.', arg('level', 0.95), arg('joint', True)), "Try --level 0.95, not --joint."),
    (Message('(see {})', call('methods')), "(see 'rocbands methods')"),
    (Message('{} or {}', call('auc_interval'), call('curve')), "'rocbands auc' or rb.curve()"),
    (Message('{}, {}', arg('n_resamples'), arg('rng', 1)), "--resamples, --seed 1"),
    (Message('{}: {}, {}', arg('costs'), arg('slope'), arg('slope', 2)), "--c-fn and --c-fp: --set slope, --set slope=2"),
    (Message("{} has 'w=1', 'level=2', `x`", arg('y_true')), "column 'who' has 'w=1', 'level=2', `x`"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "shown"), SPELLED)
def test_messages_speak_of_options_and_leave_the_rest_alone(raw: str, shown: str) -> None:
    names = ("positive", "future", "level", "joint", "--resamples n_resamples", "--seed rng")
    names += ("--set settings",)
    options = [click.Option((name if "-" in name else f"--{name}").split()) for name in names]
    command = Command("x", params=options, aliases={"costs": "--c-fn and --c-fp"})
    ctx = click.Context(command)
    with ctx:
        remember_label("who")
        assert Message(raw).render(spelling(ctx)) == shown


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_error_that_a_signal_caused_is_not_shown(number: int, code: int) -> None:
    # As when it comes while an extension module is imported, and becomes a SystemError.
    program = f"""
import os
from rocbands.cli import app
def fail(*args, **extra):
    try:
        os.kill(os.getpid(), {int(number)})
        while True: pass
    except BaseException:
        raise SystemError("half a module")
app.click.Group.main = fail
app.main()
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=180, check=False
    )
    assert ran.returncode == code
    assert "Traceback" not in ran.stderr
