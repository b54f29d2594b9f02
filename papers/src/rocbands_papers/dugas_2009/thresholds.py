"""Section 6 of the paper in numbers: thresholds that were chosen on finitely many cases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rocbands.study.populations import FixedClasses
from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study
from rocbands_papers.dugas_2009.coverage import (
    CONVENTION,
    FLOOR,
    PAPER,
    Along,
    draw_panel,
    floor_claim,
    list_values,
)
from rocbands_papers.dugas_2009.measurements import ChosenThresholds, Enumerated, Model
from rocbands_papers.paper import (
    Claim,
    DataSource,
    Panel,
    PaperStudy,
    Row,
    Scale,
    judge_claim,
    judge_own,
)

__all__ = ["Validation"]

_THETA = 3.0
_AT = (0.01, 0.02, 0.05, 0.1, 0.5)
_TEST = FixedClasses(1000, 1000)
_METHODS = ("gaussian", "mover")
_VALID = (1000, 100)  # cases of each class that thresholds are chosen on
_OWN = (25, 250, 1000)  # cases of each class of test sets that are misused for it


def _chosen(size: int, method: str) -> ChosenThresholds:
    return ChosenThresholds(_THETA, _TEST, method, FixedClasses(size, size))


def _misused(size: int) -> ChosenThresholds:
    return ChosenThresholds(_THETA, FixedClasses(size, size), "gaussian", None)


def _least_cost(w: float) -> float:
    model, at = Model(_THETA, -_THETA), np.array([w])
    return float(model.cost(at, model.thresholds(at))[0])


class Coverages(NamedTuple):
    """Coverage by size of the validation set and method, and with the truly best thresholds."""

    chosen: dict[tuple[int, str], Along]
    best: dict[str, Along]
    excess: dict[int, Along]
    optimism: dict[int, Along]
    misused: dict[int, Along]
    envelope: dict[int, Along]


class Validation(PaperStudy[Coverages]):
    """Limits for what thresholds from a validation set, or from the test set, truly cost."""

    name = "dugas-2009-validation"
    paper = f"{PAPER}, section 6"
    title = "Thresholds from a validation set: limits for what they truly cost"

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        cells = [_chosen(size, method) for size in _VALID for method in _METHODS]
        cells += [_misused(size) for size in _OWN]
        return Study(
            self.name,
            (*cells, *(Enumerated(_THETA, _TEST, method) for method in _METHODS)),
            lambda cell: 1 if cell.exact else 2000 if scale == "quick" else 10000,
            block=100,
            seed=seed,
        )

    def read(self, found: StudyResult, scale: Scale) -> Coverages:
        return Coverages(
            {(n, m): Along.of(found, _chosen(n, m)) for n in _VALID for m in _METHODS},
            {m: Along.of(found, Enumerated(_THETA, _TEST, m)) for m in _METHODS},
            {n: Along.of(found, _chosen(n, "mover"), "excess at") for n in _VALID},
            {n: Along.of(found, _chosen(n, "mover"), "envelope at") for n in _VALID},
            {n: Along.of(found, _misused(n), "holds best at") for n in _OWN},
            {n: Along.of(found, _misused(n), "envelope at") for n in _OWN},
        )

    def rows(self, figures: Coverages) -> Iterator[Row]:
        for (size, method), along in figures.chosen.items():
            where = {"thresholds from": f"validation set, {size} of each class", "method": method}
            for w in _AT:
                best = figures.best[method].at(w).value
                yield Row(
                    where={**where, "what": f"coverage at w = {w:g}"},
                    ours=along.at(w),
                    digits=3,
                    note=f"{best:.3f} with the truly best thresholds",
                )
        # What chosen thresholds cost too much, and what they seem to cost too little.
        for size in _VALID:
            where = {"thresholds from": f"validation set, {size} of each class", "method": "any"}
            yield Row(
                where={**where, "what": "mean excess at w = 0.5"},
                ours=figures.excess[size].at(0.5),
                digits=4,
                note="true cost of chosen thresholds minus the least there is",
            )
            least, seen = _least_cost(0.5), figures.optimism[size].at(0.5)
            yield Row(
                where={**where, "what": "mean optimism at w = 0.5"},
                ours=Figure(least - seen.value, least - seen.high, least - seen.low, seen.n),
                digits=4,
                note="least cost there is minus what the validation set shows",
            )
        for size in _OWN:
            where = {
                "thresholds from": f"the test set itself, {size} of each class",
                "method": "gaussian",
            }
            for w in (0.05, 0.5):
                yield Row(
                    where={**where, "what": f"mean envelope at w = {w:g}"},
                    ours=figures.envelope[size].at(w),
                    digits=4,
                    note=f"the least cost there is is {_least_cost(w):.4f}",
                )
                yield Row(
                    where={**where, "what": f"coverage at w = {w:g}"},
                    ours=figures.misused[size].at(w),
                    digits=3,
                    note="of the least cost there is",
                )

    def claims(self, figures: Coverages) -> Iterator[Claim]:
        plain, best = figures.chosen[1000, "gaussian"], figures.best["gaussian"]
        misuse = [along.at(0.05) for along in figures.misused.values()]
        yield judge_claim(
            "Thresholds from a finite validation set smooth the breaks of coverage.",
            f"gaussian limits at w = .01, .02, .05: {list_values(plain.at(w) for w in _AT[:3])} "
            f"against {list_values(best.at(w) for w in _AT[:3])}; smoothed, not removed.",
            best.at(0.01).value < plain.at(0.01).low and plain.at(0.01).high < FLOOR,
        )
        yield floor_claim([figures.chosen[size, "mover"] for size in _VALID])
        yield judge_own(
            "thresholds chosen on the test set itself make limits worthless.",
            f"at w = .05 gaussian limits contain the least cost in {list_values(misuse)} of test "
            "sets with 25, 250, 1000 of each class.",
            all(one.high < FLOOR for one in misuse),
        )

    def panels(self, figures: Coverages) -> Iterator[Panel]:
        lines = {
            "gaussian, truly best thresholds": figures.best["gaussian"],
            "gaussian, chosen on 1000 of each class": figures.chosen[1000, "gaussian"],
            "gaussian, chosen on 100 of each class": figures.chosen[100, "gaussian"],
            "mover, chosen on 1000 of each class": figures.chosen[1000, "mover"],
        }
        yield draw_panel("theta = 3", (along.line(label) for label, along in lines.items()))

    def notes(self, figures: Coverages) -> tuple[str, ...]:
        return (
            CONVENTION,
            "Limits are for the true cost of the thresholds that were chosen, not for the least "
            "cost there is.",
        )
