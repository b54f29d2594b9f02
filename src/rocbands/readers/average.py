"""The average ROC curve of readers under one test, with a band for these readers.

Readers use scales of their own, so each has a curve of their own. On each line y + x = c the curve
of reader j has one abscissa x_j(c), and the average curve has their mean x(c); its area is the mean
of the readers' areas (Chen and Samuelson 2014). The band is

    |x - x(c)| <= k w(c),    w(c)^2 = n / (n - 1) mean d(c)^2 + e(c)^2,

where d is the deviation of the average when cases get random weights, the same for all readers, n
the number of cases of the smaller class, and k the quantile of the largest |d| / w along the curve.
One case of each class moves the average by e; it matters where readers agree and resamples do not
vary. If a share s of the curve near c is horizontal, e^2 = ((1 - s) / n_neg)^2 + (s / n_pos)^2.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rocbands.core.band import Band, BandMethod
from rocbands.core.checks import FloatArray, IndexArray, check_choice, check_resamples
from rocbands.core.counts import Clusters
from rocbands.core.curve import Curve
from rocbands.core.method import Coverage, Extra, Request
from rocbands.core.randomness import (
    Rng,
    join_keys,
    key_curve,
    key_rows,
    sort_curves,
    sort_keys,
    sum_keys,
)
from rocbands.core.roc import RocCurve, pool_curves
from rocbands.core.rows import Design, Rows
from rocbands.errors import InputError
from rocbands.resample.crossings import Crossings, choose_lines, displace_curve, reweigh_crossings

if TYPE_CHECKING:
    from rocbands.readers.readings import Readings
    from rocbands.readers.result import ReaderStudy

_NEAR = 0.1  # half the range of c in which the direction of the average curve is found


@dataclass(frozen=True)
class ReaderAverage(BandMethod):
    """Whole-curve band for the average curve of these readers; cases are resampled.

    Parameters
    ----------
    n_resamples : int, default 1000
        Number of resampled sets of cases.
    """

    name: ClassVar[str] = "reader-average"
    question: ClassVar[str] = "readers"
    coverage: ClassVar[Coverage] = "simultaneous"
    guarantee: ClassVar[str] = "near the level (measured), for these readers"
    handles: ClassVar[tuple[Extra, ...]] = ("clusters", "folds")
    idea: ClassVar[str] = "average over readers, displaced by its standard error times one factor"
    references: ClassVar[tuple[str, ...]] = (
        "Chen and Samuelson (2014), The average receiver operating characteristic curve in "
        "multireader multicase imaging studies, British Journal of Radiology 87, 20140016.",
    )

    n_resamples: int = 1000

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)

    def build_bands(self, roc: RocCurve, requests: Sequence[Request]) -> list[Band]:
        """Make bands at several levels; folds are readers, and their clusters number the units."""
        curves = sort_curves(roc.folds)
        n_pos, n_neg = (_count_units(curves, own) for own in (True, False))
        # More cases make narrower bands, which need closer lines.
        count = int(np.clip(4.0 * math.sqrt(n_pos + n_neg), 200, 2000))
        c = choose_lines([one.curve for one in curves], 1.0, count)
        x, fewest = _average(curves, c), min(n_pos, n_neg)
        drawn = reweigh_crossings(curves, c, 1.0, self.n_resamples, requests[0].rng)
        moved = math.sqrt(fewest / max(fewest - 1, 1)) * (drawn - x)
        share = _find_direction(c, x)
        case = np.hypot((1.0 - share) / n_neg, share / n_pos)
        error = np.hypot(np.sqrt(np.square(moved).mean(axis=0)), case)
        ratio = np.abs(moved / error).max(axis=1)
        # All vertices, so that the area is the mean of the readers' areas.
        every = np.unique(np.concatenate([one.curve.level(1.0) for one in curves]))
        across = _average(curves, every)
        centre = Curve(across, np.clip(every - across, 0.0, 1.0))
        units = [_get_clusters(one).code for one in curves]
        what = "cases" if all(np.unique(one).size == one.size for one in units) else "patients"
        counted = (
            f"Readings are counted, of {n_pos} positive and {n_neg} negative {what}; {what} are "
            "resampled with all their readings."
        )
        of, target = "the curve", "true curve of one reader"
        if len(curves) > 1:
            of = f"the average over {len(curves)} readers"
            target = f"average of {len(curves)} readers' true curves, for these readers"
        return displace_curve(
            *(self, roc, requests, Crossings(c, x, 1.0, error, ratio)),
            of=of,
            centre=centre,
            target=target,
            notes=(counted,),
        )


def average_curve(
    readings: Readings,
    test: str | None = None,
    *,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: Rng = 0,
) -> Band:
    """Average the curves of all readers under one test; see :meth:`ReaderStudy.average_curve`."""
    tests = readings.tests
    if test is None and len(tests) > 1:
        names = ", ".join(map(repr, tests))
        raise InputError("must be given", f"the tests are {names}", argument="test")
    name = tests[0] if test is None else test
    check_choice(name, tests, "test")
    roc, method = pool_readers(readings, name), ReaderAverage(n_resamples)
    band = method.build_band(roc, method.check_request(roc, level=level, rng=rng))
    absent, under = len(readings.readers) - len(roc.folds), f", under {name!r}" * (len(tests) > 1)
    left_out = f"{absent} of {len(readings.readers)} readers are left out: they lack a class."
    return dataclasses.replace(
        band, target=band.target + under, notes=(*band.notes, *[left_out] * (absent > 0))
    )


def pool_readers(readings: Readings, test: str) -> RocCurve:
    """Return the curve of all readings under a test; its folds are the readers' curves."""
    curves = tuple(find_curves(readings, test).values())
    if not curves:
        raise InputError(
            "An average curve needs a reader with cases of both classes",
            f"there is none under {test!r}",
        )
    return dataclasses.replace(pool_curves(curves), folds=curves, frame=readings.frame)


