"""The cells of the long coverage study: what is drawn, which band, what counts as held."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np

import rocbands as rb
from rocbands.core.band import BandMethod
from rocbands.core.curve import Curve
from tests.coverage.folds import average_truth, draw_folds, learner_truth
from tests.coverage.worlds import BINORMAL, ROUNDED, SHAPES, SHIFTED, THETAS, World
from tests.printed_methods import PrintedJointRegion

LEVEL = 0.9
REPS = 2000
SIZES = (25, 100, 250, 1000, 2500, 10000)
SCORES = Path(os.environ.get("ROCBANDS_DATA", "data")) / "scores"
FILES = tuple(
    f"{name}_n{size}" for name in ("adult", "covertype12", "letter_A") for size in (100, 2500)
)
LEARNERS = ("logit", "nb", "c45", "c45_laplace", "lmt", "nbtree", "gbt")

MODELS = (0.75, 1.0, 1.5, 2.0, 3.0)

Rows = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Cell:
    """One figure of the study: a population, sizes, and the range its coverage should lie in."""

    study: str
    world: str
    size: str
    low: float
    high: float
    measure: Callable[[np.random.Generator], dict[str, float]]
    reps: int = REPS

    @property
    def key(self) -> str:
        return f"{self.study} | {self.world} | {self.size}"


def random_counts(rng: np.random.Generator, total: int) -> tuple[int, int]:
    """Class counts when each row is positive with probability one half; none may be empty."""
    while True:
        n_pos = int(rng.binomial(total, 0.5))
        if 0 < n_pos < total:
            return n_pos, total - n_pos


# Resampling methods draw 99 sets here: the 90th of 99 widths holds as often on average as the
# 900th of 999.
LIKELIHOOD = rb.Likelihood(n_resamples=99)
FIXED = rb.FixedWidth(n_resamples=99)
RIVALS: dict[str, BandMethod] = {
    "fixed-width": FIXED,
    "fixed-width smooth": rb.FixedWidth(n_resamples=99, smooth=True),
    "joint-region": PrintedJointRegion(),
    "berk-jones": rb.JointRegion(boxes="berk-jones"),
    "working-hotelling": rb.WorkingHotelling(),
    "working-hotelling pointwise": rb.WorkingHotelling(simultaneous=False),
    "sup-t": rb.SupT(n_resamples=99),
}
LATER: dict[str, BandMethod] = {
    "future root": FIXED,
    "future pairs": rb.FixedWidth(n_resamples=99, future_rule="pairs"),
}


def held(
    rng: np.random.Generator, rows: Rows, truth: Curve, method: BandMethod = LIKELIHOOD
) -> dict[str, float]:
    """Tell whether one band holds the truth."""
    return {"held": float(rb.roc_band(*rows, method, level=LEVEL, rng=rng).contains(truth))}


def grid_cells() -> Iterator[Cell]:
    """The 2005 paper's synthetic grid, for the true curve."""
    for total in SIZES:
        for theta in THETAS:
            world = BINORMAL[theta]

            def measure(
                rng: np.random.Generator, world: World = world, total: int = total
            ) -> dict[str, float]:
                return held(rng, world.draw(rng, *random_counts(rng, total)), world.truth)

            strict = total >= 100 and theta <= 3
            # Curves close to the corner may be held more often than asked, never less.
            yield Cell(
                "true curve",
                world.name,
                f"r = {total}",
                0.88 if strict else 0.87,
                0.93 if strict else 0.97,
                measure,
            )


def fixed_cells(
    study: str, worlds: list[World], sizes: list[tuple[int, int]], low: float, high: float
) -> Iterator[Cell]:
    """Fixed class counts."""
    for world in worlds:
        for n_pos, n_neg in sizes:

            def measure(
                rng: np.random.Generator,
                world: World = world,
                sizes: tuple[int, int] = (n_pos, n_neg),
            ) -> dict[str, float]:
                return held(rng, world.draw(rng, *sizes), world.truth)

            yield Cell(study, world.name, f"{n_pos}+{n_neg}", low, high, measure)


def joint_cells() -> Iterator[Cell]:
    """Joint regions on the same grid: at least the level, by theorem."""
    methods = {
        "joint region": rb.JointRegion(),
        "Berk-Jones boxes": rb.JointRegion(boxes="berk-jones"),
    }
    for (study, method), total, theta in product(methods.items(), SIZES[:4], THETAS):

        def measure(
            rng: np.random.Generator,
            world: World = BINORMAL[theta],
            total: int = total,
            method: BandMethod = method,
        ) -> dict[str, float]:
            rows = world.draw(rng, *random_counts(rng, total))
            return held(rng, rows, world.truth, method)

        yield Cell(study, BINORMAL[theta].name, f"r = {total}", 0.9, 1.0, measure)


