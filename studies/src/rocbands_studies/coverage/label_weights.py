"""Coverage of samples whose weights depend on the class and on the score.

``python -m rocbands_studies.coverage.label_weights [sets] [part of a name]`` prints, for bands and AUC
intervals at .95 and .90, the shares of data sets that hold, and mean areas and widths at .95. The
samples are those of studies/docs/coverage-weights.md; here each has more data sets, and areas are those of
the first 50. Larger samples have a third as many sets.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator

import numpy as np

import rocbands as rb
from rocbands_studies.coverage.weights import LABEL_AND_SCORE, TIERS, Sample

WITH_AREA = 50
LARGE = (5000, 15_000)


def list_cells() -> Iterator[tuple[Sample, int, bool]]:
    """Samples, numbers of rows, and whether the band is looked at."""
    for sample in LABEL_AND_SCORE:
        yield sample, 1500, True
        for rows in (300, *LARGE) if sample is LABEL_AND_SCORE[0] else ():
            yield sample, rows, True
    for sample in TIERS:
        yield sample, 1000, sample is TIERS[0]
        yield sample, 400, False


def measure(sample: Sample, rows: int, sets: int, with_band: bool) -> list[float | None]:
    """Shares that hold at .95 and .90 and mean sizes at .95, of the band and of the AUC."""
    rng = np.random.default_rng([rows, zlib.crc32(sample.name.encode())])
    truth, found = sample.truth, []
    auc = float(np.trapezoid(truth.y, truth.x))
    for i in range(sets):
        roc = sample.draw_data(rng, rows)
        one: list[float | None] = [None] * 3
        if with_band:
            # Seldom outside at .90: the band of .95 contains that of .90.
            inner, outer = (rb.roc_band(roc, level=level, rng=i) for level in (0.9, 0.95))
            narrow = inner.contains(truth)
            area = outer.area if i < WITH_AREA else None
            one = [narrow or outer.contains(truth), narrow, area]
        wide, narrow_auc = (rb.auc_interval(roc, level=level) for level in (0.95, 0.9))
        one += [each.low <= auc <= each.high for each in (wide, narrow_auc)]
        found.append([*one, wide.high - wide.low])
    columns = (
        np.array([x for x in side if x is not None], float) for side in zip(*found, strict=True)
    )
    return [float(side.mean()) if side.size else None for side in columns]


def main(arguments: list[str]) -> None:
    sets = int(arguments[0]) if arguments else 900
    part = arguments[1] if len(arguments) > 1 else ""
    print("| sample | rows | sets | band .95 | .90 | area | AUC .95 | .90 | width |")
    print("|---|---|---|---|---|---|---|---|---|")
    for sample, rows, with_band in list_cells():
        if part in sample.name:
            number = sets // 3 if rows in LARGE else sets
            figures = measure(sample, rows, number, with_band)
            row = " | ".join("" if value is None else f"{value:.3f}" for value in figures)
            print(f"| {sample.name} | {rows:,} | {number} | {row} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
