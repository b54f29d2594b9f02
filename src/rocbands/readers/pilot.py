"""What a pilot says about a planned reader study: components of variance and class sizes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.special import chdtri

from rocbands.core.checks import check_share, read_numbers
from rocbands.core.phrases import join_words
from rocbands.core.result import percent
from rocbands.core.tolerance import SAME
from rocbands.errors import InputError, Message, in_python
from rocbands.readers.contrast import find_components
from rocbands.readers.influence import Metric, estimate_cells
from rocbands.readers.power import PilotComponents
from rocbands.readers.result import ReaderStudy

Sizes: TypeAlias = tuple[int | None, ...]

COMPONENTS = ("var_tr", "var", "cov1", "cov2", "cov3")
_COMPLETE = 0.9  # share of readings that a pilot must have

_refuse = partial(InputError, argument="pilot")


class Pilot(NamedTuple):
    """What is known about a pilot."""

    components: PilotComponents
    ms_tr: float  # MS(TR), from which var_tr was estimated
    df: float | None  # its degrees of freedom
    n_readers: int | None
    share: float | None  # of positives
    quantity: str | None
    notes: tuple[str, ...] = ()

    def move_var_tr(self, confidence: float) -> Pilot:
        """Return the pilot with the value that `var_tr` is below with some confidence.

        MS(TR) is its expectation times a chi-square over its degrees of freedom.
        """
        df = self.df or math.inf
        change = self.ms_tr * (df / float(chdtri(df, confidence)) - 1.0)
        moved = replace(self.components, var_tr=self.components.var_tr + change)
        return self._replace(components=moved)

    @property
    def least_cases(self) -> int:
        """Smallest number of cases with two of each class."""
        return 4 if self.share is None else math.ceil(2.0 / min(self.share, 1.0 - self.share))

    def split(self, cases: Sizes) -> tuple[Sizes | None, Sizes | None]:
        """Numbers of positives and of negatives among cases."""
        if self.share is None:
            return None, None
        pairs = [
            (None, None) if n is None else (p := min(max(round(self.share * n), 2), n - 2), n - p)
            for n in cases
        ]
        pos, neg = zip(*pairs, strict=True)
        return pos, neg


def read_pilot(pilot: ReaderStudy | Mapping[str, Any]) -> Pilot:
    """Return what a study or a mapping says; refuse what no study can have."""
    notes: tuple[str, ...] = ()
    study = pilot if isinstance(pilot, ReaderStudy) else None
    given = pilot if study is None else study.components
    if not isinstance(given, Mapping):
        raise _refuse(
            Message(
                "must be a ReaderStudy{}, or a mapping of components",
                in_python(", which rb.compare_readers returns"),
            ),
            f"got {type(pilot).__name__}",
            f"A mapping has {join_words([*COMPONENTS, 'cases'])}.",
        )
    if study is not None:
        notes = (*_check_design(study), *study.readings.notes)
        given = {**given, "n_pos": study.n_pos, "n_neg": study.n_neg}
    sizes = {name: given.get(name) for name in ("n_pos", "n_neg", "n_readers", "n_tests")}
    whole = {name: _check_count(value, name) for name, value in sizes.items() if value is not None}
    both = "n_pos" in whole and "n_neg" in whole
    cases = given.get("cases", whole["n_pos"] + whole["n_neg"] if both else None)
    missing = [name for name in COMPONENTS if given.get(name) is None] + ["cases"] * (cases is None)
    if missing:
        raise _refuse(
            f"must have the components {join_words([*COMPONENTS, 'cases'])}",
            f"{join_words(missing)} {'is' if len(missing) == 1 else 'are'} missing",
            "A study of one test, or of readers who read different tests, does not have them.",
        )
    numbers = {name: _check_part(given[name], name) for name in COMPONENTS}
    parts = PilotComponents(**numbers, cases=_check_count(cases, "cases"))
    slack = 1e-9 * abs(parts.var)
    if parts.var < 0.0 or parts.var - parts.cov1 < parts.between - slack:
        raise _refuse(
            "must have var of at least 0, and var - cov1 of at least 0 and of at least cov2 - cov3",
            f"var is {parts.var:g}, var - cov1 {parts.var - parts.cov1:g}, cov2 - cov3 "
            f"{parts.cov2 - parts.cov3:g}",
            "Take all components from one analysis.",
        )
    if max(parts.var_tr, 0.0) + parts.var - parts.cov1 <= SAME * parts.var:
        raise _refuse(
            "must have tests that differ in some case or reader",
            "all differences have variance 0",
            "Such a pilot does not say how many cases are needed.",
        )
    n_readers, n_tests = whole.get("n_readers"), whole.get("n_tests", 2)
    df = None if n_readers is None else float((n_tests - 1) * (n_readers - 1))
    ms_tr = parts.var_tr + parts.var - parts.cov1 - (parts.cov2 - parts.cov3)
    df = df if df and ms_tr > SAME * parts.var else None
    share = whole["n_pos"] / (whole["n_pos"] + whole["n_neg"]) if both else None
    quantity = None if study is None else study.quantity
    return Pilot(parts, ms_tr, df, n_readers, share, quantity, notes)


def _check_design(study: ReaderStudy) -> tuple[str, ...]:
    """Require a study whose readers read all, or nearly all, cases; return a note on others."""
    share = float(study.readings.take(readers=list(study.readers)).read.mean())
    if share < _COMPLETE:
        raise _refuse(
            "must be a study whose readers read all cases under all tests",
            f"the design is '{study.design}'",
            "Covariances of other designs are not those of the new study.",
        )
    if share == 1.0:
        return ()
    return (
        f"The pilot lacks {percent(round(1.0 - share, 3))} of its readings; its components are "
        "taken for those of a complete study.",
    )


def _check_part(value: Any, name: str) -> float:
    """Return a finite number of a pilot."""
    number = read_numbers(value)
    if number is None or number.ndim or not np.isfinite(number):
        must = f"must have a finite number as {name}"
        raise _refuse(must, f"got {value!r}")
    return float(number)


def _check_count(value: Any, name: str) -> int:
    """Return a whole number of a pilot."""
    number = read_numbers(value)
    if name == "n_tests" and value == 1:
        raise _refuse(
            "must have two tests or more",
            "it has one",
            "Plan from a study in which readers read the cases under both tests.",
        )
    if number is None or number.ndim or not (number >= 1.0 and float(number).is_integer()):
        must = f"must have a whole number of at least 1 as {name}"
        raise _refuse(must, f"got {value!r}")
    return int(number)


def change_share(pilot: ReaderStudy | Mapping[str, Any], known: Pilot, prevalence: Any) -> Pilot:
    """Return the pilot with another share of positives, if its readings are known.

    Each component is a sum over positives and over negatives, and each sum is proportional to the
    inverse of the size of that class.
    """
    share = check_share(prevalence, "prevalence", least=1e-6)
    if known.share is not None and abs(share - known.share) < 1e-6:
        return known
    study = pilot if isinstance(pilot, ReaderStudy) else None
    metric = None if study is None else study.metric
    if known.share is None or study is None or metric == "partial_auc":
        kind = "published components" if study is None else "a study of partial AUCs"
        raise InputError(
            "must be that of the pilot, unless the pilot is a ReaderStudy of AUCs, sensitivities "
            "or specificities",
            f"got {kind}, without what each class contributes",
            "Leave it out: the sizes are then for the pilot's share of positives.",
            argument="prevalence",
        )
    pos, neg = known.share / share, (1.0 - known.share) / (1.0 - share)
    parts = known.components
    if metric == "auc":
        of_pos, of_neg = _split_components(study)
        moved = {name: pos * of_pos[name] + neg * of_neg[name] for name in of_pos}
    else:
        factor = pos if metric == "sensitivity" else neg
        moved = {name: factor * getattr(parts, name) for name in COMPONENTS[1:]}
    return known._replace(components=replace(parts, **moved), share=share)


def _split_components(study: ReaderStudy) -> tuple[dict[str, float], dict[str, float]]:
    """Return what positives and what negatives contribute to the components, by DeLong."""
    readings = study.readings.take(readers=list(study.readers))
    cells = estimate_cells(readings, Metric("auc", "AUC", "AUCs"), "delong")
    if (cells.part == 2).any():
        raise InputError(
            "must be that of the pilot where patients have cases of both classes",
            "the contributions of both classes are not separate",
            "Leave it out.",
            argument="prevalence",
        )
    found = []
    for kind in (0, 1):
        part = replace(cells, influence=cells.influence * (cells.part == kind))
        components = find_components(part, range(len(study.readers)), len(study.tests))
        found.append({name: float(getattr(components, name)) for name in COMPONENTS[1:]})
    return found[0], found[1]
