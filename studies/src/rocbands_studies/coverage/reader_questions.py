"""What is asked about simulated reader studies: limits and tests of every method at all levels.

Estimates are made once for each data set, and each method judges the same contrasts: the numbers are
those of :func:`rocbands.compare_readers`, which a test compares.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from rocbands.errors import InputError
from rocbands.readers import METHODS as TABLE
from rocbands.readers.contrast import (
    Contrast,
    contrast_algorithm,
    contrast_readers,
    contrast_test,
    contrast_tests,
    find_components,
)
from rocbands.readers.influence import Estimates, choose_metric, estimate_cells
from rocbands_studies import Statement, Streams
from rocbands_studies.coverage.reader_worlds import PART, Drawn, ReaderWorld

METHODS = {"bounded": "bounded", "OR": "obuchowski-rockette", "one-shot": "one-shot"}
TOUCH = 1e-9
HALF = 0.5  # of the standard error of the same readers: where readers agree by chance


def estimate(
    data: Drawn, metric: str = "auc", threshold: float | None = None, *, unbiased: bool = False
) -> Estimates:
    """Estimates of all cells that were read."""
    t, r = data.scores.shape[:2]
    n_pos = int(data.is_positive.sum())
    readings: Any = SimpleNamespace(  # what the estimates need to know of Readings
        scores=data.scores,
        read=~np.isnan(data.scores),
        is_positive=data.is_positive,
        clusters=data.groups,
        tests=tuple(map(str, range(t))),
        readers=tuple(map(str, range(r))),
        n_pos=n_pos,
        n_neg=data.is_positive.size - n_pos,
    )
    part = PART if metric == "partial_auc" else None
    chosen = choose_metric(metric, threshold, part, None, readings.tests)
    return estimate_cells(readings, chosen, "unbiased" if unbiased else "delong")


def use_delong(cells: Estimates) -> Estimates:
    """The same estimates with DeLong's covariance instead of the unbiased one."""
    return replace(cells, covariance=cells.influence @ cells.influence.T)


def compare_first(cells: Estimates, nested: bool) -> Contrast:
    """The difference of the first two tests."""
    readers = [sorted(j for i, j in cells.index if i == test) for test in (0, 1)]
    if nested:
        return contrast_readers(cells, (0, 1), (readers[0], readers[1]))
    return contrast_tests(cells, (0, 1), readers[0])


def judge_all(
    name: str, contrast: Contrast, truth: float, levels: Sequence[float], **given: Any
) -> dict[str, list[float]]:
    """Whether limits hold the truth, their width, and whether the test rejects, by level.

    A method that has no interval misses, does not reject, and counts as `none`.
    """
    method = TABLE[METHODS[name]]()
    found: dict[str, list[float]] = {"holds": [], "width": [], "rejects": [], "none": []}
    for level in levels:
        try:
            said = method(contrast, level=level, **given)
        except InputError:
            row = (0.0, 0.0, 0.0, 1.0)
        else:
            held = said.low <= truth + TOUCH and truth <= said.high + TOUCH
            row = (held, said.high - said.low, said.pvalue < 1.0 - level, 0.0)
        for kind, value in zip(found, row, strict=True):
            found[kind].append(float(value))
    return found


def declare(name: str, contrast: Contrast, margin: float, levels: Sequence[float]) -> list[float]:
    """Whether the first test is declared non-inferior, one-sided at half of each error rate."""
    method, said = TABLE[METHODS[name]](), []
    for level in levels:
        side: dict[str, Any] = {"level": (1.0 + level) / 2.0, "alternative": "greater"}
        try:
            said.append(float(method(contrast, null=-margin, **side).low > -margin))
        except InputError:
            said.append(0.0)
    return said


def name_figures(found: dict[str, list[float]], what: str) -> dict[str, Any]:
    """Figures by kind and what they are about; the mean of refusals at all levels."""
    named: dict[str, Any] = {
        f"{kind} {what}": found[kind] for kind in ("holds", "width", "rejects")
    }
    return named | {f"none {what}": max(found["none"])}


