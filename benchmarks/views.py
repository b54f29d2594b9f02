"""What a view costs beyond its band, in CPU time.

Each time is one phase of a fresh band, so that nothing is found ready. The band: labels and scores
become a band with both edges, as far as pictures and areas need them. Its table: its limits at 104
false positive rates. A view: ``band.view(name)`` with both limits as lines, as far as pictures and
areas need them. Its table: its limits and its curve at 100 or 101 abscissae, exact.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

import rocbands as rb
from benchmarks.counted import draw_counts

__all__ = ["TITLE", "rows"]

TITLE = (
    "Views of a likelihood band (CPU ms), and what they take beyond the band as a share of it. "
    "Targets for the lines: .2 with a given prevalence, 1 with an estimated one. "
    "10^8 rows are counts in bins"
)
VIEWS = (
    *((name, 0.05) for name in ("pr", "gains", "lift", "net-benefit")),
    *((name, None) for name in ("det", "cost", "pr", "gains", "lift", "net-benefit")),
)
_SECONDS = 0.6  # spent on each row at least


def _phases(
    make: Callable[[], rb.results.Band], name: str, prevalence: float | None
) -> list[float]:
    """CPU time of the band, its table, the view and its table: the least of several runs."""
    make().view(name, prevalence=prevalence).columns()  # imports come once
    best, begin = [np.inf] * 4, time.process_time()
    while time.process_time() - begin < _SECONDS or not np.isfinite(best[0]):
        times = [time.process_time()]
        band = make()
        assert band.area > 0.0
        times.append(time.process_time())
        band.columns()
        times.append(time.process_time())
        view = band.view(name, prevalence=prevalence)
        assert view.area > 0.0
        times.append(time.process_time())
        view.columns()
        times.append(time.process_time())
        best = [min(pair) for pair in zip(best, np.diff(times).tolist(), strict=True)]
    return best


def _bands(sizes: tuple[int, ...]) -> Iterator[tuple[int, Callable[[], rb.results.Band]]]:
    for size in sizes:
        rng = np.random.default_rng(size)
        labels = rng.random(size) < 0.5
        scores = rng.normal(size=size) + labels
        yield size, lambda y=labels, s=scores: rb.roc_band(y, s)  # type: ignore[misc]
    roc = draw_counts()
    yield roc.n_pos + roc.n_neg, lambda: rb.roc_band(roc)


def rows(sizes: tuple[int, ...] = (10**3, 10**4, 10**5, 10**6)) -> Iterator[dict[str, object]]:
    """One row for each size and view; scores are not tied, half of the rows are positive."""
    for size, make in _bands(sizes):
        for name, prevalence in VIEWS:
            band, table, view, own = _phases(make, name, prevalence)
            needed = name in ("det", "cost")
            yield {
                "rows": size,
                "view": name,
                "prevalence": "not needed" if needed else prevalence or "estimated",
                "band": round(1e3 * band, 2),
                "view's lines": round(1e3 * view, 2),
                "of the band": round(view / band, 2),
                "band's table": round(1e3 * table, 2),
                "view's table": round(1e3 * own, 2),
                "of band and table": round((view + own) / (band + table), 2),
            }
