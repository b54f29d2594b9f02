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

import numpy as np

import rocbands as rb
from tests.coverage.judge import may_lie_in
from tests.coverage.pairs import PairWorld
from tests.coverage.plain_bootstrap import plain_band

RESULTS = Path("docs/coverage-difference.jsonl")
LEVEL = 0.9
REPS = 1000
NEAR_PERFECT = 2.326  # positives this far away: an AUC of .95

HEAD = """# Measured coverage of the difference band

Nominal level 0.90. Negatives have normal scores around 0 in both models, positives around 1 in model 1 and around 1 + shift in
model 2, with sd 1 and the stated correlation between the two scores within each class. Each figure is the share of fresh test
sets whose band holds the whole true difference over the stated range, in brackets the band's mean width. Where a third
figure is given the true curves are equal, and it is the share of sets in which a model is called better anywhere. A figure with !
is one whose exact 99% interval does not reach into the range .87 to .97. Columns are positives + negatives.
Made by `python -m tests.coverage.difference`, 1,000 sets for each figure.
"""
STUDIES = {
    "binormal": ("Normal scores", "FPR .05 to .95."),
    "near-perfect": (
        "Model 1 has an AUC of .95",
        "FPR .05 to .95; most of the range is close to tpr 1.",
    ),
    "tied": (
        "Rounded scores",
        "FPR .05 to .95. In steps of 1 there are about seven distinct scores.",
    ),
    "alike": ("Models that hardly differ", "FPR .05 to .95."),
    "range .02": ("A wider range", "FPR .02 to .98."),
    "plain": (
        "For comparison: the paired bootstrap as it stands",
        "Rows drawn with replacement, standard errors of the drawn differences, largest deviation in units of these; nothing "
        "is done where they vanish. FPR .05 to .95, 300 resamples, 300 sets a figure.",
    ),
    "plain, floor": (
        "For comparison: the same with a floor",
        "The standard error of one positive, 1 / n_pos, is added (in squares). It holds, and is wider than need be.",
    ),
}


@dataclass(frozen=True)
class Cell:
    study: str
    world: PairWorld
    size: tuple[int, int]
    reps: int

    @property
    def key(self) -> str:
        return f"{self.study} | {self.world.name} | {self.size[0]}+{self.size[1]}"

    def measure(self, rng: np.random.Generator) -> dict[str, float]:
        rows = self.world.draw(rng, *self.size)
        if self.study.startswith("plain"):
            band = plain_band(*rows, level=LEVEL, floor="floor" in self.study, rng=rng)
        else:
            ends = (0.02, 0.98) if self.study == "range .02" else (0.05, 0.95)
            band = rb.difference_band(*rows, level=LEVEL, fpr=ends, n_resamples=500, rng=rng)
        return {
            "held": float(band.contains(self.world.truth)),
            "width": band.mean_width,
            "better": float(bool(band.better)),
        }


def all_cells() -> Iterator[Cell]:
    """Every cell, small sets first."""
    for n in (50, 250, 1000):
        for rho, shift in product((0.3, 0.6, 0.9), (0.0, 0.5)):
            yield Cell("binormal", PairWorld(rho, shift), (n, n), REPS)
        for shift in (0.0, 0.5):
            yield Cell("near-perfect", PairWorld(0.6, shift, NEAR_PERFECT), (n, n), REPS)
        for step in (0.5, 1.0):
            yield Cell("tied", PairWorld(0.6, 0.5, step=step), (n, n), REPS)
        if n > 50:
            yield Cell("range .02", PairWorld(0.6, 0.5), (n, n), REPS)
        if n < 1000:
            yield Cell("alike", PairWorld(0.99, 0.0), (n, n), REPS)
            yield Cell("alike", PairWorld(0.99, 0.1), (n, n), REPS)
            for study, rho, shift in product(("plain", "plain, floor"), (0.3, 0.9), (0.0, 0.5)):
                yield Cell(study, PairWorld(rho, shift), (n, n), 300)
    for size in ((10, 10), (25, 25), (50, 500), (500, 50)):
        for shift in (0.0, 0.5):
            yield Cell("binormal", PairWorld(0.6, shift), size, REPS)
    for size in ((50, 500), (500, 50)):
        yield Cell("near-perfect", PairWorld(0.6, 0.5, NEAR_PERFECT), size, REPS)


def records() -> list[dict[str, object]]:
    if not RESULTS.exists():
        return []
    return [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    """Measure what is missing, then write docs/coverage-difference.md."""
    os.environ["ROCBANDS_NUM_THREADS"] = "1"
    done = {record["key"] for record in records()}
    todo = [cell for cell in all_cells() if cell.key not in done]
    for count, cell in enumerate(todo, start=1):
        start = time.perf_counter()
        rng = np.random.default_rng(list(cell.key.encode()))
        measured = [cell.measure(rng) for _ in range(cell.reps)]
        record = {
            "key": cell.key,
            "reps": cell.reps,
            **{name: round(float(np.mean([m[name] for m in measured])), 5) for name in measured[0]},
            "seconds": round(time.perf_counter() - start, 1),
        }
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        print(f"{count}/{len(todo)} {record}", file=sys.stderr, flush=True)
    write_page()


def write_page() -> None:
    """Write the tables."""
    parts = [HEAD]
    found = {str(record["key"]): record for record in records()}
    for study, (title, words) in STUDIES.items():
        keys = [key.split(" | ") for key in found if key.startswith(f"{study} | ")]
        worlds = sorted({key[1] for key in keys})
        sizes = sorted({key[2] for key in keys}, key=lambda size: [int(n) for n in size.split("+")])
        lines = ["| | " + " | ".join(sizes) + " |", "|---|" + "---|" * len(sizes)]
        for world in worlds:
            row = [_text(found.get(f"{study} | {world} | {size}"), world) for size in sizes]
            lines.append(f"| {world} | " + " | ".join(row) + " |")
        parts.append(f"## {title}\n\n{words}\n\n" + "\n".join(lines) + "\n")
    RESULTS.with_suffix(".md").write_text("\n".join(parts), encoding="utf-8")


def _text(record: dict[str, object] | None, world: str) -> str:
    if record is None:
        return ""
    held, reps = float(str(record["held"])), int(str(record["reps"]))
    good = may_lie_in(round(held * reps), reps, 0.87, 0.97)
    text = f"{held:.3f}{'' if good else ' !'} ({record['width']:.3f})"
    equal = world.endswith("shift 0") or "shift 0," in world
    return f"{text}, {record['better']:.3f}" if equal else text


if __name__ == "__main__":
    main()
