"""S1, S2, S4, S5: printed thresholds do what is said of them, and points are the same everywhere.

Each check yields, for each statement that it reads, what contradicts it, or an empty text.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import rocbands as rb
from rocbands.points.choose import Point
from tests.properties.statements import CUT, NUMBER, Answers, Rows, Said, Statement, join, prints

_SAME = 1e-9


# ------------------------------------------------------------------------- S1: typed back


def check_thresholds(answers: Answers) -> Iterator[str]:
    """S1: a printed threshold, fed back, gives the numbers that are printed with it."""
    for statement in answers.statements:
        yield from type_back(statement, answers.rows, answers.advice and answers.advice.points)
    yield from type_back_tables(answers.page[1], answers.rows)
    if answers.report is not None:
        yield from type_back_payload(answers.report.payload, answers.rows)


def type_back(
    statement: Statement, rows: Rows, points: Sequence[Point] | None = ()
) -> Iterator[str]:
    """Feed the thresholds of a text back."""
    of_rule = statement.where.startswith(("summary", "report", "page, payload.headline"))
    known = {(p.model, p.text): (p.tp, p.fp) for p in points or () if p.threshold is not None}
    for said in rows.read_points(statement):
        calls = rows.call(said.model, said.cut)
        wrong = []
        if not prints(said.found, 100.0 * calls.tpr):
            wrong.append(f"finds {100.0 * calls.tpr:.4g} and not {said.found} of 100")
        if not prints(said.alarms, 100.0 * calls.fpr):
            wrong.append(f"alarms on {100.0 * calls.fpr:.4g} and not {said.alarms} of 100")
        point = known.get((said.model, said.cut))
        if of_rule and not said.highest and known and point != (calls.tp, calls.fp):
            wrong.append(f"calls {calls.tp} and {calls.fp} rows, its point {point}")
        where = f"{statement.where}: threshold {said.cut} of {said.model}"
        yield f"{where} {', '.join(wrong)}" if wrong else ""
    yield from _type_back_costs(statement, rows)


def _type_back_costs(statement: Statement, rows: Rows) -> Iterator[str]:
    """Feed back a threshold whose cost on these rows is printed."""
    if "cost_interval" not in statement.where or statement.model is None:
        return
    pattern = rf"At costs ([\d.]+) : ([\d.]+) [^;]*? threshold ({CUT}) costs ({NUMBER}) per 1,000"
    for c_fn, c_fp, cut, cost in re.findall(pattern, join(statement.text)):
        calls, pi = rows.call(statement.model, cut), rows.sample[statement.model].roc.prevalence
        found = pi * float(c_fn) * (1.0 - calls.tpr) + (1.0 - pi) * float(c_fp) * calls.fpr
        right = prints(cost, 1000.0 * found)
        yield "" if right else f"{statement.where}: {cut} costs {1000 * found:.4g} and not {cost}"


def type_back_tables(tables: Sequence[dict[str, str]], rows: Rows) -> Iterator[str]:
    """Feed back the thresholds of the confusion matrices of a page."""
    for row in tables:
        if "Positives missed" not in row or row["Threshold"] == "none":
            continue
        model = row[""].strip()
        if model not in rows.sample.models:
            continue
        calls = rows.call(model, row["Threshold"])
        said = [
            int(row[name].split()[0].replace(",", ""))
            for name in ("Positives found", "False alarms")
        ]
        right = said == [calls.tp, calls.fp]
        yield "" if right else f"page: {row} calls {calls.tp} and {calls.fp} rows"


def type_back_payload(payload: Any, rows: Rows) -> Iterator[str]:
    """Feed back the texts of the thresholds of a payload: its points and its charts."""
    for model in payload["models"]:
        name, roc = model["name"], model["roc"]
        for point in model["points"] or ():
            if point["threshold_text"] != "none":
                calls = rows.call(name, point["threshold_text"])
                said = point["threshold_tpr"], point["threshold_fpr"]
                right = np.allclose(said, (calls.tpr, calls.fpr), rtol=1e-5, atol=_SAME)
                yield "" if right else f"payload: {name} {point} calls {calls}"
        for place, cut in list(zip(payload["places"], roc["threshold_at_text"], strict=True))[::40]:
            if cut != "none":
                calls = rows.call(name, cut)
                kept = calls.fpr <= place * (1.0 + 1e-5) + _SAME
                yield "" if kept else f"payload: marker {cut} of {name} at {place} has {calls.fpr}"


# --------------------------------------------------------------------------- S2: promises


def check_promises(answers: Answers) -> Iterator[str]:
    """S2: "at most r" holds on these rows for each printed threshold."""
    for statement in answers.statements:
        if statement.where.startswith(("summary", "report", "page, payload.headline")):
            yield from keep_promise(statement, answers.rows)


def keep_promise(statement: Statement, rows: Rows) -> Iterator[str]:
    """Tell which thresholds of a text break its promise."""
    text = join(statement.text)
    promise = re.search(
        r"thresholds? (?:is|are) for ((?:at most|acting on) [^.,;]*(?:\.\d+[^.,;]*)?)", text
    )
    for said in rows.read_points(statement):
        words = f"at most {said.promise}" if said.promise else promise[1] if promise else ""
        limit = read_promise(words)
        if limit is None:
            continue
        what, most = limit
        value = getattr(rows.call(said.model, said.cut), what)
        broken = value > most + _SAME
        wrong = broken != said.highest
        word = "breaks" if broken else "keeps"
        yield (
            f"{statement.where}: {said.cut} of {said.model} {word} {words!r}: {value:.5g}"
            if wrong
            else ""
        )


def read_promise(words: str) -> tuple[str, float] | None:
    """Read a promise: what is limited, and how much it may be; of several rates the lowest."""
    acted = re.search(
        rf"acting on at most ({NUMBER}) of 100|({NUMBER}) of 100 cases acted on", words
    )
    if acted:
        return "share", float(acted[1] or acted[2]) / 100.0
    alarms = re.search(rf"at most ({NUMBER})(?: false alarms?)?(?: to {NUMBER})? in (\d+)", words)
    if alarms:
        return "fpr", float(alarms[1]) / float(alarms[2])
    return None


# ------------------------------------------------------------------- S4: one point everywhere


def check_points(answers: Answers) -> Iterator[str]:
    """S4: the point of a model is the same in sentence, table, matrix, chart and JSON."""
    advice = answers.advice
    if advice is None or advice.point is None:
        return
    points = {point.model: point for point in map(advice.point_of, advice.models) if point}
    for point in advice.points:
        yield from match_choice(answers.case.sample[point.model].roc, point)
    for statement in answers.statements:
        if statement.where.startswith(("summary", "report", "page, payload.headline")):
            yield from match_points(statement, answers.rows, advice.points)
    if answers.report is not None:
        yield from match_payload(answers.report.payload, points, advice.points)
        yield from match_markers(answers.report.payload, advice.points)
    yield from match_functions(answers.case.sample, advice.points)


def match_choice(roc: rb.RocCurve, point: Point) -> Iterator[str]:
    """Tell whether a point finds most of those that keep its promise, at the highest threshold."""
    share = roc.prevalence * np.asarray(roc.tpr) + (1.0 - roc.prevalence) * np.asarray(roc.fpr)
    limited = {"fpr": np.asarray(roc.fpr), "rate": share}.get(point.rule.name)
    if limited is None:
        return
    kept = limited <= point.rule.at + _SAME
    most = float(np.asarray(roc.tpr)[kept].max())
    step = int(np.flatnonzero(kept & (np.asarray(roc.tpr) >= most - _SAME))[0])
    highest = roc.thresholds[step - 1] if step else None
    same = abs(point.tpr - most) < _SAME and point.threshold == highest
    yield "" if same else f"{point}: {most:.5g} can be found from {highest}"


def match_points(statement: Statement, rows: Rows, points: Sequence[Point]) -> Iterator[str]:
    """Compare the printed points of a text with the points themselves."""
    for said in rows.read_points(statement):
        if said.highest:
            continue
        own = [p for p in points if p.model == said.model and _is_printed(said, p)]
        where = f"{statement.where}: {said.cut} of {said.model}"
        yield "" if own else f"{where}, {said.found} {said.found_limits} is no point of its"


def _is_printed(said: Said, point: Point) -> bool:
    pairs = [(said.found, point.tpr), (said.alarms, point.fpr)]
    if said.found_limits:
        pairs += zip(said.found_limits, (point.tpr_low, point.tpr_high), strict=True)
    if said.alarms_limits:
        pairs += zip(said.alarms_limits, (point.fpr_low, point.fpr_high), strict=True)
    return said.cut == point.text and all(prints(text, 100.0 * rate) for text, rate in pairs)


def match_payload(payload: Any, ruling: dict[str, Point], points: Sequence[Point]) -> Iterator[str]:
    """Compare the points of a report, and its first matrix, with those of a summary."""
    numbers = [
        "tp",
        "fp",
        "n_pos",
        "n_neg",
        "tpr",
        "tpr_low",
        "tpr_high",
        "fpr",
        "fpr_low",
        "fpr_high",
    ]
    of_report = payload["recommendation"]["points"]
    if len(of_report) != len(points):
        yield f"payload: {len(of_report)} points, summary {len(points)}"
        return
    for one, point in zip(of_report, points, strict=True):
        same = (one["model"], one["threshold_text"] or "") == (point.model, point.text)
        same &= one["threshold"] == point.threshold
        own = [getattr(point, name) for name in numbers]
        same &= bool(np.allclose([one[name] for name in numbers], own, rtol=1e-5, atol=_SAME))
        yield "" if same else f"payload: point {one}, summary {point}"
    for row in payload["confusion"][0]["models"]:
        point = ruling[row["name"]]
        text = point.text if point.threshold is not None else "none"
        same = (row["tp"], row["fp"], row["threshold_text"]) == (point.tp, point.fp, text)
        yield "" if same else f"matrix {row} of {payload['confusion'][0]['rule']}, point {point}"


def match_markers(payload: Any, points: Sequence[Point]) -> Iterator[str]:
    """Compare the points of a rate with the marker of the chart, and the table of points, there."""
    models = {model["name"]: model for model in payload["models"]}
    for point in points:
        if point.rule.name != "fpr":
            continue
        model, text = models[point.model], point.text or "none"
        if point.rule.at in payload["places"]:
            marker = model["roc"]["threshold_at_text"][payload["places"].index(point.rule.at)]
            same = marker == text
            yield "" if same else f"marker {marker} of {point.model} at {point.rule}, point {text}"
        for row in model["points"] or ():
            if row.get("best") is None and row["fpr"] == point.rule.at:
                same = row["threshold_text"] == text
                yield "" if same else f"table of points {row}, point {text} of {point.rule}"


def match_functions(sample: rb.Sample, points: Sequence[Point]) -> Iterator[str]:
    """Compare the points of the first model with those of its own function."""
    for point in points:
        if point.model != sample.models[0] or point.rule.name == "costs":
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            at = rb.operating_points(sample[point.model], **{point.rule.name: point.rule.at})
        same = at.threshold_text[0] == (point.text or "inf")
        yield "" if same else f"operating_points {at.threshold_text[0]}, {point.rule} {point.text}"


# ------------------------------------------------------------------------- S5: differences


def check_differences(answers: Answers) -> Iterator[str]:
    """S5: a printed difference says for what, is that of its function, and is possible."""
    advice = answers.advice
    if advice is None:
        return
    yield from read_differences(Statement("summary", advice.sentence), answers.rows)
    if advice.point is None or advice.rival is None:
        return
    if advice.point.rule.name == "costs":
        yield from match_cost(answers)
    elif advice.difference is not None:
        yield match_difference(answers)


def read_differences(statement: Statement, rows: Rows) -> Iterator[str]:
    """Tell which differences of a sentence do not say for what, or exceed what is found."""
    text = join(statement.text)
    found = {said.model: float(said.found.split()[-1]) for said in rows.read_points(statement)}
    pattern = rf"({rows.names}) finds ({NUMBER}) (more|fewer)( of 100 [^(]*)?(?: \(|\.|,)"
    for hit in re.finditer(pattern, text):
        before = text[: hit.start()]
        where = before.endswith(("at equal false alarms ", "acting on as many "))
        crossing = re.search(r"with at most [^,;]*$", before)
        if not (where or crossing):
            yield f"{statement.where}: {hit[0]!r} does not say at which rate"
            continue
        model, size = rows.models[hit[1]], float(hit[2].split()[-1])
        others = [rate for name, rate in found.items() if name != model]
        most = found.get(model, 100.0) if hit[3] == "more" else max(others, default=100.0)
        too_large = size > most + 1.0
        yield f"{statement.where}: {hit[0]!r}, but {most} are found" if too_large else ""


def match_difference(answers: Answers) -> str:
    """Compare the difference at a rate with that of its function, at the level of the page."""
    advice, rule = answers.advice, answers.advice.point.rule
    rates = 1 if advice.given else len(advice.rules)
    level = 1.0 - 0.05 / (rates * (len(advice.models) - 1))
    pair = answers.case.sample[[advice.model, advice.rival]]
    if rule.name == "fpr":
        gap = rb.compare_tpr(pair, fpr=rule.at, level=level)
        own = gap.difference, gap.low, gap.high
    else:
        found = rb.rate_difference(pair, rate=rule.at, level=level)
        own = found.difference[0], found.lower[0], found.upper[0]
    said = advice.difference, advice.difference_low, advice.difference_high
    return "" if np.allclose(said, own) else f"difference {said}, that of its function {own}"


def match_cost(answers: Answers) -> Iterator[str]:
    """Type the thresholds of a difference of costs back, on the rows that judge them."""
    from rocbands.cost.thresholds import split_rows

    advice, sample = answers.advice, answers.case.sample
    names = answers.rows.names
    hit = re.search(
        rf"; (?:{names}) at ({CUT}) costs ({NUMBER}) (more|less)(?: \(| ?,)", advice.sentence
    )
    if hit is None:
        return
    judged = split_rows(sample, 0)[1][[advice.model, advice.rival]]
    cuts = {advice.model: float(advice.point.text or "inf"), advice.rival: float(hit[1])}
    prevalence = sample[advice.model].roc.prevalence
    gap = rb.cost_difference(
        judged, thresholds=cuts, costs=advice.point.rule.at, prevalence=prevalence
    )
    value = -float(gap.difference_per_1000[0])  # what the rival costs more
    right = prints(hit[2], abs(value)) and (value >= -0.5 if hit[3] == "more" else value <= 0.5)
    yield "" if right else f"summary: {hit[0]!r}, typed back {value:.4g}"
