"""Figures 8 and 9: what the scores of learned models look like."""

from __future__ import annotations

from functools import partial
from typing import Literal

from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study
from rocbands_papers.macskassy_2005.models import Learned
from rocbands_papers.macskassy_2005.printed import LEARNERS, PAPER
from rocbands_papers.macskassy_2005.real_data import cases_of
from rocbands_papers.macskassy_2005.shapes import ScoreShapes
from rocbands_papers.macskassy_2005.summing import line_of
from rocbands_papers.paper import (
    Claim,
    DataSource,
    Panel,
    PaperResult,
    PaperStudy,
    Row,
    Scale,
)

__all__ = ["FIGURE_8", "FIGURE_9"]

_PICTURE = "printed as a picture"
_BELL = 0.05  # Kolmogorov's distance from a normal law that a picture still hides


def _plan_shapes(number: int, scale: Scale, seed: int, data: DataSource | None) -> Study:
    cases = cases_of(data, "covertype")
    learners, sizes, pool = (
        (tuple(LEARNERS), (100, 2500), 50_000)
        if number == 8
        else (("logistic",), (100, 2500, 25_000), 25_000)
    )
    cells = tuple(
        ScoreShapes(Learned(cases, learner, n_learn, pool))
        for n_learn in sizes
        for learner in learners
    )
    times = 5 if scale == "quick" else 50
    return Study(f"macskassy-2005-figure{number}", cells, times, block=1, seed=seed)


class _Shapes:
    """The figures by learner and number of rows learned from."""

    def __init__(self, result: StudyResult) -> None:
        self.cells = {
            (one.cell.model.learner, one.cell.model.n_learn): one
            for one in result.cells
            if isinstance(one.cell, ScoreShapes)
        }

    def __call__(self, learner: str, name: str, n_learn: int = 2500) -> float:
        figure = self.cells[learner, n_learn].figures[name]
        assert isinstance(figure, Figure)
        return figure.value

    def both(self, learner: str, name: str) -> str:
        """Write the figures of both classes."""
        return f"{self(learner, name + ' +'):.2f} and {self(learner, name + ' -'):.2f}"

    def rows(self) -> tuple[Row, ...]:
        """All single figures."""
        return tuple(
            Row(
                where={"learner": learner, "learned from": n_learn, "figure": name},
                ours=figure,
                why_not=_PICTURE,
            )
            for (learner, n_learn), one in self.cells.items()
            for name, figure in one.figures.items()
            if isinstance(figure, Figure)
        )

    def panels(self) -> tuple[Panel, ...]:
        """Draw both densities for each model."""
        return tuple(
            Panel(
                f"{learner}, learned from {n_learn} rows",
                "score, in standard deviations",
                "density",
                tuple(
                    line_of(name, one.cell.points, figures)
                    for name in ("positives", "negatives")
                    if isinstance(figures := one.figures[name], list)
                ),
            )
            for (learner, n_learn), one in self.cells.items()
        )


_ABOUT_SHAPES = (
    "Covertype; means over learning sets of the density of the log-odds, whose infinite values are "
    "put next to the largest finite ones.",
    "'off normal' is Kolmogorov's distance of a class from the normal law with its mean and "
    "spread. A ROC curve is binormal as soon as one transform makes both classes normal, so the "
    "scores need not be: 'off binormal' is the distance of the curve from the best binormal one.",
)


def _judge_8(study: PaperStudy, result: StudyResult, scale: Scale) -> PaperResult:
    found = _Shapes(result)
    off = {
        learner: max(found(learner, "off normal +"), found(learner, "off normal -"))
        for learner in LEARNERS
    }
    bell = {learner: value < _BELL for learner, value in off.items()}
    notes = (
        *_ABOUT_SHAPES,
        f"A learner's scores are called bell-shaped if both classes are less than {_BELL} off "
        "normal. The paper does not say from how many rows its models were learned; the claims are "
        "judged at 2500.",
    )
    return study.result(
        result,
        scale,
        rows=found.rows(),
        claims=_claims_8(found, bell),
        panels=found.panels(),
        notes=notes,
    )


def _claims_8(found: _Shapes, bell: dict[str, bool]) -> tuple[Claim, ...]:
    def finding(*learners: str) -> str:
        return " ".join(
            f"{learner}: off normal by {found.both(learner, 'off normal')} in positives and "
            f"negatives, with {found.both(learner, 'peaks')} peaks."
            for learner in learners
        )

    def verdict(borne_out: bool) -> Literal["reproduced", "not reproduced"]:
        return "reproduced" if borne_out else "not reproduced"

    gaps = [found(learner, "off binormal") for learner in LEARNERS]
    return (
        Claim(
            "LMT has beautiful bell-shaped distributions.",
            finding("model-tree"),
            verdict(bell["model-tree"]),
        ),
        Claim(
            "Logistic regression and naive Bayes are fairly smooth, but clearly not binormal.",
            finding("logistic", "naive-bayes"),
            verdict(not (bell["logistic"] or bell["naive-bayes"])),
        ),
        Claim(
            "J48 and NBTree are not even close to bell-shaped.",
            finding("tree", "nb-tree"),
            verdict(not (bell["tree"] or bell["nb-tree"])),
        ),
        Claim(
            "With naive Bayes the positives are more spread out than the negatives.",
            f"their standard deviations have the ratio {found('naive-bayes', 'fatter'):.2f}.",
            verdict(found("naive-bayes", "fatter") > 1.05),
        ),
        Claim(
            "Learned models generally do not produce binormal scores.",
            f"{list(bell.values()).count(False)} of {len(bell)} learners have scores that are not "
            f"bell-shaped; the ROC curves lie {min(gaps):.3f} to {max(gaps):.3f} from the best "
            "binormal ones.",
            verdict(list(bell.values()).count(False) > len(bell) / 2),
        ),
    )


def _judge_9(study: PaperStudy, result: StudyResult, scale: Scale) -> PaperResult:
    found = _Shapes(result)
    peaks = {n: max(found("logistic", f"peaks {side}", n) for side in "+-") for _, n in found.cells}
    claim = Claim(
        "With 25000 scores the distributions of logistic regression are clearly not unimodal.",
        "in the class that has more, on average "
        + ", ".join(f"{count:.1f} peaks if learned from {n} rows" for n, count in peaks.items())
        + ", after smoothing by a fifth of the standard deviation.",
        "reproduced" if max(peaks.values()) > 1.5 else "not reproduced",
    )
    notes = (
        *_ABOUT_SHAPES,
        "The paper names 25000 samples, which may be scores or rows to learn from; it says no more "
        "about the model.",
    )
    return study.result(
        result, scale, rows=found.rows(), claims=(claim,), panels=found.panels(), notes=notes
    )


FIGURE_8 = PaperStudy(
    name="macskassy-2005-figure8",
    paper=f"{PAPER}, Figure 8",
    title="Scores of five learners",
    plan=partial(_plan_shapes, 8),
    verdicts=_judge_8,
    needs=("covertype",),
)
FIGURE_9 = PaperStudy(
    name="macskassy-2005-figure9",
    paper=f"{PAPER}, Figure 9",
    title="Scores of logistic regression",
    plan=partial(_plan_shapes, 9),
    verdicts=_judge_9,
    needs=("covertype",),
)
