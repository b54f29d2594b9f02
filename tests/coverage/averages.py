"""How often averaged bands hold the truth: ``python -m tests.coverage.averages``.

First at all knots with .01 <= fpr <= .99 together, for the rules as printed in 2004; then at one
fpr at a time, for the exact law. The world is that of 2005: the class of each row is a coin's.
"""

from __future__ import annotations

import sys

import numpy as np

import rocbands as rb
from tests.coverage.worlds import BINORMAL, THETAS, World
from tests.printed_methods import PrintedThreshold, PrintedVertical

LEVEL, CURVES = 0.9, 200
PRINTED = {
    "VA-normal": rb.Vertical("normal", CURVES),
    "VA-empirical": rb.Vertical("empirical", CURVES),
    "VA-binomial": PrintedVertical("binomial", CURVES),
    "VA-exact": rb.Vertical(),
    "TA-normal": rb.Threshold("normal", CURVES),
    "TA-empirical": rb.Threshold("empirical", CURVES),
    "TA-binomial": PrintedThreshold("binomial", CURVES),
    "TA-exact": rb.Threshold(),
}
PLACES = np.array([0.02, 0.05, 0.1, 0.2, 0.5])


def drawn(world: World, rows: int, rng: np.random.Generator) -> rb.RocCurve:
    n_pos = 0
    while not 0 < n_pos < rows:
        n_pos = int(rng.binomial(rows, 0.5))
    return rb.roc_curve(*world.draw(rng, n_pos, rows - n_pos))


def holds_at_knots(band: rb.Band, world: World) -> bool:
    x = band.lower.x
    inner = (x >= 0.01 - 1e-12) & (x <= 0.99 + 1e-12)
    truth = world.truth.high(x[inner])
    return bool(
        (band.lower.y[inner] <= truth + 1e-9).all() and (truth <= band.upper.y[inner] + 1e-9).all()
    )


def at_knots(rows: int, sets: int) -> None:
    print(f"All knots together, {rows} rows, {sets} sets, level {LEVEL}; theta = {THETAS}")
    held = {name: np.zeros(len(THETAS)) for name in PRINTED}
    for i, theta in enumerate(THETAS):
        rng = np.random.default_rng([rows, i])
        for _ in range(sets):
            roc = drawn(BINORMAL[theta], rows, rng)
            for name, method in PRINTED.items():
                held[name][i] += holds_at_knots(method(roc, level=LEVEL, rng=rng), BINORMAL[theta])
    for name, counts in held.items():
        print(f"{name:13s}", " ".join(f"{count / sets:.3f}" for count in counts), flush=True)


def at_places(method: rb.Vertical | rb.Threshold, rows: int, theta: float, sets: int) -> None:
    rng, world = np.random.default_rng([rows, int(4 * theta), 1]), BINORMAL[theta]
    truth, held = world.truth.high(PLACES), np.zeros(PLACES.size)
    for _ in range(sets):
        band = method(drawn(world, rows, rng), level=0.95)
        held += (band.lower_at(PLACES) <= truth) & (truth <= band.upper_at(PLACES))
    shares = " ".join(f"{at:g}: {count / sets:.3f}" for at, count in zip(PLACES, held, strict=True))
    print(f"{method.name}, exact, level .95, {rows} rows, theta {theta:g}: {shares}", flush=True)


if __name__ == "__main__":
    share = 30 if "--quick" in sys.argv else 1
    for kind in (rb.Vertical(), rb.Threshold()):
        for size in (25, 50, 100, 1000):
            for separation in (1.0, 3.0):
                at_places(kind, size, separation, 1000 // share)
    for size in (100, 1000):
        at_knots(size, 300 // share)
