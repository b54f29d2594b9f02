"""How often limits for points and for partial areas hold: ``python -m tests.coverage.points``.

Finished cells are kept in docs/coverage-points.jsonl; delete it to measure again. Each cell has a
seed of its own, made from its name.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

import rocbands as rb
from rocbands.core.method import Request
from rocbands.points import METHODS as POINT_METHODS
from tests.coverage.worlds import BINORMAL, ROUNDED, SHAPES, World

RESULTS = Path("docs/coverage-points.jsonl")
LEVEL, SETS = 0.95, 1000
SIZES = ((25, 25), (50, 50), (100, 100), (500, 500), (30, 300), (300, 30))
WORLDS = (BINORMAL[1.0], BINORMAL[3.0], SHAPES[0], ROUNDED[1])
PLACES = np.array([0.01, 0.02, 0.05, 0.1, 0.2, 0.5])
AREA_WORLDS = (BINORMAL[1.0], BINORMAL[3.0], BINORMAL[5.0], ROUNDED[1])
RANGES = ((0.0, 0.1), (0.1, 0.3), (0.0, 0.5))
METHODS = ("likelihood", "wilson", "bootstrap")

Sizes = tuple[int, int]
Held = dict[str, list[float]]
Measure = Callable[[np.random.Generator], dict[str, np.ndarray]]


def heights(world: World, sizes: Sizes, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Which methods hold the true height at each place, and how wide they are."""
    roc, truth, out = rb.roc_curve(*world.draw(rng, *sizes)), world.truth.high(PLACES), {}
    for method in METHODS:
        kind = POINT_METHODS[method]
        rule = kind() if method == "likelihood" else kind(n_resamples=300)  # type: ignore[call-arg]
        _, low, high = rule.compute_heights(roc, PLACES, Request(LEVEL, rng))
        out[method] = (low <= truth + 1e-9) & (truth <= high + 1e-9)
        out[f"{method} width"] = high - low
    return out


def partial_truth(world: World, start: float, stop: float) -> float:
    """Area under the true curve, by the trapezoids between its own 24,000 vertices."""
    curve = world.truth
    inner = curve.x[(curve.x > start) & (curve.x < stop)]
    at = np.unique(np.concatenate(([start], inner, [stop])))
    return float(np.trapezoid(curve.high(at), at))


