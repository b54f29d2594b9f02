"""What users want done, and every way of doing it that they might pick.

A way prepares a call from the data; the call returns a number, so that ways of doing the same
thing can be held against each other.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

import rocbands as rb

__all__ = ["OURS", "TASKS", "Call", "Data", "Task", "Way", "drawn"]

OURS = "rocbands"
N_RESAMPLES = 1000

Call = Callable[[], float]


@dataclass(frozen=True)
class Data:
    """Two models on the same rows; half of the rows are positive, no scores are tied."""

    labels: npt.NDArray[np.int64]
    first: npt.NDArray[np.float64]
    second: npt.NDArray[np.float64]

    @cached_property
    def rounded(self) -> npt.NDArray[np.float64]:
        """The first model's scores with two digits, which are tied."""
        return self.first.round(2)


def drawn(size: int) -> Data:
    """Draw `size` rows; the same ones for every way and every process."""
    rng = np.random.default_rng(size)
    labels = (rng.random(size) < 0.5).astype(np.int64)
    common = rng.normal(size=size) + labels
    # Probabilities: some peers take nothing else.
    first, second = 1.0 / (1.0 + np.exp(-(rng.normal(size=(2, size)) + common)))
    return Data(labels, first, second)


@dataclass(frozen=True)
class Way:
    """One tool's way of doing a task."""

    tool: str
    module: str
    prepare: Callable[[Data], Call]
    largest: int = 10**7

    @property
    def installed(self) -> bool:
        """Whether the tool can be imported."""
        return importlib.util.find_spec(self.module) is not None


@dataclass(frozen=True)
class Task:
    """A task: our way first.

    `alike` is how far answers may be apart; None where they answer different questions. `in_r`
    are lines of R, given `y`, `s` and `t`, for the tool called `in_r_tool`.
    """

    title: str
    ways: tuple[Way, ...]
    alike: float | None = None
    in_r: str = ""
    in_r_tool: str = "pROC (R)"
    in_r_largest: int = 10**6


def _ours(ask: Callable[[Data], float]) -> Way:
    return Way(OURS, "rocbands", lambda data: partial(ask, data))


def _theirs(tool: str, ask: Callable[[Any, Data], float], largest: int = 10**7) -> Way:
    module = {"scikit-learn": "sklearn.metrics", "SciPy": "scipy.stats"}.get(tool, tool)

    def prepare(data: Data) -> Call:
        return partial(ask, importlib.import_module(module), data)

    return Way(tool, module.split(".", maxsplit=1)[0], prepare, largest)


def _sklearn_curve(metrics: Any, data: Data) -> float:
    fpr, tpr, _ = metrics.roc_curve(data.labels, data.first)
    return float(metrics.auc(fpr, tpr))


def _pauc_curve(pauc: Any, data: Data) -> float:
    return float(pauc.ROC(data.labels, data.first, direction="<").auc)


def _pauc_interval(pauc: Any, data: Data) -> float:
    return float(pauc.ci_auc(pauc.ROC(data.labels, data.first, direction="<"))[0])


def _confidenceinterval(module: Any, data: Data) -> float:
    return float(module.roc_auc_score(data.labels, data.first)[1][0])


def _confidenceinterval_drawn(module: Any, data: Data) -> float:
    limits = module.roc_auc_score(
        data.labels, data.first, 0.95, "bootstrap_percentile", n_resamples=N_RESAMPLES
    )
    return float(limits[1][0])


def _mlstatkit_drawn(module: Any, data: Data) -> float:
    return float(
        module.Bootstrapping(data.labels, data.first, "roc_auc", n_bootstraps=N_RESAMPLES)[1]
    )


def _by_ranks(pos: Any, neg: Any, axis: int = -1) -> Any:
    """Mann-Whitney for many resamples at once: what a careful user of SciPy would write."""
    both = np.concatenate([pos, neg], axis=axis)
    is_pos = np.argsort(both, axis=axis) < pos.shape[axis]
    ranks = np.arange(1, both.shape[axis] + 1)
    n_pos, n_neg = pos.shape[axis], neg.shape[axis]
    return (is_pos @ ranks - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg)


def _scipy_drawn(stats: Any, data: Data) -> float:
    classes = data.first[data.labels == 1], data.first[data.labels == 0]
    found = stats.bootstrap(
        classes, _by_ranks, n_resamples=N_RESAMPLES, batch=50, method="percentile", rng=1
    )
    return float(found.confidence_interval.low)


def _rocci_band(rocci: Any, data: Data) -> float:
    band = rocci.roc_band(data.labels, data.first, n_boot=N_RESAMPLES, n_threads=1, random_state=1)
    return float(np.mean(band.upper - band.lower))


def _pauc_sensitivity(pauc: Any, data: Data) -> float:
    curve = pauc.ROC(data.labels, data.first, direction="<")
    return float(np.ravel(pauc.ci_sensitivity(curve, specificities=[0.9]))[0])


def _pauc_compare(pauc: Any, data: Data) -> float:
    curves = (pauc.ROC(data.labels, s, direction="<") for s in (data.first, data.second))
    return float(pauc.compare(*curves).p_value)


def _mlstatkit_compare(module: Any, data: Data) -> float:
    return float(module.Delong_test(data.labels, data.first, data.second, return_ci=False)[1])


