"""Do bands of several classes hold together, and are equal groups left alone?

``python -m tests.coverage.many`` measures all cells and writes docs/coverage-many.md;
``python -m tests.coverage.many classes`` (or ``groups``, ``power``, ``abroca``) prints one part. A
cell has a seed made from its name, so that adding one changes no other.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

import rocbands as rb
from rocbands.comparison.group_differences import build_group_differences

PAGE = Path("docs/coverage-many.md")
SETS = 600
TRUTH = 100_000  # rows of a class, on average, for true curves that have no formula

# ------------------------------------------------------------------------------------ classes


def draw_classes(world, y, n_classes, rng):
    """Scores for all classes: columns that have only the labels in common, or share everything."""
    at = np.arange(n_classes)
    if world == "ordered":  # one trait; classes in the middle are told apart badly
        trait = rng.normal(size=y.size) + 1.2 * y
        logits = -((trait[:, None] - 1.2 * at) ** 2) / 2.0
    else:
        better = np.linspace(0.8, 2.0, n_classes)[y]
        logits = rng.normal(size=(y.size, n_classes)) + (better[:, None]) * (y[:, None] == at)
        if world == "independent columns":
            return logits
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares = odds / odds.sum(axis=1, keepdims=True)
    return np.round(shares, 1) if world == "rounded" else shares


def true_classes(world, n_classes, rows):
    """True curves of each class against the rest, and both average areas."""
    rng = np.random.default_rng(9)
    shares = np.array(rows) / np.mean(rows) if isinstance(rows, tuple) else np.ones(n_classes)
    y = np.repeat(np.arange(n_classes), (TRUTH * shares).astype(int))
    scores = draw_classes(world, y, n_classes, rng)
    curves, macro, pairs = [], 0.0, 0.0
    for k in range(n_classes):
        roc = rb.roc_curve(y == k, scores[:, k])
        macro += roc.auc / n_classes
        keep = np.unique(np.linspace(0, roc.fpr.size - 1, 3001).astype(int))
        curves.append((roc.fpr[keep], roc.tpr[keep]))
        for other in range(n_classes):
            if other != k:
                rows = (y == k) | (y == other)
                area = rb.roc_curve(y[rows] == k, scores[rows, k]).auc
                pairs += area / (n_classes * (n_classes - 1))
    return curves, macro, pairs


def measure_classes(world, n_classes, rows, truth, sets=SETS, level=0.95):
    rng = np.random.default_rng(list(f"{world} {n_classes} {rows}".encode()))
    sizes = np.full(n_classes, rows) if isinstance(rows, int) else np.resize(rows, n_classes)
    y = np.repeat(np.arange(n_classes), sizes)
    curves, macro, pairs = truth
    found = np.zeros(4)
    for _ in range(sets):
        bands = rb.roc_bands(y, draw_classes(world, y, n_classes, rng), level=level)
        inside = [band.contains(curve) for band, curve in zip(bands, curves, strict=True)]
        found += (
            all(inside),
            np.mean(inside),
            bands.macro_auc.low <= macro <= bands.macro_auc.high,
            bands.hand_till_auc.low <= pairs <= bands.hand_till_auc.high,
        )
    return found / sets


CELLS = [
    (k, world, rows)
    for k in (3, 4, 10)
    for world in ("shares", "ordered")
    for rows in (30, 100, 600)
]
CELLS += [(3, "independent columns", rows) for rows in (30, 100, 600)]
CELLS += [(3, "shares", (30, 100, 600)), (3, "rounded", 100), (10, "rounded", 100)]


def classes():
    lines = [
        "| classes | rows of each | scores | all bands | one band | macro AUC | Hand-Till AUC |",
        "|---|---|---|---|---|---|---|",
    ]
    for n_classes, world, rows in CELLS:
        truth = true_classes(world, n_classes, rows)
        # Ties make a band draw its own critical value, which takes a hundred times longer.
        f = measure_classes(world, n_classes, rows, truth, 100 if world == "rounded" else SETS)
        mark = "**" if f[0] > 0.98 or f[0] < 0.93 else ""
        lines.append(
            f"| {n_classes} | {rows} | {world} | {mark}{f[0]:.3f}{mark} | {f[1]:.4f} | "
            f"{f[2]:.3f} | {f[3]:.3f} |"
        )
        print(lines[-1], flush=True)
    return lines


# ------------------------------------------------------------------------------------- groups


def draw_group(world, which, m, n, rng):
    """Scores of m positives and n negatives; `which` group only matters where the worlds differ."""
    pos, neg = rng.normal(size=m), rng.normal(size=n)
    if world == "shift":
        pos += 1.0 + 0.5 * which
    elif world == "near 1":
        pos += np.sqrt(2.0) * ndtri((0.95, 0.98)[which])
    elif world == "crossing":  # equal areas, twice the spread
        pos = 1.0 + pos if which == 0 else np.sqrt(2.5) + 2.0 * pos
    elif world == "AUC .95":
        pos += np.sqrt(2.0) * ndtri(0.95)
    else:
        pos += 1.0
    scores = np.concatenate([pos, neg])
    return np.round(scores) if world == "rounded" else scores


def height(world, which, x):
    z = ndtri(x)
    if world == "shift":
        return ndtr(1.0 + 0.5 * which + z)
    if world == "near 1":
        return ndtr(np.sqrt(2.0) * ndtri((0.95, 0.98)[which]) + z)
    return ndtr(1.0 + z) if which == 0 else ndtr((np.sqrt(2.5) + z) / 2.0)


def draw_groups(world, n_groups, m, n, rng):
    scores = [draw_group(world, min(g, 1), m, n, rng) for g in range(n_groups)]
    y = np.tile(np.repeat([1, 0], [m, n]), n_groups)
    return y, np.concatenate(scores), np.repeat(np.arange(n_groups), m + n)


def groups(sets=1000):
    lines = [
        "| groups | rows of each | share of positives | scores | each pair | each and the rest |",
        "|---|---|---|---|---|---|",
    ]
    cells = [(0.5, "normal", (50, 100, 300, 1000)), (0.2, "normal", (50, 300, 1000))]
    cells += [(0.5, "AUC .95", (50, 300)), (0.5, "rounded", (50, 300))]
    for n_groups in (2, 5):
        for share, world, sizes in cells:
            for rows in sizes:
                rng = np.random.default_rng(list(f"{n_groups} {rows} {share} {world}".encode()))
                m = round(rows * share)
                flags = np.zeros(2)
                for _ in range(sets):
                    y, s, by = draw_groups(world, n_groups, m, rows - m, rng)
                    curves = {str(g): rb.roc_curve(y[by == g], s[by == g]) for g in range(n_groups)}
                    for place, against in enumerate(("pairs", "rest")[: n_groups - 1]):
                        bands = build_group_differences(
                            curves, against, level=0.95, fpr=(0.05, 0.95), n_resamples=1000, rng=rng
                        )
                        flags[place] += any(band.better for band in bands)
                f = flags / sets
                rest = f"{f[1]:.3f}" if n_groups > 2 else "the same"
                lines.append(f"| {n_groups} | {rows} | {share} | {world} | {f[0]:.3f} | {rest} |")
                print(lines[-1], flush=True)
    return lines


def power(sets=300):
    lines = [
        "| true curves | groups | contains the difference | shown by the band | DeLong, p < .05 | "
        "width over two bands subtracted |",
        "|---|---|---|---|---|---|",
    ]
    at = np.linspace(0.05, 0.95, 181)
    for world in ("shift", "near 1", "crossing"):
        for m in (50, 100, 250):
            rng = np.random.default_rng(list(f"{world} {m}".encode()))
            sums = np.zeros(4)
            for _ in range(sets):
                y, s, by = draw_groups(world, 2, m, m, rng)
                one, two = by == 0, by == 1
                found = rb.subgroups(y, s, by=by, n_resamples=2000, rng=rng)
                band = found.differences[0]
                test = rb.compare(y[one], s[one], s[two], paired=False, y_true_2=y[two])
                width = sum((b.upper_at(at) - b.lower_at(at)).mean() for b in found.bands)
                sums += (
                    band.contains(lambda x, w=world: height(w, 0, x) - height(w, 1, x)),
                    bool(band.better),
                    test.pvalue < 0.05,
                    (band.upper_at(at) - band.lower_at(at)).mean() / width,
                )
            f = sums / sets
            lines.append(
                f"| {world} | 2 x {m} + {m} | {f[0]:.3f} | {f[1]:.3f} | {f[2]:.3f} | {f[3]:.3f} |"
            )
            print(lines[-1], flush=True)
    return lines


def abroca(sets=300):
    lines = ["| groups with the same curve | area between | its limit above 0 |", "|---|---|---|"]
    for m in (50, 100, 500):
        rng = np.random.default_rng(m)
        sums = np.zeros(2)
        for _ in range(sets):
            y, s, by = draw_groups("normal", 2, m, m, rng)
            (one,) = rb.subgroups(y, s, by=by, n_resamples=1000, rng=rng).found
            sums += one.abroca, one.abroca_low > 0.0
        lines.append(f"| 2 x {m} + {m} | {sums[0] / sets:.3f} | {sums[1] / sets:.3f} |")
        print(lines[-1], flush=True)
    return lines


PARTS = {"classes": classes, "groups": groups, "power": power, "abroca": abroca}


def main(*parts):
    warnings.simplefilter("ignore", rb.RocBandsWarning)
    made = {name: PARTS[name]() for name in parts or PARTS}
    if parts:
        return
    text = PAGE.read_text(encoding="utf-8")
    for name, lines in made.items():
        head, _, rest = text.partition(f"<!-- {name} -->")
        tail = rest[rest.index(f"<!-- end of {name} -->") :]
        text = "\n".join([f"{head}<!-- {name} -->", "", *lines, "", tail])
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
