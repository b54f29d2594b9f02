"""`plan --pilot`: sizes of reader studies from a file of readings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import rocbands as rb
from tests.golden_numbers import GOLDEN

Run = Callable[..., Result]
STUDY = str(GOLDEN / "roemetz_imrmc.csv")
COLUMNS = (
    *("--case", "case", "--reader", "reader", "--test", "treatment"),
    *("--label", "truth", "--score", "rating"),
)


def pilot() -> rb.results.ReaderStudy:
    return rb.compare_readers(rb.Readings.from_file(STUDY))


@pytest.mark.parametrize(
    ("asked", "how"),
    [
        (("--difference", "0.2"), {"difference": 0.2}),
        (
            ("--difference", "0.2", "--readers", "6,10", "--power", "0.9", "--level", "0.9"),
            {"difference": 0.2, "readers": [6, 10], "power": 0.9, "level": 0.9},
        ),
        (
            ("--difference", "0.2", "--cases", "100", "--random", "cases"),
            {"difference": 0.2, "cases": 100, "random": "cases"},
        ),
        (
            ("--difference", "0.01", "--margin", "0.2", "--prevalence", "0.2"),
            {"difference": 0.01, "margin": 0.2, "prevalence": 0.2},
        ),
        (
            ("--difference", "0.2", "--cases", "60,90", "--readers", "8"),
            {"difference": 0.2, "cases": [60, 90], "readers": 8},
        ),
    ],
)
def test_a_plan_from_a_pilot_is_that_of_the_library(
    run: Run, asked: tuple[str, ...], how: dict[str, object]
) -> None:
    result = run("plan", "--pilot", STUDY, *COLUMNS, *asked)
    assert result.exit_code == 0, result.stderr
    wanted = rb.reader_study_size(pilot(), **how)  # type: ignore[arg-type]
    assert result.stdout.split() == str(wanted).split()
    short = run("plan", "--pilot", STUDY, *asked, "--json")  # columns have usual names
    assert json.loads(short.stdout) == json.loads(wanted.to_json())


def test_a_plan_from_a_pilot_is_drawn(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "plan.png"
    result = run("plan", "--pilot", STUDY, "--difference", "0.2", "--plot", str(picture))
    assert result.exit_code == 0, result.stderr
    assert picture.read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ((), "A plan needs --auc, the expected AUC, or --pilot FILE, a reader study."),
        (("--pilot", STUDY), "--pilot needs --difference D, the difference of two tests to find."),
        (("--auc", "0.8", "--width", "0.1", "--readers", "3"), "--readers is not for plans without"),
        (("--auc", "0.8", "--width", "0.1", "--case", "id"), "name a reader study by --pilot."),
        (("--pilot", STUDY, "--difference", "0.1", "--auc", "0.8"), "--auc is not for reader studies"),
        (("--pilot", STUDY, "--difference", "0.1", "--check"), "--check is not for reader studies"),
        (("--pilot", STUDY, "--difference", "0"), "--difference must not be 0 without a margin"),
        (("--pilot", STUDY, "--difference", "0.1", "--readers", "4;6"), "with commas between; got '4;6'"),
        (("--pilot", STUDY, "--difference", "0.1", "--readers", "1"), "pass --random cases"),
        (("--pilot", STUDY, "--difference", "0.1", "--random", "all"), "both, cases, readers; got 'all'"),
        (("--pilot", STUDY, "--difference", "0.1", "--score", "x"), "no column 'x'"),
        (("--pilot", "none.csv", "--difference", "0.1"), "there is no 'none.csv'"),
    ],
)  # fmt: skip
def test_options_that_are_refused_in_one_line(run: Run, asked: tuple[str, ...], said: str) -> None:
    result = run("plan", *asked)
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not result.stdout
