"""How rows were drawn, and the variance of any statement about them: the engine for designs.

A row i has a class y, a weight w, a cluster g and perhaps a stratum h. Units are clusters, or
single rows. Shares of the total weight are

    p_i = w_i y_i / W+,   n_i = w_i (1 - y_i) / W-,   a_i = w_i / W.                        (D1)

The *influence* of a row is the derivative of a statement with respect to its weight. Influences
phi+ of positives and phi- of negatives are centred in their class; where the statement depends on
the prevalence, with the derivative T', a third part belongs to it. Sums over each unit are

    zp_g = sum p_i phi+_i,   zn_g = sum n_i phi-_i,   zq_g = T' sum a_i (y_i - prevalence).  (D2)

Products of such sums over G units, with G_h of them in stratum h, are

    <x, y> = sum_h q_h [sum_g x_g y_g - (sum_g x_g) (sum_g y_g) / G_h],
    q_h = G_h / (G_h - 1) (G - 1) / G,                                                      (D3)

with 1 and nothing subtracted if G_h = 1; without strata <x, y> = sum_g x_g y_g. Kish's (1965)
numbers of units and of rows behind a share s are

    K = 1 / sum_g (sum over g of s_i)^2,   N = 1 / sum_i s_i^2,                             (D4)

and few(k) = k / max(k - 1, 1/2) changes the divisor of a variance to the number of units minus one:

    Cov(T, U) = few(K+) <zp, zp'> + few(K-) <zn, zn'> + <zq, zq'> + G / (G - 1) [all others], (D5)
    Var(T) = max(Cov(T, T), (v+ + v-) / 10),   v+ = few(K+) <zp, zp>, v- likewise.          (D6)

This is Binder's (1983) linearisation. For independent rows of equal weight the AUC's is DeLong's
variance, and with clusters it is Obuchowski's (1997) but for the factors few. Degrees of freedom
count k units, between Kish's number and that of the squares,

    k = sqrt(K min(K, K2)),   K2 = (sum_g s_g^2)^2 / sum_g s_g^4,                           (D7)
    nu = (v+ + v-)^2 / (v+^2 / (k+ - 1) + v-^2 / (k- - 1)) r,   r = (G - H) / (G - 1),      (D8)

for H strata; nu = (k - 1) r for a share of all rows. A limit that has a normal quantile for
independent rows has z t_nu / t_nu0 in its place, with nu0 for rows as units (:class:`Stretch`).

For independent rows of equal weight all of this is what it is without a design.

References
----------
Kish (1965), Survey Sampling, Wiley.
Binder (1983), On the variances of asymptotically normal estimators from complex surveys,
International Statistical Review 51, 279-292.
Korn and Graubard (1998), Confidence intervals for proportions with small expected number of
positive counts estimated from survey data, Survey Methodology 24, 193-201.
Obuchowski (1997), Nonparametric analysis of clustered ROC curve data, Biometrics 53, 567-578.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rocbands.core.checks import BoolArray, CountArray, FloatArray, IndexArray, once_for_each
from rocbands.core.counting import find_levels, sum_codes
from rocbands.core.counts import Weights
from rocbands.core.pair import Pair
from rocbands.core.phrases import FEW_CLUSTERS, say_few_clusters
from rocbands.core.roc import RocCurve
from rocbands.core.rows import find_cluster_strata, renumber
from rocbands.core.tolerance import SAME
from rocbands.design.stretch import Stretch, satterthwaite

# Sums over units of the influences of positives, of negatives and of the prevalence, each (units,)
# or (units, k) for k statements: formula (D2).
Parts: TypeAlias = tuple[FloatArray, ...]

ROWS = 4096  # rows whose influence is in memory at once
LEAST = 0.1  # smallest fraction of the classes' variance after negative products across them
FEW_ROWS = 20.0  # rows of equal weight that those of a class are worth, likewise


class Units(NamedTuple):
    """Numbers of units and rows behind a share: formulas (D4) and (D7)."""

    kish: Any  # K, units
    rows: Any  # N, rows
    df: Any  # k, the number that degrees of freedom count

    @property
    def correction(self) -> Any:
        """Factor of a variance over units relative to one over rows: few(K) / few(N)."""
        return correct_few(self.kish) / correct_few(self.rows)


def correct_few(units: Any) -> Any:
    """Factor that changes the divisor of a variance to the number of units minus one."""
    return units / np.maximum(units - 1.0, 0.5)


class SumsAbove(NamedTuple):
    """Sums over the rows of each class above the vertices of a curve, each (2, steps + 1)."""

    rows: FloatArray  # numbers; positives first
    weight: FloatArray
    squares: FloatArray  # of weights


class TiedRows(NamedTuple):
    """Independent rows of one class and score, taken together, each (n,)."""

    rows: FloatArray  # their number
    squares: FloatArray  # sum of their squared weights
    fourths: FloatArray | None  # of the fourth powers; None if unknown, as of counts made elsewhere


class CurveCounts(NamedTuple):
    """Cumulative counts of both classes at the steps of a curve, and their sums of weights."""

    tp: CountArray
    fp: CountArray
    weights: Weights | None


@dataclass(frozen=True, eq=False)
class RowDesign:
    """Rows of both classes with their weights, clusters and strata.

    An entry is a row. Of a curve whose rows are independent it may be all rows of a class at one
    score (`tied`), which sums of independent rows do not tell apart.
    """

    is_positive: BoolArray  # (n,) class of each entry
    weight: FloatArray  # (n,) weight, or sum of the weights of tied rows
    tied: TiedRows | None = None  # what is known of the rows of each entry; None: one row each
    code: IndexArray | None = None  # (n,) cluster of each row; None if rows are independent
    n_units: int = 0  # number of clusters, or of rows
    stratum: IndexArray | None = None  # (clusters,) of each cluster, or (n,) of each row
    single: IndexArray | None = None  # (n,) number of each row's cluster, if each has one row
    # Of the rows of a curve: the step of each entry, (n,), from the highest score, and the counts
    # (not the curve itself, which would live as long as its design).
    step: IndexArray | None = None
    counts: CurveCounts | None = None

    @classmethod
    def of_rows(
        cls,
        is_positive: BoolArray,
        weights: FloatArray | None = None,
        clusters: CountArray | None = None,
        strata: CountArray | None = None,
        step: IndexArray | None = None,
    ) -> RowDesign:
        """Describe rows; all weights are above 0."""
        n = is_positive.size
        weight = np.ones(n) if weights is None else weights
        code = None if clusters is None else renumber(clusters)
        size = n if code is None else int(code.max()) + 1
        stratum = None
        if strata is not None:
            stratum = find_cluster_strata(np.arange(n) if code is None else code, size, strata)
        if size == n and code is not None:
            stratum = None if stratum is None else stratum[code]
            code = None
        return cls(is_positive, weight, code=code, n_units=size, stratum=stratum, step=step)

    @staticmethod
    @once_for_each
    def of_curve(roc: RocCurve) -> RowDesign:
        """Describe the rows of one model; its influences are given for each step of the curve.

        Computed once for each curve.
        """
        clusters = roc.clusters
        if clusters is not None:
            single = clusters.size == clusters.code.size
            stratum = clusters.stratum
            return RowDesign(
                clusters.is_positive,
                row_weights(roc),
                code=None if single else clusters.code,
                n_units=clusters.size,
                stratum=stratum[clusters.code] if single and stratum is not None else stratum,
                step=clusters.step,
                single=clusters.code if single else None,
                counts=CurveCounts(roc.tp, roc.fp, roc.weights),
            )
        counts = [np.diff(side, prepend=0) for side in (roc.tp, roc.fp)]
        steps = [np.flatnonzero(side) for side in counts]  # that have rows of the class
        rows = np.concatenate(list(map(np.take, counts, steps)), dtype=np.float64)
        weight = squares = rows
        fourths: FloatArray | None = rows
        if roc.weights is not None:
            sides = (roc.weights.pos, roc.weights.neg)
            weight = np.concatenate(list(map(np.take, sides, steps)))
            sides = (roc.weights.pos_squares, roc.weights.neg_squares)
            squares = np.concatenate(list(map(np.take, sides, steps)))
            known = roc.weights.fourths
            fourths = None if known is None else np.concatenate(list(map(np.take, known, steps)))
        return RowDesign(
            np.repeat((True, False), [entries.size for entries in steps]),
            weight,
            TiedRows(rows, squares, fourths) if rows.max() > 1.0 else None,
            n_units=roc.n_pos + roc.n_neg,
            step=np.concatenate(steps),
            counts=CurveCounts(roc.tp, roc.fp, roc.weights),
        )

    @classmethod
    def of_pair(cls, pair: Pair) -> RowDesign:
        """Describe the rows that both models scored."""
        return cls.of_rows(
            pair.one.is_positive, pair.drawn.weights, pair.drawn.clusters, pair.drawn.strata
        )

    # ------------------------------------------------------------------------- shares and units

    @property
    def clustered(self) -> bool:
        """Whether a unit may have several rows."""
        return self.code is not None

    @property
    def linked(self) -> bool:
        """Whether parts of both classes have products: in clusters, or by means of strata."""
        return self.code is not None or self.stratum is not None

    @cached_property
    def pos(self) -> FloatArray:
        """Share of each entry in the positives' weight."""
        return self._share(self.is_positive)

    @cached_property
    def neg(self) -> FloatArray:
        """Share of each entry in the negatives' weight."""
        return self._share(~self.is_positive)

    @cached_property
    def all(self) -> FloatArray:
        """Share of each entry in the weight of all rows."""
        return self.weight / float(self.weight.sum())

    def _share(self, own: BoolArray) -> FloatArray:
        mass = np.where(own, self.weight, 0.0)
        return np.asarray(mass / mass.sum())

    @cached_property
    def prevalence(self) -> float:
        """Share of the positives in the weight of all rows."""
        return float(self.all @ self.is_positive)

    @cached_property
    def rows(self) -> FloatArray:
        """Number of rows of each entry."""
        return np.ones(self.weight.size) if self.tied is None else self.tied.rows

    @cached_property
    def squares(self) -> FloatArray:
        """Sum of the squared weights of the rows of each entry."""
        return self.weight**2 if self.tied is None else self.tied.squares

    @cached_property
    def fourths(self) -> FloatArray:
        """Sum of the fourth powers; where unknown, that of rows of equal weight."""
        if self.tied is None:
            return np.asarray(self.weight**4)
        if self.tied.fourths is None:
            return np.asarray(self.tied.squares**2 / self.tied.rows)
        return self.tied.fourths

    @cached_property
    def n_rows(self) -> tuple[float, float]:
        """Numbers of positive and negative rows."""
        pos = float(self.rows @ self.is_positive)
        return pos, float(self.rows.sum()) - pos

    @property
    def weighted(self) -> bool:
        """Whether weights differ within a class."""
        pairs = zip(self.units, self.n_rows, strict=False)
        return any(units.rows < rows * (1.0 - 1e-9) for units, rows in pairs)

    @cached_property
    def plain(self) -> bool:
        """Whether rows are independent and count equally."""
        return not self.clustered and self.units[2].rows >= sum(self.n_rows) * (1.0 - 1e-9)

    @cached_property
    def n_strata(self) -> int:
        """Number of strata; 1 without strata."""
        return 1 if self.stratum is None else int(self.stratum.max()) + 1

    def add_up(self, share: FloatArray, values: Any = 1.0) -> FloatArray:
        """Sum `share` times `values`, (n,) or (n, k), over each unit: formula (D2).

        An entry with several independent rows stands for all of them: products of its result are
        sums over its rows.
        """
        if np.ndim(values) > 1:
            share = share[:, None]
        if self.code is not None:
            return sum_codes(self.code, share * values, self.n_units)
        if self.tied is None:
            return np.asarray(share * values)
        root = self._root[:, None] if np.ndim(values) > 1 else self._root
        return np.asarray(share * values * root)

    @cached_property
    def _root(self) -> FloatArray:
        """Root of the sum of squared weights of each entry, relative to their sum."""
        return np.asarray(np.sqrt(self.squares) / self.weight)

    def multiply(self, one: FloatArray, two: FloatArray) -> Any:
        """Products <one, two> of sums over units, (units,) or (units, k): formula (D3)."""
        if self.stratum is None:
            return one.T @ two
        scale, part = find_stratum_factors(self.stratum)
        sums = (sum_codes(self.stratum, side, scale.size) for side in (one, two))
        first, second = sums
        return (one.T * scale[self.stratum]) @ two - (first.T * part) @ second

    def centre(self, sums: FloatArray) -> FloatArray:
        """Subtract stratum means from sums over units, (units, k): plain products are then (D3)."""
        if self.stratum is None:
            return sums
        scale, part = find_stratum_factors(self.stratum)
        mean = sum_codes(self.stratum, sums, scale.size) * (part / scale)[:, None]
        return np.asarray(np.sqrt(scale)[self.stratum, None] * (sums - mean[self.stratum]))

    def count_units(self, share: FloatArray) -> Units:
        """Count the units and rows behind a share: formulas (D4) and (D7)."""
        units = self.add_up(share) ** 2
        squares = float(units.sum())
        fourth = float(units @ units)
        if self.code is None:
            fourth = float(self.fourths @ (share / self.weight) ** 4)
        kish, of_squares = 1.0 / squares, squares**2 / fourth
        of_rows = 1.0 / float(share @ share) if self.clustered else kish
        return Units(kish, of_rows, float(np.sqrt(kish * min(kish, of_squares))))

    def sum_above(self, step: IndexArray) -> SumsAbove:
        """Add up rows above each vertex of a curve; `step`: of each entry, from the highest."""
        size = int(step.max()) + 1
        class_and_step = np.where(self.is_positive, 0, size) + step

        def accumulate(values: FloatArray) -> FloatArray:
            of_steps = np.bincount(class_and_step, values, 2 * size).reshape(2, size)
            return _from_zero(*of_steps)

        return SumsAbove(*map(accumulate, (self.rows, self.weight, self.squares)))

    @cached_property
    def sums_above(self) -> SumsAbove:
        """Sums above the vertices of the curve whose rows these are."""
        assert self.step is not None, "the rows are those of a curve"
        if self.counts is None:
            return self.sum_above(self.step)
        tp, fp, weights = self.counts
        rows = np.zeros((2, fp.size + 1))
        rows[0, 1:], rows[1, 1:] = tp, fp
        if weights is None:
            return SumsAbove(rows, rows, rows)
        return SumsAbove(
            rows,
            _from_zero(weights.pos, weights.neg),
            _from_zero(weights.pos_squares, weights.neg_squares),
        )

    @property
    def unit(self) -> IndexArray:
        """Unit of each entry."""
        return np.arange(self.weight.size) if self.code is None else self.code

    @cached_property
    def totals(self) -> FloatArray:
        """Weights of the positives and of the negatives of each unit, (2, units)."""
        masses = (np.where(own, self.weight, 0.0) for own in (self.is_positive, ~self.is_positive))
        if self.code is None:
            return np.stack(list(masses))
        return np.stack([np.bincount(self.code, mass, self.n_units) for mass in masses])

    @cached_property
    def units(self) -> tuple[Units, Units, Units]:
        """Units behind the positives, the negatives and all rows."""
        kinds = np.stack((self.is_positive, ~self.is_positive))
        mass, single = kinds @ self.weight, kinds @ self.squares
        if self.code is None:
            fourth = kinds @ self.fourths
            sums = [(*side, side.sum()) for side in (mass, single, single, fourth)]
        else:
            units = np.stack((*self.totals, self.totals.sum(axis=0))) ** 2
            sums = [(*side, side.sum()) for side in (mass, single)]
            sums += [units.sum(axis=1), np.einsum("ij,ij->i", units, units)]
        total, of_rows, of_units, fourth = np.array(sums)
        kish = total**2 / of_units
        df = np.sqrt(kish * np.minimum(kish, of_units**2 / fourth))
        pos, neg, every = map(Units, kish.tolist(), (total**2 / of_rows).tolist(), df.tolist())
        return pos, neg, every

    # --------------------------------------------------------- variances and degrees of freedom

    def split(self, values: FloatArray, slope: float = 0.0) -> Parts:
        """Sum the influence of each entry, (n,) or (n, k), by class: formula (D2).

        Influences need not be centred. `slope`: derivative of the statement in the prevalence.
        """
        parts = tuple(self.add_up(share, values - share @ values) for share in (self.pos, self.neg))
        if slope:
            parts += (self.add_up(self.all, slope * (self.is_positive - self.prevalence)),)
        return parts

    def place(self, pos: FloatArray, neg: FloatArray) -> FloatArray:
        """Influence of each entry, from those of positives and of negatives at each step."""
        assert self.step is not None, "the rows are those of a curve"
        of_class = self.is_positive if pos.ndim == 1 else self.is_positive[:, None]
        return np.where(of_class, pos.take(self.step, axis=0), neg.take(self.step, axis=0))

    def find_covariance(self, one: Parts, two: Parts) -> Any:
        """Covariance of two statements, a number or a matrix: formula (D5)."""
        own = [correct_few(units.kish) for units in self.units[:2]] + [1.0]
        across = self.n_units / max(self.n_units - 1.0, 1.0)
        return sum(
            (own[i] if i == j else across) * self.multiply(first, second)
            for i, first in enumerate(one)
            for j, second in enumerate(two)
            if i == j or {i, j} != {0, 1} or self.linked
        )

    def find_variances(self, parts: Parts) -> tuple[Any, Any]:
        """Variances v+ and v- of the parts of positives and of negatives, formula (D6)."""
        pos, neg = (
            correct_few(units.kish) * self.multiply(part, part)
            if part.ndim == 1
            else correct_few(units.kish) * np.maximum(np.diag(self.multiply(part, part)), 0.0)
            for units, part in zip(self.units, parts[:2], strict=False)
        )
        return pos, neg

    def find_variance(self, parts: Parts) -> float:
        """Variance of one statement: formula (D6)."""
        return max(
            float(self.find_covariance(parts, parts)),
            LEAST * float(sum(self.find_variances(parts))),
        )

    def find_df(self, pos: Any, neg: Any, units: tuple[float, float] | None = None) -> Any:
        """Satterthwaite's degrees of freedom (D8) of variances `pos` and `neg`; inf if both are 0.

        `units`: numbers of positives and negatives in place of k+ and k-.
        """
        k = (self.units[0].df, self.units[1].df) if units is None else units
        df = satterthwaite(pos, neg, *k)
        return self.spare(df) if self.n_strata > 1 else df

    def spare(self, df: Any) -> Any:
        """Degrees of freedom that strata leave, at least 1."""
        share = (self.n_units - self.n_strata) / max(self.n_units - 1.0, 1.0)
        return np.where(np.isinf(df), df, np.maximum(np.minimum(df, 1e300) * share, 1.0))

    def stretch_classes(self, pos: Any, neg: Any) -> Stretch:
        """Stretch for statements with the variances `pos` and `neg` of both classes."""
        pos, neg = np.asarray(pos, np.float64), np.asarray(neg, np.float64)
        none = pos + neg <= 0.0
        pos, neg = np.where(none, 1.0, pos), np.where(none, 1.0, neg)
        df = np.maximum(self.find_df(pos, neg), 1.0)
        return Stretch(df, satterthwaite(pos, neg, *self.n_rows))

    def stretch_share(self, share: FloatArray) -> Stretch:
        """Stretch for a share: of all rows, of a class, or of the rows that are called."""
        units = self.count_units(share)
        rows = max(float(self.rows @ (share > 0.0)) - 1.0, 1.0)
        if units.kish >= rows + 1.0 - 1e-6:  # independent rows of equal weight
            return Stretch(rows, rows)
        return Stretch(float(self.spare(max(units.df - 1.0, 1.0))), rows)

    # ------------------------------------------------------------------------- whole units

    def walk(self, size: int = ROWS) -> Iterator[tuple[IndexArray, IndexArray | None]]:
        """Yield rows of whole units, some thousand at a time, and where units begin among them.

        None in place of the latter if every row is its own unit.
        """
        n = self.is_positive.size
        if self.code is None:
            for first in range(0, n, size):
                yield np.arange(first, min(first + size, n)), None
            return
        order = np.argsort(self.code, kind="stable")
        firsts = np.searchsorted(self.code[order], np.arange(self.n_units))
        near = np.searchsorted(firsts, np.arange(0, n, size), side="right") - 1
        starts = firsts[np.unique(near)]
        for start, stop in zip(starts, [*starts[1:], n], strict=True):
            rows = order[int(start) : int(stop)]
            yield rows, np.flatnonzero(np.diff(self.code[rows], prepend=-1))

    # ------------------------------------------------------------------------------- notes

    def describe_classes(self, values: FloatArray, parts: Parts) -> tuple[str, ...]:
        """Say how many independent rows of each class would have the variances of `parts`.

        `values`: influence of each entry; `parts`: from :meth:`split`.
        """
        numbers = zip(self.n_rows, self.count_rows(values, parts), strict=True)
        return self.describe(dict(zip(("positives", "negatives"), numbers, strict=True)))

    def count_rows(self, values: FloatArray, parts: Parts) -> tuple[float, float]:
        """Numbers of independent rows of each class with the variances of `parts`.

        Kish's number for values that are equal but for rounding.
        """
        found = []
        for share, part, units in zip((self.pos, self.neg), parts, self.units, strict=False):
            spread = float(share @ (values - share @ values) ** 2)
            variance = float(self.multiply(part, part)) * units.correction
            varies = min(spread, variance) > SAME**2 * float(share @ values**2)
            found.append(spread / variance if varies else units.kish)
        return found[0], found[1]

    def describe(
        self, effective: Mapping[str, tuple[float, float]], of: str = ""
    ) -> tuple[str, ...]:
        r"""Say what the design costs; `effective`: rows and effective rows by what they are.

        `of`: the quantity that they are for, as 'the share found', where a page has several.

        Examples
        --------
        >>> y = np.array([True, False] * 4)
        >>> design = RowDesign.of_rows(y, clusters=np.arange(8) // 2)
        >>> print(design.describe({"rows": (8, 4.0)}, "the Brier score")[-1])
        Clusters, for the Brier score: 8 rows count like 4 independent ones (design effect 2).
        """
        named = (
            ("weights", self.weighted),
            ("clusters", self.clustered),
            ("strata", self.n_strata > 1),
        )
        given = [name for name, there in named if there]
        if not given:
            return ()
        few = say_few_clusters(self.n_units if self.clustered else None)
        notes = [*filter(None, [few]), describe_effects(given, effective, of)]
        if self.clustered and not few and self.units[2].kish < FEW_CLUSTERS * (1.0 - 1e-9):
            notes.append(f"Few clusters: {self.units[2].kish:.2g} of equal size.")
        names = ("positives", "negatives")
        for name, units, rows in zip(names, self.units, self.n_rows, strict=False):
            if units.rows < min(FEW_ROWS, rows / 2.0):
                notes.append(
                    f"Few {name} carry much weight: the weights are worth {units.rows:.2g} equal "
                    "ones, and limits may be too narrow."
                )
        return tuple(notes)