def calibration_cells() -> Iterator[Cell]:
    """Where the calibrations differ: levels about as wide as the noise, and very small samples."""
    cases = [
        (SHAPES[2], (12, 12), ("chance", "plugin")),
        (ROUNDED[0], (500, 500), ("chance", "bootstrap")),
        (SHIFTED[0.25], (500, 500), ("chance", "bootstrap")),
        (SHIFTED[0.0625], (500, 500), ("chance", "bootstrap")),
    ]
    for world, sizes, calibrations in cases:
        for calibration in calibrations:
            method = rb.Likelihood(calibration, 99)  # type: ignore[arg-type]

            def measure(
                rng: np.random.Generator,
                world: World = world,
                sizes: tuple[int, int] = sizes,
                method: BandMethod = method,
            ) -> dict[str, float]:
                return held(rng, world.draw(rng, *sizes), world.truth, method)

            size = f"{sizes[0]}+{sizes[1]}, {calibration}"
            yield Cell("calibration", world.name, size, 0.0, 1.0, measure)


def future_cells() -> Iterator[Cell]:
    """The same grid, for the empirical curve of a second test set."""
    for total in SIZES:
        for theta in THETAS:

            def measure(
                rng: np.random.Generator, world: World = BINORMAL[theta], total: int = total
            ) -> dict[str, float]:
                sizes, later = random_counts(rng, total), random_counts(rng, total)
                band = rb.roc_band(
                    *world.draw(rng, *sizes), method="likelihood", level=LEVEL, future=later
                )
                return {"held": float(band.contains(rb.roc_curve(*world.draw(rng, *later))))}

            yield Cell(
                "future curve",
                BINORMAL[theta].name,
                f"r = {total}",
                0.87,
                1.0 if total == 25 else 0.98,
                measure,
            )


def method_cells() -> Iterator[Cell]:
    """Every other method on the same grid, beside the figures of separate prototypes."""
    for (study, method), total, theta in product(RIVALS.items(), SIZES, THETAS):
        # Beyond 2500 rows only what the papers had; a separate prototype has no more either.
        papers = study.split()[0] in ("joint-region", "working-hotelling") or method is FIXED
        if total > 2500 and not papers:
            continue

        def measure(
            rng: np.random.Generator,
            world: World = BINORMAL[theta],
            total: int = total,
            method: BandMethod = method,
        ) -> dict[str, float]:
            rows = world.draw(rng, *random_counts(rng, total))
            with warnings.catch_warnings():  # some binormal samples do not look binormal
                warnings.simplefilter("ignore", rb.RocBandsWarning)
                band = rb.roc_band(*rows, method, level=LEVEL, rng=rng)
            if getattr(band.region, "fitted", rows) is None:
                # The whole square holds every curve; the prototypes count it as a miss.
                return {"held": 0.0, "no fit": 1.0, "area": band.area}
            return {"held": float(band.contains(world.truth)), "no fit": 0.0, "area": band.area}

        reps = 500 if papers else 300
        yield Cell(study, BINORMAL[theta].name, f"r = {total}", 0.0, 1.0, measure, reps=reps)


def unfit_cells() -> Iterator[Cell]:
    """Working-Hotelling bands where scores are not binormal, and how often the check sees it."""
    for world, size in product(SHAPES[:3], (50, 500, 5000)):

        def measure(
            rng: np.random.Generator, world: World = world, size: int = size
        ) -> dict[str, float]:
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always", rb.RocBandsWarning)
                band = rb.roc_band(*world.draw(rng, size, size), "working-hotelling", level=LEVEL)
            return {"held": float(band.contains(world.truth)), "seen": float(bool(seen))}

        yield Cell("not binormal", world.name, f"{size}+{size}", 0.0, 1.0, measure, reps=300)


def later_cells() -> Iterator[Cell]:
    """Fixed-width bands for future curves: ten second test sets for each band."""
    for (study, method), total, theta in product(LATER.items(), SIZES, THETAS):
        if total > 2500 and method is not FIXED:
            continue

        def measure(
            rng: np.random.Generator,
            world: World = BINORMAL[theta],
            total: int = total,
            method: BandMethod = method,
        ) -> dict[str, float]:
            sizes, later = random_counts(rng, total), random_counts(rng, total)
            rows = world.draw(rng, *sizes)
            band = rb.roc_band(*rows, method, level=LEVEL, future=later, rng=rng)
            second = [band.contains(rb.roc_curve(*world.draw(rng, *later))) for _ in range(10)]
            return {"held": float(np.mean(second)), "area": band.area}

        yield Cell(study, BINORMAL[theta].name, f"r = {total}", 0.0, 1.0, measure, reps=200)


