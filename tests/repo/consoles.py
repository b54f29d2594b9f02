"""Console blocks of pages, and folders in which their lines can be run."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from click.testing import CliRunner

from rocbands.cli import main
from tests.cli.files import write_scores

ROOT = Path(__file__).parents[2]
PYTHON = shlex.quote(sys.executable)

# What is not run as it stands: a pattern for the line, what is run instead, and why.
INSTEAD = (
    (
        r"make ([\w-]+)$",
        rf"make -C {shlex.quote(str(ROOT))} -n \1",
        "installs, tests or measures everything; that the target is there must do",
    ),
    (
        r"(rocbands study own .*)",
        r"\1 --replicates 20 --workers 1",
        "20 test sets instead of hundreds",
    ),
    (
        r"rocbands study run ([\w-]+) --quick$",
        r"rocbands study list --format csv | grep -w \1",
        "a minute or two; that the study is there must do, and studies/tests/engine runs small ones",
    ),
    (r"rocbands app\b.*$", r"rocbands app --help", "runs until it is stopped; tests/app starts it"),
    (
        r"python -m benchmarks\.run (\w+)$",
        r"""python -c 'from benchmarks import run, \1; assert \1.rows and "\1" in run.BENCHMARKS'""",
        "minutes; that the benchmark is there must do",
    ),
    (
        r"python -m rocbands_studies\.coverage ([\w-]+)$",
        r"""python -c 'from rocbands_studies.coverage.pages import PAGES; assert "\1" in PAGES'""",
        "minutes; that the page is there must do",
    ),
    (
        r"python -m rocbands_studies\.coverage\.(\w+)( .*)?$",
        r"python -c 'import rocbands_studies.coverage.\1'",
        "minutes or hours; that the script is there must do",
    ),
)

FENCE = re.compile(r"^( *)(```+|~~~+)(\S*)[^\n]*\n(.*?)^\1\2 *$", re.DOTALL | re.MULTILINE)
SHELL = re.compile(r"[|<>;&`$*]")
MADE_BY = {
    "-o",
    "--output",
    "--plot",
    "--later",
    "--store",
    ">",
}  # the word after it is a file that is made
_RAN: set[str] = set()  # lines that need not be run again
USUAL = ["score_new", "score_old"]  # columns of scores where a line names none
SCORES = re.compile(r"\.(csv|csv\.gz|parquet)$")


def blocks(text: str, language: str | None = None) -> list[tuple[str, str]]:
    """Return language and body of a page's code blocks."""
    found = [(match[3], match[4]) for match in FENCE.finditer(text)]
    return [block for block in found if language in (None, block[0])]


def console_lines(body: str) -> list[str]:
    """Return the commands of a console block; whatever else stands there is refused."""
    lines = body.replace("\\\n", " ").splitlines()
    other = [line for line in lines if not line.startswith("$ ")]
    assert not other, f"a console block must contain lines that begin with '$ '; it has {other}"
    return [re.sub(r"\s+#.*$", "", line[2:]) for line in lines]


def replaced(line: str) -> tuple[str, str | None]:
    """Return what is run for a line, and the pattern by which it was replaced, if any."""
    for pattern, instead, _ in INSTEAD:
        if re.match(pattern, line):
            return re.sub(pattern, instead, line), pattern
    return line, None


def absent(line: str) -> set[str]:
    """Return the programs that a line calls and this machine does not have."""
    called = {part.split()[0] for part in re.split(r"\||&&|;", line)} - {"rocbands", "python"}
    return {program for program in called if not shutil.which(program)}


@dataclass
class Folder:
    """A folder with whatever files a line wants to read, and a shell that knows rocbands."""

    path: Path
    ours: set[Path] = field(default_factory=set)

    def run(self, line: str) -> None:
        """Run a line; it must end well, say nothing but results, and make what it says."""
        words = shlex.split(line)
        made = {self.path / word for before, word in pairwise(words) if before in MADE_BY}
        if line in _RAN:
            return
        if "--example" in words and not made:
            _RAN.add(line)  # reads no file of this folder and makes none: the same on every page
        self.provide(words, made)
        line, _ = replaced(line)
        code, said = self._here(line) if self._is_plain(line) else self._in_a_shell(line)
        assert code == 0, f"{line}\n{said}"
        missing = [file.name for file in made if not file.exists() or not file.stat().st_size]
        assert not missing, f"{line}\nmade no {missing}"

    def provide(self, words: list[str], made: set[Path]) -> None:
        """Write the files that a line reads, with the columns that it names."""
        files = [f"{word}part.parquet" if word.endswith("/") else word for word in words]
        wanted = {self.path / file.replace("*", "part") for file in files if SCORES.search(file)}
        for place, file in enumerate(sorted(wanted - made)):
            if file in self.ours or not file.exists():
                file.parent.mkdir(exist_ok=True)
                write_scores(file, columns_of(words), seed=place)
                self.ours.add(file)

    @staticmethod
    def _is_plain(line: str) -> bool:
        plain = line.startswith("rocbands ") and not SHELL.search(line)
        return plain or line.startswith("python -c ")

    @staticmethod
    def _here(line: str) -> tuple[int, str]:
        if line.startswith("python -c "):
            _, _, program = shlex.split(line)
            try:
                exec(program, {})
            except (ImportError, AssertionError) as wrong:
                return 1, repr(wrong)
            return 0, ""
        done = CliRunner().invoke(main, shlex.split(line)[1:], prog_name="rocbands")
        return done.exit_code, done.output + repr(done.exception)

    def _in_a_shell(self, line: str) -> tuple[int, str]:
        shell = shutil.which("bash")
        assert shell is not None, "there is no bash"
        programs = self.path / "bin"
        programs.mkdir(exist_ok=True)
        for name, what in (("rocbands", "-m rocbands"), ("python", "")):
            (programs / name).write_text(
                f'#!/bin/sh\nexec {PYTHON} {what} "$@"\n', encoding="utf-8"
            )
            (programs / name).chmod(0o755)
        path = os.pathsep.join([str(programs), os.environ["PATH"]])
        source = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
        done = subprocess.run(
            [shell, "-o", "pipefail", "-c", line],
            cwd=self.path,
            env={**os.environ, "PATH": path, "PYTHONPATH": source},
            capture_output=True,
            check=False,
            text=True,
        )
        return done.returncode, done.stdout + done.stderr


def columns_of(words: list[str]) -> dict[str, list[str]]:
    """Return the columns that options name: labels, scores, and others."""
    named: dict[str, list[str]] = {}
    for option, value in pairwise(words):
        named.setdefault(option, []).append(value)
    several = "classes" in words[1:2] or "--classes" in words
    return {
        "label": named.get("--label", ["outcome"]),
        "positive": named.get("--positive", ["1"]),
        "scores": [] if several else named.get("--score", USUAL),
        "others": [
            name
            for option in ("--folds", "--clusters", "--strata", "--by", "--weights", "--time")
            for name in named.get(option, [])
        ],
        "classes": named.get("--score", []) if several else [],
    }