def describe_effects(
    given: Sequence[str], effective: Mapping[str, tuple[float, float]], of: str = ""
) -> str:
    """Say what weights, clusters or strata cost; see :meth:`RowDesign.describe`."""
    what = " and ".join([", ".join(given[:-1])] * (len(given) > 1) + [given[-1]]).capitalize()
    effects = ", ".join(
        f"{_count_rows(rows, name)} like {number:{'.3g' if number < 100.0 else '.0f'}} "
        f"independent ones (design effect {rows / number:.3g})"
        for name, (rows, number) in effective.items()
    )
    return f"{what}{f', for {of}' if of else ''}: {effects}."


def _count_rows(rows: float, name: str) -> str:
    count = f"{rows:.0f}"
    return f"1 {name.removesuffix('s')} counts" if count == "1" else f"{count} {name} count"


def find_set_covariance(
    pair: Pair, designs: tuple[RowDesign, RowDesign], one: Parts, two: Parts
) -> Any:
    """Covariance of statements about two test sets, by clusters that are in both.

    G / (G - 1) sum of z1_g z2_g over the common clusters, with z = zp + zn (+ zq) and G the number
    of distinct clusters: a number, or a matrix of several statements.
    """
    if pair.common_clusters is None:
        return 0.0
    shared = []
    for design, parts, own in zip(designs, (one, two), pair.common_clusters, strict=True):
        z = np.sum(parts, axis=0)
        if design.single is not None:  # by the numbers of the clusters
            z = sum_codes(design.single, z, design.n_units)
        shared.append(z[own])
    distinct = sum(design.n_units for design in designs) - pair.common_clusters[0].size
    return shared[0].T @ shared[1] * distinct / max(distinct - 1.0, 1.0)