def areas(world: World, sizes: Sizes, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Which methods hold the true partial area over each range, and how wide they are."""
    rows, out = world.draw(rng, *sizes), {}
    for method in ("placement", "bootstrap"):
        found = [
            rb.partial_auc_interval(
                *rows,
                method,
                fpr=span,
                level=LEVEL,
                n_resamples=200 if method == "bootstrap" else None,
                rng=rng,
            )
            for span in RANGES
        ]
        truth = [TRUE_AREAS[world.name, span] for span in RANGES]
        out[method] = np.array(
            [f.low <= t + 1e-9 and t <= f.high + 1e-9 for f, t in zip(found, truth, strict=True)]
        )
        out[f"{method} width"] = np.array(
            [(f.high - f.low) / (b - a) for f, (a, b) in zip(found, RANGES, strict=True)]
        )
    return out


def chosen(world: World, sizes: Sizes, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Whether the limits of chosen thresholds hold these thresholds' own true rates: fpr, tpr."""
    rows, later, out = world.draw(rng, *sizes), world.draw(rng, *sizes), {}
    asked: dict[str, dict[str, object]] = {
        "youden, same rows": {"best": "youden"},
        "youden, other rows": {"best": "youden", "test": later},
        "rate .2, same rows": {"rate": 0.2},
        "fixed threshold": {"threshold": 0.5},
        "fixed threshold, joint": {"threshold": 0.5, "joint": True},
    }
    for name, how in asked.items():
        at = rb.operating_points(*rows, level=LEVEL, **how)  # type: ignore[arg-type]
        cut = at.threshold[:1]
        fpr, tpr = world.pair.negatives.survival(cut)[0], world.pair.positives.survival(cut)[0]
        both = [
            at.fpr_low[0] <= fpr <= at.fpr_high[0],
            at.tpr_low[0] <= tpr <= at.tpr_high[0],
        ]
        out[name] = np.array([*both, all(both)])
    return out


TRUE_AREAS = {(w.name, span): partial_truth(w, *span) for w in AREA_WORLDS for span in RANGES}


def cells() -> Iterator[tuple[str, str, str, Measure]]:
    studies = {"tpr at fpr": (heights, WORLDS), "partial area": (areas, AREA_WORLDS)}
    studies["thresholds"] = (chosen, WORLDS[:3])
    for study, (measure, worlds) in studies.items():
        for world, sizes in product(worlds, SIZES):
            yield study, world.name, f"{sizes[0]}+{sizes[1]}", partial(measure, world, sizes)


def main(sets: int = SETS) -> None:
    """Measure what is missing, then write the tables."""
    os.environ["ROCBANDS_NUM_THREADS"] = "1"
    lines = RESULTS.read_text(encoding="utf-8").splitlines() if RESULTS.exists() else []
    records = [json.loads(line) for line in lines]
    done = {(r["study"], r["world"], r["size"]) for r in records}
    for study, world, size, measure in cells():
        if (study, world, size) in done:
            continue
        rng = np.random.default_rng(list(f"{study} | {world} | {size}".encode()))
        found = [measure(rng) for _ in range(sets)]
        means = {name: np.mean([f[name] for f in found], axis=0).round(4) for name in found[0]}
        record = {"study": study, "world": world, "size": size, "sets": sets}
        record |= {name: values.tolist() for name, values in means.items()}
        records.append(record)
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        print(study, world, size, file=sys.stderr, flush=True)
    RESULTS.with_suffix(".md").write_text(page(records), encoding="utf-8")


HEAD = """# Measured coverage of points and partial areas

Nominal level {level}; each figure comes from {sets:,} fresh test sets (standard error about .007 at .95), in brackets the mean
width. Figures below .93 are marked `!`, except where both rates are asked of limits for one. Rows are positives + negatives. Made by

```console
$ make coverage
```

which keeps finished cells in `docs/coverage-points.jsonl`.
"""

TITLES = {
    "tpr at fpr": (
        "True positive rate at a fixed false positive rate",
        "`rb.operating_points(..., fpr=f)`. The last world has tied scores; there 'wilson' and 'bootstrap' use 300 resamples, elsewhere "
        "the exact law of resampling.",
        [f"f = {place:g}" for place in PLACES],
    ),
    "partial area": (
        "Partial area",
        "`rb.partial_auc_interval(..., fpr=range)`; widths are shares of the largest possible area. 'bootstrap' uses 200 resamples.",
        [f"{a:g} to {b:g}" for a, b in RANGES],
    ),
    "thresholds": (
        "Rates of chosen and of fixed thresholds",
        "`rb.operating_points` with Wilson's limits: do they hold the chosen threshold's own true rates?",
        ["fpr", "tpr", "both"],
    ),
}


def page(records: list[dict]) -> str:
    """Write all tables."""
    parts = [HEAD.format(level=LEVEL, sets=max(r["sets"] for r in records))]
    for study, (title, words, heads) in TITLES.items():
        parts.append(f"## {title}\n\n{words}")
        mine = [record for record in records if record["study"] == study]
        for world in dict.fromkeys(record["world"] for record in mine):
            lines = [
                f"| {world} | | " + " | ".join(heads) + " |",
                "|---|---|" + "---|" * len(heads),
            ]
            for record in (r for r in mine if r["world"] == world):
                lines += rows_of(record)
            parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def rows_of(record: dict) -> Iterator[str]:
    facts = ("study", "world", "size", "sets")
    first = record["size"]
    for name in (n for n in record if n not in facts and not n.endswith(" width")):
        width = record.get(f"{name} width", [None] * len(record[name]))
        meant = [
            record["study"] != "thresholds" or name.endswith("joint") or i < 2 for i in range(9)
        ]
        meant = meant[: len(record[name])]
        texts = [
            f"{held:.3f}"
            + (" !" if held < 0.93 and good else "")
            + ("" if w is None else f" ({w:.2f})")
            for held, w, good in zip(record[name], width, meant, strict=True)
        ]
        yield f"| {first} | {name} | " + " | ".join(texts) + " |"
        first = ""


if __name__ == "__main__":
    main(30 if "--quick" in sys.argv else SETS)
