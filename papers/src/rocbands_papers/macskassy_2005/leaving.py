"""Figure 7: where later curves leave a band on real data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rocbands.bands.fixed_width import FixedWidth
from rocbands.study.measurements import Cell
from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study
from rocbands_papers.macskassy_2005.models import Learned
from rocbands_papers.macskassy_2005.printed import PAPER
from rocbands_papers.macskassy_2005.real_data import cases_of
from rocbands_papers.macskassy_2005.shapes import AlongBand, OneForecast
from rocbands_papers.macskassy_2005.summing import line_of
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

__all__ = ["FIGURE_7"]


def _plan(scale: Scale, seed: int, data: DataSource | None) -> Study:
    model = Learned(cases_of(data, "covertype"), "logistic", 100, 50_000)
    method = FixedWidth(slope_rule="papers", n_resamples=1000)
    cells: tuple[Cell, ...] = (
        AlongBand(model, 1000, method, later=100),
        OneForecast(model, 1000, method, later=12),
    )
    times = 60 if scale == "quick" else 400
    return Study(
        "macskassy-2005-figure7",
        cells,
        lambda cell: 1 if isinstance(cell, OneForecast) else times,
        block=5,
        seed=seed,
    )


class _Along(NamedTuple):
    """Figures along the band, from its start to its end."""

    places: tuple[float, ...]
    used: list[Figure]
    outside: list[Figure]


def _largest(figures: list[Figure], places: Iterable[float], *, ends: bool) -> float:
    """Largest value in the first and last tenth of the band, or between them."""
    return max(
        figure.value
        for figure, place in zip(figures, places, strict=True)
        if (place < 0.1 or place > 0.9) is ends
    )


def _claims(along: _Along) -> tuple[Claim, ...]:
    ends, between = (_largest(along.used, along.places, ends=side) for side in (True, False))
    gone = [figure.value for figure in along.outside]
    most = max(gone)
    where = along.places[gone.index(most)]
    lost = _largest(along.outside, along.places, ends=True)
    middle = 0.25 <= where <= 0.75 and lost < most / 2.0
    return (
        Claim(
            "A fixed-width band is much too wide at the extremes.",
            f"0.9 of the later curves use at most {ends:.2f} of the width in the first and last "
            f"tenth of the band, and up to {between:.2f} between.",
            "reproduced" if ends < 0.8 * between else "not reproduced",
        ),
        Claim(
            "Where later curves leave the band, they generally do so in the middle.",
            f"most often at {where:g} of the way ({most:.3f} of the later curves); in the first "
            f"and last tenth at most {lost:.3f}.",
            "reproduced" if middle else "not reproduced",
        ),
    )


def _rows(along: _Along) -> tuple[Row, ...]:
    shown = {along.places[0], along.places[-1], *(tenth / 10 for tenth in range(1, 10))}
    return tuple(
        Row(where={"figure": name, "place": place}, ours=figure, why_not="printed as a picture")
        for name, figures in (("used", along.used), ("outside", along.outside))
        for place, figure in zip(along.places, figures, strict=True)
        if place in shown
    )


def _panels(along: _Along, result: StudyResult, picture: OneForecast) -> tuple[Panel, ...]:
    drawn = tuple(
        Line(name, picture.points, tuple(one.value for one in result.along(picture, name)))
        for name in picture.lines
    )
    place = "place along the band"
    return (
        Panel(
            "A band on Covertype and twelve later curves",
            "false positive rate",
            "true positive rate",
            drawn,
        ),
        Panel(
            "Width that 0.9 of the later curves use",
            place,
            "share of the width",
            (line_of("used", along.places, along.used),),
        ),
        Panel(
            "Where later curves are outside",
            place,
            "share of later curves",
            (line_of("outside", along.places, along.outside),),
        ),
    )


def _judge(study: PaperStudy, result: StudyResult, scale: Scale) -> PaperResult:
    picture = next(one.cell for one in result.cells if isinstance(one.cell, OneForecast))
    cell = next(one.cell for one in result.cells if isinstance(one.cell, AlongBand))
    along = _Along(cell.points, result.along(cell, "used"), result.along(cell, "outside"))
    contained = result.figure(cell, "contained")
    return study.result(
        result,
        scale,
        rows=_rows(along),
        claims=_claims(along),
        panels=_panels(along, result, picture),
        notes=(
            "Covertype, logistic regression learned from 100 rows, r = 1000, fixed-width bands "
            f"times sqrt(2). {contained.value:.2f} of the later curves are inside everywhere.",
            "Places are lines across the band, evenly spaced from (0, 0) to (1, 1).",
            "In the paper's picture the sample lies above the true curve; ours is the first that "
            "was drawn.",
        ),
    )


FIGURE_7 = PaperStudy(
    name="macskassy-2005-figure7",
    paper=f"{PAPER}, Figure 7",
    title="Where later curves leave a band",
    plan=_plan,
    verdicts=_judge,
    needs=("covertype",),
)
