"""The setting of the 2004 paper: trees on Covertype, its bands, and what it printed of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np
from scipy.special import ndtri, stdtrit

from rocbands._math.binormal import NoFit, fit_binormal
from rocbands.bands._averaging import Rule
from rocbands.bands.working_hotelling import WorkingHotelling
from rocbands.core.band import BandMethod
from rocbands.core.checks import FloatArray
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SLACK
from rocbands.errors import InputError
from rocbands_studies.measurements import Measured, build_band_quietly
from rocbands_studies.papers.datasets import DataSet
from rocbands_studies.papers.macskassy_2004.fitted import Correction, Fitted
from rocbands_studies.papers.methods import (
    AucHull,
    PrintedFixedWidth,
    PrintedJointRegion,
    PrintedThreshold,
    PrintedVertical,
)
from rocbands_studies.papers.paper import (
    Claim,
    DataSource,
    PaperCell,
    PaperStudy,
    Row,
    Scale,
    mean_of,
    read_printed,
)
from rocbands_studies.papers.verification import SWEEP, Host, Origin, Verification, find_heights
from rocbands_studies.populations import Normal, Pair, RandomClasses, draw_curve
from rocbands_studies.results import Figure, StudyResult
from rocbands_studies.spec import Study
from rocbands_studies.streams import Streams

# A curve like that of the paper's tree: tpr = Phi(1.05 + 0.91 probit(fpr)), 57% positive.
_A, _B, _SHARE = 1.05, 0.91, 0.572
_WORLD = Pair(Normal(_A / _B, 1.0 / _B), Normal(0.0, 1.0), name="binormal")
RANGES = {  # where verification curves are tested: names, with the ends of the places along fpr
    "at the knots": (0.0, 0.99),
    "at the knots from 0.01 to 0.99": (0.01, 0.99),
    "at the knots from 0.05 to 0.95": (0.05, 0.95),
    "at the knots from 0.1 to 0.9": (0.1, 0.9),
}


@dataclass(frozen=True)
class BinormalVerification(PaperCell):
    """How many curves of later sets a Working-Hotelling band of binormal scores holds.

    Notes
    -----
    `true curve`: 1 if the band holds the true curve. The names of `RANGES`: share of the
    verification curves whose heights at the places of the sweep lie inside, in that range. The
    names of `CONSTANTS`: the same from 0.01 to 0.99, for bands of other widths.
    """

    shares: ClassVar[tuple[str, ...]] = ("true curve",)

    size: int  # rows of the set that makes the band, and of each verification set
    n_verify: int = 200  # verification sets for each band
    level: float = 0.95  # of the band

    @property
    def source(self) -> object:
        return (_WORLD, self.size)

    def measure(self, streams: Streams) -> Measured:
        rng = streams.own_rng("sets")
        classes = RandomClasses(self.size, _SHARE)
        roc = draw_curve(_WORLD, rng, *classes.sizes(rng))
        band = build_band_quietly(WorkingHotelling(), roc, self.level, streams, None)
        low, high = band.lower_at(SWEEP) - 2 * SLACK, band.upper_at(SWEEP) + 2 * SLACK
        heights = np.array(
            [
                draw_curve(_WORLD, rng, *classes.sizes(rng)).curve.high(SWEEP)
                for _ in range(self.n_verify)
            ]
        )
        inside = (heights >= low) & (heights <= high)
        held = {
            name: float(inside[:, (start - SLACK <= SWEEP) & (end + SLACK >= SWEEP)].all(1).mean())
            for name, (start, end) in RANGES.items()
        }
        true = float(band.contains(_WORLD.truth))
        return {"true curve": true, **held, **share_by_constant(roc, heights)}


# Multiples k of the standard error: chi-square quantiles, without the root that the formula takes
# of them; and as many times as wide as the printed numbers need with our trees.
UNEXPLAINED = 1.77
_ROOTS = {
    "WHB simultaneous": math.sqrt(-2.0 * math.log(0.05)),
    "WHB pointwise": float(ndtri(0.975)),
}
CONSTANTS = {
    f"{name}, k = {k:.2f}": k
    for name, root in _ROOTS.items()
    for k in (root**2, UNEXPLAINED * root**2)
}


def share_by_constant(roc: RocCurve, heights: FloatArray) -> dict[str, float]:
    """Share of curves within k standard errors of the binormal line of `roc`, for some k.

    Parameters
    ----------
    roc : RocCurve
        The set that the line is fitted to. If none fits, no curve is held.
    heights : ndarray of shape (curves, places)
        True positive rates at the places of the sweep; those from 0.01 to 0.99 count, where a
        height of 0 or 1 is in no band of any width.
    """
    fit = fit_binormal(*(np.diff(side, prepend=0)[::-1] for side in (roc.fp, roc.tp)))
    if isinstance(fit, NoFit):
        return dict.fromkeys(CONSTANTS, 0.0)
    u = ndtri(SWEEP[1:])
    off = np.abs(ndtri(heights[:, 1:]) - (fit.a + fit.b * u)) / np.sqrt(fit.variance_at(u))
    return {name: float(np.mean(off.max(axis=1) <= k)) for name, k in CONSTANTS.items()}


@dataclass(frozen=True)
class ProbitWidths(PaperCell):
    """How many verification curves of a model lie near the binormal line of a set R.

    R and the verification sets are those of a `Verification` of the same size.

    Notes
    -----
    `ceiling`: share of the curves that are below TPR 1 at FPR 0.99; no Working-Hotelling band holds
    another one. The names of `CONSTANTS`: share inside bands of these widths.
    """

    host: Host
    size: int
    n_verify: int = 1000

    @property
    def source(self) -> object:
        return (self.host, self.size, self.n_verify)

    def measure(self, streams: Streams) -> Measured:
        sample = streams.draw_shared("R", lambda rng: self.host.draw(rng, self.size))
        curves = streams.draw_shared(
            "verification RG", lambda rng: self.host.curves(rng, self.size, self.n_verify)
        )
        heights = find_heights(curves, SWEEP)
        below = float(np.mean(heights[:, -1] < 1.0 - SLACK))
        return {"ceiling": below, **share_by_constant(sample.roc, heights)}


PAPER = "Macskassy and Provost 2004"
SIZES = (625, 1250, 6250, 12500, 25000)
FIT_SIZES = (10, 100, 500, 1000, 5000)
DATA = "covertype"
_BANDS = 10  # of the paper, for each number


class Printed(NamedTuple):
    """Mean and standard deviation over ten bands."""

    mean: float
    sd: float


TABLE_2 = {
    name: Printed(**row) for name, row in read_printed("macskassy_2004", "table2.csv").items()
}
_SD = read_printed("macskassy_2004", "table3_sd.csv")
TABLE_3 = {
    name: {int(size): Printed(mean, _SD[name][size]) for size, mean in row.items()}
    for name, row in read_printed("macskassy_2004", "table3.csv").items()
}

# Where fitting and verification sets are drawn from.
Hosts: TypeAlias = tuple[Origin, Origin]
TWO_HOSTS: Hosts = ("R", "RG")
ONE_HOST: Hosts = ("RG", "RG")
HOSTS = {TWO_HOSTS: "R and RG", ONE_HOST: "RG for both"}
OTHER_READING = "another reading of the procedure; the printed number is judged under the first"
GUESS = "a guess at the paper's program"

_CURVES = {"inside": "whole curve", "at knots": "at the knots", "strictly": "strictly inside"}
BOTH = ("inside", "at knots")
RULES: tuple[Rule, ...] = ("empirical", "normal", "binomial")

_ROWS = 495_141  # of which the paper learns from 256,000 and draws test sets from 125,000
_MODEL_SHARE, _HOST_SHARE = 256_000 / _ROWS, 125_000 / _ROWS
_LEARNED_FROM = 1000
_MOST_SCORES = 200


def learn_model(
    cases: DataSet,
    seed: int,
    number: int,
    learned_from: int = _LEARNED_FROM,
    learner: str = "tree-laplace",
) -> Host:
    """Split the rows, learn a model from some of the one part, score the other.

    More than `_MOST_SCORES` different scores are cut into so many classes of equal size.
    """
    from rocbands_studies.papers.learners import fit

    rng = np.random.default_rng([seed, number])
    order = rng.permutation(len(cases))
    model, host = (round(share * len(cases)) for share in (_MODEL_SHARE, _HOST_SHARE))
    rows = order[model : model + host]
    score = fit(learner, cases, rng.choice(order[:model], learned_from), rng)
    scores, level, count = np.unique(-score(rows), return_inverse=True, return_counts=True)
    if scores.size > _MOST_SCORES:
        middle = np.cumsum(count) - count / 2.0
        coarse = np.floor(_MOST_SCORES * middle / rows.size).astype(np.intp)
        level = np.unique(coarse, return_inverse=True)[1][level]
    positive = cases.y[rows]
    sides = (level[positive], level[~positive])
    pos, neg = (np.bincount(side, minlength=level.max() + 1).tolist() for side in sides)
    name = f"{name_group(cases.name, learner)} {number}"
    name += "" if learned_from == _LEARNED_FROM else f" of {learned_from} rows"
    return Host(name, tuple(pos), tuple(neg))


def name_group(data: str, learner: str) -> str:
    """Name models of one kind; the paper's own are called trees.

    Examples
    --------
    >>> name_group("covertype", "tree-laplace"), name_group("adult", "logistic")
    ('tree', 'adult, logistic')
    """
    return "tree" if (data, learner) == (DATA, "tree-laplace") else f"{data}, {learner}"


def learn_trees(
    data: DataSource | None,
    seed: int,
    count: int,
    learned_from: int = _LEARNED_FROM,
    name: str = DATA,
    learner: str = "tree-laplace",
) -> tuple[Host, ...]:
    """Learn some trees, or other models, each with a split of its own."""
    if data is None:
        raise InputError(
            f"This study needs the data set {name!r}; it was planned without data. Name a folder "
            "of data sets."
        )
    cases: DataSet = data(name)
    return tuple(
        learn_model(cases, seed, number, learned_from, learner) for number in range(1, count + 1)
    )


@dataclass(frozen=True)
class Kind:
    """A band of the paper, and what is asked of it."""

    name: str
    method: BandMethod
    hosts: tuple[Hosts, ...] = (TWO_HOSTS, ONE_HOST)
    widened: bool = False
    chords: int = 0
    tested: tuple[str, ...] = ("inside",)
    n_fit: int = 0
    level: float = 0.95
    correction: Correction | None = None  # if given, fitting curves are drawn from either host
    extra: tuple[tuple[str, object], ...] = ()  # further columns of its rows

    def cell(self, host: Host, size: int, hosts: Hosts, n_verify: int) -> Verification:
        """Put a cell together."""
        cell = Verification(
            host,
            size,
            self.method,
            *hosts,
            n_verify=n_verify,
            level=self.level,
            widened=self.widened,
            chords=self.chords,
            n_fit=self.n_fit,
        )
        if self.correction is None:
            return cell
        return Fitted(**vars(cell), correction=self.correction)


def fixed_width(n_fit: int = 1000) -> Kind:
    """Return the paper's best band; FixedWidth itself refuses fewer than 20 fitting sets."""
    return Kind("fixed-width", PrintedFixedWidth(n_resamples=max(n_fit, 20)), n_fit=n_fit)


