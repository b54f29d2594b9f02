"""What `rocbands cost` is asked: operating conditions, where thresholds come from, which limits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from rocbands.cli.given import Given, read_given
from rocbands.cli.words import cli_words
from rocbands.errors import InputError

if TYPE_CHECKING:
    from rocbands.core.scores import PairedScores
    from rocbands.cost.conditions import Sampling
    from rocbands.cost.result import CostDifference, CostIntervals

__all__ = ["GRID", "Order", "Thresholds", "check_probabilities", "halves", "read_validation"]

# Operating conditions if none is named: at 0 and 1 themselves one kind of error is free.
GRID = [i / 100 for i in range(1, 100)]
_SOURCES = "--validation FILE, --calibrated P, --threshold T or --split"

Thresholds = Callable[[str, Any], Any]  # of the model of that name, at some w


class Order(NamedTuple):
    """The options of the command, by the names that click gives them."""

    validation: str | None
    calibrated: float | None
    threshold: tuple[float, ...]
    split: bool
    w: tuple[float, ...]
    c_fn: float | None
    c_fp: float | None
    prevalence: float | None
    method: str
    sampling: Sampling
    level: float
    simultaneous: bool
    seed: int | None

    @property
    def has_source(self) -> bool:
        """Whether thresholds come from elsewhere than the rows they are judged on."""
        given = {
            "--validation": self.validation is not None,
            "--calibrated": self.calibrated is not None,
            "--threshold": bool(self.threshold),
            "--split": self.split,
        }
        named = [name for name, is_given in given.items() if is_given]
        if len(named) > 1:
            raise _usage(f"Thresholds come from one place; {' and '.join(named)} were given.")
        return bool(named)

    @property
    def is_open(self) -> bool:
        """Whether no operating condition was named."""
        return not self.w and self.c_fn is None

    @property
    def conditions(self) -> dict[str, Any]:
        """Operating conditions, as the library takes them."""
        costs = None if self.c_fn is None else (self.c_fn, self.c_fp)
        w = GRID if self.is_open else list(self.w) or None
        return {"w": w, "costs": costs, "prevalence": self.prevalence}

    def at(self, given: Given) -> list[float]:
        """Operating conditions as w."""
        from rocbands.cost.conditions import operating_condition

        if self.c_fn is None or self.c_fp is None:
            return list(self.w) or GRID
        share = given.prevalence if self.prevalence is None else self.prevalence
        return [float(operating_condition(self.c_fn, self.c_fp, share))]

    def check(self) -> None:
        """Find slips before a file is read: they should not cost the time that reading takes."""
        from rocbands.cost import cost_difference, cost_interval

        if (self.c_fn is None) != (self.c_fp is None):
            one, other = ("--c-fp", "--c-fn") if self.c_fn is None else ("--c-fn", "--c-fp")
            raise _usage(f"{one} needs {other}: only both together say what errors weigh.")
        if not self.has_source:
            _refuse_limits()
        y_true, y_score = [1, 0, 1, 0], [4, 3, 2, 1]
        cut = list(self.threshold) or 2.5
        with cli_words():
            if self.calibrated is not None:
                _check_calibrated(self.calibrated)
            cost_interval(y_true, y_score, thresholds=cut, **self.conditions, **self._limits)
            if self.simultaneous:
                how = {"thresholds_1": 2.5, "thresholds_2": 2.5, "w": 0.5, **self._paired_limits}
                cost_difference(y_true, y_score, y_score, **how)

    def check_given(self, given: Given, source: str | None) -> None:
        """Refuse limits that what was read cannot give."""
        if self.simultaneous and len(given) != 2:
            raise InputError(
                f"--simultaneous is for the difference of two models; there are {len(given)}. Name "
                "them by --score A --score B, or leave it out."
            )
        if given.rows is None and (self.simultaneous or self.split):
            option, why = (
                ("--split", "cannot be parted into halves. Name a --validation file")
                if self.split
                else ("--simultaneous", "have no difference of two models. Leave it out")
            )
            raise InputError(
                f"{option} needs rows; {source} holds counts, which {why}, or name the file that "
                "was counted."
            )

    def interval(
        self, given: Given, name: str, cut: Any, conditions: dict[str, Any]
    ) -> CostIntervals:
        """Judge the thresholds `cut` of one model."""
        from rocbands.cost import cost_interval

        y_true, y_score = given.parts[name]
        with cli_words():
            return cost_interval(y_true, y_score, thresholds=cut, **conditions, **self._limits)

    def difference(
        self, models: PairedScores, cuts: list[Any], conditions: dict[str, Any]
    ) -> CostDifference:
        """Compare two models."""
        from rocbands.cost import cost_difference

        one, two = models.names
        how = {"names": (one, two), "rng": self.seed, **conditions, **self._paired_limits}
        how |= {"thresholds_1": cuts[0], "thresholds_2": cuts[1]}
        scores = models.models[one], models.models[two]
        with cli_words():
            return cost_difference(models.is_positive, *scores, **how)

    @property
    def _limits(self) -> dict[str, Any]:
        return {"method": self.method, "sampling": self.sampling, "level": self.level}

    @property
    def _paired_limits(self) -> dict[str, Any]:
        from rocbands.cost import METHODS

        kind = METHODS.get(self.method)
        method = "mover" if kind is None or "paired" not in kind.handles else self.method
        return self._limits | {"method": method, "simultaneous": self.simultaneous}


def read_validation(path: str, given: Given, **rows: Any) -> Given:
    """Read what chooses thresholds: the same columns, or models, of another file."""
    source = rows["source"]
    if source is not None and (source == path or _same_file(source, path)):
        raise InputError(
            f"--validation must hold other rows than SCORES; both are '{path}'. Choose thresholds "
            "on rows that are not judged, or say --split."
        )
    positive = rows["positive"] or ("malignant" if rows["example"] else None)
    asked = {**rows, "source": path, "example": False, "positive": positive}
    try:
        return read_given(**{**asked, "scores": given.names})
    except InputError as problem:
        if path in str(problem):
            raise
        raise InputError(f"{path}: {problem}") from problem


def check_probabilities(given: Given) -> None:
    """Refuse scores that cannot be probabilities: thresholds for those would mean nothing."""
    for name in given.names:
        low, high = given.reach(name)
        if low < 0.0 or high > 1.0:
            raise InputError(
                f"--calibrated is for probabilities, from 0 to 1; {name!r} goes from {low:g} to "
                f"{high:g}. Name a --validation file, a --threshold, or say --split."
            )


def halves(models: PairedScores, seed: int | None) -> tuple[PairedScores, PairedScores]:
    """Part the rows at random: half of either class to choose thresholds, the others to judge."""
    from rocbands.cost.thresholds import split_rows

    try:
        return split_rows(models, seed)
    except InputError:
        raise InputError(
            "--split needs two rows of either class; one class has only 1. Name a --validation "
            "file instead."
        ) from None


def _same_file(one: str, other: str) -> bool:
    return Path(one).exists() and Path(other).exists() and Path(one).samefile(other)


def _usage(message: str) -> click.UsageError:
    return click.UsageError(message, click.get_current_context())


def _check_calibrated(prevalence: float) -> None:
    from rocbands.cost.conditions import check_prevalence

    try:
        check_prevalence(prevalence)
    except InputError as problem:
        raise InputError(str(problem).replace("prevalence", "calibrated")) from problem


def _refuse_limits() -> None:
    """Refuse options of limits where there will be none."""
    ctx = click.get_current_context()
    for name in ("method", "sampling", "level", "simultaneous"):
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise _usage(
                f"--{name} is for confidence limits, which need thresholds that were not chosen on "
                f"the same rows. Say where they come from: {_SOURCES}."
            )
