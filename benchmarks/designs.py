"""Time of every question with weights, clusters and strata, relative to independent rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median
from time import process_time
from typing import Any

import numpy as np

import rocbands as rb

N = 10**6
TIMES = 3
TITLE = (
    f"Every question with a design, {N:.0e} rows: CPU seconds for independent rows, and ratios "
    "to that with weights, clusters of 3 rows and 100 strata "
    f"(medians of {TIMES}, counting included). Target: 3 times"
)

Ask = Callable[[rb.Sample], object]

ONE: dict[str, Ask] = {
    "roc_band": rb.roc_band,
    "auc_interval": rb.auc_interval,
    "partial_auc_interval": lambda s: rb.partial_auc_interval(s, fpr=(0.0, 0.2)),
    "operating_points, threshold": lambda s: rb.operating_points(s, threshold=[0.2, 0.5, 0.8]),
    "operating_points, fpr": lambda s: rb.operating_points(s, fpr=[0.01, 0.1]),
    "average_precision_interval": rb.average_precision_interval,
    "net_benefit": rb.net_benefit,
    "cost_interval": lambda s: rb.cost_interval(s, thresholds=0.5, costs=(5, 1)),
    "rate_bounds": lambda s: rb.rate_bounds(s, rate=np.linspace(0.01, 0.99, 50)),
    "brier_score_interval": rb.brier_score_interval,
}
TWO: dict[str, Ask] = {
    "compare": rb.compare,
    "partial_auc_difference": lambda s: rb.partial_auc_difference(s, fpr=(0.0, 0.2)),
    "compare_tpr": lambda s: rb.compare_tpr(s, fpr=0.1),
    "difference_band": rb.difference_band,
    "average_precision_difference": rb.average_precision_difference,
    "net_benefit_difference": rb.net_benefit_difference,
    "cost_difference": lambda s: rb.cost_difference(s, thresholds=(0.5, 0.5), costs=(5, 1)),
    "rate_difference": lambda s: rb.rate_difference(s, rate=np.linspace(0.01, 0.99, 50)),
    "mcnemar": lambda s: rb.mcnemar(s, thresholds=(0.5, 0.5)),
    "compare_many": rb.compare_many,
    "subgroups": lambda s: rb.subgroups(s[s.models[0]], by=s.kept["half"]),
}


def rows() -> Iterator[dict[str, Any]]:
    """Time each question for each design."""
    rng = np.random.default_rng(1)
    y = rng.random(N) < 0.3
    clusters = np.arange(N) // 3
    effect = rng.normal(size=clusters.max() + 1)[clusters]
    scores = {
        name: 1.0 / (1.0 + np.exp(-(rng.normal(size=N) + effect + shift * y)))
        for name, shift in (("a", 1.5), ("b", 1.3))
    }
    weights = np.exp(0.7 * rng.normal(size=N))
    designs: dict[str, dict[str, Any]] = {
        "independent": {},
        "weights": {"weights": weights},
        "clusters": {"clusters": clusters},
        "weights, clusters": {"weights": weights, "clusters": clusters},
        "clusters, strata": {"clusters": clusters, "strata": clusters % 100},
    }
    keep = {"half": rng.random(N) < 0.5}
    small = rb.Sample(
        y[:500], {name: s[:500] for name, s in scores.items()}, keep={"half": keep["half"][:500]}
    )
    for kinds, name in ((ONE, "a"), (TWO, None)):
        for question, ask in kinds.items():
            ask(small if name is None else small[name])  # imports
            row: dict[str, Any] = {"question": question}
            for design, given in designs.items():
                sample = rb.Sample(y, scores, **given, keep=keep)
                row[design] = _time(ask, sample if name is None else sample[name])
            first = row["independent"]
            ratios = {
                design: "-" if row[design] is None else f"{row[design] / first:.2f}"
                for design in list(designs)[1:]
            }
            yield row | {"independent": f"{first:.3f}"} | ratios


def _time(ask: Ask, sample: rb.Sample) -> float | None:
    """Median time; None if the design is refused."""
    seconds = []
    for _ in range(TIMES):
        fresh = sample.replace()  # nothing that an earlier call has counted
        start = process_time()
        try:
            ask(fresh)
        except rb.InputError:
            return None
        seconds.append(process_time() - start)
    return median(seconds)