def area_cells() -> Iterator[Cell]:
    """Mean areas of the likelihood band and of the fixed-width band on the same data."""
    for total, theta in product(SIZES[1:], THETAS):

        def measure(
            rng: np.random.Generator, world: World = BINORMAL[theta], total: int = total
        ) -> dict[str, float]:
            rows = world.draw(rng, *random_counts(rng, total))
            band = rb.roc_band(*rows, method="likelihood", level=LEVEL)
            fixed = rb.roc_band(*rows, FIXED, level=LEVEL, rng=rng)
            return {
                "held": float(band.contains(world.truth)),
                "area": band.area,
                "fixed-width held": float(fixed.contains(world.truth)),
                "fixed-width area": fixed.area,
            }

        yield Cell("area", BINORMAL[theta].name, f"r = {total}", 0.0, 1.0, measure)


def fold_cells() -> Iterator[Cell]:
    """Averages over folds: of five different models, and of a learner seen five or ten times."""
    for size in ((5, 5), (10, 10), (25, 25), (10, 40), (100, 100), (2000, 2000)):
        reps = 300 if size[0] < 1000 else 100

        def models(rng: np.random.Generator, size: tuple[int, int] = size) -> dict[str, float]:
            *rows, folds = draw_folds(rng, MODELS, *size)
            method = rb.FoldAverage(n_resamples=99)
            band = rb.roc_band(*rows, method, folds=folds, level=LEVEL, rng=rng)
            return {"held": float(band.contains(average_truth(MODELS, *size))), "area": band.area}

        text = f"{size[0]}+{size[1]}"
        yield Cell("folds", "5 models", text, 0.0, 1.0, models, reps=reps)
        for count in (3, 5, 10):

            def learner(
                rng: np.random.Generator, size: tuple[int, int] = size, count: int = count
            ) -> dict[str, float]:
                *rows, folds = draw_folds(rng, rng.normal(1.5, 1.0, count), *size)
                method = rb.FoldAverage("learner", 99)
                band = rb.roc_band(*rows, method, folds=folds, level=LEVEL, rng=rng)
                return {"held": float(band.contains(learner_truth(*size))), "area": band.area}

            world = f"learner, {count} training sets"
            yield Cell("folds", world, text, 0.0, 1.0, learner, reps=reps)


@cache
def population(file: str, learner: str) -> tuple[np.ndarray, np.ndarray, Curve]:
    from pyarrow import parquet

    table = parquet.read_table(SCORES / f"{file}.parquet", columns=["y", learner])
    y, scores = table["y"].to_numpy(), table[learner].to_numpy()
    return y, scores, rb.roc_curve(y, scores).curve


def real_cells() -> Iterator[Cell]:
    """Samples of real score files; the whole file is the truth."""
    for file in FILES:
        for learner in LEARNERS:
            for size in (50, 250, 1000):

                def measure(
                    rng: np.random.Generator,
                    file: str = file,
                    learner: str = learner,
                    size: int = size,
                ) -> dict[str, float]:
                    y, scores, truth = population(file, learner)
                    while True:
                        rows = rng.choice(y.size, size, replace=False)
                        if 2 <= y[rows].sum() <= size - 2:
                            return held(rng, (y[rows], scores[rows]), truth)

                yield Cell("real scores", f"{file} {learner}", f"r = {size}", 0.84, 0.98, measure)


def all_cells() -> list[Cell]:
    """Every cell, the quick studies first."""
    cells = [*grid_cells()]
    cells += fixed_cells(
        "shapes", SHAPES, [(25, 25), (50, 50), (250, 250), (1000, 1000)], 0.86, 0.97
    )
    unbalanced = [BINORMAL[theta] for theta in (0.75, 2.0, 4.0)]
    cells += fixed_cells("unbalanced", unbalanced, [(10, 490), (25, 975), (100, 4900)], 0.86, 0.97)
    cells += [*joint_cells(), *future_cells(), *calibration_cells()]
    cells += [*method_cells(), *unfit_cells(), *area_cells(), *later_cells(), *fold_cells()]
    cells += fixed_cells(
        "rounded scores", ROUNDED, [(25, 25), (50, 50), (250, 250), (1000, 1000)], 0.85, 0.98
    )
    if SCORES.is_dir():
        cells += real_cells()
    return cells
