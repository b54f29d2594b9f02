"""How often views contain whole curves: ``python -m tests.coverage.views``.

Rows are drawn from one population, so that the number of positives is random. For each cell the
same test sets are asked three questions, at one level: does the ROC band contain the true ROC
curve, which is the same as the precision-recall view at the true prevalence; does the
precision-recall view with an estimated prevalence contain the true precision-recall curve; does the
gains view. The first sets also tell the mean width of the limits of precision, beside the product
rule and beside percentiles of a bootstrap at each recall, and whether the latter contain the curve.
``python -m tests.coverage.views containment`` compares the containment of 10,000 random
curves in ROC space and in the views; ``python -m tests.coverage.views ap 400`` measures average
precision.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

import rocbands as rb
from rocbands.views.estimated import Product
from tests.views.test_containment import compare_containment

PAGE = Path("docs/coverage-views.md")
SETS = 200
WIDTHS = 10  # sets whose limits are compared
RECALLS = np.linspace(0.05, 0.95, 19)
LEVELS = (0.9, 0.95)
CELLS = (
    # world, AUC, rows, prevalence
    ("normal", 0.85, 100, 0.5),
    ("normal, rounded to 1 sd", 0.85, 300, 0.2),
    ("exponential", 0.7, 300, 0.2),
    ("normal", 0.85, 1000, 0.05),
    ("normal, rounded to 1 sd", 0.7, 1000, 0.05),
    ("normal", 0.95, 5000, 0.01),
    ("exponential", 0.85, 2500, 0.2),
    ("normal", 0.85, 10_000, 0.5),
    ("normal", 0.85, 100_000, 0.05),
)
# As in the specification's grid of sets that nothing was tuned on.
AP_CELLS = tuple(
    (world, auc, rows, prevalence)
    for rows, prevalence in ((60, 0.3), (200, 0.05), (500, 0.1), (1000, 0.02), (2000, 0.005))
    for world in ("normal", "exponential", "normal, rounded to 1 sd")
    for auc in (0.7, 0.85, 0.95)
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
    """Shares of sets that contain the curve, and mean widths.

    Known prevalence (the ROC band), estimated: precision-recall, gains, bootstrap at each recall.
    """
    rng = np.random.default_rng([7, rows, round(1000 * prevalence), round(100 * auc)])
    fpr, tpr = true_curve(world, auc)
    said = tpr > 0.0
    alarms = (1.0 - prevalence) * fpr
    pr = tpr[said], prevalence * tpr[said] / (prevalence * tpr[said] + alarms[said])
    gains = prevalence * tpr + alarms, tpr
    truth = np.interp(RECALLS, *pr)
    held, widths, whole = np.zeros(3), [], []
    for i in range(sets):
        y, scores = draw(world, auc, rows, prevalence, rng)
        band = rb.roc_band(y, scores, level=level, n_resamples=199, rng=rng)
        view = band.view("pr")
        held += (
            band.contains((fpr, tpr)), view.contains(pr), band.view("gains").contains(gains),
        )  # fmt: skip
        if i < WIDTHS:
            product = Product.from_band(band, view.coordinates, rng).limits(RECALLS)
            known = band.view("pr", prevalence=prevalence)
            drawn = bootstrap(y, scores, level, rng) if rows <= 10_000 else (np.nan, np.nan)
            whole.append(np.mean((drawn[0] <= truth) & (truth <= drawn[1])) == 1.0)
            pairs = [(v.lower_at(RECALLS), v.upper_at(RECALLS)) for v in (known, view)]
            widths.append([np.mean(high - low) for low, high in (*pairs, product, drawn)])
    return held / sets, np.mean(widths, axis=0), np.mean(whole)


def bootstrap(y, scores, level, rng, draws=200):
    """Percentiles of the precision at each recall, rows drawn with replacement."""
    order = np.argsort(-scores, kind="stable")
    y, scores = y[order], scores[order]
    last = np.append(scores[1:] != scores[:-1], True)
    found = np.full((draws, RECALLS.size), np.nan)
    for row in found:
        times = rng.multinomial(y.size, np.full(y.size, 1.0 / y.size))
        tp, called = np.cumsum(times * y)[last], np.cumsum(times)[last]
        if tp[-1]:
            at = np.searchsorted(tp, RECALLS * tp[-1])
            row[:] = tp[at] / called[at]
    return np.nanquantile(found, [0.5 - level / 2, 0.5 + level / 2], axis=0)


def measure_average_precision(world, auc, rows, prevalence, sets):
    """Share of intervals at .95 that contain the true average precision."""
    rng = np.random.default_rng([11, rows, round(1000 * prevalence), round(100 * auc)])
    # Each step of a true curve, whose pieces are fine or tied, counts its own precision at its end.
    fpr, tpr = true_curve(world, auc)
    if "rounded" not in world:
        fine = np.geomspace(1e-12, 1.0, 200_001)
        fpr = np.append(0.0, fine)
        if world == "normal":
            tpr = np.append(0.0, ndtr(np.sqrt(2.0) * ndtri(auc) + ndtri(fine)))
        else:
            tpr = fpr ** ((1.0 - auc) / auc)
    fpr, tpr = np.asarray(fpr), np.asarray(tpr)
    called = prevalence * tpr + (1.0 - prevalence) * fpr
    truth = np.sum(np.diff(tpr) * prevalence * tpr[1:] / called[1:])
    held = 0
    for _ in range(sets):
        found = rb.average_precision_interval(*draw(world, auc, rows, prevalence, rng))
        held += found.low <= truth <= found.high
    return held / sets


def main():
    if sys.argv[1:2] == ["containment"]:
        number = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
        different, inside = compare_containment(number)
        print(
            f"{number} curves in four views: {different} differ; {inside} of {4 * number} inside."
        )
        return
    if sys.argv[1:2] == ["ap"]:
        sets = int(sys.argv[2])
        shares = [measure_average_precision(*cell, sets) for cell in AP_CELLS]
        for cell, share in zip(AP_CELLS, shares, strict=True):
            if share < 0.93:
                print(f"below .93: {cell}: {share:.3f}")
        print(
            f"{len(shares)} cells, {sets} sets each: {min(shares):.3f} to {max(shares):.3f}, "
            f"mean {np.mean(shares):.3f}"
        )
        return
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else SETS
    lines = [
        "# Measured coverage of views",
        "",
        f"Written by `python -m tests.coverage.views {sets}`: {sets} test sets a cell, default likelihood band (199 resamples where scores",
        "are tied), rows drawn from one population, so that the number of positives is random. The first three shares are those of test sets",
        "whose view contains the whole true curve; the view at the true prevalence contains it exactly when the ROC band does. Widths",
        f"are means over {WIDTHS} of the sets and {RECALLS.size} recalls from {RECALLS[0]:.2g} to {RECALLS[-1]:.2g}: limits of precision with the prevalence known, estimated, by the",
        "product rule, and as percentiles of 200 resamples of the rows at each recall (up to 10,000 rows). The last column is the share of these",
        f"{WIDTHS} sets in which such percentiles contain the true curve at all {RECALLS.size} recalls.",
        "",
        "| scores | AUC | rows | prevalence | level | prevalence known | precision-recall, estimated | gains, estimated | width known | estimated | product | bootstrap | bootstrap contains |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    head, error = len(lines), np.sqrt(0.95 * 0.05 / sets)
    for cell in CELLS:
        for level in LEVELS:
            held, widths, whole = measure(*cell, level, sets)
            numbers = [f"{share:.3f}" for share in (*held, *widths)]
            last = ["-", "-"] if np.isnan(widths[-1]) else [numbers[-1], f"{whole:.1f}"]
            row = [*map(str, (*cell, level)), *numbers[:-1], *last]
            lines.append(f"| {' | '.join(row)} |")
            print(lines[-1], flush=True)
            # After each row, so that a run that is cut leaves what it has measured.
            end = (
                f"{len(lines) - head} of {len(CELLS) * len(LEVELS)} rows were measured. "
                f"The standard error of a share of .95 is {error:.3f}."
            )
            PAGE.write_text("\n".join([*lines, "", end, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