def joint_region() -> Kind:
    """Return joint regions, with each axis at the level, as in the paper."""
    return Kind("joint regions", PrintedJointRegion(), (TWO_HOSTS,))


def working_hotelling() -> tuple[Kind, ...]:
    """Return bands on the probit scale, drawn with 100 straight pieces, and as they are."""
    names = {True: "WHB simultaneous", False: "WHB pointwise"}
    drawn = (
        Kind(name, WorkingHotelling(simultaneous), (TWO_HOSTS,), chords=100, tested=BOTH)
        for simultaneous, name in names.items()
    )
    return (*drawn, Kind("WHB not drawn", WorkingHotelling(), (TWO_HOSTS,)))


def averages(n_fit: int = 1000) -> tuple[Kind, ...]:
    """Return vertical and threshold averages by all three rules."""
    return tuple(
        Kind(f"{method.name} {rule}", method(interval=rule, n_resamples=n_fit), tested=BOTH)
        for method in (PrintedVertical, PrintedThreshold)
        for rule in RULES
    )


def others() -> tuple[Kind, ...]:
    """Return bands that are not in the paper: one widened for future curves, its future work."""
    return (
        Kind("fixed-width x sqrt 2", PrintedFixedWidth(), (TWO_HOSTS,), widened=True),
        Kind("AUC hull", AucHull(), (TWO_HOSTS,)),
    )