def find_steps(roc: RocCurve, values: Any) -> IndexArray:
    """Step of each row on its model's curve, from the highest score."""
    if roc.clusters is not None:
        return roc.clusters.step
    return np.asarray(roc.fp.size - 1 - find_levels(values).level)


def row_weights(roc: RocCurve) -> FloatArray:
    """Weight of each row of a curve with clusters, also if the weights of each class are equal."""
    clusters = roc.clusters
    assert clusters is not None
    if clusters.weight is not None:
        return clusters.weight
    if roc.weights is None:
        return np.ones(clusters.code.size)
    each = roc.weights.neg.sum() / roc.n_neg, roc.weights.pos.sum() / roc.n_pos
    return np.asarray(np.where(clusters.is_positive, each[1], each[0]))


def find_stratum_factors(stratum: IndexArray) -> tuple[FloatArray, FloatArray]:
    """Factors q_h of the products in each stratum, and q_h / G_h of those of its sums: (D3)."""
    clusters, size = np.bincount(stratum).astype(np.float64), stratum.size
    several = clusters > 1
    scale = np.where(several, clusters / np.maximum(clusters - 1.0, 1.0) * (size - 1.0) / size, 1.0)
    return scale, np.where(several, scale / clusters, 0.0)


def _from_zero(pos: FloatArray, neg: FloatArray) -> FloatArray:
    """Cumulative sums of two classes, which begin with 0."""
    found = np.zeros((2, pos.size + 1))
    np.cumsum(pos, out=found[0, 1:])
    np.cumsum(neg, out=found[1, 1:])
    return found
