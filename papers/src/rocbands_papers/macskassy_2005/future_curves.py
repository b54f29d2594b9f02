"""Table 3: fixed-width bands, widened, as forecasts of the curves of later test sets."""

from __future__ import annotations

import math
from functools import partial

from rocbands.bands.fixed_width import FixedWidth
from rocbands.bands.likelihood import Likelihood
from rocbands.core.band import BandMethod
from rocbands.study.measurements import FutureCurve
from rocbands.study.populations import Binormal, RandomClasses
from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study
from rocbands_papers.macskassy_2005 import printed
from rocbands_papers.macskassy_2005.printed import PAPER, SIZES, TABLE_3, THETAS, Grid
from rocbands_papers.macskassy_2005.summing import line_of, mean_of, spread_text
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

__all__ = [
    "TABLE_3_STUDY",
    "Kind",
    "along_size",
    "contained",
    "fixed_width",
    "future_cell",
    "future_panel",
]

_PRINTED_BANDS = 10  # the scatter of the printed numbers is that of 6 to 10 bands, not of 1000
Kind = tuple[BandMethod, bool]


def future_cell(scale: Scale, kind: Kind, size: int, theta: float) -> FutureCurve:
    """Cell of one kind of band, r and theta."""
    method, widened = kind
    later = 25 if scale == "quick" else 50
    return FutureCurve(Binormal(theta), RandomClasses(size), method, 0.9, later, widened)


def contained(
    result: StudyResult, scale: Scale, kind: Kind, thetas: tuple[float, ...]
) -> dict[tuple[int, float], Figure]:
    """Containment by r and theta, where it was measured."""
    cells = {one.cell: one for one in result.cells}
    asked = {(r, theta): future_cell(scale, kind, r, theta) for r in SIZES for theta in thetas}
    found = {
        place: cells[cell].figures["contained"] for place, cell in asked.items() if cell in cells
    }
    return {place: figure for place, figure in found.items() if isinstance(figure, Figure)}


def fixed_width(scale: Scale) -> FixedWidth:
    """Return the paper's band, by 199 resamples: the 180th of 199 holds as the 900th of 999."""
    return FixedWidth(slope_rule="papers", n_resamples=199)


def _kinds(scale: Scale) -> dict[str, Kind]:
    fixed = fixed_width(scale)
    return {
        "fixed-width x sqrt 2": (fixed, True),
        "fixed-width": (fixed, False),
        "likelihood": (Likelihood(), True),
    }


def _table_3_plan(scale: Scale, seed: int, data: DataSource | None) -> Study:
    cells = tuple(
        future_cell(scale, kind, size, theta)
        for size in SIZES
        for theta in THETAS
        for name, kind in _kinds(scale).items()
        # Critical values for sizes around these are simulated: a second or two for each.
        if not (scale == "quick" and name == "likelihood" and size in {250, 1000})
    )
    return Study(
        "macskassy-2005-table3", cells, 30 if scale == "quick" else 100, block=10, seed=seed
    )


def _table_3_rows(name: str, figures: dict[tuple[int, float], Figure]) -> list[Row]:
    widened = name == "fixed-width x sqrt 2"
    reference: Grid = {
        "fixed-width x sqrt 2": printed.FUTURE_WIDENED,
        "fixed-width": printed.FUTURE_UNWIDENED,
        "likelihood": printed.FUTURE_LIKELIHOOD,
    }[name]
    rows = [
        Row(
            where={"method": name, "r": size, "theta": theta},
            ours=figure,
            printed=TABLE_3[size][THETAS.index(theta)] if widened else None,
            noise=printed.BETWEEN_BANDS[size][THETAS.index(theta)] / math.sqrt(_PRINTED_BANDS),
            reference=reference[size][THETAS.index(theta)] if size in reference else None,
            why_not="" if widened else "not printed",
            note="may have been printed as .66" if widened and (size, theta) == (25, 5.0) else "",
        )
        for (size, theta), figure in figures.items()
    ]
    return rows + [_row_mean(name, size, figures, reference) for size in _sizes(figures)]


def _sizes(figures: dict[tuple[int, float], Figure]) -> list[int]:
    return list(dict.fromkeys(size for size, _ in figures))


