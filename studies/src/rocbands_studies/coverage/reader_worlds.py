"""Reader studies under the model of Roe and Metz (1997, Acad. Radiol. 4, 298), and their truth.

The score of case k of class t, read by reader j under test i, is

    x = mu_it + R_jt + (tau R)_ijt + C_kt + (tau C)_ikt + (RC)_jkt + (tau RC)_ijkt

with independent effects of mean 0; mu is 0 for negatives. The last four variances add up to 1.
Reader effects of the two classes are independent, so a positive and a negative case that one
reader reads are independent over readers: a reader-averaged AUC is P(X1 > X0), a probability of a
sum of independent effects. The averages for these readers, or for these cases, are those given
the effects that were drawn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

Rng, Array = np.random.Generator, np.ndarray

# Variances of C, tau C, RC and tau RC: high and low correlation of the data.
CASES = {"H": (0.3, 0.3, 0.2, 0.2), "L": (0.1, 0.1, 0.2, 0.6)}
# Variance of R, and of tau R, by mu: high and low.
READERS = {0.75: {"H": 0.011, "L": 0.0055}, 1.5: {"H": 0.03, "L": 0.0055}, 2.5: {"H": 0.056, "L": 0.011}}  # fmt: skip
CUTS = (-0.5, 0.5, 1.2, 2.0)  # ratings 1 to 5
PART = (0.0, 0.2)  # false positive rates of the partial area
DESIGNS = ("factorial", "cases in readers", "cases in tests", "split-plot", "readers in tests")
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(400)


def chance_above(cut: Any, mean: float, sd: float, scales: tuple[float, ...] = ()) -> Array:
    """P(mean + sd Z + sum of scale (E - 1) > cut), with Z normal and E exponential.

    Gil-Pelaez: 1/2 + 1/pi times the integral of Im(characteristic function at t) / t.
    """
    gap = mean - np.asarray(cut, dtype=float)
    scales = tuple(scale for scale in scales if scale)
    if not scales:
        return np.asarray(ndtr(gap / sd))
    end = 9.0 / sd  # exp(-sd^2 t^2 / 2) is 3e-18 there
    t = (_NODES + 1.0) * end / 2.0
    log_law = -((sd * t) ** 2) / 2.0 + sum(-1j * a * t - np.log(1.0 - 1j * a * t) for a in scales)
    waves = np.exp(1j * gap[..., None] * t + log_law).imag / t
    return np.asarray(0.5 + waves @ _WEIGHTS * end / 2.0 / math.pi)


class Drawn(NamedTuple):
    """A study that was drawn: scores (tests, readers, cases), and effects of readers and cases.

    `reader_effects` has the shape (tests, readers, 2), negatives first; `case_effects` the shape
    (tests, cases), without mu.
    """

    scores: Array
    is_positive: Array
    groups: Array | None
    reader_effects: Array
    case_effects: Array


@dataclass(frozen=True)
class ReaderWorld:
    """A population of readers and cases, and the design of the study.

    Class sizes are those of a block of cases: with nested designs there are several blocks.
    """

    mu: tuple[float, ...]  # of the positives, by test
    structure: str = "HH"  # correlation of data, variance of readers: high or low
    readers: int = 5  # with readers nested in tests, of each test
    anchor: float = 0.0  # the mu whose reader variance is taken; the smallest if 0
    skew: int = 0  # 1 or -1: exponential reader effects, -1 with a few poor readers
    b: float = 1.0  # standard deviation of the positives' case effects
    cuts: tuple[float, ...] = ()  # ordinal ratings
    missing: float = 0.0  # share of readings missing at random
    design: str = "factorial"
    algorithm: float = 0.0  # mu of a stand-alone algorithm, a reader 'AI' under every test
    patient: int = 1  # cases of a patient, in order
    icc: float = 0.5  # share of the variance of C and tau C that a patient's cases have in common
    mixed: bool = False  # patients have cases of both classes

    @property
    def name(self) -> str:
        return self.describe()

    def describe(self, metric: str = "auc", threshold: float = math.nan) -> str:
        """Name the world by the true metric of each test."""
        means = ", ".join(f"{a:.3f}".lstrip("0") for a in self.find_truth(metric, threshold))
        kind = {"auc": "AUC", "partial_auc": "pAUC"}.get(metric, metric)
        words = [f"{self.structure}, {kind} {means}", f"{self.readers} readers"]
        words += [self.design] * (self.design != "factorial")
        words += [f"skewed, a few {'good' if self.skew > 0 else 'poor'}"] * bool(self.skew)
        words += [f"sd of positives {self.b:g}"] * (self.b != 1.0)
        words += [f"{len(self.cuts) + 1} ratings"] * bool(self.cuts)
        words += [f"{self.missing:.0%} missing"] * (self.missing > 0)
        words += [f"algorithm {self.algorithm_auc:.3f}".replace("0.", ".")] * bool(self.algorithm)
        words += [f"icc {self.icc:g}" + ", mixed" * self.mixed] * (self.patient > 1)
        return "; ".join(words)

    @property
    def tests(self) -> int:
        return len(self.mu)

    @property
    def reader_variance(self) -> float:
        """Variance of R, and of tau R."""
        anchor = self.anchor or min(self.mu)
        return READERS[min(READERS, key=lambda mu: abs(mu - anchor))][self.structure[1]]

    # ------------------------------------------------------------------------------------ draw

    def draw_data(self, rng: Rng, n_pos: int, n_neg: int) -> Drawn:
        t, r = self.tests, self.readers * (self.tests if self.design == "readers in tests" else 1)
        blocks = {"cases in readers": r, "cases in tests": t, "split-plot": 2}.get(self.design, 1)
        pos = np.tile(np.repeat([True, False], [n_pos, n_neg]), blocks)
        n = pos.size
        patients = self._list_patients(pos)
        effects = self._draw_readers(rng, (1, r)) + self._draw_readers(rng, (t, r))
        c, tc, rc, trc = np.sqrt(CASES[self.structure[0]])
        wide = np.where(pos, self.b, 1.0)
        cases = wide * (c * self._draw_cases(rng, 1, patients) + tc * self._draw_cases(rng, t, patients))  # fmt: skip
        mean = np.array(self.mu)[:, None, None] * pos
        own = rc * rng.normal(size=(r, n)) + trc * rng.normal(size=(t, r, n))
        scores = mean + effects[..., pos.astype(int)] + cases[:, None] + wide * own
        scores[~self._list_read(rng, t, r, n, blocks)] = np.nan
        if self.algorithm:  # sees the same cases; what a reader adds to them is its own noise
            noise = math.sqrt(rc**2 + trc**2) * rng.normal(size=(t, n))
            alone = self.algorithm * pos + cases + wide * noise
            scores = np.concatenate((scores, alone[:, None]), axis=1)
        if self.cuts:
            known = np.isfinite(scores)
            scores[known] = 1.0 + np.searchsorted(self.cuts, scores[known], side="right")
        groups = patients if self.patient > 1 else None
        return Drawn(scores, pos, groups, effects, cases)

    def _draw_readers(self, rng: Rng, shape: tuple[int, int]) -> Array:
        """Effects of one kind, for negatives and positives; mean 0 and the variance of R."""
        sd = math.sqrt(self.reader_variance)
        if not self.skew:
            return sd * rng.normal(size=(*shape, 2))
        # Good readers: low scores of negatives, high scores of positives.
        return sd * self.skew * (rng.exponential(size=(*shape, 2)) - 1.0) * np.array([-1.0, 1.0])

    def _list_patients(self, pos: Array) -> Array:
        """Patient of each case. Patients with cases of one class have neighbouring ones."""
        if not self.mixed:
            return np.arange(pos.size) // self.patient
        place = np.where(pos, np.cumsum(pos), np.cumsum(~pos)) - 1
        return place // max(self.patient // 2, 1)

    def _draw_cases(self, rng: Rng, count: int, patients: Array) -> Array:
        """Standard normal effects of cases, correlated within a patient."""
        own = rng.normal(size=(count, patients.size))
        if self.patient == 1:
            return own
        common = rng.normal(size=(count, patients.max() + 1))[:, patients]
        return math.sqrt(self.icc) * common + math.sqrt(1.0 - self.icc) * own

    def _list_read(self, rng: Rng, t: int, r: int, n: int, blocks: int) -> Array:
        """Which readings are made."""
        if self.design not in DESIGNS:
            raise ValueError(f"unknown design {self.design!r}")
        block = np.arange(n) // (n // blocks)
        test, reader = np.arange(t)[:, None, None], np.arange(r)[:, None]
        read = np.ones((t, r, n), dtype=bool)
        if self.design == "cases in readers":
            read &= block == reader
        elif self.design == "cases in tests":
            read &= block == test
        elif self.design == "split-plot":
            read &= block == reader % 2
        elif self.design == "readers in tests":
            read &= reader // self.readers == test
        if self.missing:
            read &= rng.random(read.shape) >= self.missing
        return read

    # ----------------------------------------------------------------------------------- truth

    @property
    def algorithm_auc(self) -> float:
        """AUC of the stand-alone algorithm, which has no reader effects."""
        return self._count_wins(self.algorithm, 1.0, self.b, ()) if self.cuts else float(
            ndtr(self.algorithm / math.hypot(1.0, self.b))
        )  # fmt: skip

    def find_truth(self, metric: str = "auc", threshold: float = math.nan) -> tuple[float, ...]:
        """Reader-averaged metric of each test, for all readers and cases."""
        return tuple(self._find_one(mu, metric, threshold) for mu in self.mu)

    def _find_one(self, mu: float, metric: str, threshold: float) -> float:
        v = self.reader_variance
        # What an exponential effect of each class adds to positives minus negatives: good readers
        # raise positives and lower negatives, both to the same side.
        scale = self.skew * math.sqrt(v)
        normal = 0.0 if self.skew else 2.0 * v  # variance of R + tau R of one class
        sd_pos, sd_neg = math.sqrt(self.b**2 + normal), math.sqrt(1.0 + normal)
        if metric == "sensitivity":
            return float(chance_above(threshold, mu, sd_pos, (scale,) * 2))
        if metric == "specificity":
            return 1.0 - float(chance_above(threshold, 0.0, sd_neg, (-scale,) * 2))
        if metric == "auc" and self.cuts:
            return self._count_wins(mu, sd_neg, sd_pos, (scale,) * 2)
        if metric == "auc":
            return float(chance_above(0.0, mu, math.hypot(sd_pos, sd_neg), (scale,) * 4))
        if metric != "partial_auc" or self.cuts:
            raise ValueError(f"no truth for {metric!r} of this world")
        # A reader's TPR at fpr f: P(mu + r1 - r0 + b Z > ndtri(1 - f)); averaged over readers and f.
        fpr = (_NODES + 1.0) / 2.0 * (PART[1] - PART[0]) + PART[0]
        spread = math.sqrt(self.b**2 + 2.0 * normal)
        tpr = chance_above(-ndtri(fpr), mu, spread, (scale,) * 4)
        return float(tpr @ _WEIGHTS / 2.0 * (PART[1] - PART[0]))

    def _count_wins(self, mu: float, sd_neg: float, sd_pos: float, scales: Any) -> float:
        """P(rating of a positive above that of a negative), ties half."""
        above = [
            np.concatenate(([1.0], chance_above(self.cuts, mean, sd, law), [0.0]))
            for mean, sd, law in ((0.0, sd_neg, tuple(-a for a in scales)), (mu, sd_pos, scales))
        ]
        neg, pos = (-np.diff(one) for one in above)
        return float(pos @ (np.cumsum(neg) - neg / 2.0))

    @cached_property
    def truth(self) -> Array:
        """Reader-averaged AUCs."""
        return np.array(self.find_truth())

    def average_readers(self, data: Drawn) -> Array:
        """Mean AUC of each test over the readers who were drawn; cases are random."""
        gap = data.reader_effects[..., 1] - data.reader_effects[..., 0]
        return np.asarray(ndtr((np.array(self.mu)[:, None] + gap) / math.hypot(1.0, self.b))).mean(
            1
        )

    def average_cases(self, data: Drawn) -> Array:
        """Mean AUC of each test over readers, for the cases that were drawn."""
        noise = sum(CASES[self.structure[0]][2:])
        spread = math.sqrt(4.0 * self.reader_variance + noise * (1.0 + self.b**2))
        pos, neg = data.case_effects[:, data.is_positive], data.case_effects[:, ~data.is_positive]
        gap = np.array(self.mu)[:, None, None] + pos[:, :, None] - neg[:, None, :]
        return np.asarray(ndtr(gap / spread)).mean((1, 2))
