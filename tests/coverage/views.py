"""How often views contain whole curves: ``python -m tests.coverage.views``.

Rows are drawn from one population, so that the number of positives is random. For each cell the
same test sets are asked three questions, at one level: does the ROC band contain the true ROC
curve, which is the same as the precision-recall view at the true prevalence; does the
precision-recall view with an estimated prevalence contain the true precision-recall curve; does the
gains view. ``python -m tests.coverage.views containment`` compares the containment of 10,000 random
curves in ROC space and in the views.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

import rocbands as rb

PAGE = Path("docs/coverage-views.md")
SETS = 200
LEVELS = (0.9, 0.95)
CELLS = (
    # world, AUC, rows, prevalence
    ("normal", 0.85, 100, 0.5),
    ("normal", 0.85, 300, 0.2),
    ("exponential", 0.7, 300, 0.2),
    ("normal, rounded to 1 sd", 0.85, 300, 0.2),
    ("normal", 0.85, 1000, 0.05),
    ("normal", 0.95, 1000, 0.01),
)


def true_curve(world, auc):
    """Vertices of the true ROC curve; straight between the levels where scores are rounded."""
    tail = 1.0 / (1.0 + np.exp(np.linspace(20.0, 2.0, 150)))
    fpr = np.unique(np.concatenate([[0.0, 1.0], tail, 1.0 - tail, np.linspace(0.0, 1.0, 401)]))
    shift = np.sqrt(2.0) * ndtri(auc)
    if world == "exponential":
        return fpr, fpr ** ((1.0 - auc) / auc)
    if world == "normal":
        inside = np.clip(fpr, 1e-300, 1.0)
        return fpr, np.where(fpr > 0.0, ndtr(shift + ndtri(inside)), 0.0)
    cut = np.arange(12.5, -9.0, -1.0)  # halfway between whole numbers
    return (np.concatenate([[0.0], ndtr(-(cut - s)), [1.0]]) for s in (0.0, shift))


def draw(world, auc, rows, prevalence, rng):
    while True:
        y = rng.random(rows) < prevalence
        if 0 < y.sum() < rows:
            break
    if world == "exponential":
        # P(score > s) is exp(-s) among negatives, exp(-s (1 - auc) / auc) among positives.
        return y, rng.exponential(size=rows) * np.where(y, auc / (1.0 - auc), 1.0)
    scores = rng.normal(size=rows) + np.sqrt(2.0) * ndtri(auc) * y
    return y, np.round(scores) if "rounded" in world else scores


def measure(world, auc, rows, prevalence, level, sets):
    """Shares of sets: known prevalence (the ROC band), estimated precision-recall and gains."""
    rng = np.random.default_rng([7, rows, round(1000 * prevalence), round(100 * auc)])
    fpr, tpr = true_curve(world, auc)
    said = tpr > 0.0
    alarms = (1.0 - prevalence) * fpr
    pr = tpr[said], prevalence * tpr[said] / (prevalence * tpr[said] + alarms[said])
    gains = prevalence * tpr + alarms, tpr
    held = np.zeros(3)
    for _ in range(sets):
        y, scores = draw(world, auc, rows, prevalence, rng)
        band = rb.roc_band(y, scores, level=level, n_resamples=199, rng=rng)
        held += (
            band.contains((fpr, tpr)),
            band.view("pr").contains(pr),
            band.view("gains").contains(gains),
        )
    return held / sets


def compare_containment(number, seed=1):
    """Count random curves whose containment differs between ROC space and a view."""
    rng = np.random.default_rng(seed)
    bands = [
        rb.roc_band(
            rng.permutation(np.repeat([0, 1], [40, 15])),
            np.round(rng.normal(size=55), digits),
            method=method,
            level=level,
        )
        for digits in (0, 9)
        for method in (rb.Likelihood("chance"), rb.JointRegion())
        for level in (0.3, 0.95)
    ]
    different = inside = 0
    for i in range(number):
        steps = rng.integers(1, 14)
        x, y = (np.cumsum(rng.integers(0, 4, steps)).astype(float) for _ in range(2))
        x, y = (
            side / side[-1] if side[-1] else np.linspace(0, 1, steps + 1)[1:] for side in (x, y)
        )
        band, p = bands[i % len(bands)], float(np.exp(rng.uniform(-7.0, -0.1)))
        said = y > 0.0  # the bottom side of the square has no image where precision is asked
        for name in ("pr", "gains", "lift", "det"):
            keep = said if name in ("pr", "lift") else np.ones_like(said)
            u, v = x[keep], y[keep]
            expected = band.contains((u, v))
            rate = p * v + (1.0 - p) * u
            if name == "det":
                mapped = u, 1.0 - v
            elif name == "gains":
                mapped = rate, v
            else:
                mapped = (v, p * v / rate) if name == "pr" else (rate, v / rate)
            view = band.view(name, prevalence=None if name == "det" else p)
            different += view.contains(mapped) != expected
            inside += expected
    return different, inside


def main():
    if sys.argv[1:2] == ["containment"]:
        number = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
        different, inside = compare_containment(number)
        print(
            f"{number} curves in four views: {different} differ; {inside} of {4 * number} inside."
        )
        return
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else SETS
    lines = [
        "# Measured coverage of views",
        "",
        f"Written by `python -m tests.coverage.views {sets}`: {sets} test sets a cell, default likelihood band (199 resamples where scores",
        "are tied), rows drawn from one population, so that the number of positives is random. Each number is the share of test sets",
        "whose view contains the whole true curve. The view at the true prevalence contains it exactly when the ROC band does.",
        "",
        "| scores | AUC | rows | prevalence | level | prevalence known | precision-recall, estimated | gains, estimated |",
        "|---|---|---|---|---|---|---|---|",
    ]
    error = np.sqrt(0.95 * 0.05 / sets)
    for cell in CELLS:
        for level in LEVELS:
            known, pr, gains = measure(*cell, level, sets)
            world, auc, rows, prevalence = cell
            lines.append(
                f"| {world} | {auc} | {rows} | {prevalence} | {level} | {known:.3f} | {pr:.3f} | {gains:.3f} |"
            )
            print(lines[-1], flush=True)
            # After each row, so that a run that is cut leaves what it has measured.
            done = (len(lines) - 8, len(CELLS) * len(LEVELS))
            end = f"{done[0]} of {done[1]} rows were measured. The standard error of a share of .95 is {error:.3f}."
            PAGE.write_text("\n".join([*lines, "", end, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
