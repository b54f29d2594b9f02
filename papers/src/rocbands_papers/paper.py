"""A table or figure of a paper as a study: what is measured, what was printed, what we find."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

from rocbands.core.result import Result
from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study
from rocbands_papers.datasets import load_dataset

__all__ = [
    "Claim",
    "DataSource",
    "Line",
    "Panel",
    "PaperResult",
    "PaperStudy",
    "Row",
    "Scale",
    "Verdict",
]

Scale: TypeAlias = Literal["quick", "full"]
Verdict: TypeAlias = Literal["agrees", "differs", "not comparable"]

_NORMAL_99 = 2.576  # of differences that are noise, one in a hundred is called one
_NORMAL_95 = 1.960


class DataSource(Protocol):
    """Whoever has the data sets: called with a name, it returns one."""

    def __call__(self, name: str) -> Any:
        """Return the data set of that name, or say why there is none."""
        ...


@dataclass(frozen=True, kw_only=True)
class Row:
    """One printed number and ours.

    Parameters
    ----------
    where : Mapping
        Which number: names and values, such as {"r": 100, "theta": 2}.
    ours : Figure
        What was measured, with its interval.
    printed : float or None
        The paper's number; None where it is not readable.
    noise : float, default 0
        Standard error of the printed number, as far as the paper or its scatter tells.
    digits : int, default 2
        Decimals that were printed.
    reference : float or None
        The number of the separate prototype, where there is one.
    why_not : str
        Why the two cannot be compared; empty if they can.
    note : str
        What the reader should know.
    """

    where: Mapping[str, object]
    ours: Figure
    printed: float | None = None
    noise: float = 0.0
    digits: int = 2
    reference: float | None = None
    why_not: str = ""
    note: str = ""

    @property
    def verdict(self) -> Verdict:
        """'agrees' if the difference is no larger than the noise of both numbers allows."""
        if self.printed is None or self.why_not:
            return "not comparable"
        own = (self.ours.high - self.ours.low) / (2.0 * _NORMAL_95)
        reach = _NORMAL_99 * math.hypot(own, self.noise) + 0.5 * 10.0**-self.digits
        return "agrees" if abs(self.ours.value - self.printed) <= reach else "differs"


@dataclass(frozen=True)
class Claim:
    """Something a paper says in words, what we find, and whether that bears it out."""

    text: str
    finding: str
    verdict: Literal["reproduced", "not reproduced", "contradicted", "not comparable"]


@dataclass(frozen=True)
class Line:
    """A line in a picture, with limits where they are known."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


@dataclass(frozen=True)
class Panel:
    """A picture of some lines; `target` is the height they should have."""

    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    target: float | None = None
    log_x: bool = False


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PaperResult(Result):
    """A paper's numbers beside ours.

    Attributes
    ----------
    name, title, paper : str
        Which study, what it shows, and where it was printed.
    rows : tuple of Row
        Number by number.
    claims : tuple of Claim
        What the paper says in words.
    panels : tuple of Panel
        What to draw.
    notes : tuple of str
        Errata, substitutes and whatever else explains a difference.
    scale : {'quick', 'full'}
        How much was measured.
    seed : int
        Of the random streams.
    """

    schema: ClassVar[str] = "rocbands.paper/1"
    ARTIST: ClassVar[tuple[str, str]] = ("rocbands_papers.panels", "draw_paper")

    name: str
    title: str
    paper: str
    rows: tuple[Row, ...]
    claims: tuple[Claim, ...] = ()
    panels: tuple[Panel, ...] = ()
    notes: tuple[str, ...] = ()
    scale: Scale
    seed: int

    @property
    def command(self) -> str:
        """The command that measures this again."""
        return f"rocbands study run {self.name} --{self.scale} --seed {self.seed}"

    def facts(self) -> Mapping[str, object]:
        return {
            "name": self.name,
            "title": self.title,
            "paper": self.paper,
            "scale": self.scale,
            "seed": self.seed,
            "command": self.command,
            "notes": self.notes,
            "claims": [vars(claim) for claim in self.claims],
        }

    def columns(self) -> Mapping[str, Any]:
        names = dict.fromkeys(name for row in self.rows for name in row.where)
        columns: dict[str, Any] = {
            name: [row.where.get(name) for row in self.rows] for name in names
        }
        columns |= {
            "printed": [row.printed for row in self.rows],
            "ours": [row.ours.value for row in self.rows],
            "low": [row.ours.low for row in self.rows],
            "high": [row.ours.high for row in self.rows],
            "n": [row.ours.n for row in self.rows],
            "reference": [row.reference for row in self.rows],
            "verdict": [row.verdict for row in self.rows],
            "note": [row.why_not or row.note for row in self.rows],
        }
        return {name: column for name, column in columns.items() if _says_something(column)}

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        judged: list[str] = [row.verdict for row in self.rows]
        counts = ", ".join(
            f"{judged.count(verdict)} {word}"
            for verdict, word in (
                ("agrees", "agree"),
                ("differs", "differ"),
                ("not comparable", "cannot be compared"),
            )
            if judged.count(verdict)
        )
        lines = [f"{self.title} ({self.paper}).", f"{len(self.rows)} figures: {counts}."]
        lines += [f"{claim.verdict}: {claim.text} Ours: {claim.finding}" for claim in self.claims]
        lines += [*self.notes, f"Again: {self.command}"]
        return "\n".join(lines), self.columns()


def _says_something(column: list[object]) -> bool:
    return any(value is not None and value != "" for value in column)


@dataclass(frozen=True, kw_only=True)
class PaperStudy:
    """A named study.

    Parameters
    ----------
    name : str
        Such as 'macskassy-2005-table3'.
    paper : str
        Authors, year, and the table or figure.
    title : str
        What it shows, in a few words.
    plan : callable
        plan(scale, seed, data) gives the study.
    judge : callable
        judge(found, scale) gives rows, claims, panels and notes as a PaperResult.
    needs : tuple of str
        Names of the data sets it asks `data` for.
    """

    name: str
    paper: str
    title: str
    plan: Callable[[Scale, int, DataSource | None], Study]
    verdicts: Callable[[PaperStudy, StudyResult, Scale], PaperResult]
    needs: tuple[str, ...] = ()

    def open_data(self, folder: str | None, fetch: bool) -> DataSource:
        """Return where the data sets come from; workers may load them again."""
        return partial(load_dataset, folder=folder, fetch=fetch)

    def judge(self, found: StudyResult, scale: Scale) -> PaperResult:
        """Put the measured figures beside the printed ones."""
        return self.verdicts(self, found, scale)

    def result(
        self,
        found: StudyResult,
        scale: Scale,
        *,
        rows: tuple[Row, ...],
        claims: tuple[Claim, ...] = (),
        panels: tuple[Panel, ...] = (),
        notes: tuple[str, ...] = (),
    ) -> PaperResult:
        """Put a judgement together; for `judge` to call."""
        return PaperResult(
            name=self.name,
            title=self.title,
            paper=self.paper,
            rows=rows,
            claims=claims,
            panels=panels,
            notes=notes,
            scale=scale,
            seed=found.seed,
        )
