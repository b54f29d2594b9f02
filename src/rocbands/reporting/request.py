"""What a report is about: the rows, the models, and what was asked for."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import check_future, check_level, check_rng
from rocbands.core.roc import RocCurve, build_roc_curve
from rocbands.core.scores import PairedScores
from rocbands.errors import InputError

__all__ = [
    "LEVELS",
    "CountedCurves",
    "Halves",
    "Omitted",
    "Progress",
    "ReportRequest",
    "choose_seed",
]

LEVELS = (0.8, 0.9, 0.95, 0.99)  # that a reader can choose from, besides the asked one

T = TypeVar("T")
Progress = Callable[[int, int | None], None]
Halves = tuple[PairedScores, PairedScores]  # rows that choose thresholds, rows that judge them


class Omitted:
    """What a report lacks, and why: nothing is left out without a word."""

    def __init__(self) -> None:
        self._why: dict[tuple[str, str], list[str]] = {}

    def add(self, section: str, why: str, model: str | None = None) -> None:
        """Note that a section is missing; models with the same reason share a line."""
        models = self._why.setdefault((section, why), [])
        if model is not None and model not in models:
            models.append(model)

    def attempt(self, section: str, model: str | None, work: Callable[[], T]) -> T | None:
        """Return what `work` makes; if the data do not suffice for it, note why."""
        try:
            return work()
        except InputError as problem:
            self.add(section, " ".join(str(problem).split()), model)
            return None

    def to_list(self) -> list[dict[str, Any]]:
        """Return all of it as plain values."""
        return [
            {"section": section, "why": why, "models": models}
            for (section, why), models in self._why.items()
        ]


@dataclass(frozen=True, eq=False)
class CountedCurves:
    """Curves of models whose rows were counted elsewhere.

    Attributes
    ----------
    curves : mapping of str to RocCurve
        Each model's curve; all of the same rows.
    positive : str
        The positive label.
    """

    curves: Mapping[str, RocCurve]
    positive: str


@dataclass(frozen=True, eq=False)
class ReportRequest:
    """The rows and what was asked for, checked.

    Attributes
    ----------
    models : PairedScores or CountedCurves
        The rows with each model's scores; or curves, where only counts are known.
    level : float
        Confidence level.
    future : (int, int)
        Class sizes of a future test set.
    groups, folds : array-like or None
        The group and the fold of each row, as the user gave them.
    title, source : str
        What to call the report, and where the rows come from.
    seed : int
        Source of all randomness; every random part starts from it.
    omitted : Omitted
        What could not be made.
    """

    models: PairedScores | CountedCurves
    level: float
    future: tuple[int, int]
    groups: npt.NDArray[Any] | None
    folds: npt.NDArray[Any] | None
    title: str
    source: str
    seed: int
    omitted: Omitted = field(default_factory=Omitted)

    @classmethod
    def from_models(
        cls,
        models: PairedScores | CountedCurves,
        *,
        level: float = 0.95,
        groups: Any = None,
        folds: Any = None,
        future: tuple[int, int] | None = None,
        title: str | None = None,
        source: str = "arrays",
        rng: Any = None,
    ) -> ReportRequest:
        """Check what was asked for."""
        sizes = check_future(future) or _count_classes(models)
        names = tuple(models.curves) if isinstance(models, CountedCurves) else models.names
        default = f"ROC report: {', '.join(names)}" if len(names) <= 3 else "ROC report"
        return cls(
            models=models,
            level=check_level(level),
            future=sizes,
            groups=groups,
            folds=folds,
            title=default if title is None else str(title),
            source=source,
            seed=choose_seed(rng),
        )

    @cached_property
    def curves(self) -> Mapping[str, RocCurve]:
        """Each model's curve; this is where scores are sorted, once."""
        if isinstance(self.models, CountedCurves):
            return self.models.curves
        return {
            name: build_roc_curve(self.models[name], groups=self.groups, folds=self.folds)
            for name in self.models.names
        }

    @property
    def levels(self) -> list[float]:
        """All levels of bands."""
        return sorted({*LEVELS, self.level})

    @property
    def sizes(self) -> tuple[int, int]:
        """Number of positives and of negatives."""
        return _count_classes(self.models)

    @property
    def rows(self) -> PairedScores | None:
        """The rows, unless only counts are left of them."""
        return None if isinstance(self.models, CountedCurves) else self.models

    @property
    def extras(self) -> tuple[str, ...]:
        """Which of 'groups' and 'folds' were given."""
        given = (("groups", self.groups), ("folds", self.folds))
        return tuple(name for name, column in given if column is not None)


def _count_classes(models: PairedScores | CountedCurves) -> tuple[int, int]:
    if isinstance(models, CountedCurves):
        roc = next(iter(models.curves.values()))
        return roc.n_pos, roc.n_neg
    n_pos = int(np.count_nonzero(models.is_positive))
    return n_pos, models.is_positive.size - n_pos


def choose_seed(rng: Any) -> int:
    """Return a seed: the given one, or one drawn by the given source of randomness.

    Examples
    --------
    >>> choose_seed(7)
    7
    """
    generator = check_rng(rng)
    whole = isinstance(rng, numbers.Integral) and not isinstance(rng, bool)
    return int(rng) if whole else int(generator.integers(2**32))