class Figures:
    """The figures of a study, by model."""

    def __init__(self, result: StudyResult) -> None:
        self.cells = {
            one.cell: one.figures for one in result.cells if isinstance(one.cell, Verification)
        }
        self.binormal = {
            one.cell.size: {
                name: figure for name, figure in one.figures.items() if isinstance(figure, Figure)
            }
            for one in result.cells
            if isinstance(one.cell, BinormalVerification)
        }
        self.widths = {
            one.cell: one.figures for one in result.cells if isinstance(one.cell, ProbitWidths)
        }
        self.n_verify = next(iter(self.cells)).n_verify
        self.models = tuple(dict.fromkeys(cell.host for cell in self.cells))

    def of(self, group: str) -> Figures:
        """Return those of some models, whose names are that of the group and a number."""
        part = copy(self)
        part.models = tuple(one for one in self.models if one.name.rpartition(" ")[0] == group)
        return part

    def each(self, kind: Kind, size: int, hosts: Hosts, name: str = "inside") -> list[Figure]:
        """Return one figure for each model."""
        figures = [
            self.cells[kind.cell(model, size, hosts, self.n_verify)][name] for model in self.models
        ]
        return [figure for figure in figures if isinstance(figure, Figure)]

    def __call__(self, kind: Kind, size: int, hosts: Hosts, name: str = "inside") -> Figure:
        """Return the mean over models."""
        return mean_of(self.each(kind, size, hosts, name))

    def near_line(self, size: int, name: str) -> list[Figure]:
        """Return one figure of `ProbitWidths` for each model."""
        figures = [
            self.widths[ProbitWidths(model, size, self.n_verify)][name] for model in self.models
        ]
        return [figure for figure in figures if isinstance(figure, Figure)]

    def rows(
        self,
        kind: Kind,
        size: int,
        number: Printed | None = None,
        where: Mapping[str, object] = MappingProxyType({}),
    ) -> Iterator[Row]:
        """Make one row for each way to test and each pair of hosts.

        The printed number is judged once: with one host, by curves that fall "completely within"
        the band; it may lie anywhere from whole curves to their heights at the places of the sweep.
        How our trees differ from each other does not excuse a difference: its noise is that of the
        paper's ten bands.
        """
        judged = ONE_HOST if ONE_HOST in kind.hosts else TWO_HOSTS  # no fitting sets, one host
        for name in kind.tested:
            for hosts in kind.hosts:
                if name == "strictly" and hosts != judged:
                    continue
                figures = self.each(kind, size, hosts, name)
                note, noise = f"sd between bands {band_spread(figures):.3f}", 0.0
                if number is not None:
                    note += f" (printed {number.sd:.3f})"
                    noise = number.sd / math.sqrt(_BANDS)
                note += _say_range(figures)
                why_not = f"not printed; {note}"
                if number is not None:
                    why_not = f"{GUESS if name == 'strictly' else OTHER_READING}; {note}"
                at_knots = None
                if number is not None and (hosts, name) == (judged, "inside"):
                    at_knots, why_not = self(kind, size, hosts, "at knots"), ""
                yield Row(
                    where={
                        **where,
                        "method": kind.name,
                        **dict(kind.extra),
                        "r": size,
                        "hosts": HOSTS[hosts],
                        "tested": _CURVES[name],
                    },
                    ours=mean_of(figures),
                    other=at_knots,
                    printed=None if number is None else number.mean,
                    noise=noise,
                    digits=3,
                    why_not=why_not,
                    note=note,
                )

    def width_rows(self, size: int) -> Iterator[Row]:
        """Make rows of bands of other widths about the line, and of what no width can hold."""
        for name in ("ceiling", *CONSTANTS):
            figures = self.near_line(size, name)
            printed = TABLE_3.get(name.partition(",")[0], {}).get(size)
            yield Row(
                where={
                    "method": name,
                    "r": size,
                    "hosts": HOSTS[ONE_HOST],
                    "tested": "below TPR 1 at FPR 0.99" if name == "ceiling" else "at the knots",
                },
                ours=mean_of(figures),
                printed=None if printed is None else printed.mean,
                digits=3,
                why_not=(
                    f"not printed; {_say_range(figures)[2:]}"
                    if printed is None
                    else f"{GUESS}{_say_range(figures)}"
                ),
            )

    def binormal_rows(self, size: int) -> Iterator[Row]:
        """Make rows of Working-Hotelling bands where scores are exactly binormal."""
        for name in ("true curve", *RANGES, *CONSTANTS):
            where, _, part = name.partition(" from ")
            named = where.removeprefix("WHB ") if name in CONSTANTS else part and f"fpr {part}"
            yield Row(
                where={
                    "method": "WHB binormal" + (named and f", {named}"),
                    "r": size,
                    "hosts": "true curve" if name == "true curve" else "population",
                    "tested": "whole curve" if name == "true curve" else "at the knots",
                },
                ours=self.binormal[size][name],
                digits=3,
                why_not="not printed: exactly binormal scores instead of a tree",
            )


