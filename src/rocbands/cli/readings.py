"""The readings that a command reads: where they are, their columns, the positive label."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from rocbands.cli import load, options
from rocbands.cli.messages import remark, remember_label, usage
from rocbands.cli.progress import reading_bar
from rocbands.errors import InputError

if TYPE_CHECKING:
    from rocbands.readers.readings import Readings
    from rocbands.readers.result import ReaderStudy

# Columns, by their arguments of Readings.from_file.
_COLUMNS = {
    "label": "labels, which all readings of a case share; by default label, truth or the like",
    "score": "scores; by default score or rating",
    "reader": "readers; by default reader, rater or observer",
    "case": "cases; by default case or patient",
    "test": "tests; by default test, treatment or modality, if there is one",
    "clusters": "clusters: cases of one cluster, such as the lesions of a patient, are dependent",
}
columns = options.combine(
    *(load.column(f"--{use}", f"Column of {words}.") for use, words in _COLUMNS.items()),
    options.positive,
    options.flag("--drop-missing", "Leave readings without a score out, and report how many."),
    options.sheet,
    options.written,
)


# Of the arguments of these options.
NAMES = (*_COLUMNS, "positive", "sheet", "encoding", "decimal", "drop_missing")


def read(path: str, given: Mapping[str, Any]) -> Readings:
    """Read a file; `given`: the values of `NAMES`."""
    from rocbands.io.readings import read_readings
    from rocbands.readers.readings import Readings

    def remember(columns: Mapping[str, str]) -> None:
        for name, argument in (("label", "y_true"), ("score", "y_score")):
            if name in columns:
                remember_label(columns[name], argument)

    with reading_bar("stdin" if path == "-" else path) as bar:
        return read_readings(
            Readings,
            path,
            {name: given[name] for name in _COLUMNS if given[name] is not None},
            positive=given["positive"],
            missing="drop" if given["drop_missing"] else "raise",
            form=options.take_form(dict(given)),
            progress=bar,
            chosen=remember,
        )


compare = options.text(
    "--compare",
    "Test to compare; repeat it for others. Differences are first minus second, in this order; by "
    "default all tests, in the order of the file.",
    "TEST",
    multiple=True,
)


def choose_tests(readings: Readings, tests: tuple[str, ...]) -> Readings:
    """Return the readings under the tests that were named by --compare, in this order."""
    try:
        return readings.take(tests=tests) if tests else readings
    except InputError as problem:
        raise problem.rename({"tests": "compare"}) from None


def remark_direction(study: ReaderStudy, tests: tuple[str, ...]) -> None:
    """Say which test was tested for non-inferiority, if the order of the file decided."""
    if study.margin is None or study.algorithm is not None or tests:
        return
    one, two = study.differences[0].names
    other = shlex.join(["--compare", two, "--compare", one])
    remark(f"tested: {one} is not inferior to {two}, in the order of the file. The other: {other}.")


def reads(function: Any) -> Any:
    """Give a command, as `read`, a function that reads its readings."""

    @wraps(function)
    def run(*, path: str | None, shipped: bool, **asked: Any) -> Any:
        from rocbands.io.streams import EXAMPLE_READINGS

        if path is None and not shipped and load.is_piped():
            path = "-"
        if shipped == (path is not None):
            found = "both were given" if shipped else "neither was given"
            raise usage(f"Give a file of readings (- for stdin) or --example; {found}.")
        if shipped:
            options.refuse("--example", *NAMES)
        given = {name: asked.pop(name) for name in NAMES}
        return function(read=lambda: read(path or str(EXAMPLE_READINGS), given), **asked)

    return options.combine(
        click.argument("path", metavar="READINGS", type=click.Path(), required=False),
        columns,
        options.flag(
            "--example", "Use the study that ships with rocbands instead of a file.", name="shipped"
        ),
    )(run)
