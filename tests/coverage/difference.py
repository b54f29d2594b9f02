"""Measure how often the band for a difference of curves holds: part of ``make coverage``.

Each cell has a seed of its own, made from its name. Finished cells are kept in
docs/coverage-difference.jsonl; a run that was stopped goes on where it was. Delete the file, or
lines of it, to measure again.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import rocbands as rb
from rocbands.comparison.difference_band import (
    DifferenceSpread,
    PairedSpread,
    UnpairedSpread,
    _build_grid,
)
from rocbands.comparison.pair import Pair
from rocbands.core.roc import RocCurve
from tests.coverage.judge import may_lie_in
from tests.coverage.marginals import OTHERS, Marginals, crossing, exponential, shifted, student
from tests.coverage.plain_bootstrap import plain_band

RESULTS = Path("docs/coverage-difference.jsonl")
LEVELS = (0.95, 0.9, 0.99)
REPS = 250
DRAWS = 600
HIGH, NEAR_PERFECT = 1.8124, 2.326  # positives this far away: an AUC of .90, of .95

HEAD = """# Measured coverage of the difference band

Share of fresh test sets whose band contains the whole true difference at FPR .05 to .95, in brackets the band's mean width, then the share
of sets in which a model is called better anywhere; where the true curves are equal ("shift 0", "equal", equal means) that share is the error rate,
at most 1 - level. A figure with ! is below the level by more than chance explains (its exact 99% interval ends below the level). Negatives have
mean 0 and sd 1 unless stated otherwise; "correlation" is that of the two scores within each class; sizes are positives + negatives.
Made by `python -m tests.coverage.difference`; each figure is from {reps} sets, with 600 drawn curves a band, so that
a figure of .95 has a standard error of .014.
"""
STUDIES = {
    "balanced": ("Two models on the same rows", ""),
    "unbalanced": ("Few of one class, many of the other", ""),
    "small": ("Few cases", ""),
    "alike": ("Models that hardly differ", ""),
    "tied": ("Rounded scores", "In steps of 1 there are about seven distinct scores."),
    "held out": (
        "Populations and sizes that no constant of the method was chosen on",
        "Of the specification.",
    ),
    "others": ("More populations", "Chosen for this page; no constant was chosen on them."),
    "unpaired": (
        "Two test sets",
        "Nobody is in both sets. Correlations in the names do not apply. Sizes: first set; second set.",
    ),
    "range .02": ("A wider range", "FPR .02 to .98."),
    "plain": (
        "For comparison: the paired bootstrap as it stands",
        "Rows drawn with replacement, standard errors of the drawn differences, largest deviation in units of these; nothing "
        "is done where they vanish. 300 resamples, 300 sets a figure.",
    ),
    "plain, floor": (
        "For comparison: the same with a floor",
        "The standard error of one positive, 1 / n_pos, is added (in squares). It holds, and is wider than need be.",
    ),
}

BALANCED = (
    *(shifted(rho, shift) for rho in (0.3, 0.6, 0.9) for shift in (0.0, 0.5)),
    *(shifted(rho, shift, NEAR_PERFECT) for rho in (0.6, 0.9) for shift in (0.0, 0.5)),
    crossing(0.6),
    crossing(0.9),
    exponential(0.6, 3, 3),
    exponential(0.6, 3, 6),
)
UNBALANCED = (
    *(shifted(rho, shift) for rho in (0.6, 0.9) for shift in (0.0, 0.5)),
    shifted(0.6, 0.5, NEAR_PERFECT),
    crossing(0.6),
    exponential(0.6, 3, 6),
)
TIED = (
    shifted(0.6, 0.0, step=1.0),
    shifted(0.6, 0.5, step=1.0),
    shifted(0.6, 0.5, step=0.5),
)
HELD_OUT = (
    shifted(0.8, 0.8, 0.5),
    exponential(0.9, 2, 4),
    crossing(0.8, 0.5),
    student(0.7, 1, 1.6),
    shifted(0.95, 0.0, HIGH),
    shifted(0.95, 0.3, HIGH),
    shifted(0.8, 0.3, step=0.25),
    shifted(0.6, 0.5, step=1.5),
)
LARGE = (
    shifted(0.6, 0.0),
    shifted(0.9, 0.5),
    shifted(0.6, 0.5, NEAR_PERFECT),
    crossing(0.6),
)


@dataclass(frozen=True)
class Cell:
    """A population, class sizes (of one set or of two) and what is measured there."""

    study: str
    world: Marginals
    sizes: tuple[tuple[int, int], ...]
    reps: int = REPS

    @property
    def size(self) -> str:
        return "; ".join(f"{m}+{n}" for m, n in self.sizes)

    @property
    def key(self) -> str:
        return f"{self.study} | {self.world.name} | {self.size}"

    def measure(self, rng: np.random.Generator) -> dict[str, dict[str, float]]:
        """Make one test set, or two, and the bands of all levels.

        The sums are the same for all levels and are made once; test_spots.py measures the function
        that users call.
        """
        if self.study.startswith("plain"):
            rows = self.world.draw(rng, *self.sizes[0])
            band = plain_band(*rows, level=0.9, floor="floor" in self.study, rng=rng)
            return {"0.9": self.judge(band)}
        grid = _build_grid(*((0.02, 0.98) if self.study == "range .02" else (0.05, 0.95)))
        spread: DifferenceSpread
        if len(self.sizes) == 2:
            sets = [self.world.draw_alone(rng, k, *size) for k, size in enumerate(self.sizes)]
            spread = UnpairedSpread.estimate(*(rb.roc_curve(*rows) for rows in sets), grid)
        else:
            pair = Pair.from_rows(*self.world.draw(rng, *self.sizes[0]))
            curves = (RocCurve.from_scores(scores) for scores in (pair.one, pair.two))
            spread = PairedSpread.estimate(pair, *curves, grid)
        found = {}
        for level in LEVELS:
            critical_value = spread.find_critical_value(level, DRAWS, rng)
            lower, upper = spread.find_limits(critical_value)
            sizes = dict(zip(("n_pos", "n_neg"), self.sizes[0], strict=True))
            sizes |= dict(zip(("n_pos_2", "n_neg_2"), self.sizes[-1], strict=True))
            band = rb.DifferenceBand(
                fpr=grid,
                difference=spread.difference,
                lower=lower,
                upper=upper,
                level=level,
                critical_value=critical_value,
                **sizes,
            )
            found[f"{level:g}"] = self.judge(band)
        return found

    def judge(self, band: rb.DifferenceBand) -> dict[str, float]:
        return {
            "held": float(band.contains(self.world.truth)),
            "width": band.mean_width,
            "better": float(bool(band.better)),
        }


def all_cells() -> Iterator[Cell]:
    """Every cell, those that matter most first."""
    for size in ((50, 50), (250, 250)):
        for world in (*BALANCED, shifted(0.99, 0.0), shifted(0.99, 0.1)):
            yield Cell("alike" if "0.99" in world.name else "balanced", world, (size,))
    for size, world in product(((50, 500), (500, 50)), UNBALANCED):
        yield Cell("unbalanced", world, (size,))
    for size, world in product(((50, 50), (250, 250), (500, 50)), TIED):
        yield Cell("tied", world, (size,))
    yield from unpaired_cells()
    for world in OTHERS:
        for size in ((60, 60), (40, 300), (300, 60)):
            yield Cell("others", world, (size,))
        yield Cell("unpaired", world, ((60, 60), (60, 60)))
        yield Cell("unpaired", world, ((40, 150), (200, 80)))
    for size, world in product(((10, 10), (25, 25)), UNBALANCED):
        yield Cell("small", world, (size,))
    yield Cell("small", shifted(0.99, 0.3, NEAR_PERFECT), ((10, 10),))
    for size, world in product(((30, 30), (100, 100), (30, 300), (200, 40)), HELD_OUT):
        yield Cell("held out", world, (size,))
    yield Cell("range .02", shifted(0.6, 0.5), ((250, 250),))
    for world in LARGE:
        yield Cell("balanced", world, ((1000, 1000),))
    for n, study, rho, shift in product((50, 250), ("plain", "plain, floor"), (0.3, 0.9), (0, 0.5)):
        yield Cell(study, shifted(rho, shift), ((n, n),), 300)


def unpaired_cells() -> Iterator[Cell]:
    equal, other = shifted(0.0, 0.0), shifted(0.0, 0.5)
    means = NEAR_PERFECT, 2.904
    positives = tuple(shifted(0, 0, mean).pos[0] for mean in means)
    perfect = Marginals("normal, AUC .95 and .98", equal.neg, positives, (0.0, 0.0))
    for n in (25, 50, 250):
        worlds = (equal, other)
        if n > 25:
            worlds += (perfect, crossing(0.0), shifted(0.0, 0.5, step=1.0))
        for world in worlds:
            yield Cell("unpaired", world, ((n, n), (n, n)))
    for sizes in (((50, 500), (500, 50)), ((50, 50), (250, 250))):
        yield Cell("unpaired", equal, sizes)
        yield Cell("unpaired", other, sizes)
    yield Cell("unpaired", perfect, ((10, 10), (10, 10)))
    yield Cell("unpaired", other, ((10, 10), (10, 10)))


def records() -> list[dict[str, Any]]:
    if not RESULTS.exists():
        return []
    return [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    """Measure what is missing, then write docs/coverage-difference.md."""
    os.environ["ROCBANDS_NUM_THREADS"] = "1"
    done = {record["key"] for record in records()}
    todo = [cell for cell in all_cells() if cell.key not in done]
    for count, cell in enumerate(todo, start=1):
        start = time.process_time()
        rng = np.random.default_rng(list(cell.key.encode()))
        measured = [cell.measure(rng) for _ in range(cell.reps)]
        found = {
            level: {
                name: round(float(np.mean([m[level][name] for m in measured])), 5)
                for name in ("held", "width", "better")
            }
            for level in measured[0]
        }
        record = {"key": cell.key, "reps": cell.reps, "levels": found}
        record["seconds"] = round(time.process_time() - start, 1)
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        print(f"{count}/{len(todo)} {record}", file=sys.stderr, flush=True)
    write_page()


def write_page() -> None:
    """Write the tables: all measured cells, in the order in which they are listed above."""
    found = {record["key"]: record for record in records()}
    every = [cell.key for cell in all_cells()]
    missing = len(every) - len(found.keys() & set(every))
    parts = [HEAD.format(reps=REPS)]
    if missing:
        parts.append(f"Of {len(every)} cells {missing} have not been measured and are left out.\n")
    for study, (title, words) in STUDIES.items():
        cells = [cell for cell in all_cells() if cell.study == study and cell.key in found]
        if not cells:
            continue
        levels = ["0.9"] if study.startswith("plain") else [f"{level:g}" for level in LEVELS]
        lines = [
            "| population | size | " + " | ".join(levels) + " |",
            "|---|---|" + "---|" * len(levels),
        ]
        for cell in sorted(cells, key=lambda cell: cell.world.name):
            row = [_text(found[cell.key], level) for level in levels]
            lines.append(f"| {cell.world.name} | {cell.size} | " + " | ".join(row) + " |")
        parts.append(
            f"## {title}\n\n" + (f"{words}\n\n" if words else "") + "\n".join(lines) + "\n"
        )
    RESULTS.with_suffix(".md").write_text("\n".join(parts), encoding="utf-8")


def _text(record: dict[str, Any], level: str) -> str:
    found, reps = record["levels"][level], int(record["reps"])
    good = may_lie_in(round(found["held"] * reps), reps, float(level), 1.0)
    mark = "" if good else " !"
    return f"{found['held']:.3f}{mark} ({found['width']:.3f}) {found['better']:.3f}"


if __name__ == "__main__":
    main()
