"""Draw and fit by how much critical values of the likelihood band exceed those of chance.

    python -m rocbands_studies.tables.excess_surface RESULTS.jsonl SURFACE.npz

SURFACE.npz belongs beside the module that reads it, as src/rocbands/likelihood/excess_surface.npz.
Takes about two hours on one core. Appends one line per pair of class sizes and shift to
RESULTS.jsonl, skips what is already there, and writes SURFACE.npz from what is there at the end
(or at once, with ``--assemble``).
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np
from scipy.special import ndtr

from rocbands.likelihood.calibration import polynomial_terms
from rocbands.likelihood.chance import critical_value, curve_statistics

SEED = 2026
LEVELS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.925, 0.95, 0.96, 0.97, 0.98, 0.985, 0.99)
SIZES = (12, 25, 50, 100, 250, 1_000, 5_000, 25_000, 100_000)
LARGEST = 1_000_000
SHIFTS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
KNOTS = 2001
# What the polynomial cannot follow, in units of the critical value.
MISFIT = 0.03


def work() -> list[tuple[int, int, float]]:
    """List all cells, small sizes first."""
    pairs = [(a, b) for b in SIZES for a in SIZES if a <= b]
    cells = [(a, b, d) for a, b in pairs for d in SHIFTS]
    return cells + [(LARGEST, LARGEST, d) for d in (1.0, 2.0, 3.0)]


def count_draws(small: int, large: int) -> int:
    """Spread the time available."""
    if small >= LARGEST:
        return 150
    return int(np.clip(3e7 / (small + 3000), 1_000, 10_000))


def measure(small: int, large: int, shift: float) -> dict[str, object]:
    """Draw the statistic of the true curve for normal scores of equal spread."""
    start = time.perf_counter()
    rng = np.random.default_rng([SEED, small, large, int(100 * shift)])
    draws = count_draws(small, large)
    # Dense enough that the chords of the curve change nothing at a million cases.
    z = np.linspace(-6.5 - shift, 6.5, KNOTS)
    curve = ndtr(z), ndtr(z + shift)

    def draw_false_positives(count: int) -> np.ndarray:
        # The negatives above each positive, from the positives' own false positive rates: counts
        # between neighbours are multinomial, so that the larger class is never drawn one by one.
        scores = np.sort(rng.standard_normal((count, small)) + shift, axis=1)[:, ::-1]
        above = ndtr(-scores)
        shares = np.diff(above, axis=1, prepend=0.0, append=1.0)
        return np.cumsum(rng.multinomial(large, shares / shares.sum(axis=1)[:, None]), axis=1)[
            :, :-1
        ]

    values = np.sort(curve_statistics(curve, draw_false_positives, small, large, draws))
    rank = np.ceil(np.array(LEVELS) * draws - 1e-6).astype(int) - 1
    return {
        "small": small,
        "large": large,
        "shift": shift,
        "draws": draws,
        "seconds": round(time.perf_counter() - start, 1),
        "levels": LEVELS,
        "q": values[rank].tolist(),
    }


def fit(records: list[dict]) -> dict[str, np.ndarray]:
    """Fit the excess at each level by weighted least squares."""
    records = [record for record in records if record["shift"] > 0]
    terms = np.concatenate(
        [polynomial_terms(r["small"], r["large"], np.array([r["shift"]])) for r in records]
    )
    draws = np.array([r["draws"] for r in records])
    coefficients = []
    for i, level in enumerate(LEVELS):
        chance = np.array([critical_value(r["small"], r["large"], level) for r in records])
        excess = np.array([r["q"][i] for r in records]) - chance
        # The upper tail of the statistic falls like exp(-c), so its density there is 1 - level.
        error = np.sqrt(level * (1 - level) / draws) / (1 - level)
        weight = 1.0 / np.hypot(error, MISFIT)
        found = np.linalg.lstsq(terms * weight[:, None], excess * weight, rcond=1e-9)[0]
        misfit = excess - terms @ found
        print(f"level {level}: root mean square misfit {np.sqrt(np.mean(misfit**2)):.3f}")
        coefficients.append(found)
    return {
        "levels": np.array(LEVELS),
        "coefficients": np.array(coefficients),
        "seed": np.array(SEED),
        "cells": np.array([(r["small"], r["large"], r["shift"], r["draws"]) for r in records]),
    }


def main(results: Path, surface: Path, *, assemble_only: bool) -> None:
    """Do the missing work and write the surface."""
    lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
    records = [json.loads(line) for line in lines]
    done = {(r["small"], r["large"], r["shift"]) for r in records}
    for cell in [] if assemble_only else [cell for cell in work() if cell not in done]:
        records.append(measure(*cell))
        with results.open("a", encoding="utf-8") as out:
            out.write(json.dumps(records[-1]) + "\n")
        print(cell, records[-1]["seconds"], "s", flush=True)
    np.savez_compressed(surface, **fit(records))
    print("written", surface, surface.stat().st_size, "bytes", flush=True)


if __name__ == "__main__":
    paths = [Path(a) for a in sys.argv[1:] if not a.startswith("--")]
    main(*paths, assemble_only="--assemble" in sys.argv)
