"""Views and average precision with an estimated prevalence, and the page studies/docs/coverage-views.md.

Rows are drawn from one population, so that the number of positives is random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np

import rocbands as rb
from rocbands.core.curve import Curve
from rocbands.views.regions import Product
from rocbands_studies import (  # fmt: skip
    Coverage,
    CurveInView,
    Exponential,
    Limits,
    Pair,
    RandomClasses,
    Statement,
    Streams,
)
from rocbands_studies.coverage.tables import Page, Section, head
from rocbands_studies.coverage.worlds import InShare, normal_at

RECALLS = np.linspace(0.05, 0.95, 19)
BAND = rb.bands.Likelihood(n_resamples=199)


def population(kind: str, auc: float, prevalence: float) -> InShare:
    if kind == "exponential":
        rise = Exponential(auc / (1 - auc)), Exponential(1)
        return InShare(Pair(*rise, name=f"exponential, AUC {auc:g}"), prevalence)
    return InShare(normal_at(auc, step=float(kind.rsplit(maxsplit=1)[-1]) if "steps" in kind else 0.0), prevalence)  # fmt: skip


@dataclass(frozen=True)
class PrecisionLimits(Statement):
    """Limits of precision at 19 recalls, by the band or by percentiles; do all hold at once?"""

    how: str  # 'known', 'estimated', 'product', 'bootstrap'

    @property
    def name(self) -> str:
        return self.how

    def judge(self, data: Any, world: Any, levels: Sequence[float], streams: Streams) -> Any:
        rng = streams.own_rng("method")
        if self.how == "bootstrap":
            drawn = draw_precisions(data, rng)
            tails = [((1 - level) / 2, (1 + level) / 2) for level in levels]
            limits = [np.nanquantile(drawn, tail, axis=0) for tail in tails]
        else:
            limits = [self._limit(band, world, rng) for band in BAND.at_levels(data, levels, rng=rng)]  # fmt: skip
        truth = np.interp(RECALLS, *precision_of(world.truth, world.prevalence))
        holds = [((low <= truth + 1e-9) & (truth <= high + 1e-9)).all() for low, high in limits]
        width = [float(np.mean(high - low)) for low, high in limits]
        return {"holds": [float(one) for one in holds], "width": width}

    def _limit(self, band: rb.results.Band, world: Any, rng: np.random.Generator) -> Any:
        if self.how == "product":
            return Product.from_band(band, band.view("pr").coordinates, rng).limits(RECALLS)
        known = {"prevalence": world.prevalence} if self.how == "known" else {}
        view = band.view("pr", **known)
        return view.lower_at(RECALLS), view.upper_at(RECALLS)


def precision_of(curve: Curve, prevalence: float) -> tuple[np.ndarray, np.ndarray]:
    """Recall and precision along a curve."""
    x, y = curve.x[curve.y > 0.0], curve.y[curve.y > 0.0]
    return y, prevalence * y / (prevalence * y + (1.0 - prevalence) * x)


def draw_precisions(roc: rb.RocCurve, rng: np.random.Generator, draws: int = 200) -> np.ndarray:
    """Precision at each recall, rows drawn with replacement."""
    counts = np.concatenate([np.diff(side, prepend=0) for side in (roc.tp, roc.fp)])
    times = rng.multinomial(counts.sum(), counts / counts.sum(), draws)
    tp, fp = np.cumsum(times.reshape(draws, 2, -1), axis=2).transpose(1, 0, 2)
    found = np.full((draws, RECALLS.size), np.nan)
    for row, hits, alarms in zip(found, tp, fp, strict=True):
        if hits[-1]:
            at = np.searchsorted(hits, RECALLS * hits[-1])
            row[:] = hits[at] / (hits[at] + alarms[at])
    return found


@cache
def average_precision_of(pair: Pair, prevalence: float) -> float:
    """Each step of a true curve, whose pieces are fine or tied, counts the precision at its end."""
    curve = pair.truth
    if not pair.step:
        fine = np.geomspace(1e-12, 1.0, 200_001)
        curve = Curve(np.append(0.0, fine), np.append(0.0, curve.high(fine)))
    recall, precision = precision_of(curve, prevalence)
    return float(np.sum(np.diff(recall, prepend=0.0) * precision))


@dataclass(frozen=True)
class AveragePrecisionLimits(Limits):
    """Limits of the average precision."""

    @property
    def name(self) -> str:
        return "average_precision_interval"

    def find_truth(self, world: Any, data: Any) -> Any:
        return average_precision_of(world.pair, world.prevalence)

    def find_limits(self, data: Any, level: float, rng: np.random.Generator) -> Any:
        found = rb.average_precision_interval(data, level=level)
        return found.low, found.high


@dataclass(frozen=True)
class AveragePrecisionAt(AveragePrecisionLimits):
    """Limits of the average precision at a prevalence that is not that of the rows."""

    prevalence: float

    @property
    def name(self) -> str:
        return f"prevalence {self.prevalence:g}"

    def find_truth(self, world: Any, data: Any) -> Any:
        return average_precision_of(world.pair, self.prevalence)

    def find_limits(self, data: Any, level: float, rng: np.random.Generator) -> Any:
        found = rb.average_precision_interval(data, level=level, prevalence=self.prevalence)
        return found.low, found.high


CELLS = (
    # scores, AUC, rows, prevalence
    ("normal", 0.85, 100, 0.5),
    ("normal in steps of 1", 0.85, 300, 0.2),
    ("exponential", 0.7, 300, 0.2),
    ("normal", 0.85, 1000, 0.05),
    ("normal in steps of 1", 0.7, 1000, 0.05),
    ("normal", 0.95, 5000, 0.01),
    ("exponential", 0.85, 2500, 0.2),
    ("normal", 0.85, 10_000, 0.5),
    ("normal", 0.85, 100_000, 0.05),
    ("normal in steps of 0.25", 0.85, 300, 0.2),
    ("normal in steps of 0.25", 0.7, 1000, 0.05),
    ("normal", 0.85, 500_000, 0.01),
    ("normal in steps of 0.25", 0.85, 500_000, 0.01),
)
SIZES = ((60, 0.3), (200, 0.05), (500, 0.1), (1000, 0.02), (2000, 0.005), (5000, 0.05))
# Rows, their share of positives, and a prevalence that is given instead.
ENRICHED = (
    (40, 0.5, 0.2),
    (200, 0.5, 0.05),
    (200, 0.5, 0.01),
    (500, 0.9, 0.1),
    (550, 0.1, 0.01),
    (1000, 0.5, 0.05),
    (2000, 0.05, 0.3),
)
KINDS = ("normal", "exponential", "normal in steps of 1", "normal in steps of 0.25")


def views_page() -> Page:
    name = "coverage-views"

    def cells(asked: Any, *statements: Any) -> tuple[Coverage, ...]:
        return tuple(
            Coverage(population(kind, auc, p), RandomClasses(rows, p), statement)
            for (kind, auc, rows, p), statement in product(asked, statements)
        )

    views = [CurveInView(view, BAND) for view in ("roc", "pr", "gains")]
    ours = map(PrecisionLimits, ("known", "estimated", "product"))
    small = [cell for cell in CELLS if cell[2] <= 10_000]
    areas = [(kind, auc, *size) for size, kind, auc in product(SIZES, KINDS, (0.7, 0.85, 0.95, 0.99))]  # fmt: skip
    words = (
        "Default likelihood band, 199 resamples where scores are tied. Rows are drawn from one population, so that the number of positives is random and the prevalence of views is estimated. "
        "`python -m rocbands_studies.coverage containment 10000` counts random curves of which a view says something else than the band it comes from; there must be none."
    )
    return Page(
        name,
        head(name, "Measured coverage of views", words),
        (
            Section(
                "Whole curves", "*roc*: the ROC band, which is the same as a view at the true prevalence; *pr*, *gains*: views with an estimated prevalence.",
                cells(CELLS, *views), lambda cell: 200 if cell.classes.n <= 10_000 else 40,
            ),
            Section(
                "Limits of precision at 19 recalls",
                "From .05 to .95, all at once, and in brackets their mean width: by the view with the prevalence known, estimated, by the product rule, and as percentiles of 200 resamples of the "
                "rows at each recall.",
                (*cells(small, *ours), *cells(small, PrecisionLimits("bootstrap"))), 40,
            ),
            Section("Average precision", "`rb.average_precision_interval`.", cells(areas, AveragePrecisionLimits()), 200),
            Section(
                "Average precision at another prevalence",
                "`rb.average_precision_interval` with the prevalence given, mostly below that of the rows, as where positives were oversampled.",
                tuple(
                    Coverage(population(kind, auc, p), RandomClasses(rows, p), AveragePrecisionAt(given))
                    for (rows, p, given), kind, auc in product(ENRICHED, KINDS[:3], (0.7, 0.85, 0.95))
                ),
                400,
            ),
        ),
    )  # fmt: skip
