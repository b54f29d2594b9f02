"""The page of a reader study: what its tables and pictures show, in the units of the pictures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rocbands.core.phrases import say_ends, write_shares
from rocbands.reporting.formatting import format_number
from rocbands.reporting.words import COMPONENTS, PARTS, find_headings, say

Payload = Mapping[str, Any]

LEFT, WIDTH, RIGHT = 118, 286, 16  # of a forest: names, the axis, and room for half a number
TOP, ROW, FOOT = 8, 23, 46
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0)  # between numbers of an axis
MOST_STEPS = 5
INK = 6  # the look of what belongs to no test
LONGEST = 17  # characters of a name in a picture


def arrange_page(payload: Payload) -> dict[str, Any]:
    """Return what the template needs beside the payload."""
    headings, menu = find_headings("readers")
    data = payload["data"]
    complete = say("readers", "complete")
    made = say("readers", "made", made=data["n_readings"])
    panels = [_draw_panel(payload, k) for k, test in enumerate(payload["tests"]) if test["curves"]]
    shown = {"curves": panels, "components": payload["components"] or payload["parts"]}
    return {
        "headings": headings,
        "menu": {key: word for key, word in menu.items() if shown.get(key, True)},
        "parts": PARTS,
        "missing": complete if data["complete"] else made,
        "forests": _draw_forests(payload),
        "panels": panels,
        "targets": _arrange_inferences(payload),
        "components": [
            (key, words, payload["components"][key])
            for key, words in COMPONENTS.items()
            if payload["components"] and not (len(payload["tests"]) == 1 and key in _OF_SEVERAL)
        ],
        "readers": _arrange_readers(payload),
        "trust": [*payload["notes"], say("readers", "memory"), say("readers", "bands")],
        "sides": _find_sides(payload),
    }


def _find_sides(payload: Payload) -> dict[str, Any]:
    """Sides of the limits of means and of differences: a margin is for differences only."""
    side = payload["alternative"]
    means = side if payload["margin"] is None else "two-sided"
    return {"means": means, "gaps": side, "tests": [test["name"] for test in payload["tests"]]}


_OF_SEVERAL = ("var_tr", "cov1", "cov3")  # components of several tests


def _arrange_inferences(payload: Payload) -> list[tuple[str, list[Any]]]:
    """Rows of each mean and difference, the differences first."""
    found: dict[str, list[Any]] = {}
    for one in payload["inferences"]:
        found.setdefault(one["target"], []).append(one)
    tests = {test["name"] for test in payload["tests"]}
    return sorted(found.items(), key=lambda item: item[0] in tests)


def _arrange_readers(payload: Payload) -> list[dict[str, Any]]:
    """Return a row for each reader: a cell for each test, and the reader's own difference."""
    cells = [{cell["name"]: cell for cell in test["readers"]} for test in payload["tests"]]
    gaps = {gap["reader"]: gap for gap in payload["by_reader"]}
    return [
        {"name": name, "cells": [of.get(name) for of in cells], "gap": gaps.get(name)}
        for name in payload["data"]["readers"]
    ]


# ---------------------------------------------------------------------------------- pictures


def _draw_forests(payload: Payload) -> list[dict[str, Any]]:
    """Draw the readers with the average of each test; and the differences, if there are any."""
    tests, readers = payload["tests"], _arrange_readers(payload)
    quantity = payload["quantity"]
    own = [
        _row(row["name"], [(k, cell["estimate"]) for k, cell in enumerate(row["cells"]) if cell])
        for row in readers
    ]
    means = [
        _row(f"Mean, {test['name']}", [(k, test["estimate"])], test) for k, test in enumerate(tests)
    ]
    alone = [test["algorithm"] for test in tests if test["algorithm"]][:1]
    title = quantity[0].upper() + quantity[1:]
    sides = _find_sides(payload)
    of_means = {"side": sides["means"], "alone": alone, "most": 1.0}
    found = [_draw_forest(f"{title} of each reader", own, means, **of_means)]
    gaps = payload["differences"]
    if gaps:
        each = [(row["name"], row["gap"]) for row in readers if row["gap"]]
        names = [f"{gap['first']} − {gap['second']}" for gap in gaps] if gaps[1:] else ["Mean"]
        own, means = (
            [_row(name, [(INK, gap["difference"])], gap) for name, gap in pairs]
            for pairs in (each, zip(names, gaps, strict=True))
        )
        title = f"{gaps[0]['first']} minus {gaps[0]['second']}"
        margin = [] if payload["margin"] is None else [(-payload["margin"], "here")]
        lines = [(0.0, "zero"), *margin]
        found.append(_draw_forest(title, own, means, side=sides["gaps"], lines=lines))
    return found


