"""Section 6 of the paper in numbers: thresholds that were chosen on finitely many cases."""

from __future__ import annotations

from rocbands.study.populations import FixedClasses
from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study
from rocbands_papers.dugas_2009 import reference
from rocbands_papers.dugas_2009.cells import CONVENTION, ChosenThresholds, OneModel
from rocbands_papers.dugas_2009.enumerated import Enumerated
from rocbands_papers.dugas_2009.reading import (
    BEYOND,
    FLOOR,
    Along,
    floor_claim,
    gap_note,
    panel,
    shown,
    verdict,
)
from rocbands_papers.dugas_2009.single import PAPER
from rocbands_papers.dugas_2009.worlds import Model
from rocbands_papers.paper import Claim, DataSource, PaperResult, PaperStudy, Row, Scale

__all__ = ["VALIDATION"]

_THETA = 3.0
_AT = (0.01, 0.02, 0.05, 0.1, 0.5)
_TEST = FixedClasses(1000, 1000)
_VALID = (1000, 100)  # cases of each class that thresholds are chosen on
_OWN = (25, 250, 1000)  # cases of each class of test sets that are misused for it


def _chosen(size: int, method: str) -> ChosenThresholds:
    return ChosenThresholds(_THETA, _TEST, method, FixedClasses(size, size))


def _misused(size: int) -> ChosenThresholds:
    return ChosenThresholds(_THETA, FixedClasses(size, size), "gaussian", None)


def _best(method: str) -> OneModel:
    return Enumerated(_THETA, _TEST, method)


def _plan(scale: Scale, seed: int, data: DataSource | None) -> Study:
    cells = [_chosen(size, method) for size in _VALID for method in ("gaussian", "mover")]
    cells += [_misused(size) for size in _OWN]
    return Study(
        "dugas-2009-validation",
        (*cells, _best("gaussian"), _best("mover")),
        lambda cell: 1 if cell.exact else 2000 if scale == "quick" else 10000,
        block=100,
        seed=seed,
    )


def _judge(study: PaperStudy, found: StudyResult, scale: Scale) -> PaperResult:
    coverage = {
        (size, method): Along.of(found, _chosen(size, method))
        for size in _VALID
        for method in ("gaussian", "mover")
    }
    best = {method: Along.of(found, _best(method)) for method in ("gaussian", "mover")}
    rows = [
        Row(
            where={
                "thresholds from": f"validation set, {size} of each class",
                "method": method,
                "what": f"coverage at w = {w:g}",
            },
            ours=along.at(w),
            digits=3,
            reference=reference.VALIDATION[method][w] if size == 1000 else None,
            note=f"{best[method].at(w).value:.3f} with the truly best thresholds",
        )
        for (size, method), along in coverage.items()
        for w in _AT
    ]
    rows += [row for size in _VALID for row in _excess_rows(found, size)]
    rows += [row for size in _OWN for row in _misuse_rows(found, size)]
    lines = {
        "gaussian, truly best thresholds": best["gaussian"],
        "gaussian, chosen on 1000 of each class": coverage[1000, "gaussian"],
        "gaussian, chosen on 100 of each class": coverage[100, "gaussian"],
        "mover, chosen on 1000 of each class": coverage[1000, "mover"],
    }
    return study.result(
        found,
        scale,
        rows=tuple(rows),
        claims=_claims(found, coverage, best["gaussian"]),
        panels=(panel("theta = 3", (along.line(label) for label, along in lines.items())),),
        notes=(
            CONVENTION,
            "Limits are for the true cost of the thresholds that were chosen, not for the least "
            "cost there is.",
            gap_note(row for row in rows if row.where["what"] != "mean excess at w = 0.5"),
        ),
    )


def _excess_rows(found: StudyResult, size: int) -> list[Row]:
    """Tell what thresholds cost too much, and what they seem to cost too little."""
    cell, w = _chosen(size, "mover"), 0.5
    model = Model(_THETA, -_THETA)
    least = _least_cost(model, w)
    place = {"thresholds from": f"validation set, {size} of each class", "method": "any"}
    envelope = Along.of(found, cell, "envelope at").at(w)
    under = Figure(least - envelope.value, least - envelope.high, least - envelope.low, envelope.n)
    known = {1000: (0.001, 0.004), 100: (0.005, 0.012)}[size]
    return [
        Row(
            where={**place, "what": f"mean excess at w = {w:g}"},
            ours=Along.of(found, cell, "excess at").at(w),
            reference=known[0],
            digits=4,
            note="true cost of chosen thresholds minus the least there is",
        ),
        Row(
            where={**place, "what": f"mean optimism at w = {w:g}"},
            ours=under,
            reference=known[1],
            digits=4,
            note="least cost there is minus what the validation set shows",
        ),
    ]


def _least_cost(model: Model, w: float) -> float:
    import numpy as np

    at = np.array([w])
    return float(model.cost(at, model.thresholds(at))[0])


def _misuse_rows(found: StudyResult, size: int) -> list[Row]:
    cell = _misused(size)
    holds = Along.of(found, cell, "holds best at")
    envelope = Along.of(found, cell, "envelope at")
    place = {"thresholds from": f"the test set itself, {size} of each class", "method": "gaussian"}
    rows = []
    for w, (mean, share) in reference.ENVELOPE[size].items():
        least = _least_cost(Model(_THETA, -_THETA), w)
        rows += [
            Row(
                where={**place, "what": f"mean envelope at w = {w:g}"},
                ours=envelope.at(w),
                reference=mean,
                digits=4,
                note=f"the least cost there is is {least:.4f}",
            ),
            Row(
                where={**place, "what": f"coverage at w = {w:g}"},
                ours=holds.at(w),
                reference=share,
                digits=3,
                note="of the least cost there is",
            ),
        ]
    return rows


def _claims(
    found: StudyResult, coverage: dict[tuple[int, str], Along], best: Along
) -> tuple[Claim, ...]:
    plain, ours = coverage[1000, "gaussian"], coverage[1000, "mover"]
    misuse = [Along.of(found, _misused(size), "holds best at").at(0.05) for size in _OWN]
    return (
        Claim(
            "Thresholds from a finite validation set smooth the breaks of coverage.",
            f"gaussian limits at w = .01, .02, .05: {shown(plain.at(w) for w in _AT[:3])} against "
            f"{shown(best.at(w) for w in _AT[:3])}; smoothed, not removed.",
            verdict(best.at(0.01).value < plain.at(0.01).low and plain.at(0.01).high < FLOOR),
        ),
        floor_claim([ours, coverage[100, "mover"]]),
        Claim(
            f"{BEYOND}thresholds chosen on the test set itself make limits worthless.",
            f"at w = .05 gaussian limits contain the least cost in {shown(misuse)} of test sets "
            "with 25, 250, 1000 of each class.",
            verdict(all(one.high < FLOOR for one in misuse)),
        ),
    )


VALIDATION = PaperStudy(
    name="dugas-2009-validation",
    paper=f"{PAPER}, section 6",
    title="Thresholds from a validation set: limits for what they truly cost",
    plan=_plan,
    verdicts=_judge,
)
