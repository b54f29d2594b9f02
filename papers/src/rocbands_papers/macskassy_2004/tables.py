"""Tables 2 and 3, and section 5.5: how many verification curves each band holds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Literal

from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study
from rocbands_papers.macskassy_2004.setting import (
    AS_PRINTED,
    DATA,
    FIT_SIZES,
    PAPER,
    SHARED,
    SIZES,
    TABLE_2,
    TABLE_3,
    BinormalVerification,
    Figures,
    Hosts,
    Kind,
    averages,
    band_spread,
    describe_trees,
    fixed_width,
    joint_region,
    learn_trees,
    others,
    working_hotelling,
)
from rocbands_papers.paper import (
    Claim,
    DataSource,
    PaperStudy,
    Picture,
    Row,
    Scale,
    judge_claim,
    judge_own,
    spread_text,
)

_R = 12500
_SAME = ("fixed-width", "working-hotelling")  # alike in print with 625 rows
_USUAL = SIZES[2:]
_TWINS = "; printed: two unrelated bands have the same 56.2 (1.2)"


class Tables(PaperStudy[Figures]):
    """Table 2 (all bands with 12500 rows) or 3 (some bands by the size of the sets)."""

    needs = (DATA,)
    picture = Picture("r", ("method",), ("fitting from", "verified on", "tested"), 0.95)

    def __init__(self, number: Literal[2, 3]) -> None:
        self.number = number
        self.name = f"macskassy-2004-table{number}"
        self.paper = f"{PAPER}, Table {number}"
        self.title = "Verification curves inside, " + (
            "ten bands on Covertype" if number == 2 else "by the size of the sets"
        )
        self.sizes = (_R,) if number == 2 else SIZES
        self.kinds: tuple[Kind, ...] = (fixed_width(), joint_region(), *working_hotelling())
        self.kinds += (*averages(), *others()) if number == 2 else others()[:1]

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        # In the paper: one model and ten bands.
        models, bands, verify = (4, 10, 200) if scale == "quick" else (10, 50, 1000)
        cells = (
            kind.cell(host, size, hosts, verify)
            for host in learn_trees(data, seed, models)
            for size in self.sizes
            for kind in self.kinds
            for hosts in kind.hosts
        )
        binormal = (BinormalVerification(size) for size in self.sizes)
        return Study(self.name, (*cells, *binormal), bands, block=10, seed=seed)

    def read(self, found: StudyResult, scale: Scale) -> Figures:
        return Figures(found)

    def rows(self, figures: Figures) -> Iterator[Row]:
        for kind in self.kinds:
            for size in self.sizes:
                if self.number == 2:
                    number = TABLE_2.get(kind.name)
                else:
                    number = TABLE_3.get(kind.name, {}).get(size)
                twins = self.number == 3 and size == SIZES[0] and kind.name in _SAME
                yield from figures.rows(kind, size, number, _TWINS if twins else "")
        for size in self.sizes:
            yield from figures.binormal_rows(size)

    def claims(self, figures: Figures) -> Iterator[Claim]:
        usual = (_R,) if self.number == 2 else _USUAL
        yield _hosts_claim(figures, usual)
        yield _joint_claim(figures, usual)
        yield from _table_2_claims(figures) if self.number == 2 else _table_3_claims(figures)

    def notes(self, figures: Figures) -> Iterator[str]:
        yield from describe_trees(figures.models)
        if self.number == 2:
            gap = max(
                figures(kind, _R, hosts, "at knots").value - figures(kind, _R, hosts).value
                for kind in (fixed_width(), joint_region())
                for hosts in kind.hosts
            )
            yield (
                "How the paper tested a curve is not said: the whole of it, or its heights at the "
                "100 places of the sweep. For averages both are given; for fixed-width bands and "
                f"joint regions they agree to {gap:.3f}."
            )
            yield (
                "Binomial limits divide by the number of fitting curves, as printed; their width "
                "says nothing about the data."
            )


def _listed(figures: Iterable[Figure]) -> str:
    return ", ".join(f"{figure.value:.2f}" for figure in figures)


def _range(figures: list[Figure]) -> str:
    return spread_text(figures) if len(figures) > 1 else _listed(figures)


def _hosts_claim(found: Figures, sizes: tuple[int, ...]) -> Claim:
    fixed = fixed_width()
    honest, shared = (
        [found(fixed, size, hosts) for size in sizes] for hosts in (AS_PRINTED, SHARED)
    )
    noises = [
        max(band_spread(found.each(fixed, size, hosts)) for size in sizes)
        for hosts in (AS_PRINTED, SHARED)
    ]
    counting = math.sqrt(0.95 * 0.05 / found.n_verify)
    holds = all(figure.high >= 0.94 for figure in honest)
    return Claim(
        "Fixed-width bands hold 0.95 of the verification curves, and vary little.",
        f"with the hosts as printed {_range(honest)}, with a standard deviation between bands of "
        f"up to {noises[0]:.2f}: a verification curve differs from the one that the band stands "
        "around by the chance of two samples, not of one. With fitting and verification sets both "
        f"from RG {_range(shared)}, with a standard deviation of up to {noises[1]:.3f}, which is "
        f"that of counting {found.n_verify} curves ({counting:.3f}), as it is for the printed "
        "ones: the width is then fitted to the very curves that it is verified on.",
        "reproduced" if holds else "contradicted",
        short=f"with the hosts as printed {_range(honest)}, because a verification curve has the "
        f"chance of a second sample; {_range(shared)} only if fitting and verification sets come "
        "from the same host.",
    )


def _joint_claim(found: Figures, sizes: tuple[int, ...]) -> Claim:
    held = [found(joint_region(), size, AS_PRINTED) for size in sizes]
    return judge_claim(
        "Joint regions hold 0.95 or more, with a larger variance.",
        f"{_range(held)} with the hosts as printed.",
        all(figure.high >= 0.94 for figure in held),
    )


def _table_2_claims(figures: Figures) -> Iterator[Claim]:
    near = [figures(kind, _R, SHARED) for kind in averages()]
    honest = [figures(kind, _R, AS_PRINTED) for kind in averages()]
    hotelling = figures.each(working_hotelling()[0], _R, AS_PRINTED)
    wider = figures(others()[0], _R, AS_PRINTED)
    close = max(one.value for one in hotelling) > 0.7
    yield Claim(
        "Simultaneous Working-Hotelling bands come close, with 0.87.",
        f"{_range(hotelling)} over trees. {_second_sample(figures, _R)}",
        "reproduced" if close else "not reproduced",
        short=f"{_range(hotelling)} over trees; {_second_sample_short(figures, _R)}",
    )
    yield judge_claim(
        "Vertical and threshold averages come nowhere near.",
        f"whole curves inside: {_listed(near)} with one host (vertical, then threshold, by "
        f"the rules empirical, normal, binomial), {_listed(honest)} as printed.",
        max(one.value for one in near) < 0.75,
    )
    yield judge_own(
        "bands with room for the second sample reach the level.",
        f"fixed-width bands times sqrt(2), as in 2005, hold {wider.value:.2f} with the hosts "
        "as printed.",
        wider.high >= 0.95,
    )
    yield Claim(
        "By Bonferroni's argument 100 comparisons at 0.05 err with probability 0.994, and delta "
        "would have to be 0.0005.",
        f"1 - 0.95 ** 100 = {1.0 - 0.95**100:.3f} and 0.05 / 100 = {0.05 / 100:g}: the arithmetic "
        "is right. That 0.994 is no property of the correction: it is the error of 100 independent "
        "comparisons without it. Bands with the correction were not printed.",
        "reproduced",
        item="section 5.5",
    )


def _second_sample_short(found: Figures, size: int) -> str:
    return (
        "the band has no room for a second sample: exactly binormal scores give "
        f"{found.binormal[size]['at the knots'].value:.2f}, too."
    )


def _second_sample(found: Figures, size: int) -> str:
    """Say what a Working-Hotelling band holds where scores are exactly binormal."""
    held = found.binormal[size]
    return (
        "The band is for the true curve and has no room for a second sample: with exactly binormal "
        f"scores, its best case, it holds the true curve with {held['true curve'].value:.2f} and "
        f"{held['at the knots'].value:.2f} of the verification curves at the 100 knots "
        f"({held['at the knots from 0.1 to 0.9'].value:.2f} between fpr 0.1 and 0.9). Our trees do "
        "not fit a line on the probit scale either, but a better fit would not mend this."
    )


def _table_3_claims(figures: Figures) -> Iterator[Claim]:
    fixed, hotelling = fixed_width(), working_hotelling()[0]
    small = [figures(fixed, size, hosts) for size in SIZES[:2] for hosts in (AS_PRINTED, SHARED)]
    falls = [figures(hotelling, size, AS_PRINTED) for size in SIZES]
    yield judge_claim(
        "With 625 and 1250 rows all methods fail equally.",
        f"fixed-width bands hold {_listed(small[:2])} with 625 rows (hosts as printed, one "
        f"host) and {_listed(small[2:])} with 1250: no worse than with more.",
        min(one.value for one in small) <= 0.65,
    )
    rises = falls[2].value > falls[0].value + 0.1 and falls[2].value > falls[-1].value + 0.1
    yield Claim(
        "Simultaneous Working-Hotelling bands are best with 6250 rows and get worse as sets grow "
        "further (0.56, 0.73, 0.996, 0.87, 0.36).",
        f"{_listed(falls)} from 625 to 25000 rows: no peak, and next to nothing anywhere. "
        f"{_second_sample(figures, SIZES[2])}",
        "reproduced" if rises else "not reproduced",
        short=f"{_listed(falls)}, no peak; {_second_sample_short(figures, SIZES[2])}",
    )
    table = [TABLE_3[name][SIZES[0]].mean for name in ("fixed-width", "joint-region")]
    yield Claim(
        "With 625 rows coverage fell below 0.50 even for the best methods (section 6).",
        f"the paper's own Table 3 has {table[0]:.2f} and {table[1]:.2f} there; ours is "
        f"{_listed(small[:2])} for fixed-width bands (hosts as printed, one host).",
        "contradicted" if min(table) > 0.5 else "reproduced",
        item="section 6",
    )


# Section 5.5

_FEW = 10
_PAIRS = (AS_PRINTED, SHARED)
_BINOMIAL = ("vertical binomial", "threshold binomial")


def _asked() -> Iterator[tuple[Kind, int, Hosts]]:
    """List the kinds of bands, the numbers of fitting curves and the hosts that are measured."""
    for n_fit in FIT_SIZES:
        for kind in (fixed_width(n_fit), *averages(n_fit)):
            for hosts in _PAIRS:
                # Ten curves do not show what happens one time in twenty: FixedWidth refuses them.
                if (kind.name, n_fit, hosts) != ("fixed-width", _FEW, AS_PRINTED):
                    yield kind, n_fit, hosts


class Sweep:
    """The figures by method, number of fitting curves, size and hosts."""

    def __init__(self, result: StudyResult) -> None:
        found = Figures(result)
        asked = list(_asked())
        self.figures = {
            (kind.name, n_fit, size, hosts): found(kind, size, hosts)
            for n_fits in FIT_SIZES
            for name in dict.fromkeys(kind.name for kind, *_ in asked)
            for size in SIZES
            for kind, n_fit, hosts in asked
            if (kind.name, n_fit) == (name, n_fits)
        }
        self.models = found.models
        self.names = tuple(dict.fromkeys(name for name, *_ in self.figures))
        self.joint = [found(joint_region(), size, AS_PRINTED) for size in SIZES]

    def over(
        self, name: str, n_fits: Iterable[int] = FIT_SIZES, sizes: Iterable[int] = SIZES[2:]
    ) -> list[Figure]:
        """List the figures of some numbers of curves and sizes, with all sets from RG."""
        return [self.figures[name, n, size, SHARED] for size in sizes for n in n_fits]

    def change(self, name: str) -> float:
        """Return the largest difference that the number of curves makes, from 100 on."""
        rows = ([one.value for one in self.over(name, FIT_SIZES[1:], (r,))] for r in SIZES[2:])
        return max(max(row) - min(row) for row in rows)


class FittingCurves(PaperStudy[Sweep]):
    """The sweep over the number of fitting curves."""

    name = "macskassy-2004-fitting-curves"
    paper = f"{PAPER}, section 5.5"
    title = "Verification curves inside, by the number of fitting curves"
    needs = (DATA,)
    picture = Picture("fitting curves", ("r",), ("method", "fitting from", "verified on"), 0.95)

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        models, bands, verify = (1, 6, 200) if scale == "quick" else (3, 20, 1000)
        cells = []
        for host in learn_trees(data, seed, models):
            for size in SIZES:
                cells.append(joint_region().cell(host, size, AS_PRINTED, verify))
                cells += [kind.cell(host, size, hosts, verify) for kind, _, hosts in _asked()]
        return Study(self.name, tuple(cells), bands, 2, seed)

    def read(self, found: StudyResult, scale: Scale) -> Sweep:
        return Sweep(found)

    def rows(self, figures: Sweep) -> Iterator[Row]:
        for (name, n_fit, size, hosts), figure in figures.figures.items():
            yield Row(
                where={
                    "method": name,
                    "fitting curves": n_fit,
                    "r": size,
                    "fitting from": hosts[0],
                    "verified on": hosts[1],
                },
                ours=figure,
                why_not="said in words only",
            )

    def claims(self, figures: Sweep) -> Iterator[Claim]:
        change = {name: figures.change(name) for name in figures.names if "binomial" not in name}
        few, many = (
            [one for name in _BINOMIAL for one in figures.over(name, (n_fit,))]
            for n_fit in (_FEW, 5000)
        )
        hundred = figures.over("threshold binomial", (100,))
        small = [one for name in _BINOMIAL for one in figures.over(name, (1000,), SIZES[:1])]
        vertical, threshold = (
            [one for rule in ("empirical", "normal") for one in figures.over(f"{name} {rule}")]
            for name in ("vertical", "threshold")
        )
        yield judge_claim(
            "But for binomial averages, the number of fitting curves makes little difference.",
            "from 100 curves on, at most "
            + ", ".join(f"{size:.2f} ({name})" for name, size in change.items())
            + " for r from 6250 on, with one host for all sets.",
            max(change.values()) < 0.12,
        )
        yield judge_claim(
            "Binomial averages hold everything with 10 fitting curves, for r from 6250 on.",
            f"whole curves: {spread_text(few)}.",
            min(one.value for one in few) > 0.97,
        )
        yield judge_claim(
            "Threshold averages do so with 100, too.",
            f"{spread_text(hundred)}, the more the larger r.",
            min(one.value for one in hundred) > 0.97,
        )
        yield judge_claim(
            "They hold nothing when there are many fitting curves, or few rows.",
            f"with 5000 curves {spread_text(many)}; with 625 rows and 1000 curves "
            f"{spread_text(small)}: the width depends on the number of curves alone.",
            max(one.value for one in (*many, *small)) < 0.15,
        )
        yield judge_claim(
            "Otherwise threshold averages hold less than 0.10, vertical ones 0.10 to 0.40.",
            f"threshold {spread_text(threshold)}; vertical {spread_text(vertical)}.",
            max(one.value for one in threshold) < 0.1
            and min(one.value for one in vertical) >= 0.1
            and max(one.value for one in vertical) <= 0.4,
        )
        yield judge_claim(
            "Joint regions hold at least 0.89 for r from 1250 on.",
            f"{spread_text(figures.joint[1:])}.",
            all(one.high > 0.89 for one in figures.joint[1:]),
        )

    def notes(self, figures: Sweep) -> tuple[str, ...]:
        return (
            *describe_trees(figures.models),
            "Whole curves are tested. Of ten fitting curves at level 0.95 a fixed-width band takes "
            "the farthest; FixedWidth itself refuses, and is left out there with fitting sets from "
            "R.",
        )
