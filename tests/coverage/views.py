"""How often views contain whole curves: ``python -m tests.coverage.views``.

Rows are drawn from one population, so that the number of positives is random. For each cell the
same test sets are asked three questions, at one level: does the ROC band contain the true ROC
curve, which is the same as the precision-recall view at the true prevalence; does the
precision-recall view with an estimated prevalence contain the true precision-recall curve; does the
gains view. The first sets also tell the mean width of the limits of precision, beside the product
rule and beside percentiles of a bootstrap at each recall, and whether the latter contain the curve.
``python -m tests.coverage.views 200 40 3 5`` takes 200 sets, widths of 40 of them, and the cells from
number 3 to before number 5; rows of the page that are measured again are replaced, and 0 sets
measure the widths alone. ``python -m tests.coverage.views containment`` compares the containment of 10,000
random curves in ROC space and in the views; ``python -m tests.coverage.views ap 1500 0 45`` measures
average precision in some of its cells.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

import rocbands as rb
from rocbands.views.estimated import Product
from tests.views.test_containment import compare_containment

PAGE = Path("docs/coverage-views.md")
SETS = 200
WIDTHS = 40  # sets whose limits are compared
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
    ("normal, rounded to 0.25 sd", 0.85, 300, 0.2),
    ("normal, rounded to 0.25 sd", 0.7, 1000, 0.05),
    ("normal", 0.85, 500_000, 0.01),
    ("normal, rounded to 0.25 sd", 0.85, 500_000, 0.01),
)
# Sets that nothing was tuned on.
AP_WORLDS = ("normal", "exponential", "normal, rounded to 1 sd", "normal, rounded to 0.25 sd")
AP_SIZES = ((60, 0.3), (200, 0.05), (500, 0.1), (1000, 0.02), (2000, 0.005), (5000, 0.05))
AP_CELLS = sorted(
    (
        (world, auc, *size)
        for size in AP_SIZES
        for world in AP_WORLDS
        for auc in (0.7, 0.85, 0.95, 0.99)
    ),
    # Up to 2,000 rows, AUC .95 and few levels first: 45 of the 96.
    key=lambda cell: cell[0] == AP_WORLDS[3] or cell[1] == 0.99 or cell[2] == 5000,
)


HEAD = """# Measured coverage of views

Written by `python -m tests.coverage.views 200 40` (200 test sets a cell, widths of 40), in parts: each row says how many sets it is from. Default
likelihood band (199 resamples where scores are tied), rows drawn from one population, so that the number of positives is random. The first three
shares are those of test sets whose view contains the whole true curve; the view at the true prevalence contains it exactly when the ROC band does.
The standard error of a share of .95 is .015 with 200 sets, .022 with 100 and .034 with 40. Widths are means over some of the sets and 19 recalls
from .05 to .95: limits of precision with the prevalence known, estimated, by the product rule, and as percentiles of 200 resamples of the rows at
each recall (up to 10,000 rows). The last column is the share of these sets in which such percentiles contain the true curve at all 19 recalls.