def find_curves(readings: Readings, test: str) -> dict[str, RocCurve]:
    """Return the curve of each reader with cases of both classes under a test.

    Their clusters number the units that are resampled: cases, or patients if the study has
    clusters.
    """
    units = np.arange(readings.n_cases) if readings.clusters is None else readings.clusters
    size, place = int(units.max()) + 1, readings.tests.index(test)
    found: dict[str, tuple[RocCurve, IndexArray]] = {}
    # Units are numbered by how they were read, so that draws do not depend on their order.
    keys = np.zeros(size, dtype=np.uint64)
    each = zip(readings.readers, readings.scores[place], readings.read[place], strict=True)
    for reader, scores, read in each:
        is_positive = readings.is_positive[read]
        if is_positive.any() and not is_positive.all():
            roc = RocCurve.from_rows(
                Rows(is_positive, scores[read]), Design(clusters=np.arange(is_positive.size))
            )
            own = join_keys(
                key_rows(_get_clusters(roc).step, is_positive),
                np.asarray(key_curve(roc), dtype=np.uint64),
            )
            keys += sum_keys(own, units[read], size)
            found[reader] = roc, units[read]
    rank = sort_keys(keys)[1]
    return {
        reader: dataclasses.replace(
            roc, clusters=dataclasses.replace(_get_clusters(roc), code=rank[unit], size=size)
        )
        for reader, (roc, unit) in found.items()
    }


def split_curves(study: ReaderStudy, test: str) -> tuple[dict[str, RocCurve], RocCurve | None]:
    """Return the curves of the readers under a test, and that of the algorithm, if there is one.

    An algorithm may have read a test of its own.
    """
    curves = find_curves(study.readings, test)
    if study.algorithm is None:
        return curves, None
    own = [name for name in study.readings.tests if name not in study.tests]
    every = [curves, *(find_curves(study.readings, name) for name in own)]
    found = [known.pop(study.algorithm) for known in every if study.algorithm in known]
    return curves, found[0] if found else None


def _get_clusters(roc: RocCurve) -> Clusters:
    assert roc.clusters is not None, "units are numbered"
    return roc.clusters


def _count_units(curves: Sequence[RocCurve], positive: bool) -> int:
    """Count the units of a class that anybody read."""
    each = (_get_clusters(roc) for roc in curves)
    return np.unique(np.concatenate([one.code[one.is_positive == positive] for one in each])).size


def _average(curves: Sequence[RocCurve], c: FloatArray) -> FloatArray:
    """Return the mean abscissa of several curves on the lines x + y = c."""
    each = [np.interp(c, roc.curve.level(1.0), roc.curve.x) for roc in curves]
    return np.asarray(np.mean(each, axis=0))


def _find_direction(c: FloatArray, x: FloatArray) -> FloatArray:
    """Return the share of horizontal movement, dx / (dx + dy), of a curve near the lines c."""
    low, high = np.maximum(c - _NEAR, 0.0), np.minimum(c + _NEAR, 2.0)
    run = np.interp(high, c, x) - np.interp(low, c, x)
    return np.asarray(np.clip(run / (high - low), 0.0, 1.0))
