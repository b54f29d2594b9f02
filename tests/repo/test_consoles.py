"""Every line of every console block in README and documentation is run, and no block escapes."""

from __future__ import annotations

import re
import shlex
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import click
import pytest

from rocbands.cli import main
from tests.repo.consoles import (
    FENCE,
    INSTEAD,
    MADE_BY,
    ROOT,
    SCORES,
    Folder,
    absent,
    blocks,
    console_lines,
    replaced,
)
from tests.repo.pages import STUDY_PAGES

PAGES = [
    page
    for folder in (
        ROOT,
        ROOT / ".github",
        ROOT / "docs",
        ROOT / "changes",
        ROOT / "tests" / "golden",
    )
    for page in sorted(folder.glob("*.md"))
] + STUDY_PAGES
LINES = {
    page: [line for _, body in found for line in console_lines(body)]
    for page in PAGES
    if (found := blocks(page.read_text(encoding="utf-8"), "console"))
}
# `make test-readme` runs those of README, and the tests of the studies those of their pages.
OTHERS = [page for page in LINES if page.name != "README.md" and page not in STUDY_PAGES]
ALL = sorted({line for lines in LINES.values() for line in lines})

# Who looks after blocks of a language: test_words.py runs Python and compares text and LaTeX with
# what it prints; test_coming_from_r.py has the numbers of R; Sphinx reads those in braces.
LANGUAGES = {"sql", "python", "console", "text", "latex", "r"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.chdir(tmp_path)
    return Folder(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix")
@pytest.mark.parametrize("page", OTHERS, ids=lambda page: page.name)
def test_console_lines_run(folder: Folder, page: Path) -> None:
    lacking = {line: absent(line) for line in LINES[page]}
    for line in LINES[page]:
        if not lacking[line]:
            folder.run(line)
    if lacking := {line: names for line, names in lacking.items() if names}:
        pytest.skip(f"not on this machine: {lacking}")


def test_the_page_of_commands_reads_only_files_that_it_makes() -> None:
    made: set[str] = set()
    for line in LINES[ROOT / "docs" / "commands.md"]:
        words = shlex.split(line)
        new = {word for before, word in pairwise(words) if before in MADE_BY}
        assert {word for word in words if SCORES.search(word)} <= made | new, line
        made |= new


@pytest.mark.parametrize(
    "line",
    [
        "rocbands auc --exampel",  # runs here
        "rocbands auc scores.csv --level 2",
        "rocbands roc --example --format cvs | cat",  # runs in a shell
        "rocbands methods | grep 'no such method'",
        "rocbands methods --no-such-option > methods.txt",
        "make no-such-target",
        "rocbands study run no-such-study --quick",
        "python -m benchmarks.run no_such_benchmark",
        "python -m rocbands_studies.coverage no-such-page",
        "python -m rocbands_studies.coverage.nothing 100",
    ],
)
def test_a_line_that_fails_is_noticed(folder: Folder, line: str) -> None:
    with pytest.raises(AssertionError):
        folder.run(line)


@pytest.mark.parametrize("pattern", [pattern for pattern, _, _ in INSTEAD])
def test_nothing_is_replaced_in_vain(pattern: str) -> None:
    assert pattern in {replaced(line)[1] for line in ALL}


def unknown_in(line: str) -> set[str]:
    """Return what a line names that is not there: commands, options, targets, programs, extras."""
    words = shlex.split(line)
    if words[0] == "make":
        targets = re.findall(
            r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
        )
        return {word for word in words[1:] if "=" not in word} - set(targets)
    if words[0] == "python":
        place = words[2].replace(".", "/") if words[1] == "-m" else words[1].removesuffix(".py")
        files = (words[3],) if place == "pytest" else (f"{place}.py", f"{place}/__main__.py")
        folders = ROOT, ROOT / "studies" / "src"
        found = any((folder / file).exists() for folder in folders for file in files)
        return set() if found else {files[0]}
    if words[0] == "pip":
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        named = re.search(r"\[(.*)\]", line)
        published = {  # nothing is on an index yet
            word for word in words[2:] if re.match(r"rocbands(-studies)?(\[|$)", word)
        }
        return (
            published
            | set(named[1].split(",") if named else ()) - project["optional-dependencies"].keys()
        )
    command: click.Command | None = main
    for word in words[1:]:
        if not isinstance(command, click.Group) or word.startswith("--"):
            break
        if word == "COMMAND":  # any of them
            return set()
        command = command.get_command(click.Context(command), word)
        if command is None:
            return {word}
    assert command is not None
    known = {option for param in command.params for option in (*param.opts, *param.secondary_opts)}
    return {word.partition("=")[0] for word in words if word.startswith("--")} - known


# Lines that stand in sentences, and those that are replaced, are held against what there is.
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_lines_that_are_not_run_name_what_there_is(page: Path) -> None:
    inline = re.findall(
        r"`((?:rocbands|python|make|pip) [^`\n]+)`", FENCE.sub("", page.read_text(encoding="utf-8"))
    )
    lines = inline + [line for line in LINES.get(page, []) if replaced(line)[1]]
    wrong = {line: unknown for line in lines if (unknown := unknown_in(line))}
    assert not wrong


@pytest.mark.parametrize(
    "line",
    [
        "make nothing",
        "python -m rocbands_studies.coverage.nothing",
        "python docs/nothing.py",
        "pip install '.[nothing]'",
        "pip install 'rocbands[app]'",
        "pip install rocbands-studies",
        "rocbands nothing",
        "rocbands study nothing",
        "rocbands auc SCORES --nothing",
    ],
)
def test_a_name_that_is_not_there_is_noticed(line: str) -> None:
    assert unknown_in(line)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_block_escapes(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    found = blocks(text)
    assert len(re.findall(r"^ *(?:```|~~~)", text, re.MULTILINE)) == 2 * len(found)
    unknown = {language for language, _ in found if language[:1] != "{"} - LANGUAGES
    assert not unknown, f"no test looks after blocks of {unknown}"
    hidden = [body for language, body in found if language == "text" and "\n$ " in "\n" + body]
    assert not hidden, "commands belong in a console block"
    assert not re.search(r"^ +```(python|console)", text, re.MULTILINE), (
        "indented blocks are not run"
    )