class Grid(PaperStudy[Figures]):
    """Bands of several kinds around curves of sets of several sizes, verified as in Table 2."""

    needs: tuple[str, ...] = (DATA,)
    kinds: tuple[Kind, ...]
    sizes: tuple[int, ...] = (12500,)
    # Models, bands of each, and verification curves of each band.
    repeats: ClassVar[dict[Scale, tuple[int, int, int]]] = {
        "quick": (2, 5, 200),
        "full": (10, 10, 500),
    }

    def learn(self, data: DataSource | None, seed: int, count: int) -> Iterable[Host]:
        """Learn the models."""
        return learn_trees(data, seed, count)

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        models, bands, verify = self.repeats[scale]
        cells = (
            kind.cell(host, size, hosts, verify)
            for host in self.learn(data, seed, models)
            for size in self.sizes
            for kind in self.kinds
            for hosts in kind.hosts
        )
        return Study(self.name, tuple(cells), bands, block=10, seed=seed)

    def read(self, found: StudyResult, scale: Scale) -> Figures:
        return Figures(found)

    def rows(self, figures: Figures) -> Iterator[Row]:
        for kind in self.kinds:
            for size in self.sizes:
                yield from figures.rows(kind, size)

    def notes(self, figures: Figures) -> tuple[str, ...]:
        return describe_trees(figures.models)