@dataclass(frozen=True)
class DifferenceLimits(Statement):
    """Limits of the difference of two tests, and of the mean of the first."""

    metric: str = "auc"
    threshold: float | None = None

    @property
    def name(self) -> str:
        return self.metric

    def judge(self, data: Drawn, world: ReaderWorld, levels: Sequence[float], streams: Streams) -> Any:  # fmt: skip
        truth = np.array(world.find_truth(self.metric, self.threshold or math.nan))
        if self.metric == "partial_auc":
            truth = truth / (PART[1] - PART[0])
        gap, nested = float(truth[0] - truth[1]), world.design == "readers in tests"
        found: dict[str, Any] = {}
        whole = self.metric != "partial_auc" and data.groups is None
        unbiased = estimate(data, self.metric, self.threshold, unbiased=whole)
        cells = use_delong(unbiased)
        contrast = compare_first(cells, nested)
        one = contrast_test(cells, 0, sorted(j for i, j in cells.index if i == 0))
        for name in ("bounded", "OR"):
            difference = judge_all(name, contrast, gap, levels)
            found |= name_figures(difference, f"difference {name}")
            found[f"point difference {name}"] = float(difference["width"][0] == 0.0)
            mean = judge_all(name, one, float(truth[0]), levels)
            found |= {f"{kind} mean {name}": mean[kind] for kind in ("holds", "width")}
            found["agree"] = small = float(self._agree(contrast))
            found[f"agreeing {name}"] = [held * small for held in difference["holds"]]
            if gap < -TOUCH:
                found[f"rejects inferior {name}"] = declare(name, contrast, -gap, levels)
        if whole:
            said = judge_all("one-shot", compare_first(unbiased, nested), gap, levels)
            found |= name_figures(said, "difference one-shot")
        if data.groups is not None:
            rows = estimate(data._replace(groups=None), self.metric, self.threshold)
            apart = judge_all("bounded", compare_first(rows, nested), gap, levels)
            found["holds difference rows"] = apart["holds"]
            alone = judge_all("bounded", contrast_test(rows, 0, range(world.readers)), float(truth[0]), levels)  # fmt: skip
            found["holds mean rows"] = alone["holds"]
        return found

    @staticmethod
    def _agree(contrast: Contrast) -> bool:
        """Whether OR's standard error is below half of that of the same readers."""
        variance = contrast.reader_variance + max(contrast.case_covariance, 0.0)
        return bool(variance < HALF**2 * contrast.fixed)


@dataclass(frozen=True)
class AlgorithmLimits(Statement):
    """Limits of a stand-alone algorithm minus the readers."""

    name: str = "algorithm"

    def judge(self, data: Drawn, world: ReaderWorld, levels: Sequence[float], streams: Streams) -> Any:  # fmt: skip
        gap = world.algorithm_auc - float(world.truth[0])
        found: dict[str, Any] = {}
        unbiased = estimate(data, unbiased=True)
        for name in METHODS:
            cells = unbiased if name == "one-shot" else use_delong(unbiased)
            contrast = contrast_algorithm(cells, (0, world.readers), 0, range(world.readers))
            found |= name_figures(judge_all(name, contrast, gap, levels), f"difference {name}")
        return found


@dataclass(frozen=True)
class EqualTests(Statement):
    """Three tests or more: the global F test, and the smallest of Holm's p-values of pairs."""

    name: str = "global F"

    def judge(self, data: Drawn, world: ReaderWorld, levels: Sequence[float], streams: Streams) -> Any:  # fmt: skip
        cells, t = estimate(data), world.tests
        everyone = list(range(world.readers))
        components = find_components(cells, everyone, t)
        assert components is not None
        pairs = [(i, j) for i in range(t) for j in range(i + 1, t)]
        contrasts = [contrast_tests(cells, pair, everyone) for pair in pairs]
        found: dict[str, Any] = {}
        for name in ("bounded", "OR"):
            method = TABLE[METHODS[name]]()
            joint = method.judge_joint(components, "both")
            found[f"rejects F {name}"] = [float(joint.pvalue < 1.0 - level) for level in levels]
            if name == "OR":
                contrasts = [replace(one, pooled=components.pooled) for one in contrasts]
            smallest = len(pairs) * min(method(one).pvalue for one in contrasts)
            found[f"rejects pairs {name}"] = [float(smallest < 1.0 - level) for level in levels]
        return found


@dataclass(frozen=True)
class GivenReaders(Statement):
    """Limits for these readers and for these cases, judged for those that were drawn.

    For comparison, limits for these readers are judged for all readers as well.
    """

    name: str = "these readers, these cases"

    def judge(self, data: Drawn, world: ReaderWorld, levels: Sequence[float], streams: Streams) -> Any:  # fmt: skip
        cells = estimate(data)
        contrast, one = compare_first(cells, False), contrast_test(cells, 0, range(world.readers))
        found: dict[str, Any] = {}
        truths = {"cases": world.average_readers(data), "readers": world.average_cases(data)}
        for random, truth in truths.items():
            gap = float(truth[0] - truth[1])
            for name in ("bounded", "OR"):
                given = judge_all(name, contrast, gap, levels, random=random)
                found |= name_figures(given, f"{random} {name}")
                mean = judge_all(name, one, float(truth[0]), levels, random=random)
                found[f"holds mean {random} {name}"] = mean["holds"]
        gap = float(world.truth[0] - world.truth[1])
        wrong = judge_all("bounded", contrast, gap, levels, random="cases")
        return found | {"holds all readers": wrong["holds"]}
