"""A sample from a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from rocbands.core.checks import freeze
from rocbands.core.sample import Sample
from rocbands.io.columns import ScoreTable
from rocbands.io.files import read_scores

S = TypeVar("S", bound=Sample)


def read_sample(
    kind: type[S],
    path: str | os.PathLike[str],
    *,
    score: tuple[str, ...],
    design: Mapping[str, str],
    keep: tuple[str, ...],
    positive: object,
    rest: bool,
    repeats: int,
    **read: Any,
) -> S:
    """Read a file of rows; see :meth:`rocbands.Sample.from_file`."""
    keys = (*design.values(), *keep)
    table = read_scores(path, scores=score, keys=keys, weights=design.get("weights"), **read)
    return make_sample(
        kind, table, design=design, keep=keep, positive=positive, rest=rest, repeats=repeats
    )


def make_sample(
    kind: type[S],
    table: ScoreTable,
    *,
    design: Mapping[str, str],
    keep: tuple[str, ...] = (),
    positive: object = None,
    rest: bool = False,
    repeats: int = 1,
) -> S:
    """Make a sample from a table that was read; it records the file and the rows' positions."""
    refuse_readings(table, design)
    for column in table.y_scores.values():
        freeze(column)  # not shared, so no copy is needed
    columns: dict[str, Any] = {use: table.keys[name] for use, name in design.items()}
    sample = kind(
        table.y_true,
        table.y_scores,
        positive=positive,
        rest=rest,
        repeats=repeats,
        keep={name: table.keys[name] for name in keep},
        **columns,
    )
    origin = identify_file(table.source)
    changes: dict[str, Any] = {"dropped": table.dropped, "_places": table.places}
    changes["_file_notes"] = table.notes
    if table.dropped is not None:
        changes["_n_source"] = table.dropped.n
    sample = sample.name_weights(design.get("weights"))
    return sample._copy(**changes, **({"_source": origin} if origin else {}))


def refuse_readings(table: ScoreTable, design: Mapping[str, str]) -> None:
    """Refuse readings of the same cases as independent rows."""
    if table.read is not None and "clusters" not in design:
        remedy = f"rb.compare_readers(rb.Readings.from_file({table.source!r}))"
        table.read.refuse_repeats(table.source, remedy)


def identify_file(source: str) -> str:
    """Identify the contents of a file, to recognise the same rows; empty if not a file."""
    try:
        facts = os.stat(source)
    except OSError:
        return ""
    return f"{Path(source).resolve()}, {facts.st_mtime_ns}, {facts.st_size}"