| scores | AUC | rows | prevalence | level | sets | prevalence known | precision-recall, estimated | gains, estimated | sets for widths | width known | estimated | product | bootstrap | bootstrap contains |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
"""


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
    step = step_of(world)
    cut = step * (np.arange(12.0 / step, -9.0 / step, -1.0) + 0.5)  # halfway between the levels
    return (np.concatenate([[0.0], ndtr(-(cut - s)), [1.0]]) for s in (0.0, shift))


def step_of(world):
    return float(world.split()[3]) if "rounded" in world else None


def draw(world, auc, rows, prevalence, rng):
    while True:
        y = rng.random(rows) < prevalence
        if 0 < y.sum() < rows:
            break
    if world == "exponential":
        # P(score > s) is exp(-s) among negatives, exp(-s (1 - auc) / auc) among positives.
        return y, rng.exponential(size=rows) * np.where(y, auc / (1.0 - auc), 1.0)
    scores = rng.normal(size=rows) + np.sqrt(2.0) * ndtri(auc) * y
    step = step_of(world)
    return y, scores if step is None else np.round(scores / step)


def measure(world, auc, rows, prevalence, sets, widths):
    """Shares of sets that contain the curve, and mean widths; one row for each level.

    Known prevalence (the ROC band), estimated: precision-recall, gains, bootstrap at each recall.
    """
    rng = np.random.default_rng([7, rows, round(1000 * prevalence), round(100 * auc)])
    fpr, tpr = true_curve(world, auc)
    said = tpr > 0.0
    alarms = (1.0 - prevalence) * fpr
    pr = tpr[said], prevalence * tpr[said] / (prevalence * tpr[said] + alarms[said])
    gains = prevalence * tpr + alarms, tpr
    truth = np.interp(RECALLS, *pr)
    held = np.zeros((len(LEVELS), 3))
    found = np.full((len(LEVELS), widths, 5), np.nan)
    for i in range(max(sets, widths)):
        y, scores = draw(world, auc, rows, prevalence, rng)
        roc = rb.roc_curve(y, scores)
        bands = rb.Likelihood(n_resamples=199).at_levels(roc, LEVELS, rng=rng)
        drawn = bootstrap(y, scores, rng) if rows <= 10_000 and i < widths else None
        for level, band in enumerate(bands):
            view = band.view("pr")
            if i < sets:
                held[level] += (
                    band.contains((fpr, tpr)), view.contains(pr),
                    band.view("gains").contains(gains),
                )  # fmt: skip
            if i < widths:
                product = Product.from_band(band, view.coordinates, rng).limits(RECALLS)
                known = band.view("pr", prevalence=prevalence)
                pairs = [(v.lower_at(RECALLS), v.upper_at(RECALLS)) for v in (known, view)]
                pairs.append(product)
                if drawn is not None:
                    share = LEVELS[level] / 2.0
                    pairs.append(np.nanquantile(drawn, [0.5 - share, 0.5 + share], axis=0))
                    low, high = pairs[-1]
                    found[level, i, 4] = ((low <= truth) & (truth <= high)).all()
                found[level, i, : len(pairs)] = [np.mean(high - low) for low, high in pairs]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # nothing was drawn
        return held / max(sets, 1), np.nanmean(found, axis=1)


def bootstrap(y, scores, rng, draws=200):
    """Precision at each recall, rows drawn with replacement."""
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
    return found


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
        sets, *part = map(int, sys.argv[2:])
        cells = AP_CELLS[slice(*part)] if part else AP_CELLS
        shares = []
        for cell in cells:
            shares.append(measure_average_precision(*cell, sets))
            if shares[-1] < 0.93:
                print(f"below .93: {cell}: {shares[-1]:.3f}", flush=True)
        print(
            f"{len(shares)} cells, {sets} sets each: {min(shares):.3f} to {max(shares):.3f}, "
            f"mean {np.mean(shares):.3f}"
        )
        return
    sets, widths, *part = [*map(int, sys.argv[1:]), SETS, WIDTHS][: max(2, len(sys.argv) - 1)]
    for cell in CELLS[slice(*part)] if part else CELLS:
        held, found = measure(*cell, sets, widths)
        for level, shares, mean in zip(LEVELS, held, found, strict=True):
            numbers = ["-" if np.isnan(x) else f"{x:.3f}" for x in mean]
            row = [*map(str, (*cell, level))]
            row += [str(sets), *(f"{share:.3f}" for share in shares), str(widths), *numbers]
            merge(row, sets, widths)


def merge(row, sets, widths):
    """Put a row into the page; what was not measured this time stays."""
    rows = {}
    if PAGE.exists():
        for line in PAGE.read_text(encoding="utf-8").splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if len(cells) == len(row) and cells[1][:1].isdigit():
                rows[tuple(cells[:5])] = cells
    old = rows.get(tuple(row[:5]), row)
    counted, wide = slice(5, 9), slice(9, 15)
    row[counted] = row[counted] if sets else old[counted]
    row[wide] = row[wide] if widths else old[wide]
    rows[tuple(row[:5])] = row
    order = {(*map(str, cell), str(level)): i for i, cell in enumerate(CELLS) for level in LEVELS}
    table = sorted(rows.values(), key=lambda cells: (order[tuple(cells[:5])], cells[4]))
    lines = ["| " + " | ".join(cells) + " |" for cells in table]
    print(lines[table.index(row)], flush=True)
    # After each row, so that a run that is cut leaves what it has measured.
    PAGE.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
