"""Figure 6: a band about a sample is no forecast of later curves."""

from __future__ import annotations

from rocbands.bands.joint_region import JointRegion
from rocbands.bands.likelihood import Likelihood
from rocbands.bands.working_hotelling import WorkingHotelling
from rocbands.study.measurements import Cell
from rocbands.study.populations import Binormal, RandomClasses
from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study
from rocbands_papers.macskassy_2005 import printed
from rocbands_papers.macskassy_2005.future_curves import (
    Kind,
    along_size,
    contained,
    fixed_width,
    future_cell,
    future_panel,
)
from rocbands_papers.macskassy_2005.printed import PAPER, SIZES, THETAS
from rocbands_papers.macskassy_2005.summing import mean_of, spread_text
from rocbands_papers.macskassy_2005.widths import FPR, OneBand, Widths
from rocbands_papers.paper import (
    Claim,
    DataSource,
    Line,
    Panel,
    PaperResult,
    PaperStudy,
    Row,
    Scale,
)

__all__ = ["FIGURE_6"]

_SHOWN = (0.75, 1.5, 3.0)  # the thetas that Figure 5 shows
_PICTURE = OneBand(Binormal(1.5), RandomClasses(1000), samples=20)


def _unwidened(scale: Scale) -> dict[str, Kind]:
    methods = (fixed_width(scale), JointRegion(joint=False), WorkingHotelling(), Likelihood())
    return {method.name: (method, False) for method in methods}


def _widths(scale: Scale, size: int, theta: float) -> Widths:
    return Widths(Binormal(theta), RandomClasses(size), fixed_width(scale))


def _figure_6_plan(scale: Scale, seed: int, data: DataSource | None) -> Study:
    times = 20 if scale == "quick" else 200
    places = [(size, theta) for size in SIZES for theta in _SHOWN]
    cells: list[Cell] = [_PICTURE]
    cells += [future_cell(scale, kind, *at) for at in places for kind in _unwidened(scale).values()]
    cells += [_widths(scale, *at) for at in places]
    return Study(
        "macskassy-2005-figure6",
        tuple(cells),
        lambda cell: 1 if cell == _PICTURE else times,
        block=10,
        seed=seed,
    )


def _figure_6_claims(
    result: StudyResult, scale: Scale, found: dict[str, dict[tuple[int, float], Figure]]
) -> tuple[Claim, ...]:
    places = [(size, theta) for size in SIZES[1:] for theta in _SHOWN]
    sides = [
        [result.figure(_widths(scale, *at), f"about the {name}") for at in places]
        for name in ("sample", "truth")
    ]
    ratios = [
        Figure(one.value / other.value, 0.0, 0.0, one.n) for one, other in zip(*sides, strict=True)
    ]
    texts = {
        name: spread_text(figure for (size, _), figure in figures.items() if size > 25)
        for name, figures in found.items()
    }
    joint = mean_of(found["joint-region"].values())
    return (
        Claim(
            "The spread about the true curve and about a sample's curve are very similar.",
            f"the width that holds 0.9 of the curves about a sample is {spread_text(ratios)} times "
            "the one about the truth, from r = 100 on.",
            "reproduced" if all(0.8 < ratio.value < 1.25 for ratio in ratios) else "not reproduced",
        ),
        Claim(
            "As forecasts of later curves all three methods fail.",
            "; ".join(f"{name} {text}" for name, text in texts.items())
            + " (from r = 100 on). Joint regions are so wide that they hold; a Working-Hotelling "
            "band has no width at the ends, where later curves have steps.",
            "contradicted" if joint.value > 0.88 else "reproduced",
        ),
    )


def _figure_6_judge(study: PaperStudy, result: StudyResult, scale: Scale) -> PaperResult:
    found = {
        name: contained(result, scale, kind, _SHOWN) for name, kind in _unwidened(scale).items()
    }
    references = {
        "fixed-width": printed.FUTURE_UNWIDENED,
        "joint-region": printed.FUTURE_JOINT_REGION,
    }
    rows = tuple(
        Row(
            where={"method": name, "r": size, "theta": theta},
            ours=figure,
            reference=references[name][size][THETAS.index(theta)] if name in references else None,
            why_not="said in words only",
        )
        for name, figures in found.items()
        for (size, theta), figure in figures.items()
    )
    example = Panel(
        "A sample far off, its band, and the band about the truth",
        "false positive rate",
        "true positive rate",
        tuple(
            Line(name, FPR, tuple(figure.value for figure in result.along(_PICTURE, name)))
            for name in _PICTURE.lines
        ),
    )
    return study.result(
        result,
        scale,
        rows=rows,
        claims=_figure_6_claims(result, scale, found),
        panels=(
            example,
            *(
                future_panel(name, lines=along_size(figures, _SHOWN))
                for name, figures in found.items()
            ),
        ),
        notes=(
            "The picture: theta 1.5 and r = 1000, fixed-width bands; of 20 samples the one that "
            "lies farthest from the true curve. The paper does not say which theta it shows.",
            "None of these bands is widened for future curves; likelihood is not in the paper.",
        ),
    )


FIGURE_6 = PaperStudy(
    name="macskassy-2005-figure6",
    paper=f"{PAPER}, Figure 6",
    title="A band about a sample is no forecast",
    plan=_figure_6_plan,
    verdicts=_figure_6_judge,
)
