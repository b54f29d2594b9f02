"""What the authors argue without measuring it, or leave to later work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np

from rocbands.bands._averaging import Rule
from rocbands_studies.papers.macskassy_2004.fitted import CORRECTIONS, Correction
from rocbands_studies.papers.macskassy_2004.setting import (
    BOTH,
    DATA,
    HOSTS,
    ONE_HOST,
    PAPER,
    RULES,
    TWO_HOSTS,
    Figures,
    Grid,
    Hosts,
    Kind,
    averages,
    fixed_width,
    joint_region,
    judge_against,
    learn_trees,
    name_group,
    others,
    working_hotelling,
)
from rocbands_studies.papers.methods import PrintedThreshold, PrintedVertical
from rocbands_studies.papers.paper import (
    Claim,
    DataSource,
    Picture,
    Row,
    Scale,
    judge_claim,
    judge_own,
    mean_of,
    spread_text,
)
from rocbands_studies.papers.verification import Host
from rocbands_studies.results import Figure

_PAIR: tuple[Hosts, ...] = (TWO_HOSTS, ONE_HOST)
_R = 12500


def _ask(kind: Kind, column: str, value: object, tested: tuple[str, ...] = BOTH) -> Kind:
    """Give a kind of band a column of its own, and at most two pairs of hosts."""
    hosts = tuple(hosts for hosts in _PAIR if hosts in kind.hosts)
    return replace(kind, hosts=hosts, tested=tested, extra=((column, value),))


def _values(figures: Figures, kinds: Iterable[Kind], hosts: Hosts, name: str) -> list[float]:
    return [figures(kind, _R, hosts, name).value for kind in kinds]


def _range(values: list[float], digits: int = 2) -> str:
    low, high = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
    return low if low == high else f"{low} to {high}"


def _corrected(correction: Correction) -> list[Kind]:
    return [
        _ask(replace(kind, correction=correction), "correction", _say(correction))
        for kind in averages()
    ]


def _say(correction: str) -> str:
    return "uncorrected" if correction == "none" else correction


_POINTWISE = {"none": 0.95, "Bonferroni": 0.9995}  # levels of Working-Hotelling bands


class Corrections(Grid):
    """Averages whose intervals are corrected for being made at many places."""

    name = "macskassy-2004-corrections"
    paper = f"{PAPER}, section 5.5"
    title = "Averages with corrections for multiple comparisons"
    picture = Picture("correction", ("method",), ("tested", "hosts"), 0.95)
    kinds = (
        *(kind for name in CORRECTIONS for kind in _corrected(name)),
        *(
            _ask(replace(working_hotelling()[1], level=level), "correction", _say(name))
            for name, level in _POINTWISE.items()
        ),
    )

    def rows(self, figures: Figures) -> Iterator[Row]:
        yield from super().rows(figures)
        for kind in self.kinds:
            for hosts in kind.hosts:
                yield Row(
                    where={
                        "method": kind.name,
                        "r": _R,
                        "hosts": HOSTS[hosts],
                        "mean height with": dict(kind.extra)["correction"],
                    },
                    ours=figures(kind, _R, hosts, "area"),
                    digits=4,
                    why_not="not printed",
                )

    def claims(self, figures: Figures) -> Iterator[Claim]:
        yield _conservative(
            figures,
            "Bonferroni's correction is too conservative: 100 comparisons at 0.05 err with "
            "probability 0.994, and delta would have to be 0.0005.",
            ("Bonferroni",),
            f"The arithmetic is right (1 - 0.95 ** 100 = {1.0 - 0.95**100:.3f}, 0.05 / 100 = "
            f"{0.05 / 100:g}), but 0.994 is the error of 100 independent comparisons without the "
            "correction, not with it. ",
        )
        yield _conservative(
            figures,
            "Less conservative alternatives are still too conservative, because the points of a "
            "curve are far from independent.",
            CORRECTIONS[2:],
            "Sidak's correction takes the points for independent and is; an effective number and "
            "the curves' common level know how they depend, and are not. ",
        )
        corrected = [
            [
                kind
                for name in CORRECTIONS[1:]
                for kind in _corrected(name)
                if kind.name.startswith(family)
            ]
            for family in ("vertical", "threshold")
        ]
        whole = [
            [_values(figures, kinds, hosts, "inside") for hosts in (ONE_HOST, TWO_HOSTS)]
            for kinds in corrected
        ]
        yield judge_own(
            "no correction makes a band of these averages: whole curves leave it between the "
            "places that are corrected for.",
            "; ".join(
                f"{family} averages hold {_range(one)} of whole curves with one host, "
                f"{_range(two)} with two"
                for family, (one, two) in zip(("vertical", "threshold"), whole, strict=True)
            )
            + ".",
            max(value for both in whole for held in both for value in held) < 0.95,
        )
        normal = {_say(name): _corrected(name)[1] for name in CORRECTIONS}
        heights = {name: figures(kind, _R, ONE_HOST, "area").value for name, kind in normal.items()}
        knots = {
            name: figures(kind, _R, ONE_HOST, "at knots").value for name, kind in normal.items()
        }
        yield judge_own(
            "intervals whose common level is taken from the fitting curves hold 0.95 of the curves "
            "at the knots of a vertical average.",
            "with one host and normal limits "
            + ", ".join(f"{knots[name]:.3f} ({name})" for name in normal)
            + "; mean heights of the bands "
            + ", ".join(f"{heights[name]:.4f}" for name in normal)
            + ".",
            abs(knots["simultaneous"] - 0.95) < 0.015,
        )

    def notes(self, figures: Figures) -> tuple[str, ...]:
        return (
            *super().notes(figures),
            "r = 12500, 1000 fitting curves, level 0.95. Sidak: 0.95 ** (1 / 100) at each place. "
            "Effective number: 0.05 divided by the number of independent places with the same "
            "correlations (Galwey 2009). Simultaneous: the level at which the intervals hold 0.95 "
            "of the fitting curves at all places. Holm's and similar procedures order p-values "
            "and make no bands.",
            "Of 1000 curves the empirical rule can cut off no 0.00025 at either end: with "
            "Bonferroni and Sidak it takes the lowest and the highest curve of each place.",
        )


def _conservative(figures: Figures, text: str, names: tuple[Correction, ...], before: str) -> Claim:
    """Judge whether corrected intervals hold more than their level at the places they are for."""
    held = {
        name: [
            figures(kind, _R, ONE_HOST, "at knots")
            for kind in _corrected(name)
            if kind.name.startswith("vertical")
        ]
        for name in names
    }
    every = [one for figures_of_rules in held.values() for one in figures_of_rules]
    found = "; ".join(
        f"{_range([one.value for one in of_rules], 3)} ({_say(name)})"
        for name, of_rules in held.items()
    )
    claim = judge_against(
        text,
        f"{before}At the 100 places of vertical averages, with one host, they hold {found} of the "
        "curves by the three rules, at level 0.95.",
        min(every).low > 0.95,
        short=f"at the 100 places of vertical averages {found} by the three rules, at level 0.95.",
    )
    return (
        replace(claim, verdict="not reproduced")
        if max(every).low > 0.95 > min(every).value
        else claim
    )


def _threshold(rule: Rule, knots: str, correction: Correction) -> Kind:
    method = PrintedThreshold(interval=rule, rectangles=knots == "rectangles")
    extra = (("knots", knots), ("correction", _say(correction)))
    kind = Kind(f"threshold {rule}", method, _PAIR, tested=BOTH, correction=correction)
    return replace(kind, extra=extra)


_KNOTS = ("intervals", "rectangles")
_ENDS: tuple[Correction, ...] = ("none", "Bonferroni")


class Rectangles(Grid):
    """Threshold averages that use the interval of the fpr, too."""

    name = "macskassy-2004-rectangles"
    paper = f"{PAPER}, footnote 8"
    title = "Threshold averages with intervals of both rates"
    picture = Picture("method", ("knots", "correction"), ("tested", "hosts"), 0.95)
    kinds = tuple(
        _threshold(rule, knots, correction)
        for correction in _ENDS
        for rule in RULES
        for knots in _KNOTS
    )

    def claims(self, figures: Figures) -> Iterator[Claim]:
        def held(knots: str, hosts: Hosts, correction: Correction = "none") -> list[float]:
            kinds = [_threshold(rule, knots, correction) for rule in ("empirical", "normal")]
            return _values(figures, kinds, hosts, "inside")

        plain, both = ([held(knots, hosts) for hosts in _PAIR] for knots in _KNOTS)
        heights = [
            figures(_threshold("normal", knots, "none"), _R, TWO_HOSTS, "area").value
            for knots in _KNOTS
        ]
        binomial = figures(_threshold("binomial", "rectangles", "none"), _R, TWO_HOSTS)
        yield judge_claim(
            "Without the interval of the fpr, containment of threshold averages is underestimated; "
            "better bands may be found with a better connecting method.",
            f"bands through the corners of the rectangles hold {_range(both[0])} of whole curves "
            f"with two hosts (without the fpr {_range(plain[0])}) and {_range(both[1])} "
            f"with one host ({_range(plain[1])}), by empirical and normal limits. Their mean "
            f"height is {heights[1]:.3f} instead of {heights[0]:.3f}. Binomial limits, which are "
            f"not made from the data, hold {binomial.value:.2f}.",
            min(both[0]) > max(plain[0]) + 0.1 and min(both[1]) > max(plain[1]) + 0.1,
        )
        fixed = [held("rectangles", hosts, "Bonferroni") for hosts in _PAIR]
        yield replace(
            judge_claim(
                "The failure of threshold averages is probably that of the naive way to make bands "
                "of them.",
                f"with rectangles and intervals at delta 0.0005 they hold {_range(fixed[1])} with "
                f"one host, and {_range(fixed[0])} with two hosts. Here Bonferroni's "
                "correction is conservative, as a band for curves of the same host; it leaves "
                "room for the second sample that verification curves of RG have.",
                min(fixed[1]) >= 0.95,
            ),
            item="section 6",
        )

    def notes(self, figures: Figures) -> tuple[str, ...]:
        return (
            *super().notes(figures),
            "The upper edge joins the northwest corners of the rectangles, the lower edge the "
            "southeast corners; both intervals have the same level and rule. r = 12500.",
        )


_POINTS = (10, 50, 100, 400)


def _swept(points: int) -> list[Kind]:
    kinds = (
        replace(fixed_width(), chords=points),
        replace(joint_region(), chords=points),
        *(replace(kind, chords=points) for kind in working_hotelling()[:2]),
        Kind("vertical normal", PrintedVertical("normal", n_points=points)),
        Kind("threshold normal", PrintedThreshold("normal", n_points=points)),
        Kind("rectangles normal", PrintedThreshold("normal", n_points=points, rectangles=True)),
    )
    return [_ask(kind, "points", points) for kind in kinds]


class SweepPoints(Grid):
    """Bands drawn through several numbers of points."""

    name = "macskassy-2004-sweep-points"
    paper = f"{PAPER}, footnote 5"
    title = "Verification curves inside, by the number of points of the sweep"
    picture = Picture("points", ("method",), ("tested", "hosts"), 0.95)
    kinds = tuple(kind for points in _POINTS for kind in _swept(points))

    def claims(self, figures: Figures) -> Iterator[Claim]:
        def by_points(place: int, hosts: Hosts, name: str = "inside") -> list[float]:
            return _values(figures, (_swept(points)[place] for points in _POINTS), hosts, name)

        def text(values: list[float]) -> str:
            return ", ".join(f"{value:.2f}" for value in values)

        asked = [(place, hosts) for place in range(7) for hosts in self.kinds[place].hosts]
        change = max(max(held) - min(held) for held in (by_points(*one) for one in asked))
        yield judge_claim(
            "The number of points will have some effect on the overall fit of the bands.",
            "with 10, 50, 100, 400 points vertical averages hold "
            f"{text(by_points(4, ONE_HOST))} of whole curves with one host "
            f"({text(by_points(4, TWO_HOSTS))} with two hosts), but "
            f"{text(by_points(4, ONE_HOST, 'at knots'))} at their own knots; "
            f"fixed-width bands {text(by_points(0, ONE_HOST))} "
            f"({text(by_points(0, TWO_HOSTS))}), joint regions {text(by_points(1, TWO_HOSTS))}. "
            "Straight lines between points cut off corners of the curves.",
            change > 0.1,
        )
        fine = [by_points(place, hosts)[2:] for place, hosts in asked if place != 4]
        yield judge_own(
            "from 100 points on the number matters for vertical averages alone.",
            f"from 100 to 400 points they gain {_gain(by_points(4, ONE_HOST)):.2f} with one host; "
            f"other bands change by {max(abs(b - a) for a, b in fine):.2f} at most. Trees have 35 "
            "to 40 scores, so that threshold averages have no more knots than that.",
            max(abs(b - a) for a, b in fine) < 0.05,
        )

    def notes(self, figures: Figures) -> tuple[str, ...]:
        return (
            *super().notes(figures),
            "Fixed-width bands, joint regions and Working-Hotelling bands are drawn with straight "
            "lines between their edges at equally spaced fpr, and judged as drawn. Averages have "
            "their own knots, at which they are also tested. r = 12500.",
        )


def _gain(values: list[float]) -> float:
    return values[3] - values[2]


_SMALL = (50, 100, 200, 300, 400, 625, 1250)


class SmallSets(Grid):
    """Bands around curves of few rows."""

    name = "macskassy-2004-small-sets"
    paper = f"{PAPER}, section 5.5"
    title = "Verification curves inside, for small sets"
    picture = Picture("r", ("method",), ("hosts",), 0.95)
    sizes = _SMALL
    repeats: ClassVar[dict[Scale, tuple[int, int, int]]] = {
        "quick": (2, 5, 200),
        "full": (6, 10, 500),
    }
    kinds = tuple(
        replace(kind, hosts=tuple(hosts for hosts in _PAIR if hosts in kind.hosts), tested=BOTH[:1])
        for kind in (
            *(fixed_width(), joint_region(), *working_hotelling()[:2]),
            *(*averages(), others()[0]),
        )
    )

    def claims(self, figures: Figures) -> Iterator[Claim]:
        def by_size(kind: Kind, hosts: Hosts = TWO_HOSTS) -> list[float]:
            return [figures(kind, size, hosts).value for size in _SMALL]

        def text(values: list[float]) -> str:
            return ", ".join(f"{value:.2f}" for value in values)

        fixed, joint = fixed_width(), joint_region()
        simultaneous, pointwise = (by_size(kind) for kind in working_hotelling()[:2])
        best = [by_size(fixed), by_size(joint)]
        yield judge_claim(
            "All methods perform badly with 625 rows, and this gets worse with still smaller sets.",
            f"from {_SMALL[0]} to {_SMALL[-1]} rows fixed-width bands hold {text(best[0])} "
            f"({text(by_size(fixed, ONE_HOST))} with one host) and joint regions {text(best[1])}: "
            "as much as with more rows. What makes every band fail with few rows is the border of "
            "ROC space, which more curves reach before FPR .99 the fewer rows they have (Table 3): "
            "it is of the curves, not of the bands.",
            max(held[0] for held in best) < min(held[-2] for held in best) - 0.05,
            "the paper",
        )
        peaks = [_SMALL[held.index(max(held))] for held in (pointwise, simultaneous)]
        spans = [_span(held) for held in (pointwise, simultaneous)]
        yield judge_claim(
            "Simultaneous Working-Hotelling bands might have a performance curve like that of "
            "pointwise ones, with a wider peak.",
            f"from {_SMALL[0]} to {_SMALL[-1]} rows pointwise bands hold "
            + ", ".join(f"{value:.3f}" for value in pointwise)
            + ", simultaneous ones "
            + ", ".join(f"{value:.3f}" for value in simultaneous)
            + f". The peaks are at {peaks[0]} and {peaks[1]} rows, and at least half of the peak "
            f"is held from {spans[0][0]:.0f} to {spans[0][1]:.0f} and from {spans[1][0]:.0f} to "
            f"{spans[1][1]:.0f} rows. Printed are higher peaks of larger sets, 0.784 with 1250 "
            "rows and 0.996 with 6250, of which nothing is left here with so many rows.",
            all(_SMALL[0] < peak < _SMALL[-1] for peak in peaks)
            and spans[1][1] - spans[1][0] > spans[0][1] - spans[0][0],
        )

    def notes(self, figures: Figures) -> tuple[str, ...]:
        share = max(
            max(sum(side) for side in (host.pos, host.neg)) / (sum(host.pos) + sum(host.neg))
            for host in figures.models
        )
        return (
            *super().notes(figures),
            "A set without one of the classes has no ROC curve and is drawn again. That is no "
            f"matter here: of {_SMALL[0]} rows, with a share of {share:.3f} in the larger class, "
            f"all are of one class with probability {2 * share ** _SMALL[0]:.0e} at most.",
        )


def _span(held: list[float]) -> tuple[float, float]:
    """Return from where to where, with straight lines between sizes, at least half is held."""
    rows = np.arange(_SMALL[0], _SMALL[-1] + 1)
    above = rows[np.interp(rows, _SMALL, held) >= max(held) / 2.0]
    return float(above[0]), float(above[-1])


_OTHER_DATA = (DATA, "adult", "letter-v", "calhous")
_LEARNERS = ("tree-laplace", "logistic", "naive-bayes")
_GROUPS = {(data, name): name_group(data, name) for data in _OTHER_DATA for name in _LEARNERS}


class OtherData(Grid):
    """The bands of Table 2 with other learners and other data."""

    name = "macskassy-2004-other-data"
    paper = f"{PAPER}, section 6"
    title = "Verification curves inside, other learners and data"
    picture = Picture("method", ("learner", "hosts"), ("data", "r"), 0.95)
    needs = _OTHER_DATA
    sizes = (625, 12500)
    kinds = SmallSets.kinds
    repeats: ClassVar[dict[Scale, tuple[int, int, int]]] = {
        "quick": (1, 2, 100),
        "full": (2, 6, 200),
    }

    def learn(self, data: DataSource | None, seed: int, count: int) -> Iterable[Host]:
        for name, learner in _GROUPS:
            yield from learn_trees(data, seed, count, name=name, learner=learner)

    def rows(self, figures: Figures) -> Iterator[Row]:
        for (data, learner), group in _GROUPS.items():
            part = figures.of(group)
            for kind in self.kinds:
                for size in self.sizes:
                    where = {"data": data, "learner": learner}
                    yield from part.rows(kind, size, where=where)

    def claims(self, figures: Figures) -> Iterator[Claim]:
        def each(kinds: Iterable[Kind], hosts: Hosts = TWO_HOSTS) -> list[Figure]:
            return [
                figures.of(group)(kind, size, hosts)
                for group in _GROUPS.values()
                for kind in kinds
                for size in self.sizes
            ]

        fixed, joint, wide = fixed_width(), joint_region(), others()[0]
        printed, shared = each([fixed]), each([fixed], ONE_HOST)
        cells = f"{len(_GROUPS)} pairs of data and learner and r = 625, 12500"
        yield judge_own(
            "what was found of fixed-width bands holds for other learners and data.",
            f"with two hosts {spread_text(printed)}, with one host "
            f"{spread_text(shared)}; over {cells}. Widened by sqrt(2), with two hosts: "
            f"{spread_text(each([wide]))}.",
            mean_of(printed).high < 0.9
            and all(one.low - 0.01 <= 0.95 <= one.high + 0.01 for one in shared),
        )
        regions = each([joint])
        lowest = min(regions)
        yield judge_own(
            "joint regions hold at least 0.95 for other learners and data, but for noise.",
            f"{spread_text(regions)}; the lowest has the interval {lowest.low:.2f} to "
            f"{lowest.high:.2f}.",
            min(one.high for one in regions) >= 0.95,
        )
        bands = {kind.name: each([kind]) for kind in working_hotelling()[:2]}
        yield judge_own(
            "Working-Hotelling bands fail as forecasts for other learners and data.",
            "; ".join(f"{name} {spread_text(held)}" for name, held in bands.items()) + ".",
            max(one.value for held in bands.values() for one in held) < 0.9,
        )
        means = [each(averages(), hosts) for hosts in _PAIR]
        yield judge_own(
            "averages come nowhere near the level for other learners and data.",
            f"with two hosts {spread_text(means[0])}, with one host {spread_text(means[1])}.",
            max(one.value for held in means for one in held) < 0.9,
        )

    def notes(self, figures: Figures) -> tuple[str, ...]:
        return (
            "Rows are split in the paper's proportions, models learned from 1000 rows of the one "
            "part, and sets drawn from the other, with replacement, as printed. Two models of "
            "each kind and six bands of each, with 200 verification curves: less than in Table 2. "
            "Learners are substitutes for those of the 2005 paper.",
            "More than 200 different scores are cut into 200 classes of equal size, so that a "
            "curve has at most 200 corners.",
        )
