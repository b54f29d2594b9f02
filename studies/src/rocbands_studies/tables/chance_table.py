"""Build the table of chance critical values of the likelihood band.

    python -m rocbands_studies.tables.chance_table RESULTS.jsonl TABLE.npz

TABLE.npz belongs beside the module that reads it, as
src/rocbands/likelihood/chance_table.npz. Takes about 45 minutes on one core. Appends one line
per pair of class sizes to RESULTS.jsonl, skips pairs already there, and writes TABLE.npz from what
is there at the end (or at once, with ``--assemble``).
"""

from __future__ import annotations

import json
import sys
import time
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np

from rocbands.likelihood.chance import (
    FIRST_NODE,
    LEVELS,
    NODES,
    NODES_SMALL,
    UNIT,
    chance_statistics,
    diagonal_statistics,
)

SEED = 20240229
ENUMERATE_UP_TO = 200_000
FIT_DRAWS = 10_000


def enumerated(small: int, large: int) -> np.ndarray:
    """Return the statistic of every arrangement of the labels."""
    total = comb(small + large, small)
    flat = np.fromiter(
        (i for chosen in combinations(range(small + large), small) for i in chosen),
        dtype=np.int64,
        count=total * small,
    )
    rows = flat.reshape(total, small) - np.arange(small)
    step = max(1, (1 << 18) // (2 * small + 100))
    parts = [diagonal_statistics(rows[i : i + step], large) for i in range(0, total, step)]
    return np.concatenate(parts)


def draws_for(small: int, large: int) -> int:
    """Spread the time available: many draws where cheap, fewer where smoothing will pool them."""
    if large <= FIRST_NODE:
        return 60_000
    if small <= FIRST_NODE:
        return 30_000
    cases = small + large if large <= 4 * small else 3 * small
    seconds = 3.0 if small < 10_000 else 20.0
    return int(np.clip(seconds / (25e-6 + 9e-8 * cases), 250, 40_000))


def quantiles(values: np.ndarray) -> list[float]:
    """Return the smallest value whose empirical probability reaches each level."""
    ordered = np.sort(values)
    rank = np.ceil(LEVELS * ordered.size - 1e-6).astype(np.int64) - 1
    return [float(v) for v in ordered[rank]]


def measure(small: int, large: int) -> dict[str, object]:
    """Measure one pair of class sizes."""
    start = time.perf_counter()
    exact = comb(small + large, small) <= ENUMERATE_UP_TO if small <= FIRST_NODE else False
    if exact:
        values = enumerated(small, large)
    else:
        rng = np.random.default_rng([SEED, small, large])
        draws = draws_for(small, large)
        pilot = chance_statistics(small, large, min(draws, 2000), rng)
        # Nothing below the lowest level of the table is wanted.
        floor = float(np.quantile(pilot, 0.40)) if draws > 2000 else 0.0
        values = chance_statistics(small, large, draws, rng, floor=floor)
    return {
        "small": small,
        "large": large,
        "draws": 0 if exact else values.size,
        "seconds": round(time.perf_counter() - start, 2),
        "c": quantiles(values),
    }


def work() -> list[tuple[int, int]]:
    """List the pairs, the most used sizes first."""
    both_small = [(a, b) for b in range(1, FIRST_NODE + 1) for a in range(1, b + 1)]
    one_small = [(a, b) for b in NODES_SMALL for a in range(1, FIRST_NODE + 1)]
    both_large = [(a, b) for b in NODES for a in NODES if a <= b]
    common = [pair for pair in both_large if pair[1] <= 10_000]
    # Every fifth small size first: a table cut short then still knows something everywhere.
    some = [pair for pair in both_small + one_small if pair[0] % 5 == 0 and pair[1] % 5 == 0]
    order = dict.fromkeys(common + some + both_small + one_small + both_large)
    return list(order)


def rounded_up(c: np.ndarray) -> np.ndarray:
    """Code critical values in whole units, rounded up past their own tolerance."""
    return np.ceil((np.asarray(c) + 2e-9) / UNIT - 1e-9).astype(np.uint16)


def pack(done: dict[tuple[int, int], dict[str, object]]) -> dict[str, np.ndarray]:
    """Arrange the records as the arrays of the table file."""
    c = {pair: np.array(record["c"]) for pair, record in done.items()}
    small = [(b + 1, a + 1) for a, b in zip(*np.tril_indices(FIRST_NODE), strict=True)]
    nodes = (FIRST_NODE, *NODES)
    large = smooth(c, {pair: int(r["draws"]) for pair, r in done.items()})
    pairs = [(nodes[j], nodes[i]) for i, j in zip(*np.tril_indices(len(nodes)), strict=True)]
    one = [[c[a, b] for b in (FIRST_NODE, *NODES_SMALL)] for a in range(1, FIRST_NODE + 1)]
    keys = sorted(done)
    return {
        "both_small": rounded_up([c[pair] for pair in small]),
        "one_small": rounded_up(one),
        "both_large": rounded_up([large[pair] for pair in pairs]),
        "levels": LEVELS,
        "seed": np.array(SEED),
        "sizes": np.array(keys, dtype=np.int32),
        "draws": np.array([done[k]["draws"] for k in keys], dtype=np.int32),
    }


def terms(pairs: list[tuple[int, int]], degree: int = 3) -> np.ndarray:
    """Polynomials in the iterated logarithms of both sizes.

    The statistic is a largest value over about ln n nearly independent stretches of the curve, so
    its quantiles are nearly straight lines in ln ln n.
    """
    a, b = np.log(np.log(np.array(pairs, dtype=float))).T - 2.0
    powers = [(i, j) for i in range(degree + 1) for j in range(degree + 1 - i)]
    return np.stack([a**i * b**j for i, j in powers], axis=1)


def smooth(
    c: dict[tuple[int, int], np.ndarray], draws: dict[tuple[int, int], int]
) -> dict[tuple[int, int], np.ndarray]:
    """Pool neighbouring sizes where both classes are large, and fill in sizes not drawn.

    Each level's critical value is fitted by a polynomial surface, weighted by the number of draws.
    A size then takes the mean of its own value and the fit's, which counts as FIT_DRAWS draws:
    about what its misfit is worth.
    """
    nodes = (FIRST_NODE, *NODES)
    known = [pair for pair in c if pair[0] >= FIRST_NODE]
    weight = np.sqrt([draws[pair] for pair in known])[:, None]
    observed = np.array([c[pair] for pair in known])
    coef = np.linalg.lstsq(terms(known) * weight, observed * weight, rcond=None)[0]
    out = {}
    for pair in [(a, b) for b in nodes for a in nodes if a <= b]:
        fit, own = (terms([pair]) @ coef)[0], draws.get(pair, 0)
        mixed = (own * c[pair] + FIT_DRAWS * fit) / (own + FIT_DRAWS) if own else fit
        out[pair] = np.maximum.accumulate(mixed)
    return out


def main(results: Path, table: Path, *, assemble_only: bool) -> None:
    """Do the missing work and write the table."""
    lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
    done = {(r["small"], r["large"]): r for r in map(json.loads, lines)}
    todo = [] if assemble_only else [pair for pair in work() if pair not in done]
    start = time.perf_counter()
    for i, pair in enumerate(todo):
        record = measure(*pair)
        done[pair] = record
        with results.open("a", encoding="utf-8") as out:
            out.write(json.dumps(record) + "\n")
        if i % 25 == 0:
            spent = time.perf_counter() - start
            print(f"{i + 1}/{len(todo)} {pair} {spent:.0f}s", flush=True)
    np.savez_compressed(table, **pack(done))
    print("written", table, table.stat().st_size, "bytes", flush=True)


if __name__ == "__main__":
    paths = [Path(a) for a in sys.argv[1:] if not a.startswith("--")]
    main(*paths, assemble_only="--assemble" in sys.argv)
