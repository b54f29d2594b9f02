"""Is what is said of the largest AUC of several models true? ``python -m rocbands_studies.coverage.largest``.

Equal models (or one better one) with normal scores: how often the limits of `limit_chosen` contain
the true AUC, and the true TPR at fpr .1, of the model that has the largest AUC; and how often its
interval alone, which ignores the choice, contains them.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.special import ndtr, ndtri

import rocbands as rb
from rocbands._math.chosen import limit_chosen

SETS, FPR, SHIFT = 900, 0.1, 1.2


def find_areas(scores: np.ndarray, n_pos: int) -> np.ndarray:
    """AUC of each row of scores, none tied, positives first."""
    ranks = scores.argsort(axis=1).argsort(axis=1)[:, :n_pos] + 1.0
    return (ranks.mean(axis=1) - (n_pos + 1) / 2) / (scores.shape[1] - n_pos)


def measure(
    count: int, rho: float, size: tuple[int, int], gap: float = 0.0, sets: int = SETS, *, rates=True
) -> dict[str, float]:
    """Shares of test sets in which the limits hold, and mean widths."""
    rng = np.random.default_rng([count, int(100 * rho), *size, int(100 * gap)])
    y = np.repeat([1, 0], size)
    shift = np.full(count, SHIFT)
    shift[0] += gap
    held: dict[str, list[float]] = {}
    for _ in range(sets):
        noise = np.sqrt(rho) * rng.normal(size=y.size)
        scores = noise + np.sqrt(1 - rho) * rng.normal(size=(count, y.size)) + shift[:, None] * y
        best = int(find_areas(scores, size[0]).argmax())
        roc = rb.roc_curve(y, scores[best])
        truth = float(ndtr(shift[best] / np.sqrt(2))), float(ndtr(shift[best] + ndtri(FPR)))

        def limit_auc(level, roc=roc):
            found = rb.auc_interval(roc, level=level)
            return found.low, found.high

        def limit_tpr(level, roc=roc):
            found = rb.operating_points(roc, fpr=FPR, level=level)
            return float(found.tpr_lower[0]), float(found.tpr_upper[0])

        asked = {"AUC": limit_auc, "TPR": limit_tpr} if rates else {"AUC": limit_auc}
        for (name, find), true in zip(asked.items(), truth, strict=False):
            for label, number in (("", count), (", alone", 1)):
                low, high = limit_chosen(find, 0.95, number)
                held.setdefault(name + label, []).append(low <= true <= high)
                held.setdefault(f"{name}{label}, width", []).append(high - low)
    return {name: float(np.mean(values)) for name, values in held.items()}


def main(sets: int = SETS) -> None:
    print("| models | AUC alone | AUC | TPR alone | TPR | width of AUC, of TPR |")
    print("|---|---|---|---|---|---|")
    for rho, gap in ((0.0, 0.0), (0.6, 0.0), (0.6, 0.3)):
        for count in (2, 5, 10, 20):
            one = measure(count, rho, (50, 200), gap, sets)
            wider = (one[f"{n}, width"] / one[f"{n}, alone, width"] for n in ("AUC", "TPR"))
            name = f"{count}, correlation {rho:g}" + f", one better by {gap:g}" * bool(gap)
            print(
                f"| {name} | {one['AUC, alone']:.3f} | {one['AUC']:.3f} | {one['TPR, alone']:.3f} "
                f"| {one['TPR']:.3f} | {', '.join(f'{w:.2f}' for w in wider)} |",
                flush=True,
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
