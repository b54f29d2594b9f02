"""Statements of the package that the search tests, each beside its truth.

A statement takes a cell and returns a function that draws a test set and tells, for each thing
that is said at the cell's level, whether it is true. A set that the package refuses is not counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy.stats import beta, norm

import rocbands as rb
from tests.coverage import search_populations as pop
from tests.coverage import two_sided as two_sided_worlds
from tests.coverage import worlds

Rng, Array = np.random.Generator, Any
Judge = Callable[[Rng], dict[str, bool]]
TOUCH = 1e-9
EQUAL = 2e-6  # true areas that are so close are the same
# Resamples of bands where scores are tied; their number hardly changes how often bands hold.
DRAWS: Any = {"n_resamples": 199}
BAND = rb.bands.Likelihood(n_resamples=199)


@dataclass(frozen=True)
class Cell:
    """One population, size, statement and level; everything that repeats its data sets."""

    seed: int
    statement: str
    level: float
    sizes: tuple[int, ...]
    scores: tuple[dict[str, Any], ...]
    design: dict[str, Any]
    options: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, spec: dict[str, Any]) -> Cell:
        return cls(**dict(spec, sizes=tuple(spec["sizes"]), scores=tuple(spec["scores"])))

    def spec(self) -> dict[str, Any]:
        return asdict(self)

    @cached_property
    def pairs(self) -> list[pop.Pair]:
        return [pop.Pair.of(one) for one in self.scores]

    @property
    def pair(self) -> pop.Pair:
        """The population that the statement is about."""
        if self.design["kind"] == "strata":
            return pop.mix_strata(self.pairs[0], self.design, self.share)[0]
        return self.pairs[0]

    @property
    def share(self) -> float:
        return self.sizes[0] / (self.sizes[0] + self.sizes[1])

    @property
    def rho(self) -> tuple[float, float]:
        return tuple(self.options.get("rho", (0.0, 0.0)))  # type: ignore[return-value]

    def rows(self, rng: Rng) -> pop.Rows:
        two = (self.sizes[0], self.sizes[1])
        return pop.draw_rows(self.pairs, two, self.design, self.rho, rng)

    def sample(self, rng: Rng) -> Any:
        """One test set as the package takes it, of all models."""
        rows = self.rows(rng)
        scores: Any = rows.scores[0]
        if len(self.pairs) > 1:
            scores = {f"m{k}": one for k, one in enumerate(rows.scores)}
        if self.design["kind"] == "bins":
            return rb.ScoreCounts.from_arrays(rows.y, scores)
        if self.design["kind"] == "survival":
            y, weights, _ = rb.ipcw(rows.columns["time"], rows.columns["event"], at=1.0)
            return rb.Sample(y, scores, weights=weights)
        return rb.Sample(rows.y, scores, **rows.columns)

    def samples(self, rng: Rng) -> list[Any]:
        """One test set for each model, nobody in two of them."""
        made = []
        for k, pair in enumerate(self.pairs):
            sizes = (self.sizes[2 * k], self.sizes[2 * k + 1])
            rows = pop.draw_rows([pair], sizes, {"kind": "rows"}, (0.0, 0.0), rng)
            made.append(rb.Sample(rows.y, rows.scores[0]))
        return made


@dataclass(frozen=True)
class Statement:
    """How a statement is judged, and on which kind of data.

    `models` score the rows, of one test set or of several; a class has `least` rows, a set `most`.
    """

    name: str
    prepare: Callable[[Cell], Judge]
    design: str
    models: int
    sets: int
    most: int
    least: int
    options: Callable[[Rng], dict[str, Any]]
    weight: float  # share of the time, relative to others


STATEMENTS: dict[str, Statement] = {}


def statement(
    name: str,
    *designs: str,
    models: int = 1,
    sets: int = 1,
    most: int = 600,
    least: int = 3,
    options: Callable[[Rng], dict[str, Any]] = lambda rng: {},
    weight: float = 1.0,
) -> Callable[[Callable[[Cell], Judge]], Callable[[Cell], Judge]]:
    """Add a statement, once for each design of the rows."""

    def add(prepare: Callable[[Cell], Judge]) -> Callable[[Cell], Judge]:
        for design in designs or ("rows",):
            plain = design in ("rows", "share")
            # Random designs lose rows of a class: they need more.
            fewest = least if design in ("rows", "bins", "share") else max(least, 10)
            full = name if plain else f"{name}, {design}"
            STATEMENTS[full] = Statement(
                full, prepare, design, models, sets, most, fewest, options, weight
            )  # fmt: skip
        return prepare

    return add


def inside(low: Any, truth: Any, high: Any) -> bool:
    """All true values lie between their limits."""
    low, truth, high = map(np.asarray, (low, truth, high))
    return bool(np.all((low <= truth + TOUCH) & (truth <= high + TOUCH)))


def pick(rng: Rng, *values: Any) -> Any:
    return values[int(rng.integers(len(values)))]


def correlated(rng: Rng) -> dict[str, Any]:
    one, two = pick(rng, 0.0, 0.3, 0.6, 0.9), pick(rng, 0.0, 0.3, 0.6, 0.9)
    return {"rho": [one, one if rng.random() < 0.7 else two]}


# ---------------------------------------------------------------------------------- one curve


@statement(
    "roc_band", "rows", "groups", "weights", "strata", "bins", "survival", most=1500, weight=2.0
)
def band(cell: Cell) -> Judge:
    """The default band contains the whole true curve."""
    curve = cell.pair.curve

    def judge(rng: Rng) -> dict[str, bool]:
        return {
            "curve": rb.roc_band(cell.sample(rng), level=cell.level, **DRAWS, rng=rng).contains(
                curve
            )
        }

    return judge


@statement(
    "roc_band(future=)", weight=3.0, options=lambda rng: {"factor": pick(rng, 0.5, 1.0, 1.0, 3.0)}
)
def future_band(cell: Cell) -> Judge:
    """The band for a future test set contains its empirical curve."""
    later = tuple(max(2, int(size * cell.options["factor"])) for size in cell.sizes)

    def judge(rng: Rng) -> dict[str, bool]:
        made = rb.roc_band(cell.sample(rng), level=cell.level, future=later, **DRAWS, rng=rng)
        rows = pop.draw_rows(cell.pairs, later, cell.design, cell.rho, rng)
        return {"curve": made.contains(empirical(rows.y, rows.scores[0]))}

    return judge


def empirical(y: Array, s: Array) -> tuple[Array, Array]:
    """Rates at all thresholds, by counting."""
    values, at = np.unique(-s, return_inverse=True)
    made = []
    for label in (0, 1):
        counts = np.bincount(at[y == label], minlength=values.size)
        made.append(np.append(0.0, np.cumsum(counts) / counts.sum()))
    return made[0], made[1]


METHOD_SIZES = {"fixed-width": 100, "sup-t": 100, "joint-region": 6}


@statement("roc_band, other methods", most=600, least=50,
           options=lambda rng: {"method": pick(rng, *METHOD_SIZES)})  # fmt: skip
def other_bands(cell: Cell) -> Judge:
    """'fixed-width', 'sup-t' (100 rows or more) and 'joint-region' contain the true curve."""
    curve = cell.pair.curve

    def judge(rng: Rng) -> dict[str, bool]:
        made = rb.roc_band(
            cell.sample(rng), level=cell.level, method=cell.options["method"], rng=rng
        )
        return {cell.options["method"]: made.contains(curve)}

    return judge


@statement("smooth_curve", least=50)
def smooth(cell: Cell) -> Judge:
    """The kernel band contains the true curve, and its interval the area."""
    curve, area = cell.pair.curve, cell.pair.auc

    def judge(rng: Rng) -> dict[str, bool]:
        made = rb.smooth_curve(
            cell.sample(rng), method="kernel", level=cell.level, **DRAWS, rng=rng
        )
        inside = made.auc_low - TOUCH <= area <= made.auc_high + TOUCH
        return {"curve": made.contains(curve), "area": inside}

    return judge


@statement(
    "views", "share", least=8, weight=2.0, options=lambda rng: {"view": pick(rng, "pr", "gains")}
)
def views(cell: Cell) -> Judge:
    """Precision-recall and gains views, prevalence estimated, contain the whole true curve."""
    (x, y), p, name = cell.pair.curve, cell.share, cell.options["view"]
    if name == "pr":
        keep = y > 0
        truth = y[keep], p * y[keep] / (p * y[keep] + (1 - p) * x[keep])
    else:
        truth = p * y + (1 - p) * x, y

    def judge(rng: Rng) -> dict[str, bool]:
        sample = cell.sample(rng)
        if name == "pr":
            return {name: rb.pr_band(sample, level=cell.level, **DRAWS, rng=rng).contains(truth)}
        return {
            name: rb.roc_band(sample, level=cell.level, **DRAWS, rng=rng).view(name).contains(truth)
        }

    return judge


@statement("views, given prevalence", weight=2.0)
def given_views(cell: Cell) -> Judge:
    """Views that need no prevalence (DET), or are given one (pr, gains), contain the true curve."""
    x, y = cell.pair.curve
    p = 0.2
    keep = y > 0
    truths = {
        "det": (x, 1.0 - y),
        "pr": (y[keep], p * y[keep] / (p * y[keep] + (1 - p) * x[keep])),
        "gains": (p * y + (1 - p) * x, y),
    }

    def judge(rng: Rng) -> dict[str, bool]:
        made = rb.roc_band(cell.sample(rng), level=cell.level, **DRAWS, rng=rng)
        shares = {"det": {}, "pr": {"prevalence": p}, "gains": {"prevalence": p}}
        return {
            name: made.view(name, **shares[name]).contains(truth) for name, truth in truths.items()
        }

    return judge


# ---------------------------------------------------------------------------------- areas


@statement(
    "auc_interval", "rows", "groups", "weights", "strata", "bins", "survival", most=3000, weight=1.5
)
def auc(cell: Cell) -> Judge:
    """The interval contains the true AUC."""
    truth = cell.pair.auc

    def judge(rng: Rng) -> dict[str, bool]:
        found = rb.auc_interval(cell.sample(rng), level=cell.level, rng=rng)
        return {"interval": inside(found.low, truth, found.high)}

    return judge


def part_of_area(rng: Rng) -> dict[str, Any]:
    return {"of": pick(rng, "fpr", "fpr", "tpr"), "range": pick(rng, [0.0, 0.1], [0.0, 0.3], [0.1, 0.5], [0.4, 1.0], [0.8, 1.0])}  # fmt: skip


@statement("partial_auc_interval", "rows", "groups", "bins", options=part_of_area)
def partial(cell: Cell) -> Judge:
    """The interval contains the true area between two rates."""
    low, high = cell.options["range"]
    truth = (cell.pair.partial_area if cell.options["of"] == "fpr" else cell.pair.right_area)(
        low, high
    )

    def judge(rng: Rng) -> dict[str, bool]:
        asked: Any = {cell.options["of"]: (low, high)}
        found = rb.partial_auc_interval(cell.sample(rng), level=cell.level, **asked, rng=rng)
        return {cell.options["of"]: inside(found.low, truth, found.high)}

    return judge


@statement("partial_auc_difference", "rows", "groups", models=2, least=10, options=part_of_area)
def partial_difference(cell: Cell) -> Judge:
    """Same rows: the interval of the difference of areas holds; equal ones are not rejected."""
    low, high = cell.options["range"]
    one, two = (
        (pair.partial_area if cell.options["of"] == "fpr" else pair.right_area)(low, high)
        for pair in cell.pairs
    )

    def judge(rng: Rng) -> dict[str, bool]:
        asked: Any = {cell.options["of"]: (low, high)}
        found = rb.partial_auc_difference(cell.sample(rng), level=cell.level, **asked)
        return judge_difference(found, one - two, cell.level)

    return judge


@statement("average_precision_interval", "share", least=5, most=2000)
def average_precision(cell: Cell) -> Judge:
    """The interval contains the true average precision, prevalence estimated."""
    truth = cell.pair.average_precision(cell.share)

    def judge(rng: Rng) -> dict[str, bool]:
        found = rb.average_precision_interval(cell.sample(rng), level=cell.level)
        return {"interval": inside(found.low, truth, found.high)}

    return judge


@statement("average_precision_interval, given prevalence", options=lambda rng: {"prevalence": pick(rng, 0.02, 0.1, 0.5)})  # fmt: skip
def average_precision_at(cell: Cell) -> Judge:
    """The interval contains the true average precision at a given prevalence."""
    truth = cell.pair.average_precision(cell.options["prevalence"])

    def judge(rng: Rng) -> dict[str, bool]:
        found = rb.average_precision_interval(cell.sample(rng), level=cell.level, **cell.options)
        return {"interval": inside(found.low, truth, found.high)}

    return judge


# ------------------------------------------------------------------------------------ folds


FOLD_METHODS = ("default", "default", "nadeau-bengio", "influence", "fold-delong")


def fold_design(rng: Rng) -> dict[str, Any]:
    return {
        "distance": round(float(rng.uniform(0.2, 3.6)), 2),
        "folds": pick(rng, 5, 10),
        "each": pick(rng, 3, 5, 10, 30),
        "method": pick(rng, *FOLD_METHODS),
    }


@statement("fold_auc_interval", models=0, sets=0, options=fold_design)
def folds(cell: Cell) -> Judge:
    """The interval contains its target: the fitted models' mean AUC, or the learner's expected one."""
    asked = cell.options
    world = worlds.CrossValidated(asked["distance"], asked["folds"])
    size = asked["folds"] * asked["each"]
    name, learner = asked["method"], world.learner(size)
    method = None if name == "default" else name

    def judge(rng: Rng) -> dict[str, bool]:
        y, s, fold, models = world.draw_data(rng, size, size)
        sample = rb.Sample(y, s, folds=fold)
        found = rb.fold_auc_interval(sample, method=method, level=cell.level)
        if name != "default":
            truth = learner if name == "nadeau-bengio" else models
            return {name: inside(found.low, truth, found.high)}
        held = {"learner": inside(found.low, learner, found.high)}
        if found.method == "score":  # the default of earlier versions was for the learner alone
            held["models"] = inside(found.low, models, found.high)
        return held

    return judge


@statement("average_curve, folds", models=0, most=300, least=30, options=lambda rng: {"fpr": pick(rng, 0.05, 0.2, 0.5)})  # fmt: skip
def fold_mean(cell: Cell) -> Judge:
    """Runs of one model: the limits at one fpr contain the expected height of an empirical curve."""
    n_pos, n_neg = (max(10, size // 5) for size in cell.sizes)
    at, skills = cell.options["fpr"], (1.0,) * 5
    # The height above fpr f is the tpr at the (r + 1)-th highest negative, r = floor(n f); the
    # true fpr there has a beta distribution.
    r = int(np.floor(n_neg * at + 1e-9))
    fpr = beta.ppf((np.arange(4000) + 0.5) / 4000, r + 1, n_neg - r)
    truth = float(np.mean(norm.sf((3.0 * norm.isf(fpr) - 2.0) / 3.75)))

    def judge(rng: Rng) -> dict[str, bool]:
        y, s, fold = worlds.draw_folds(rng, skills, n_pos, n_neg)
        made = rb.average_curve(
            rb.Sample(y, s, folds=fold), at=at, level=cell.level, independent=True
        )
        return {"height": inside(made.lower, truth, made.upper)}

    return judge


@statement("two_sided_curve", models=0, least=20)
def two_sided(cell: Cell) -> Judge:
    """The limits contain the true area of a marker with two peaks."""
    marker = two_sided_worlds.POPULATIONS[1]
    truth = marker.find_truth()

    def judge(rng: Rng) -> dict[str, bool]:
        y, score = marker.draw(cell.sizes[0], cell.sizes[1], rng)
        found = rb.two_sided_curve(y, score, level=cell.level, n_resamples=199, rng=rng)
        return {"area": inside(found.low, truth, found.high)}

    return judge


@statement("roc_band, folds", models=0, most=300, least=30)
def fold_band(cell: Cell) -> Judge:
    """'fold-average' contains the average of the models' true curves."""
    skills = (0.75, 1.0, 1.5, 2.0, 3.0)
    n_pos, n_neg = (max(10, size // 5) for size in cell.sizes)
    truth = worlds.average_truth(skills, n_pos, n_neg)

    def judge(rng: Rng) -> dict[str, bool]:
        y, s, fold = worlds.draw_folds(rng, skills, n_pos, n_neg)
        made = rb.roc_band(rb.Sample(y, s, folds=fold), level=cell.level, rng=rng)
        return {"curve": made.contains((truth.x, truth.y))}

    return judge


# -------------------------------------------------------------------------------- comparisons


def judge_difference(found: Any, truth: float, level: float) -> dict[str, bool]:
    """The interval holds the difference; equal models are not called different."""
    held = {"interval": inside(found.low, truth, found.high)}
    if abs(truth) < EQUAL:
        held["test"] = found.pvalue > 1.0 - level
    return held


@statement("compare", "rows", "groups", models=2, options=correlated, weight=1.5)
def compare(cell: Cell) -> Judge:
    """Same rows: the interval of the difference of AUCs holds; equal AUCs are not rejected."""
    truth = cell.pairs[0].auc - cell.pairs[1].auc

    def judge(rng: Rng) -> dict[str, bool]:
        return judge_difference(
            rb.compare(cell.sample(rng), level=cell.level, rng=rng), truth, cell.level
        )

    return judge


@statement("compare, two sets", models=2, sets=2)
def compare_sets(cell: Cell) -> Judge:
    """Two test sets: the interval of the difference holds; equal AUCs are not rejected."""
    truth = cell.pairs[0].auc - cell.pairs[1].auc

    def judge(rng: Rng) -> dict[str, bool]:
        found = rb.compare(*cell.samples(rng), level=cell.level, rng=rng)
        return judge_difference(found, truth, cell.level)

    return judge


def only_same(cell: Cell) -> list[pop.Pair]:
    return [cell.pairs[0], cell.pairs[0]]


@statement("compare, equal curves", models=2, most=300, options=correlated)
def compare_curves(cell: Cell) -> Judge:
    """'venkatraman' does not reject curves that are equal, of the same rows."""
    same = only_same(cell)

    def judge(rng: Rng) -> dict[str, bool]:
        rows = pop.draw_rows(same, cell.sizes[:2], cell.design, cell.rho, rng)  # type: ignore[arg-type]
        found = rb.compare(rows.y, *rows.scores, method="venkatraman", n_resamples=500, rng=rng)
        return {"test": found.pvalue > 1.0 - cell.level}

    return judge


@statement("compare, equal curves of two sets", models=2, sets=2, most=300)
def compare_set_curves(cell: Cell) -> Judge:
    """'likelihood' does not reject curves that are equal, of two test sets."""
    same = only_same(cell)

    def judge(rng: Rng) -> dict[str, bool]:
        made = []
        for k, pair in enumerate(same):
            rows = pop.draw_rows(
                [pair], cell.sizes[2 * k : 2 * k + 2], {"kind": "rows"}, (0, 0), rng
            )  # type: ignore[arg-type]
            made.append(rb.Sample(rows.y, rows.scores[0]))
        found = rb.compare(*made, method="likelihood", n_resamples=500, rng=rng)
        return {"test": found.pvalue > 1.0 - cell.level}

    return judge


@statement("compare_readers, these readers", models=4, most=300, options=correlated)
def compare_readers(cell: Cell) -> Judge:
    """Two readers under two tests: the interval of the mean difference of these readers holds."""
    truth = sum(sign * pair.auc / 2 for sign, pair in zip((1, 1, -1, -1), cell.pairs, strict=True))

    def judge(rng: Rng) -> dict[str, bool]:
        sample = cell.sample(rng)
        test, reader, case = (part.ravel() for part in np.indices((2, 2, sample.n)))
        scores = np.concatenate([sample[name].values for name in sample.models])
        readings = rb.Readings(
            sample.is_positive[case], scores, reader=reader, case=case, test=test
        )
        found = rb.compare_readers(readings, random="cases", level=cell.level).differences[0]
        return judge_difference(found, truth, cell.level)

    return judge


@statement("compare_many", "rows", "groups", models=4, most=300, weight=2.0, options=correlated)
def compare_many(cell: Cell) -> Judge:
    """All differences hold at once; four equal AUCs are not rejected."""
    truths = np.array([pair.auc for pair in cell.pairs])

    def judge(rng: Rng) -> dict[str, bool]:
        found = rb.compare_many(cell.sample(rng), level=cell.level, n_resamples=5000, rng=rng)
        one, two = np.array(found.pairs).T
        held = {"intervals": inside(found.lower, truths[one] - truths[two], found.upper)}
        if np.ptp(truths) < EQUAL:
            held["test"] = found.pvalue > 1.0 - cell.level
            held["pairs"] = bool(np.min(found.pvalues) > 1.0 - cell.level)
        return held

    return judge


def at_fpr(rng: Rng) -> dict[str, Any]:
    return {**correlated(rng), "fpr": pick(rng, 0.05, 0.1, 0.2, 0.5)}


@statement("compare_tpr", "rows", "groups", models=2, least=10, options=at_fpr)
def compare_tpr(cell: Cell) -> Judge:
    """Same rows: the interval of the difference of TPRs holds; equal ones are not rejected."""
    one, two = (float(pair.height(cell.options["fpr"])) for pair in cell.pairs)

    def judge(rng: Rng) -> dict[str, bool]:
        found = rb.compare_tpr(cell.sample(rng), fpr=cell.options["fpr"], level=cell.level)
        return judge_difference(found, one - two, cell.level)

    return judge


@statement("compare_tpr, two sets", models=2, sets=2, least=10, weight=2.0, options=at_fpr)
def compare_tpr_sets(cell: Cell) -> Judge:
    """Two test sets: the interval of the difference of TPRs holds; equal ones are not rejected."""
    one, two = (float(pair.height(cell.options["fpr"])) for pair in cell.pairs)

    def judge(rng: Rng) -> dict[str, bool]:
        found = rb.compare_tpr(*cell.samples(rng), fpr=cell.options["fpr"], level=cell.level)
        return judge_difference(found, one - two, cell.level)

    return judge


def judge_band(found: Any, one: pop.Pair, two: pop.Pair) -> dict[str, bool]:
    """The band contains the difference; no model is called better where it is not."""
    at = np.asarray(found.fpr)  # where limits are computed; curves may jump in between
    gap = one.height(at) - two.height(at)
    held = {"curve": inside(found.lower_at(at), gap, found.upper_at(at))}
    if np.max(np.abs(gap)) < EQUAL:
        held["better"] = not found.better
    return held


@statement(
    "difference_band",
    "rows",
    "groups",
    models=2,
    least=10,
    most=400,
    weight=3.0,
    options=correlated,
)
def difference_band(cell: Cell) -> Judge:
    """Same rows: the band contains the whole difference; equal curves are not called different."""

    def judge(rng: Rng) -> dict[str, bool]:
        found = rb.difference_band(cell.sample(rng), level=cell.level, n_resamples=1000, rng=rng)
        return judge_band(found, *cell.pairs)

    return judge


@statement("difference_band, two sets", models=2, sets=2, least=10, most=400, weight=3.0)
def difference_band_sets(cell: Cell) -> Judge:
    """Two sets: the band contains the whole difference; equal curves are not called different."""

    def judge(rng: Rng) -> dict[str, bool]:
        found = rb.difference_band(*cell.samples(rng), level=cell.level, n_resamples=1000, rng=rng)
        return judge_band(found, *cell.pairs)

    return judge


@statement("subgroups", models=2, sets=2, most=300, least=10, weight=4.0,
           options=lambda rng: {"threshold": pick(rng, 0.3, 0.5, 0.8)})  # fmt: skip
def subgroups(cell: Cell) -> Judge:
    """Bands, differences, areas and rates of two groups hold, each kind jointly."""
    one, two = cell.pairs
    cut = one.quantile(cell.options["threshold"])
    rates = np.array([pair.rates(cut) for pair in cell.pairs])

    def judge(rng: Rng) -> dict[str, bool]:
        sides = cell.samples(rng)
        y = np.concatenate([side.is_positive for side in sides])
        s = np.concatenate([side.values for side in sides])
        by = np.repeat(["a", "b"], [side.n for side in sides])
        made = rb.subgroups(
            y, s, by=by, method=BAND, level=cell.level, threshold=cut, n_resamples=1000, rng=rng
        )
        held = {
            "bands": all(b.contains(p.curve) for b, p in zip(made.bands, cell.pairs, strict=True)),
            "areas": inside(made.auc_lower, [one.auc, two.auc], made.auc_upper),
            "tpr": inside(made.tpr_lower, rates[:, 1], made.tpr_upper),
            "fpr": inside(made.fpr_lower, rates[:, 0], made.fpr_upper),
        }
        gaps = {"auc": one.auc - two.auc, "fpr": np.subtract(*rates[:, 0])}
        gaps["tpr"] = np.subtract(*rates[:, 1])
        for gap in made.gaps.of("auc", "tpr", "fpr"):
            held[f"difference {gap.quantity}"] = inside(gap.low, gaps[gap.quantity], gap.high)
        differences = judge_band(made.differences[0], one, two)
        return held | {f"difference {name}": value for name, value in differences.items()}

    return judge


@statement("mcnemar", "share", models=2, options=lambda rng: {**correlated(rng), "at": pick(rng, 0.3, 0.5, 0.8)})  # fmt: skip
def mcnemar(cell: Cell) -> Judge:
    """The interval of the difference of accuracies holds; equal ones are not rejected."""
    cuts = [pair.quantile(cell.options["at"]) for pair in cell.pairs]
    right = []
    for pair, cut in zip(cell.pairs, cuts, strict=True):
        fpr, tpr = pair.rates(cut)
        right.append(cell.share * tpr + (1 - cell.share) * (1 - fpr))

    def judge(rng: Rng) -> dict[str, bool]:
        found = rb.mcnemar(cell.sample(rng), thresholds=cuts, level=cell.level)
        return judge_difference(found, float(right[0] - right[1]), cell.level)

    return judge


@statement("average_precision_difference", "share", models=2, least=5, options=correlated)
def average_precision_difference(cell: Cell) -> Judge:
    """The interval of the difference holds; equal average precisions are not rejected."""
    one, two = (pair.average_precision(cell.share) for pair in cell.pairs)

    def judge(rng: Rng) -> dict[str, bool]:
        found = rb.average_precision_difference(cell.sample(rng), level=cell.level)
        return judge_difference(found, one - two, cell.level)

    return judge


# ---------------------------------------------------------------------------- points and rates


def point_at_rate(rng: Rng) -> dict[str, Any]:
    return {"fixed": pick(rng, "fpr", "tpr"), "rate": pick(rng, 0.02, 0.05, 0.1, 0.3, 0.7, 0.9, 0.95)}  # fmt: skip


@statement("operating_points, at a rate", "rows", "groups", "weights", "strata", "bins", options=point_at_rate)  # fmt: skip
def points_at_rate(cell: Cell) -> Judge:
    """Limits of the other rate contain the true curve at a given fpr or tpr."""
    fixed, rate = cell.options["fixed"], cell.options["rate"]
    x, y, _ = cell.pair.fine
    # Where the curve is steep or flat, any of its points there is right.
    low, high = pop.span(x, y, rate) if fixed == "fpr" else pop.span(y, x, rate)

    def judge(rng: Rng) -> dict[str, bool]:
        asked: Any = {fixed: rate}
        at = rb.operating_points(cell.sample(rng), level=cell.level, **asked, rng=rng)
        ends = (at.tpr_lower, at.tpr_upper) if fixed == "fpr" else (at.fpr_lower, at.fpr_upper)
        return {fixed: bool(ends[0][0] <= high + TOUCH and low <= ends[1][0] + TOUCH)}

    return judge


def point_at_threshold(rng: Rng) -> dict[str, Any]:
    return {"at": pick(rng, 0.1, 0.3, 0.5, 0.8, 0.95), "joint": bool(rng.random() < 0.3)}


@statement("operating_points, at a threshold", "rows", "groups", "weights", "strata", options=point_at_threshold)  # fmt: skip
def points_at_threshold(cell: Cell) -> Judge:
    """Limits contain both rates of a threshold that was fixed in advance; jointly if asked."""
    pair = cell.pair
    cut = pair.quantile(cell.options["at"])
    fpr, tpr = pair.rates(cut)
    joint = cell.options["joint"]

    def judge(rng: Rng) -> dict[str, bool]:
        at = rb.operating_points(
            cell.sample(rng), threshold=cut, joint=joint, level=cell.level, rng=rng
        )
        one = inside(at.fpr_lower[0], fpr, at.fpr_upper[0])
        two = inside(at.tpr_lower[0], tpr, at.tpr_upper[0])
        return {"joint": one and two} if joint else {"fpr": one, "tpr": two}

    return judge


@statement("operating_points, predictive values", "share", least=5,
           options=lambda rng: {"at": pick(rng, 0.1, 0.3, 0.5, 0.8, 0.95), "given": bool(rng.random() < 0.5)})  # fmt: skip
def predictive_values(cell: Cell) -> Judge:
    """Limits contain PPV, NPV, likelihood ratios and F1 of a threshold fixed in advance."""
    cut = cell.pair.quantile(cell.options["at"])
    fpr, tpr = map(float, cell.pair.rates(cut))
    p = 0.2 if cell.options["given"] else cell.share
    asked = {"prevalence": p} if cell.options["given"] else {}
    called = p * tpr + (1 - p) * fpr
    with np.errstate(divide="ignore", invalid="ignore"):
        truths = {
            "ppv": np.float64(p * tpr) / called,
            "npv": np.float64((1 - p) * (1 - fpr)) / (1 - called),
            "lr_pos": np.float64(tpr) / fpr,
            "lr_neg": np.float64(1 - tpr) / (1 - fpr),
            "f1": np.float64(2 * p * tpr) / (p + called),
        }

    def judge(rng: Rng) -> dict[str, bool]:
        at = rb.operating_points(
            cell.sample(rng), threshold=cut, level=cell.level, **asked, rng=rng
        )
        held = {}
        for name, truth in truths.items():
            low, high = getattr(at, f"{name}_lower")[0], getattr(at, f"{name}_upper")[0]
            if np.isfinite(truth) and not np.isnan(low) and not np.isnan(high):
                held[name] = inside(low, truth, high)
        return held

    return judge


@statement("operating_points, chosen on other rows", options=lambda rng: {"best": pick(rng, "youden", "corner", "cost")})  # fmt: skip
def chosen_points(cell: Cell) -> Judge:
    """Limits of a threshold chosen on other rows contain that threshold's true rates."""

    def judge(rng: Rng) -> dict[str, bool]:
        first, test = cell.sample(rng), cell.sample(rng)
        at = rb.operating_points(
            first, test=test, best=cell.options["best"], level=cell.level, rng=rng
        )
        fpr, tpr = cell.pair.rates(at.threshold[0])
        return {
            "fpr": inside(at.fpr_lower[0], fpr, at.fpr_upper[0]),
            "tpr": inside(at.tpr_lower[0], tpr, at.tpr_upper[0]),
        }

    return judge


@statement("best_threshold", least=15, options=lambda rng: {"criterion": pick(rng, "youden", "corner")})  # fmt: skip
def best_threshold(cell: Cell) -> Judge:
    """Limits contain the chosen threshold's true rates, and the best index on the true curve."""
    x, y = cell.pair.curve
    youden = cell.options["criterion"] == "youden"
    truth = float((y - x).max() if youden else np.sqrt((1 - y) ** 2 + x**2).min())

    def judge(rng: Rng) -> dict[str, bool]:
        at = rb.best_threshold(
            cell.sample(rng), level=cell.level, n_resamples=400, **cell.options, rng=rng
        )
        fpr, tpr = cell.pair.rates(at.threshold)
        return {
            "sensitivity": inside(at.sensitivity_low, tpr, at.sensitivity_high),
            "specificity": inside(at.specificity_low, 1 - fpr, at.specificity_high),
            "index": inside(at.index_low, truth, at.index_high),
        }

    return judge


@statement("h_measure_interval", least=20, options=lambda rng: {"severity_ratio": pick(rng, 0.2, 1.0, 3.0)})  # fmt: skip
def h_measure(cell: Cell) -> Judge:
    """The interval contains H of the true curve at the class shares of the rows."""
    x, y = cell.pair.curve
    p, ratio = cell.share, cell.options["severity_ratio"]
    c = (np.arange(2000) + 0.5) / 2000  # costs, with the density of Beta(2, 1 + 1 / ratio)
    weight = c * (1 - c) ** (1 / ratio)
    best = np.array([(one * (1 - p) * x + (1 - one) * p * (1 - y)).min() for one in c])
    truth = float(1 - (best @ weight) / (np.minimum((1 - p) * c, p * (1 - c)) @ weight))

    def judge(rng: Rng) -> dict[str, bool]:
        sample = cell.sample(rng)
        found = rb.h_measure_interval(
            sample, level=cell.level, n_resamples=200, **cell.options, rng=rng
        )
        return {"interval": inside(found.low, truth, found.high)}

    return judge


@statement("operating_points, equal error rate")
def equal_error(cell: Cell) -> Judge:
    """Limits contain the rate where fpr = 1 - tpr on the true curve."""
    truth = cell.pair.equal_error

    def judge(rng: Rng) -> dict[str, bool]:
        at = rb.operating_points(cell.sample(rng), best="eer", level=cell.level, rng=rng)
        return {"interval": inside(at.fpr_lower[0], truth, at.fpr_upper[0])}

    return judge


def acted_on(rng: Rng) -> dict[str, Any]:
    return {**correlated(rng), "rate": pick(rng, 0.02, 0.05, 0.1, 0.2, 0.5, 0.8)}


@statement("rate_bounds", "share", least=5, options=acted_on)
def rate_bounds(cell: Cell) -> Judge:
    """Limits contain the true recall at a rate, share of positives random."""
    rate = cell.options["rate"]
    truth = cell.pair.recall(cell.share, rate)

    def judge(rng: Rng) -> dict[str, bool]:
        found = rb.rate_bounds(cell.sample(rng), rate=rate, level=cell.level, rng=rng)
        return {"recall": inside(found.tpr_lower[0], truth, found.tpr_upper[0])}

    return judge


@statement("rate_bounds, stratified", options=acted_on, most=400)
def rate_bounds_fixed(cell: Cell) -> Judge:
    """Limits contain the true recall at a rate, class sizes fixed ('parametric')."""
    rate = cell.options["rate"]
    truth = cell.pair.recall(cell.share, rate)

    def judge(rng: Rng) -> dict[str, bool]:
        found = rb.rate_bounds(
            cell.sample(rng), rate=rate, level=cell.level, sampling="stratified", rng=rng
        )
        return {"recall": inside(found.tpr_lower[0], truth, found.tpr_upper[0])}

    return judge


@statement("accuracy and range of rates", "share", least=5, options=acted_on)
def rate_metrics(cell: Cell) -> Judge:
    """Limits contain the true accuracy at a rate, and all recalls up to twice the rate."""
    rate, p = cell.options["rate"], cell.share
    last = min(2 * rate, 1.0)
    low, high = (cell.pair.recall(p, at) for at in (rate, last))
    truth = 1 - rate - p + 2 * p * low

    def judge(rng: Rng) -> dict[str, bool]:
        found = rb.rate_bounds(cell.sample(rng), rate=[rate, last], level=cell.level, rng=rng)
        one, both = found.accuracy(rate), found.between(rate, last)
        held = inside(both.low, low, 1.0) and inside(0.0, high, both.high)
        return {"accuracy": inside(one.low, truth, one.high), "range": held}

    return judge


@statement("rate_difference", "share", models=2, least=5, options=acted_on)
def rate_difference(cell: Cell) -> Judge:
    """Limits contain the difference of recalls at a rate; equal ones are not rejected."""
    rate = cell.options["rate"]
    one, two = (pair.recall(cell.share, rate) for pair in cell.pairs)

    def judge(rng: Rng) -> dict[str, bool]:
        found = rb.rate_difference(cell.sample(rng), rate=rate, level=cell.level)
        held = {"interval": inside(found.lower[0], one - two, found.upper[0])}
        if abs(one - two) < EQUAL:
            held["test"] = bool(found.pvalue[0] > 1.0 - cell.level)
        return held

    return judge


# ------------------------------------------------------------------------- costs, net benefit


def condition(rng: Rng) -> dict[str, Any]:
    return {**correlated(rng), "w": pick(rng, 0.02, 0.1, 0.3, 0.5, 0.8, 0.97), "at": pick(rng, 0.1, 0.3, 0.5, 0.8, 0.95)}  # fmt: skip


def cost(pair: pop.Pair, cut: float, w: Any) -> Any:
    fpr, tpr = pair.rates(cut)
    return w * (1 - tpr) + (1 - w) * fpr


@statement("cost_interval", options=condition)
def cost_interval(cell: Cell) -> Judge:
    """Limits contain the true cost of a threshold chosen beforehand, class sizes fixed."""
    w, cut = cell.options["w"], cell.pair.quantile(cell.options["at"])
    truth = cost(cell.pair, cut, w)

    def judge(rng: Rng) -> dict[str, bool]:
        found = rb.cost_interval(cell.sample(rng), thresholds=cut, w=w, level=cell.level)
        return {"interval": inside(found.lower[0], truth, found.upper[0])}

    return judge


@statement("cost_interval, full sampling", "share", least=5, options=condition)
def cost_interval_full(cell: Cell) -> Judge:
    """Limits contain the true cost in units of the larger one, class sizes random."""
    w, cut, p = cell.options["w"], cell.pair.quantile(cell.options["at"]), cell.share
    fpr, tpr = cell.pair.rates(cut)
    truth = (w * p * (1 - tpr) + (1 - w) * (1 - p) * fpr) / max(w, 1 - w)

    def judge(rng: Rng) -> dict[str, bool]:
        found = rb.cost_interval(
            cell.sample(rng), thresholds=cut, costs=(w, 1 - w), sampling="full", level=cell.level
        )
        return {"interval": inside(found.lower[0], truth, found.upper[0])}

    return judge


@statement("cost_interval, varying share", options=condition)
def cost_interval_varying(cell: Cell) -> Judge:
    """Limits contain the cost in a population whose share of positives is drawn."""
    w, cut, p = cell.options["w"], cell.pair.quantile(cell.options["at"]), cell.share
    fpr, tpr = cell.pair.rates(cut)
    sd = 0.3 * (p * (1 - p)) ** 0.5
    many = p * (1 - p) / sd**2 - 1

    def judge(rng: Rng) -> dict[str, bool]:
        q = rng.beta(p * many, (1 - p) * many)
        truth = (w * q * (1 - tpr) + (1 - w) * (1 - q) * fpr) / max(w, 1 - w)
        law = rb.cost.ShareLaw(sd, mean=p)
        found = rb.cost_interval(
            cell.sample(rng), thresholds=cut, costs=(w, 1 - w), sampling=law, level=cell.level
        )
        return {"interval": inside(found.lower[0], truth, found.upper[0])}

    return judge


@statement("cost_difference", models=2, options=condition)
def cost_difference(cell: Cell) -> Judge:
    """Same rows: limits contain the difference of costs, at one w and at 9 jointly."""
    return judge_costs(cell, lambda rng: [cell.sample(rng)])


@statement("cost_difference, two sets", models=2, sets=2, options=condition)
def cost_difference_sets(cell: Cell) -> Judge:
    """Two sets: limits contain the difference of costs, at one w and at 9 jointly."""
    return judge_costs(cell, cell.samples)


def judge_costs(cell: Cell, draw: Callable[[Rng], list[Any]]) -> Judge:
    many = np.linspace(0.1, 0.9, 9)
    cuts = [pair.quantile(cell.options["at"]) for pair in cell.pairs]

    def gap(w: Any) -> Any:
        one, two = (cost(pair, cut, w) for pair, cut in zip(cell.pairs, cuts, strict=True))
        return one - two

    def judge(rng: Rng) -> dict[str, bool]:
        data, w = draw(rng), cell.options["w"]
        one = rb.cost_difference(*data, thresholds=cuts, w=w, level=cell.level, rng=rng)
        held = {"interval": inside(one.lower[0], gap(w), one.upper[0])}
        try:
            jointly = rb.cost_difference(
                *data, thresholds=cuts, w=many, simultaneous=True, level=cell.level, rng=rng
            )
        except rb.InputError:  # not offered for two test sets
            return held
        return held | {"simultaneous": inside(jointly.lower, gap(many), jointly.upper)}

    return judge


def to_share(s: Array) -> Array:
    """Scores as probabilities, without losing their order."""
    return 0.5 + np.arctan(s) / np.pi


NET_THRESHOLDS = np.linspace(0.05, 0.95, 19)


def net(pair: pop.Pair, p: float, t: Any) -> Any:
    fpr, tpr = pair.rates(np.tan(np.pi * (np.asarray(t) - 0.5)) - 1e-12)
    return p * tpr - (1 - p) * fpr * t / (1 - t)


@statement("net_benefit", "share", least=5, options=lambda rng: {"t": pick(rng, 0.05, 0.2, 0.5, 0.8)})  # fmt: skip
def net_benefit(cell: Cell) -> Judge:
    """Limits contain the true net benefit, at one threshold and at 19 simultaneously."""
    t, p = cell.options["t"], cell.share

    def judge(rng: Rng) -> dict[str, bool]:
        rows = cell.rows(rng)
        data = rows.y, to_share(rows.scores[0])
        one = rb.net_benefit(*data, thresholds=[t], level=cell.level)
        many = rb.net_benefit(
            *data, thresholds=NET_THRESHOLDS, simultaneous=True, level=cell.level, rng=rng
        )
        truth = net(cell.pair, p, NET_THRESHOLDS)
        return {
            "pointwise": inside(
                one.net_benefit_lower[0], net(cell.pair, p, t), one.net_benefit_upper[0]
            ),
            "simultaneous": inside(many.net_benefit_lower, truth, many.net_benefit_upper),
        }

    return judge


@statement("net_benefit_difference", "share", models=2, least=5,
           options=lambda rng: {**correlated(rng), "t": pick(rng, 0.05, 0.2, 0.5, 0.8)})  # fmt: skip
def net_benefit_difference(cell: Cell) -> Judge:
    """Limits contain the true difference of net benefits at a threshold."""
    t, p = cell.options["t"], cell.share
    truth = net(cell.pairs[0], p, t) - net(cell.pairs[1], p, t)

    def judge(rng: Rng) -> dict[str, bool]:
        rows = cell.rows(rng)
        one, two = map(to_share, rows.scores)
        found = rb.net_benefit_difference(rows.y, one, two, thresholds=[t], level=cell.level)
        return {"interval": inside(found.lower[0], truth, found.upper[0])}

    return judge


@statement("brier_score_interval", "share", least=5)
def brier_score(cell: Cell) -> Judge:
    """The interval contains the true mean squared error of the probabilities."""
    # E p^2 = integral of 2 t P(p >= t) over t, and E (1 - p)^2 = 1 - integral of 2 (1 - t) P(p >= t).
    t = (np.arange(20_000) + 0.5) / 20_000
    fpr, tpr = cell.pair.rates(np.tan(np.pi * (t - 0.5)))
    missed, alarmed = 1.0 - np.mean(2 * (1 - t) * tpr), np.mean(2 * t * fpr)
    truth = float(cell.share * missed + (1 - cell.share) * alarmed)

    def judge(rng: Rng) -> dict[str, bool]:
        rows = cell.rows(rng)
        found = rb.brier_score_interval(rows.y, to_share(rows.scores[0]), level=cell.level)
        return {"interval": inside(found.low, truth, found.high)}

    return judge


# ------------------------------------------------------------------------------------ classes


@statement("class_bands", models=3, most=300, weight=2.0, least=10, options=lambda rng: {**correlated(rng), "ratio": pick(rng, 1, 1, 3, 10)})  # fmt: skip
def class_bands(cell: Cell) -> Judge:
    """All bands contain the curves of three classes; limits of both average areas hold."""
    # Column k: positives' scores in class k, negatives' in the others, so curves are those of pairs.
    counts = [max(10, cell.sizes[0]), max(10, cell.sizes[1]), max(10, cell.sizes[0] // cell.options["ratio"])]  # fmt: skip
    labels = np.repeat([0, 1, 2], counts)
    mean = float(np.mean([pair.auc for pair in cell.pairs]))

    def judge(rng: Rng) -> dict[str, bool]:
        own = np.stack([(labels == k).astype(int) for k in range(3)])
        keep = np.sqrt(cell.rho[0])
        z = keep * rng.standard_normal((1, 2, labels.size)) + np.sqrt(1 - keep**2) * rng.standard_normal((3, 2, labels.size))  # fmt: skip
        columns = []
        for k, pair in enumerate(cell.pairs):
            column = np.empty(labels.size)
            for label, law in ((1, pair.pos), (0, pair.neg)):
                rows = own[k] == label
                column[rows] = law.scores(z[k, 0, rows], z[k, 1, rows])
            columns.append(column)
        made = rb.class_bands(labels, np.stack(columns, axis=1), level=cell.level, **DRAWS, rng=rng)
        one, two = made.macro_auc, made.hand_till_auc
        return {
            "bands": all(b.contains(p.curve) for b, p in zip(made, cell.pairs, strict=True)),
            "macro AUC": inside(one.low, mean, one.high),
            "Hand-Till AUC": inside(two.low, mean, two.high),
        }

    return judge


# ------------------------------------------------------------------------------- random cells


def draw_level(rng: Rng) -> float:
    return float(rng.choice([0.8, 0.9, 0.95, 0.99], p=[0.1, 0.35, 0.45, 0.1]))


def draw_models(rng: Rng, asked: Statement) -> list[dict[str, Any]]:
    if not asked.models:
        return []
    first = pop.draw_scores(rng)
    made = [first]
    equal = asked.models > 2 and asked.name.startswith("compare_many") and rng.random() < 0.5
    while len(made) < asked.models:
        made.append(dict(first, kind="same curve") if equal else pop.draw_second(rng, first))
    return made


def draw_all_sizes(rng: Rng, asked: Statement) -> list[int]:
    sizes: list[int] = []
    for _ in range(asked.sets):
        sizes += pop.draw_sizes(rng, asked.most, asked.least)
    if asked.design in ("weights", "strata", "groups", "survival"):
        sizes = [max(30, size) for size in sizes]
    return sizes


PARTS: dict[str, Callable[[Rng, Statement], Any]] = {
    "level": lambda rng, asked: draw_level(rng),
    "sizes": draw_all_sizes,
    "scores": draw_models,
    "design": lambda rng, asked: pop.draw_design(rng, asked.design),
    "options": lambda rng, asked: asked.options(rng),
}


def draw_cell(asked: Statement, seed: int) -> Cell:
    """A cell of this statement at random."""
    rng = np.random.default_rng(seed)
    parts = {name: draw(rng, asked) for name, draw in PARTS.items()}
    return Cell.of({"seed": seed, "statement": asked.name, **parts})


def vary_cell(asked: Statement, cell: Cell, seed: int) -> Cell:
    """The same cell with one or two of its parts drawn again."""
    rng = np.random.default_rng(seed)
    spec = dict(cell.spec(), seed=seed)
    for name in rng.choice(list(PARTS), int(rng.integers(1, 3)), replace=False):
        spec[name] = PARTS[name](rng, asked)
    return Cell.of(spec)
