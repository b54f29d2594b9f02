"""The examples that help texts give are run, and what they print fits a terminal."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

import rocbands
from rocbands.cli import main
from tests.cli.files import write_scores

Run = Callable[..., Result]

# Studies are tested where they are, the app runs until it is stopped, and completion scripts
# are for shells of their own.
LONG = ("rocbands app", "rocbands study", "eval ", "rocbands completion fish |")


def commands(
    group: click.Group, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, group
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


ALL = dict(commands(main))
EXAMPLES = {
    path: [
        line.strip()
        for line in command.get_help(click.Context(command, help_option_names=["-h", "--help"]))
        .partition("Examples:\n")[2]
        .replace("\\\n", " ")
        .splitlines()
        if line.strip()
    ]
    for path, command in ALL.items()
}


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_command_has_a_help_with_examples_that_fits(run: Run, path: tuple[str, ...]) -> None:
    result = run(*path, "--help")
    assert result.exit_code == 0
    examples = result.stdout.partition("Examples:\n")[2]
    examples = examples.replace("\\\n", " ").strip().splitlines()
    assert 2 <= len(examples) <= 5
    assert all("rocbands" in line for line in examples)
    assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.parametrize("path", EXAMPLES, ids=" ".join)
def test_examples_run_in_a_folder_with_no_other_files(
    run: Run, path: tuple[str, ...], tmp_path: Path
) -> None:
    for file in tmp_path.iterdir():
        if file.is_file():
            file.unlink()
    columns = {"label": ["label"], "positive": [""], "scores": [], "others": []}
    write_scores(tmp_path / "pets.csv", {**columns, "classes": ["cat", "dog", "owl"]})
    for line in EXAMPLES[path]:
        if not line.startswith(LONG) and "|" not in line:
            check_example(run, line)


def check_example(run: Run, line: str) -> None:
    words = shlex.split(line)
    assert words[0] == "rocbands"
    words = words[1 : words.index(">")] if ">" in words else words[1:]
    result = run(*words)
    assert result.exit_code == 0, result.stderr
    assert result.stdout or words[0] == "example"
    table = "json" not in line and "--format" not in words and words[0] != "schema"
    assert not table or max(map(len, result.stdout.splitlines()), default=0) <= 80
    if "--plot" in words:
        assert Path(words[words.index("--plot") + 1]).stat().st_size > 1000


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix")
@pytest.mark.parametrize(
    "line",
    sorted(
        {
            line
            for lines in EXAMPLES.values()
            for line in lines
            if "|" in line and "fish" not in line
        }
    ),
)
def test_examples_with_pipes_run_in_a_shell(tmp_path: Path, line: str) -> None:
    shell = shutil.which("bash")
    if shell is None:
        pytest.skip("there is no bash")
    CliRunner().invoke(main, ["example", "-o", str(tmp_path / "scores.csv")])
    script = tmp_path / "bin" / "rocbands"
    script.parent.mkdir()
    script.write_text(
        f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m rocbands "$@"\n', encoding="utf-8"
    )
    script.chmod(0o755)
    source = str(Path(rocbands.__file__).parents[1])
    path = os.pathsep.join([str(script.parent), os.environ["PATH"]])
    done = subprocess.run(
        [shell, "-o", "pipefail", "-c", line],
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "PYTHONPATH": source},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
