"""Reports on several classes, or on several groups of people: a page without a script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rocbands.comparison.result import DifferenceBand
from rocbands.core.band import Band
from rocbands.io.tables import format_rows
from rocbands.multiclass.result import RocBands
from rocbands.plot.shapes import band_shape, curve_shape
from rocbands.reporting.formatting import round_column, round_fields
from rocbands.reporting.render import draw_band, draw_difference, render_template
from rocbands.subgroup.result import Subgroups

SCHEMA = "rocbands.several-report/1"


def build_several_payload(result: RocBands | Subgroups, title: str | None) -> dict[str, Any]:
    """Return all that a page shows: sentences, a table, and the points of its pictures.

    The keys are schema, title, version, level, kind ('class' or 'group'), headline, table (columns
    as text), notes, pictures (title, band, curve, others; or title, fpr, lower, difference, upper),
    omitted.
    """
    from rocbands._version import __version__

    sentence, rows = result.answer()
    differences: tuple[DifferenceBand, ...] = ()
    if isinstance(result, RocBands):
        kind, names = "class", result.names
    else:
        kind, names, differences = "group", result.group, result.differences
    pictures = [
        _describe_band(name, band, [other for other in result.bands if other is not band])
        for name, band in zip(names, result.bands, strict=True)
    ]
    pictures += [_describe_difference(band) for band in differences]
    return {
        "schema": SCHEMA,
        "title": title or f"ROC curves by {kind}",
        "version": __version__,
        "level": result.level,
        "kind": kind,
        "headline": sentence.split("\n"),
        "table": {"names": list(rows), "rows": [list(row) for row in format_rows(rows)]},
        "notes": list(result.notes),
        "pictures": pictures,
        "result": result.to_dict(),
        "omitted": [],
    }


def _describe_band(name: str, band: Band, others: Sequence[Band]) -> dict[str, Any]:
    shape, curve = band_shape(band), curve_shape(band.curve)
    return {
        "title": f"{name}: {band.n_pos} positives, {band.n_neg} negatives, AUC {band.auc:.3f}",
        "band": [round_column(shape.x), round_column(shape.y)],
        "curve": [round_column(curve.x), round_column(curve.y)],
        "others": [
            [round_column(line.x), round_column(line.y)]
            for line in (curve_shape(other.curve) for other in others)
        ],
    }


def _describe_difference(band: DifferenceBand) -> dict[str, Any]:
    return {
        "title": f"{band.names[0]} minus {band.names[1]}: true positive rate",
        **round_fields(band, "fpr", "lower", "difference", "upper"),
    }


def render_several(payload: Mapping[str, Any]) -> str:
    """Write the payload as one HTML page that needs nothing else."""
    pictures = [
        {"title": one["title"], "drawn": _draw(one, k)} for k, one in enumerate(payload["pictures"])
    ]
    return render_template("several.html.j2", payload=payload, pictures=pictures)


def _draw(picture: Mapping[str, Any], k: int) -> dict[str, Any]:
    if "difference" in picture:
        return draw_difference(picture)
    return draw_band(picture["band"], picture["curve"], picture["others"], k)
