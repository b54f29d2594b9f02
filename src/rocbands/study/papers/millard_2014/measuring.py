"""How often limits of the recall hold: for new tables of the fitted curve, and for the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.rates.bootstrap import count_at, draw_labels
from rocbands.rates.consensus import Consensus
from rocbands.rates.distribution import compute_count_pmf
from rocbands.rates.method import Limits, RateMethod
from rocbands.rates.table import RateTable
from rocbands.study.cells import Cell, Measured, method_text
from rocbands.study.keys import Streams
from rocbands.study.papers.millard_2014.designs import Design, TableLaw

__all__ = ["FittedCurve", "OneTable", "TrueCurveAtRates"]


class _AtRates(Cell):
    """A method on tables of one design."""

    axis: ClassVar[str] = "rate"

    design: Design
    method: RateMethod

    @property
    def source(self) -> object:
        """The design."""
        return self.design

    @property
    def points(self) -> tuple[float, ...]:
        """The design's rates."""
        return tuple(float(rate) for rate in self.design.rates)

    def consensus(self, streams: Streams) -> Consensus:
        """Draw a table; methods share it, and what they compute from it."""
        return streams.drawn(
            "data", lambda rng: Consensus.by_counts(self.design.draw(rng), self.design.rates)
        )


@dataclass(frozen=True)
class FittedCurve(_AtRates):
    """Share of new tables, drawn along the curve fitted to one table, that lie inside its limits.

    Parameters
    ----------
    design : Design
        Where the table comes from.
    method : RateMethod
        Which limits.
    level : float, default 0.95
        Their confidence level.
    new_tables : int, default 0
        Number of new tables, as in the paper; 0 takes the probability of one from its exact law,
        which is what drawn tables estimate, without their noise.

    Notes
    -----
    `inside`: the share at each rate, and `squared` its square, for the variance between tables;
    `middle` the mean over rates from 0.1 to 0.9.
    """

    design: Design
    method: RateMethod
    level: float = 0.95
    new_tables: int = 0

    def facts(self) -> Mapping[str, object]:
        """Name design, method and level."""
        return {
            "design": self.design.name,
            "method": method_text(self.method),
            "level": self.level,
            "target": "new tables of the fitted curve",
        }

    def measure(self, streams: Streams) -> Measured:
        """Draw a table, find its limits, ask how often new tables fall between them."""
        consensus = self.consensus(streams)
        limits = self.method(consensus, level=self.level, rng=streams.own("method"))
        inside = self._inside(consensus, limits, streams)
        return {
            "middle": float(inside[self.design.middle].mean()),
            "inside": inside.tolist(),
            "squared": (inside**2).tolist(),
        }

    def _inside(self, consensus: Consensus, limits: Limits, streams: Streams) -> FloatArray:
        lower, upper = consensus.size * limits.lower, consensus.size * limits.upper
        if not self.new_tables:
            law = streams.drawn("law", lambda _: self._law(consensus))
            return law.inside(lower, upper)
        found = streams.drawn(f"{self.new_tables} new", lambda rng: self._draw(consensus, rng))
        return np.asarray(((found >= lower - 1e-9) & (found <= upper + 1e-9)).mean(axis=0))

    def _law(self, consensus: Consensus) -> TableLaw:
        design = self.design
        pmf = compute_count_pmf(consensus.curve, design.n_pos, design.n_neg)[design.places]
        return TableLaw.of_folds(pmf, design.folds)

    def _draw(self, consensus: Consensus, rng: np.random.Generator) -> FloatArray:
        design = self.design
        count = self.new_tables * design.folds
        rows = draw_labels(consensus.curve, design.n_pos, design.n_neg, count, rng)
        found = count_at(rows, design.places.astype(np.float64))
        return np.asarray(found.reshape(self.new_tables, design.folds, -1).sum(axis=1))


@dataclass(frozen=True)
class TrueCurveAtRates(_AtRates):
    """How often limits hold what is true of the population a table was drawn from.

    Parameters
    ----------
    design, method, level
        As for `FittedCurve`.
    future : (int, int), optional
        Class sizes of new tables that the limits are for; they must be those of the design.

    Notes
    -----
    `T1`: the population's recall; `T2`: the mean recall of tables of this size; `T3`: the recall of
    another table, by its exact law. Each at all rates, and as a mean over rates from 0.1 to 0.9.
    `consensus`: the share of all rates at which the table's own consensus is inside.
    """

    shares: ClassVar[tuple[str, ...]] = ("T1 at", "T2 at")

    design: Design
    method: RateMethod
    level: float = 0.95
    future: tuple[int, int] | None = None

    def facts(self) -> Mapping[str, object]:
        """Name design, method and level."""
        return {
            "design": self.design.name,
            "method": method_text(self.method),
            "level": self.level,
            "target": "true curve" if self.future is None else "new tables",
        }

    def measure(self, streams: Streams) -> Measured:
        """Draw a table, find its limits, compare them with the truth."""
        consensus = self.consensus(streams)
        lower, upper = self.method(
            consensus, level=self.level, future=self.future, rng=streams.own("method")
        )[:2]

        def between(recall: FloatArray) -> FloatArray:
            return np.asarray((recall >= lower - 1e-12) & (recall <= upper + 1e-12), np.float64)

        truth, size = self.design.truth, consensus.size
        held = {
            "T1": between(truth.recall),
            "T2": between(truth.expected),
            "T3": truth.law.inside(size * lower, size * upper),
        }
        middle = self.design.middle
        return {
            **{name: float(inside[middle].mean()) for name, inside in held.items()},
            "consensus": float(between(consensus.tpr).mean()),
            **{f"{name} at": inside.tolist() for name, inside in held.items()},
            "width at": (upper - lower).tolist(),
        }


@dataclass(frozen=True)
class OneTable(_AtRates):
    """A picture: one table's consensus and limits beside the true curve, from rate 0 to rate 1.

    Parameters
    ----------
    design, method, level
        As for `FittedCurve`.

    Notes
    -----
    `swapped`: how far the limits move when the classes are swapped, in positives of the table.
    """

    design: Design
    method: RateMethod
    level: float = 0.95

    def facts(self) -> Mapping[str, object]:
        """Name design, method and level."""
        return {
            "design": self.design.name,
            "method": method_text(self.method),
            "level": self.level,
            "target": "picture",
        }

    @property
    def points(self) -> tuple[float, ...]:
        """Every place of a fold."""
        return tuple(place / self.design.size for place in range(self.design.size + 1))

    def measure(self, streams: Streams) -> Measured:
        """Draw the table and follow its lines."""
        rates = np.array(self.points)
        table = streams.drawn("picture", self.design.draw)
        consensus = Consensus.by_counts(table, rates)
        limits = self.method(consensus, level=self.level, rng=streams.own("method"))
        swapped = RateTable.from_labels(1.0 - np.stack(table.folds)[:, ::-1])
        mirror = self.method(
            Consensus.by_counts(swapped, rates), level=self.level, rng=streams.own("method")
        )
        # Among the first cases of the mirror image are the negatives among the last of the table.
        negatives = self.design.folds * self.design.n_neg
        moved = 0.0
        for limit, image in zip(limits[:2], mirror[:2], strict=True):
            found = consensus.size * limit - self.design.folds * self.design.size * rates
            moved = max(moved, float(np.abs(found + negatives * (1.0 - image[::-1])).max()))
        return {
            "true": self.design.recall(rates).tolist(),
            "consensus": consensus.tpr.tolist(),
            "lower": limits.lower.tolist(),
            "upper": limits.upper.tolist(),
            "swapped": moved,
        }