def _row(
    name: str, marks: list[tuple[int, float]], limits: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return a row of a forest: the number of a test and its value for each mark."""
    return {"name": name, "marks": marks, "ends": limits and (limits["low"], limits["high"])}


def _draw_forest(
    title: str,
    own: Sequence[dict[str, Any]],
    means: Sequence[dict[str, Any]],
    *,
    side: str,
    alone: Sequence[Mapping[str, Any]] = (),
    lines: Sequence[tuple[float, str]] = (),
    most: float = math.inf,
) -> dict[str, Any]:
    """Place readers above, and means below a rule, on one axis."""
    seen = [value for row in (*own, *means) for _, value in row["marks"]]
    seen += [value for value, _ in lines]
    for low, high in [row["ends"] for row in (*own, *means) if row["ends"]]:
        # A one-sided limit's other end is that of the range: nothing to see.
        seen += [low] * (side != "less") + [high] * (side != "greater")
    seen += [one[end] for one in alone for end in ("low", "high")]
    ticks = choose_ticks(min(seen), min(max(seen), most))
    first, last = ticks[0], ticks[-1]

    def place(value: float) -> float:
        return LEFT + WIDTH * (min(max(value, first), last) - first) / (last - first)

    rows = []
    for number, row in enumerate([*own, *means]):
        below = number >= len(own)
        marks = [(k, place(value)) for k, value in row["marks"]]
        spread = [x for _, x in marks]
        rows.append(
            {
                "y": TOP + ROW * (number + 0.5) + 8 * below * bool(own),
                "name": shorten(row["name"]),
                "full": row["name"],
                "marks": marks,
                # No cap where the axis ends before the limit, as that of a one-sided interval.
                "ends": row["ends"] and [(place(e), first <= e <= last) for e in row["ends"]],
                "link": (min(spread), max(spread)) if len(spread) > 1 else None,
                "mean": below,
            }
        )
    foot = TOP + ROW * len(rows) + 8 * bool(own)
    about = "; ".join(f"{row['name']}: {_say(row, side)}" for row in means)
    return {
        "title": title,
        "about": f"{title}. {about}. The table of readers has the numbers.",
        "rows": rows,
        "rule": TOP + ROW * len(own) + 4 if own else None,
        "ticks": [(place(tick), format_number(tick)) for tick in ticks],
        "lines": [(place(value), kind) for value, kind in lines],
        "zone": [[place(one[end]) for end in ("low", "estimate", "high")] for one in alone],
        "foot": foot,
        "size": (LEFT + WIDTH + RIGHT, foot + FOOT - 16),
    }


def _say(row: Mapping[str, Any], side: str) -> str:
    (_, value), *_ = row["marks"]
    mean, *ends = write_shares(value, *row["ends"])
    return f"{mean}, {say_ends(ends, side)}"


def choose_ticks(low: float, high: float) -> list[float]:
    """Choose round numbers around a range.

    >>> choose_ticks(0.83, 0.97)
    [0.8, 0.85, 0.9, 0.95, 1.0]
    """
    step = next((s for s in STEPS if high - low <= (MOST_STEPS - 1) * s), STEPS[-1])
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(k * step, 10) for k in range(min(first, last - 1), last + 1)]


def shorten(name: str) -> str:
    """Cut a long name, for which a picture has no room."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _draw_panel(payload: Payload, k: int) -> dict[str, Any]:
    """Draw the curves of all readers under one test, and their average with its band."""
    test, look = payload["tests"][k], f"look-{k % 13}"
    found = test["curves"]
    lower, upper = _points(found["lower"]), _points(found["upper"])
    shapes = [("guess", [(0.0, 0.0), (1.0, 1.0)]), (f"band {look}", [*upper, *lower[::-1]])]
    shapes += [(f"curve faint {look}", _points(one)) for one in found["readers"]]
    if found["algorithm"]:
        shapes.append(("curve look-6 dash-1", _points(found["algorithm"])))
    shapes.append((f"curve average-curve {look}", _points(found["average"])))
    about = f"ROC curves of {len(found['readers'])} readers under {test['name']}, and their average"
    return {"shapes": shapes, "about": about, "ticks": (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), "test": k}


def _points(line: Mapping[str, Sequence[float]]) -> list[tuple[float, float]]:
    return [*zip(line["fpr"], line["tpr"], strict=True)]
