"""Several classes and several groups of people, and the page studies/docs/coverage-many.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtri

import rocbands as rb
from rocbands.comparison.group_differences import build_group_differences, pair_groups
from rocbands_studies import AreaDifference, Coverage, FixedClasses, Statement, Streams
from rocbands_studies.coverage import worlds as w
from rocbands_studies.coverage.tables import Page, Section, cross, head

TRUTH = 100_000  # rows of a class, on average, for true curves that have no formula
Array = np.ndarray


# ------------------------------------------------------------------------------------ classes


@dataclass(frozen=True)
class Classes:
    """Scores of several classes: columns that have only the labels in common, or share everything.

    Given a second number of rows, class k has `rows[k]`.
    """

    kind: str
    count: int
    rows: tuple[int, ...]

    @property
    def name(self) -> str:
        return f"{self.count} classes, {self.kind}"

    @property
    def labels(self) -> Array:
        return np.repeat(np.arange(self.count), np.resize(self.rows, self.count))

    def scores(self, y: Array, rng: np.random.Generator) -> Array:
        at = np.arange(self.count)
        if self.kind == "ordered":  # one trait; classes in the middle are told apart badly
            trait = rng.normal(size=y.size) + 1.2 * y
            logits = -((trait[:, None] - 1.2 * at) ** 2) / 2.0
        else:
            better = np.linspace(0.8, 2.0, self.count)[y]
            logits = rng.normal(size=(y.size, self.count)) + better[:, None] * (y[:, None] == at)
            if self.kind == "independent columns":
                return logits
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares = odds / odds.sum(axis=1, keepdims=True)
        return np.round(shares, 1) if self.kind == "rounded" else shares

    def draw_data(self, rng: np.random.Generator, *sizes: int) -> tuple[Array, Array]:
        return self.labels, self.scores(self.labels, rng)

    @cached_property
    def truth(self) -> tuple[list[Any], float, float]:
        """Curves of each class against the rest, and both average areas, from many rows."""
        shares = np.resize(self.rows, self.count) / np.mean(np.resize(self.rows, self.count))
        y = np.repeat(np.arange(self.count), (TRUTH * shares).astype(int))
        scores = self.scores(y, np.random.default_rng(9))
        curves, macro, pairs = [], [], []
        for k in range(self.count):
            roc = rb.roc_curve(y == k, scores[:, k])
            keep = np.unique(np.linspace(0, roc.fpr.size - 1, 3001).astype(int))
            curves.append((roc.fpr[keep], roc.tpr[keep]))
            macro.append(roc.auc)
            for other in set(range(self.count)) - {k}:
                two = (y == k) | (y == other)
                pairs.append(rb.roc_curve(y[two] == k, scores[two, k]).auc)
        return curves, float(np.mean(macro)), float(np.mean(pairs))


@dataclass(frozen=True)
class ClassSizes:
    """Rows of each class, fixed."""

    rows: tuple[int, ...]

    @property
    def name(self) -> str:
        return ", ".join(map(str, self.rows)) + " rows of each"

    def sizes(self, rng: np.random.Generator) -> tuple[int, ...]:
        return (min(self.rows), max(self.rows))


@dataclass(frozen=True)
class ClassBands(Statement):
    """All bands of `class_bands` contain their curves at once; limits of both average areas hold."""

    @property
    def name(self) -> str:
        return "class_bands"

    def judge(self, data: Any, world: Any, levels: Sequence[float], streams: Streams) -> Any:
        curves, macro, pairs = world.truth
        found: dict[str, list[float]] = {}
        for level in levels:
            bands = rb.class_bands(*data, level=level, rng=streams.own_rng("method"))
            inside = [band.contains(curve) for band, curve in zip(bands, curves, strict=True)]
            one, two = bands.macro_auc, bands.hand_till_auc
            held = {
                "holds all bands": all(inside),
                "holds macro AUC": one.low <= macro <= one.high,
                "holds Hand-Till AUC": two.low <= pairs <= two.high,
            }
            for name, value in held.items():
                found.setdefault(name, []).append(float(value))
        return found


def class_cells() -> tuple[Coverage, ...]:
    asked: list[tuple[str, int, tuple[int, ...]]] = [
        (kind, count, (rows,))
        for count, most in ((3, 600), (10, 100)) for kind in ("shares", "ordered") for rows in (30, 100, 600) if rows <= most
    ]  # fmt: skip
    asked += [("independent columns", 3, (rows,)) for rows in (30, 600)]
    asked += [("shares", 3, (30, 100, 600)), ("rounded", 3, (100,))]
    return tuple(Coverage(Classes(*one), ClassSizes(one[2]), ClassBands()) for one in asked)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------- groups


@dataclass(frozen=True)
class EqualGroups:
    """People of several groups, all with the same normal scores: one true curve."""

    count: int
    auc: float
    step: float = 0.0

    @property
    def name(self) -> str:
        ties = f", in steps of {self.step:g}" if self.step else ""
        return f"{self.count} groups, AUC {self.auc:g}{ties}"

    def draw_data(
        self, rng: np.random.Generator, n_pos: int, n_neg: int
    ) -> tuple[tuple[Array, Array], ...]:
        """Labels and scores of each group."""
        y = np.repeat([1, 0], [n_pos, n_neg])
        scores = rng.normal(size=(self.count, y.size)) + np.sqrt(2) * ndtri(self.auc) * y
        return tuple((y, np.rint(s / self.step) if self.step else s) for s in scores)


def join_groups(data: Sequence[tuple[Array, Array]]) -> tuple[Array, Array, Array]:
    """Labels, scores and group of all rows."""
    y, s = (np.concatenate(side) for side in zip(*data, strict=True))
    return y, s, np.repeat(np.arange(len(data)), [one[0].size for one in data])


@dataclass(frozen=True)
class NoDifference(Statement):
    """No group is shown to differ from another ('pairs'), or from all others ('rest')."""

    against: str

    @property
    def name(self) -> str:
        return {"pairs": "each pair", "rest": "each and the rest"}[self.against]

    def judge(self, data: Any, world: Any, levels: Sequence[float], streams: Streams) -> Any:
        curves = {str(k): rb.roc_curve(*rows) for k, rows in enumerate(data)}
        shown = []
        for level in levels:
            bands = build_group_differences(
                curves, pair_groups(curves, self.against), level=level, fpr=(0.05, 0.95), n_resamples=1000,
                rng=streams.own_rng("method"),
            )  # type: ignore[arg-type]  # fmt: skip
            shown.append(any(band.better for band in bands))
        return {"holds": [float(not one) for one in shown]}


@dataclass(frozen=True)
class GroupDifference(Statement):
    """The band of `subgroups` contains the true difference of two groups.

    `width` is its mean width over that of both groups' bands added up; `rejects` where it shows a
    difference.
    """

    @property
    def name(self) -> str:
        return "subgroups"

    def judge(self, data: Any, world: Any, levels: Sequence[float], streams: Streams) -> Any:
        y, s, by = join_groups(data)
        at = np.linspace(0.05, 0.95, 181)
        found: dict[str, list[float]] = {"holds": [], "width": [], "rejects": []}
        for level in levels:
            made = rb.subgroups(y, s, by=by, level=level, n_resamples=1000, rng=streams.own_rng("method"))  # fmt: skip
            band = made.differences[0]
            own = sum((b.upper_at(at) - b.lower_at(at)).mean() for b in made.bands)
            found["holds"].append(float(band.contains(world.truth)))
            found["width"].append((band.upper_at(at) - band.lower_at(at)).mean() / own)
            found["rejects"].append(float(bool(band.better)))
        return found


@dataclass(frozen=True)
class AreaBetween(Statement):
    """The limit of the area between two equal curves is 0; `width` is that area itself."""

    @property
    def name(self) -> str:
        return "abroca"

    def judge(self, data: Any, world: Any, levels: Sequence[float], streams: Streams) -> Any:
        y, s, by = join_groups(data)
        found = [
            rb.subgroups(y, s, by=by, level=level, n_resamples=1000, rng=streams.own_rng("method")).found[0]
            for level in levels
        ]  # fmt: skip
        return {
            "holds": [float(one.abroca_low <= 0.0) for one in found],
            "width": [one.abroca for one in found],
        }


def many_page() -> Page:
    name = "coverage-many"
    sizes = [
        FixedClasses(m, n) for m, n in ((25, 25), (150, 150), (500, 500), (10, 40), (200, 800))
    ]
    asked: list[tuple[EqualGroups, Any]] = [(EqualGroups(2, 0.76), size) for size in sizes]
    asked += [
        (EqualGroups(2, *kind), size) for kind in ((0.95,), (0.76, 1.0)) for size in sizes[:2]
    ]
    asked += [(EqualGroups(5, 0.76), sizes[k]) for k in (0, 1, 3)]
    equal = tuple(
        Coverage(world, size, NoDifference(against))
        for world, size in asked
        for against in ("pairs", "rest")[: world.count - 1]
    )
    perfect = w.TwoModels(
        "normal, AUC .95 and .98", w.shifted(0, 0).neg, (w.Law("norm", 2.326), w.Law("norm", 2.904))
    )
    differ = [w.TwoSets(two) for two in (w.shifted(0.0, 0.5), perfect, w.crossing(0.0))]
    pairs = [w.TwoSizes((n, n), (n, n)) for n in (50, 100, 250)]
    return Page(
        name,
        head(name, "Measured coverage with several classes and groups", "See [Several classes](../../docs/multiclass.md) and [Fairness and subgroups](../../docs/subgroups.md)."),
        (
            Section(
                "Several classes",
                "All bands of `rb.class_bands` contain their true curves, each class against the rest; limits of both average areas. *shares*: normal scores with different means for each class, "
                "turned into shares that add up to 1. *ordered*: one normal trait, classes side by side on it. *independent columns*: the columns have nothing in common but the labels. "
                "*rounded*: shares to one digit.",
                class_cells(), lambda cell: 100 if "rounded" not in cell.world.name else 20, places=True,
            ),
            Section(
                "Groups with the same true curve",
                "No difference is shown anywhere between fpr .05 and .95. Sizes are those of each group.", equal, 1000, named=True,
            ),
            Section(
                "Groups that differ",
                "*subgroups*: the band contains the true difference; in brackets its mean width, as a share of both groups' bands added up; behind the semicolon how often it shows a difference. "
                "*score*: limits of the difference of AUCs, and how often its test rejects. *crossing*: equal AUC.",
                cross(differ, pairs, GroupDifference(), AreaDifference()), 400, named=True,
            ),
            Section(
                "Area between two curves that are the same", "Its lower limit is 0. In brackets the mean area between the empirical curves.",
                tuple(Coverage(EqualGroups(2, 0.76), FixedClasses(n, n), AreaBetween()) for n in (50, 100, 500)), 200, named=True,
            ),
        ),
    )  # fmt: skip