def describe_trees(hosts: Iterable[Host]) -> tuple[str, ...]:
    """Say what stands for what."""
    scores = [len(host.pos) for host in hosts]
    ours = (
        f"Here a substitute learned {len(scores)} trees, each with its own split and {min(scores)} "
        f"to {max(scores)} different scores; ours is the mean over these trees. The noise of a "
        "printed number is its spread over the root of ten."
        if len(scores) > 1
        else f"Here a substitute learned a tree with {scores[0]} different scores."
    )
    return (
        "Hosts: section 5.3 draws fitting sets from R and verification sets from RG, section 5.5 "
        "draws from RG. The spreads printed in Table 2 exclude two hosts: 0.007 between "
        "fixed-width bands, where two hosts give 0.17 and one host gives 0.010. So printed numbers "
        "are judged with RG for both. R is drawn from RG once for each band.",
        f"The paper has one tree of C4.5 release 8 and ten bands. {ours}",
    )


def _say_range(figures: Sequence[Figure]) -> str:
    """Say from where to where models go, if there are several."""
    if len(figures) < 2:
        return ""
    low, high = (f(one.value for one in figures) for f in (min, max))
    return f", models {low:.2f} to {high:.2f}"


def band_spread(figures: Sequence[Figure]) -> float:
    """Return the standard deviation between bands of one model, averaged over models."""
    return math.sqrt(math.fsum(standard_error(one) ** 2 * one.n for one in figures) / len(figures))


def standard_error(figure: Figure) -> float:
    """Return the standard error behind Student's interval."""
    if figure.n < 2:
        return 0.0
    return (figure.high - figure.low) / 2.0 / float(stdtrit(figure.n - 1, 0.975))


def judge_against(
    text: str, finding: str, holds: bool, *, item: str = "", short: str = ""
) -> Claim:
    """Judge a claim whose opposite is found if it does not hold, by the paper's own fault."""
    if holds:
        return Claim(text, finding, "reproduced", item, short)
    return Claim(text, finding, "contradicted", item, short, "the paper")


def differ_by(figures: Iterable[Figure]) -> float:
    """Return by how much the lowest and the highest of some figures differ at least.

    Examples
    --------
    >>> round(differ_by([Figure(0.5, 0.47, 0.53, 20), Figure(0.8, 0.76, 0.84, 20)]), 2)
    0.25
    """
    listed = list(figures)
    low, high = min(listed), max(listed)
    return high.value - low.value - math.hypot(high.high - high.value, low.value - low.low)