TASKS = {
    "curve": Task(
        "ROC curve and its area",
        (
            _ours(lambda d: rb.roc_curve(d.labels, d.first).auc),
            _theirs("scikit-learn", _sklearn_curve),
            _theirs("pauc", _pauc_curve),
        ),
        alike=1e-9,
        in_r='r <- roc(y, s, levels = c(0, 1), direction = "<", quiet = TRUE)',
    ),
    "auc": Task(
        "AUC with DeLong's interval",
        (
            _ours(lambda d: rb.auc_interval(d.labels, d.first, method="delong").low),
            _theirs("confidenceinterval", _confidenceinterval),
            _theirs("pauc", _pauc_interval),
        ),
        alike=1e-6,
        in_r='ci.auc(roc(y, s, levels = c(0, 1), direction = "<", quiet = TRUE))',
    ),
    "bootstrap": Task(
        "AUC with a percentile interval of 1000 resamples",
        (
            _ours(
                lambda d: (
                    rb.auc_interval(
                        d.labels, d.first, method="bootstrap", n_resamples=N_RESAMPLES, rng=1
                    ).low
                )
            ),
            _theirs("SciPy", _scipy_drawn, 10**5),
            _theirs("confidenceinterval", _confidenceinterval_drawn, 10**5),
            _theirs("MLstatkit", _mlstatkit_drawn, 10**5),
        ),
        alike=0.02,
        in_r='r <- roc(y, s, levels = c(0, 1), direction = "<", quiet = TRUE)\n'
        'ci.auc(r, method = "bootstrap", boot.n = 1000, progress = "none")',
        in_r_largest=10**4,
    ),
    "band": Task(
        "Band for the whole curve (ours: likelihood; rocci: 1000 resamples)",
        (
            _ours(lambda d: rb.roc_band(d.labels, d.first).area),
            _theirs("rocci", _rocci_band, 10**6),
        ),
    ),
    "tied": Task(
        "The same with scores of two digits",
        (
            _ours(lambda d: rb.roc_band(d.labels, d.rounded).area),
            _theirs(
                "rocci",
                lambda rocci, d: _rocci_band(rocci, Data(d.labels, d.rounded, d.second)),
                10**6,
            ),
        ),
    ),
    "resampled band": Task(
        "Band from 1000 resamples (ours: fixed-width; pROC's ci.se is pointwise)",
        (
            _ours(lambda d: rb.roc_band(d.labels, d.first, method="fixed-width", rng=1).area),
            _theirs("rocci", _rocci_band, 10**6),
        ),
        in_r='r <- roc(y, s, levels = c(0, 1), direction = "<", quiet = TRUE)\n'
        'ci.se(r, specificities = seq(0, 1, .01), boot.n = 1000, progress = "none")',
        in_r_largest=10**4,
    ),
    "fbroc": Task(
        "The same beside fbroc (C++)",
        (_ours(lambda d: rb.roc_band(d.labels, d.first, method="fixed-width", rng=1).area),),
        in_r="library(fbroc); b <- boot.roc(s, y == 1, n.boot = 1000); conf(b, steps = 100)",
        in_r_tool="fbroc (R)",
    ),
    "point": Task(
        "Sensitivity at specificity .9, with its interval",
        (
            _ours(lambda d: float(rb.operating_points(d.labels, d.first, fpr=0.1).tpr_lower[0])),
            _theirs("pauc", _pauc_sensitivity, 10**5),
        ),
        in_r='r <- roc(y, s, levels = c(0, 1), direction = "<", quiet = TRUE)\n'
        'ci.se(r, specificities = .9, boot.n = 1000, progress = "none")',
        in_r_largest=10**4,
    ),
    "compare": Task(
        "Two models on the same rows: DeLong's test (ours with its interval)",
        (
            _ours(lambda d: rb.compare(d.labels, d.first, d.second).pvalue),
            _theirs("pauc", _pauc_compare),
            _theirs("MLstatkit", _mlstatkit_compare),
        ),
        alike=5e-3,  # ours has Student's t, theirs the normal distribution
        in_r='a <- roc(y, s, levels = c(0, 1), direction = "<", quiet = TRUE)\n'
        'b <- roc(y, t, levels = c(0, 1), direction = "<", quiet = TRUE)\n'
        "roc.test(a, b)",
    ),
    "difference": Task(
        "Band for the difference of two curves",
        (
            _ours(
                lambda d: float(rb.difference_band(d.labels, d.first, d.second, rng=1).lower.sum())
            ),
        ),
    ),
    "partial": Task(
        "Area up to false positive rate .1, percentile interval of 1000 resamples",
        (
            _ours(
                lambda d: (
                    rb.partial_auc_interval(
                        *(d.labels, d.first), method="bootstrap", fpr=(0, 0.1), rng=1
                    ).low
                )
            ),
        ),
        in_r='r <- roc(y, s, levels = c(0, 1), direction = "<", quiet = TRUE, '
        "partial.auc = c(1, .9))\n"
        'ci.auc(r, method = "bootstrap", boot.n = 1000, progress = "none")',
        in_r_largest=10**4,
    ),
    "rate": Task(
        "Bounds of the recall when a tenth of the rows is acted on",
        (_ours(lambda d: float(rb.rate_bounds(d.labels, d.first, rate=[0.1]).tpr_lower[0])),),
    ),
    "cost": Task(
        "Interval of the expected cost of a threshold",
        (
            _ours(
                lambda d: float(
                    rb.cost_interval(d.labels, d.first, thresholds=[0.5], w=[0.5]).cost[0]
                )
            ),
        ),
    ),
}
