"""Figure 5: how often bands hold the true curve of the synthetic world."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rocbands.bands.likelihood import Likelihood
from rocbands.bands.working_hotelling import WorkingHotelling
from rocbands.core.band import BandMethod
from rocbands_studies.measurements import TrueCurve
from rocbands_studies.papers.macskassy_2005.simulated import PAPER, SIZES, THETAS
from rocbands_studies.papers.methods import Chords, PrintedFixedWidth, PrintedJointRegion
from rocbands_studies.papers.paper import (
    Claim,
    DataSource,
    PaperStudy,
    Picture,
    Row,
    Scale,
    judge_claim,
    mean_of,
    spread_text,
)
from rocbands_studies.populations import Binormal, RandomClasses
from rocbands_studies.results import Figure, StudyResult
from rocbands_studies.spec import Study

_NOISE = 2.576 / (2.0 * 1.960)  # of the length of a 95% interval: one difference in 100 is larger
_FROM = (0.01, 0.05, 0.1)  # the paper's footnote
_TRUE_METHODS: dict[str, BandMethod] = {
    "fixed-width": PrintedFixedWidth(n_resamples=199),
    "joint-region": PrintedJointRegion(),
    "working-hotelling": WorkingHotelling(),
    "chords": Chords(WorkingHotelling()),
    "likelihood": Likelihood(),  # not in the paper
}


def _true_cell(method: BandMethod, size: int, theta: float) -> TrueCurve:
    return TrueCurve(Binormal(theta), RandomClasses(size), method, 0.9, from_fpr=_FROM)


class TrueFigures:
    """The figures of the study by method, r and theta."""

    def __init__(self, found: StudyResult) -> None:
        cells = {one.cell: one for one in found.cells}
        self.figures = {
            (name, size, theta): cells[_true_cell(method, size, theta)].figures
            for name, method in _TRUE_METHODS.items()
            for size in SIZES
            for theta in THETAS
        }

    def __call__(self, method: str, size: int, theta: float, name: str = "holds") -> Figure:
        figure = self.figures[method, size, theta][name]
        assert isinstance(figure, Figure)
        return figure

    def over(
        self,
        method: str,
        sizes: tuple[int, ...] = SIZES[1:],
        thetas: tuple[float, ...] = THETAS,
        name: str = "holds",
    ) -> list[Figure]:
        """List the figures of some r and theta."""
        return [self(method, size, theta, name) for size in sizes for theta in thetas]

    def areas(self, method: str, sizes: tuple[int, ...]) -> str:
        """Compare areas with those of fixed-width bands."""
        both = zip(
            *(self.over(m, sizes, name="area") for m in (method, "fixed-width")), strict=True
        )
        ratios = [one.value / other.value for one, other in both]
        digits = 1 if method == "joint-region" else 2
        return f"{min(ratios):.{digits}f} to {max(ratios):.{digits}f}"


class Figure5(PaperStudy[TrueFigures]):
    """Bands of six sizes of sets and seven distances of the classes."""

    name = "macskassy-2005-figure5"
    paper = f"{PAPER}, Figure 5"
    title = "How often bands hold the true curve"
    picture = Picture("r", ("theta",), ("method", "from fpr"), 0.9)

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        cells = (
            _true_cell(method, size, theta)
            for size in SIZES
            for theta in THETAS
            for method in _TRUE_METHODS.values()
        )
        return Study(self.name, tuple(cells), 60 if scale == "quick" else 500, block=20, seed=seed)

    def read(self, found: StudyResult, scale: Scale) -> TrueFigures:
        return TrueFigures(found)

    def rows(self, figures: TrueFigures) -> Iterator[Row]:
        asked = [(method, 0.0, "holds") for method in _TRUE_METHODS] + [
            (method, start, f"from {start:g}")
            for method in ("chords", "working-hotelling", "fixed-width")
            for start in _FROM
        ]
        for method, start, name in asked:
            for size in SIZES:
                for theta in THETAS:
                    yield Row(
                        where={"method": method, "from fpr": start, "r": size, "theta": theta},
                        ours=figures(method, size, theta, name),
                        why_not="printed as a picture",
                    )

    def claims(self, figures: TrueFigures) -> Iterator[Claim]:
        yield from _fixed_width_claims(figures)
        yield from _joint_region_claims(figures)
        yield from _binormal_claims(figures)

    def notes(self, figures: TrueFigures) -> tuple[str, ...]:
        return (
            "All bands are for level 0.9. The likelihood band is not in the paper.",
            "Fixed-width bands are pushed along sqrt(positives / negatives), as printed.",
            "A Working-Hotelling band that could not be fitted counts as a miss.",
            "Section 4.2 says two things of Working-Hotelling bands judged from 0.01, 0.05 or 0.1 "
            "on. Both are judged with the bands drawn as 100 chords: only so do the bands fail as "
            "the paper says, and only then is there something to do better. The finding has the "
            "other reading, too.",
            "Chords that start at 0.01 still end at (1, 1), where the last one loses the true "
            "curve at low theta, by next to nothing: at theta = 0.75, 1, 1.5 and 2 and r = 1000 it "
            "left 40 of 40 bands in (0.99, 1), by 2e-4, 7e-5, 5e-6 and 9e-8 (medians); between "
            "0.01 and 0.99 these bands held it in 35, 37, 34 and 34 of 40. The tolerance is "
            "1e-9.",
            "Other numbers of chords, 100 bands at r = 100: at theta = 3, 4, 5, judged from 0.1 "
            "on, 10 chords held 0.90, 0.86, 0.93, 20 chords 0.91, 0.89, 0.95, 50 chords 0.92, "
            "0.92, 0.97, 1000 chords 0.93, 0.94, 0.98, and fixed-width bands 0.96, 0.89, 0.96; "
            "from 0.01 on 10 and 20 chords held none, 50 chords 0.24, 0, 0.",
        )


def _fixed_width_claims(figures: TrueFigures) -> Iterator[Claim]:
    usual = figures.over("fixed-width")
    small = figures.over("fixed-width", SIZES[:1])
    corner = figures.over("fixed-width", SIZES[-2:], THETAS[:2])
    lost = figures("fixed-width", 25, 5.0)
    yield judge_claim(
        "Fixed-width bands hold close to 0.9 of the time.",
        f"{spread_text(usual)} from r = 100 on.",
        0.87 <= mean_of(usual).value <= 0.97,
    )
    yield judge_claim(
        "The first exception is very small r.",
        f"at r = 25 {spread_text(small)}; at theta = 5 {lost.value:.2f}, because a separated "
        "sample has no resample that differs and its band no width.",
        lost.high < 0.9,
    )
    yield Claim(
        "The second exception is low theta with larger r, where they are still the best of the "
        "three methods.",
        f"{spread_text(corner)} for theta up to 1 and r from 2500 on, no exception. By how much "
        "and in which direction the printed bands are off there is in Figure 5 alone, whose lines "
        "are not in the paper's text. It may be that they hold too much: in Table 3 fixed-width "
        "bands have 0.98, 0.97 and 0.99 at theta = 0.75 from r = 1000 on, the most of all.",
        "cannot be compared",
    )


def _joint_region_claims(figures: TrueFigures) -> Iterator[Claim]:
    every, corner = figures.over("joint-region", SIZES), figures("joint-region", 25, 0.75)
    yield judge_claim(
        "Joint regions are universally too wide.",
        f"they hold {spread_text(every)}, with {figures.areas('joint-region', SIZES[1:])} times "
        "the area of fixed-width bands from r = 100 on.",
        mean_of(every).value > 0.97,
    )
    yield judge_claim(
        "Except at small r and theta.",
        f"{corner.value:.3f} at r = 25 and theta = 0.75. The constants of the paper's Table 1 are "
        "meant for more than 35 cases of a class and too wide for fewer, so that nothing could "
        "make these bands narrow there. World, sizes and bands are the paper's, without a "
        "substitute.",
        corner.high < 0.97,
        "the paper",
    )


def _binormal_claims(figures: TrueFigures) -> Iterator[Claim]:
    exact, drawn = figures.over("working-hotelling"), figures.over("chords", SIZES)
    yield Claim(
        "Working-Hotelling bands fail completely.",
        f"they hold {spread_text(exact)} from r = 100 on, with "
        f"{figures.areas('working-hotelling', SIZES[2:])} of the area of fixed-width bands from "
        "r = 250 on. Drawn with 100 chords and judged as drawn, they fail completely: the paper's "
        "failure is probably one of drawing.",
        "contradicted" if mean_of(exact).value > 0.85 else "reproduced",
        cause="the paper",
    )
    yield Claim(
        "They fail because of small false positive rates, where the fitted curve starts at (0, 0).",
        "the true curve starts there too. The same bands drawn with 100 chords and judged as "
        f"drawn hold {spread_text(drawn)}: the first chord cuts off the bent curve. A picture "
        "of this kind would explain the printed failure; the paper's program was not seen.",
        "contradicted" if mean_of(drawn).value < 0.05 else "not reproduced",
        cause="the paper",
        short="the true curve starts there too; judged as drawn with 100 chords the same bands "
        f"hold {mean_of(drawn).value:.2f}, which would explain the printed failure.",
    )
    yield from _later_claims(figures)


def _later_claims(figures: TrueFigures) -> Iterator[Claim]:
    """Judge what is said of Working-Hotelling bands from some false positive rate on, as chords."""
    starts = [f"from {start:g}" for start in _FROM]
    drawn = {name: figures.over("chords", SIZES, name=name) for name in starts}
    risen = [one.value > 0.05 for name in starts for one in drawn[name]]
    means = ", ".join(f"{mean_of(drawn[name]).value:.2f} {name} on" for name in starts)
    far = {name: figures.over("chords", SIZES, THETAS[4:], name) for name in starts}
    yield Claim(
        "Judged from fpr 0.01, 0.05 or 0.1 on they do better.",
        f"as chords, {means} on average instead of 0.00; for theta from 3 on "
        + ", ".join(f"{spread_text(far[name])} {name} on" for name in starts)
        + f". 0.00 remains at theta {_still_none(figures, starts[-1])}, because of the last chord, "
        "near (1, 1). The bands themselves do not need this: they hold "
        f"{mean_of(figures.over('working-hotelling')).value:.2f} from 0 and "
        f"{mean_of(figures.over('working-hotelling', name=starts[0])).value:.2f} from 0.01 on.",
        "reproduced" if sum(risen) > len(risen) / 2 else "not reproduced",
        item="section 4.2",
    )
    gaps = {  # by which chords hold less often than fixed-width bands
        (size, theta, name): figures("fixed-width", size, theta, name).value
        - figures("chords", size, theta, name).value
        for size in SIZES
        for theta in THETAS
        for name in starts
    }
    less, small = (
        [gap > 0.0 for (size, *_), gap in gaps.items() if (size == 25) is at_25]
        for at_25 in (False, True)
    )
    more = [
        size
        for (size, theta, name), gap in gaps.items()
        if gap
        < -_NOISE
        * math.hypot(
            *(
                figure.high - figure.low
                for method in ("fixed-width", "chords")
                for figure in [figures(method, size, theta, name)]
            )
        )
    ]
    large = sum(size > 25 for size in more)
    off = [
        abs(mean_of(figures.over(name, thetas=THETAS[4:])).value - 0.9)
        for name in ("working-hotelling", "fixed-width")
    ]
    yield Claim(
        "So judged they never perform as well as fixed-width bands.",
        f"as chords they hold less often in {sum(less)} of {len(less)} cases (r from 100 on, theta "
        f"and start), more often beyond noise in {large}, where "
        "noise makes one in a hundred. At r = 25, where fixed-width bands fail, "
        f"they hold less often in {sum(small)} of {len(small)}, more often beyond noise in "
        f"{len(more) - large}. The bands themselves are as "
        f"good: for theta from 3 and r from 100 on they are {off[0]:.2f} from 0.9, "
        f"fixed-width bands {off[1]:.2f}, with "
        f"{figures.areas('working-hotelling', SIZES[2:])} of the area.",
        "reproduced" if sum(less) >= 0.95 * len(less) else "not reproduced",
        item="section 4.2",
    )
    high = {
        size: [gap for (r, theta, _), gap in gaps.items() if r == size and theta >= 3.0]
        for size in SIZES[1:]
    }
    each = ", ".join(f"{math.fsum(gap) / len(gap):.2f} at r = {r}" for r, gap in high.items())
    yield Claim(
        "So judged they are always considerably worse than fixed-width bands at high theta.",
        f"as chords they hold less often by {each}, on average for theta from 3 on: considerably "
        "only at large r, where a band is narrow and a chord does more. How many chords the "
        "paper's program drew is not said; tried were 10, 20, 50 and 1000, too, and none makes "
        "them considerably worse at r = 100 if judged from 0.1 on.",
        "reproduced" if all(min(gap) > 0.1 for gap in high.values()) else "not reproduced",
        item="section 4.2",
    )


def _still_none(figures: TrueFigures, name: str) -> str:
    """Say from which r on chords hold nothing, by theta."""
    texts = []
    for theta in THETAS:
        none = [figures("chords", size, theta, name).value < 0.005 for size in SIZES]
        if none[-1]:
            since = next(k for k in range(len(SIZES)) if all(none[k:]))
            texts.append(f"{theta:g} from r = {SIZES[since]} on")
    return ", ".join(texts) or "none"