def _row_mean(
    name: str, size: int, figures: dict[tuple[int, float], Figure], reference: Grid
) -> Row:
    widened = name == "fixed-width x sqrt 2"
    return Row(
        where={"method": name, "r": size, "theta": "mean"},
        ours=mean_of(figures[size, theta] for theta in THETAS),
        printed=math.fsum(TABLE_3[size]) / len(THETAS) if widened else None,
        noise=math.hypot(*printed.BETWEEN_BANDS[size]) / len(THETAS) / math.sqrt(_PRINTED_BANDS),
        digits=3,
        reference=math.fsum(reference[size]) / len(THETAS) if size in reference else None,
        why_not="" if widened else "not printed",
    )


def _table_3_claims(rows: list[Row]) -> tuple[Claim, ...]:
    means = {
        (row.where["method"], row.where["r"]): row.ours
        for row in rows
        if row.where["theta"] == "mean"
    }
    small = means["fixed-width x sqrt 2", 25]
    usual = [means["fixed-width x sqrt 2", size] for size in SIZES[1:]]
    lost = next(row.ours for row in rows if (row.where["r"], row.where["theta"]) == (25, 5.0))
    plain = [means["fixed-width", size] for size in SIZES]
    return (
        Claim(
            "Fixed-width bands times sqrt(2) are generally slightly too wide for future curves.",
            f"row means {spread_text(usual)} from r = 100 on.",
            "reproduced" if 0.9 < mean_of(usual).value < 0.97 else "not reproduced",
        ),
        Claim(
            "Except where r is small or theta is large.",
            f"{small.value:.2f} on average at r = 25, {lost.value:.2f} there at theta = 5; from "
            "r = 100 on theta makes no such difference.",
            "reproduced" if lost.high < 0.9 else "not reproduced",
        ),
        Claim(
            "Bands for the true curve fail as forecasts.",
            f"without sqrt(2), row means {spread_text(plain)}.",
            "reproduced" if mean_of(plain).value < 0.85 else "not reproduced",
        ),
    )


def along_size(
    figures: dict[tuple[int, float], Figure], thetas: tuple[float, ...]
) -> tuple[Line, ...]:
    """Draw one line along r for each theta."""
    sizes = _sizes(figures)
    return tuple(
        line_of(f"theta {theta:g}", sizes, [figures[size, theta] for size in sizes])
        for theta in thetas
    )


future_panel = partial(
    Panel, x_label="rows r", y_label="later curves inside", target=0.9, log_x=True
)


def _table_3_judge(study: PaperStudy, result: StudyResult, scale: Scale) -> PaperResult:
    by_kind = {
        name: figures
        for name, kind in _kinds(scale).items()
        if (figures := contained(result, scale, kind, THETAS))
    }
    rows = [row for name, figures in by_kind.items() for row in _table_3_rows(name, figures)]
    gap = max(
        abs(row.ours.value - row.reference)
        for row in rows
        if row.where["theta"] == "mean" and row.printed is not None and row.reference is not None
    )
    as_printed = tuple(
        Line(f"theta {theta:g}", SIZES, tuple(TABLE_3[size][place] for size in SIZES))
        for place, theta in enumerate(THETAS)
    )
    return study.result(
        result,
        scale,
        rows=tuple(rows),
        claims=_table_3_claims(rows),
        panels=(
            *(
                future_panel(name, lines=along_size(figures, THETAS))
                for name, figures in by_kind.items()
            ),
            future_panel("as printed", lines=as_printed),
        ),
        notes=(
            "The printed numbers scatter as if from about 10 bands for each, not from 1000; their "
            "noise is taken from the spread between bands.",
            f"Row means of fixed-width x sqrt 2 differ from the prototype's by at most {gap:.3f}.",
            "The paper argues for sqrt(2) by a triangle inequality and a normal distance; the "
            "reason is that the difference of two independent curves of the same size has twice "
            "the variance of one.",
            "The likelihood band for future sets and the bands without sqrt(2) are not in the "
            "table of the paper.",
        ),
    )


TABLE_3_STUDY = PaperStudy(
    name="macskassy-2005-table3",
    paper=f"{PAPER}, Table 3",
    title="Future curves in fixed-width bands times sqrt(2)",
    plan=_table_3_plan,
    verdicts=_table_3_judge,
)
