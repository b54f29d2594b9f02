"""The request of a job: its columns and settings, checked, and the data that it reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rocbands.app.tasks import MOST_ROWS
from rocbands.core.progress import Progress
from rocbands.core.sample import Sample
from rocbands.errors import InputError, Message, arg
from rocbands.io.columns import read_label
from rocbands.io.files import read_scores
from rocbands.io.form import Form
from rocbands.io.readings import read_readings
from rocbands.io.samples import make_sample

if TYPE_CHECKING:
    from rocbands.readers.readings import Readings
    from rocbands.scale.counts import ScoreCounts

DESIGN = ("clusters", "weights", "strata")
FORM = ("sheet", "encoding", "decimal")
READINGS = ("label", "score", "reader", "case", "test", "clusters")


class Asked:
    """What the page asks for; empty fields count as not given."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        self._given = {
            name: value for name, value in request.items() if value not in (None, "", [])
        }
        self.path = str(request.get("path", ""))
        self.name = str(request.get("name", ""))  # of the file, as the user calls it
        self.example = request.get("example")  # 'models' or 'readers'

    def text(self, name: str) -> str | None:
        """Return a field with text."""
        found: str | None = self._take(name, str, "text")
        return found

    def need(self, name: str) -> str:
        """Return a field with text that must be there."""
        found = self.text(name)
        if found is None:
            raise InputError("must be chosen", "it is empty", "Choose a column.", argument=name)
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a field with several texts."""
        found = self._take(name, list, "a list of columns") or []
        if not all(isinstance(one, str) for one in found):
            raise InputError("must be a list of columns", f"got {found!r}", argument=name)
        return tuple(dict.fromkeys(found))

    def flag(self, name: str) -> bool:
        """Return a field that is ticked or not."""
        return bool(self._take(name, bool, "yes or no"))

    def settings(self, *names: str) -> dict[str, Any]:
        """Return the fields that are given; the library checks their values."""
        found = {name: self._given[name] for name in names if name in self._given}
        return found | ({"costs": tuple(found["costs"])} if _is_list(found.get("costs")) else {})

    def _take(self, name: str, kind: type, must: str) -> Any:
        found = self._given.get(name)
        if found is not None and not isinstance(found, kind):
            raise InputError(f"must be {must}", f"got {found!r}", argument=name)
        return found

    @property
    def form(self) -> Form:
        """How the file is written."""
        return Form(*map(self.text, FORM))

    @property
    def design(self) -> dict[str, str]:
        """Columns that say how rows were drawn, by their use."""
        found = {use: self.text(use) for use in DESIGN}
        return {use: name for use, name in found.items() if name is not None}


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def is_counted(asked: Asked) -> bool:
    """Tell whether a file contains counts; not if a column of labels is chosen."""
    from rocbands.scale.saved import is_counts

    return asked.text("sheet") is None and asked.text("label") is None and is_counts(asked.path)


def read_data(asked: Asked, progress: Progress) -> tuple[Sample | ScoreCounts, object]:
    """Read rows or counts, and the positive label as Python has it, as the command line does."""
    if is_counted(asked):
        from rocbands.scale.counts import ScoreCounts

        counts = ScoreCounts.load(asked.path)
        scores = asked.texts("scores")
        return (counts[list(scores)] if scores else counts), None
    return read_rows(asked, progress)


def read_rows(asked: Asked, progress: Progress) -> tuple[Sample, object]:
    """Read rows, and the positive label."""
    if is_counted(asked):
        raise InputError(
            f"{asked.name} must contain rows, one for each case",
            "it contains counts, which do not say which scores belong to the same row",
            "Choose the file that was counted.",
        )
    scores, design = asked.texts("scores"), asked.design
    if not scores:
        must = "There must be at least one column of scores"
        raise InputError(must, "none is chosen", Message("Choose some by {}.", arg("score")))
    table = read_scores(
        asked.path,
        label=asked.need("label"),
        scores=scores,
        keys=tuple(design.values()),
        weights=design.get("weights"),
        missing="drop" if asked.flag("drop_missing") else "raise",
        form=asked.form,
        progress=progress,
        most=MOST_ROWS,
    )
    text = asked.text("positive")
    positive = None if text is None else read_label(text, table.y_true[:1].tolist())
    sample = make_sample(Sample, table, design=design, positive=positive)
    small = [name for name in asked.texts("reversed") if name in scores]
    return (sample.reverse(small) if small else sample), positive


def read_study(asked: Asked, progress: Progress) -> tuple[Readings, dict[str, str]]:
    """Read the readings of a reader study, and the columns by their use."""
    from rocbands.readers.readings import Readings

    columns = {use: asked.text(use) for use in READINGS}
    uses: dict[str, str] = {}
    readings = read_readings(
        Readings,
        asked.path,
        {use: name for use, name in columns.items() if name is not None},
        positive=asked.text("positive"),
        missing="drop" if asked.flag("drop_missing") else "raise",
        form=asked.form,
        progress=progress,
        most=MOST_ROWS,
        chosen=uses.update,
    )
    return readings, uses
