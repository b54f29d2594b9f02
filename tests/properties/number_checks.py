"""S11, S13, S14: one number for one quantity, sound words, and limits that are not rounded away.

Each check yields, for each statement that it reads, what contradicts it, or an empty text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tests.properties.statements import NUMBER, Answers, Statement, agree, join, span

_COUNTED = (
    "points|cases|pairs|others|positives|negatives|rows|models|clusters|false alarms|groups|"
    "thresholds|resamples"
)
_WRONG_WORDS = {
    "plural of one": rf"(?<![\d.,:/-])(?<!\d )1 (?:{_COUNTED})\b",
    "negative zero": r"[-−]0(?:\.0+)?(?![\d.,])(?!\.\d)",
    "0 of 1": r"\b[01] of 1 pair\b",
    "direction of a limit": r"fewer \((?:0 to|[-−])",
    "no number": r"\bnan\b",
    "a negative number of a direction": rf"\b(?:more|fewer|less)(?: than [\w ]+)? \((?:[-−]|{NUMBER} to [-−])",
}
_WRONG = {what: re.compile(pattern) for what, pattern in _WRONG_WORDS.items()}
_LIMITS = (
    rf"({NUMBER})(?: of 100(?: [a-z]+)*)? \((?:95% interval )?({NUMBER}) ?(?:to|,) ({NUMBER})\b"
)


class Fact(NamedTuple):
    """A printed number: of what, for whom, under which condition; and where it stands."""

    quantity: str
    who: str
    scope: str
    texts: tuple[str, ...]  # estimate, then limits
    where: str


# ------------------------------------------------------------------------- S11: one number


def check_facts(answers: Answers) -> Iterator[str]:
    """S11: one quantity of one model under one condition is the same wherever it stands."""
    yield from match_facts(list(read_facts(answers)))
    yield from match_costs(answers)


def match_facts(facts: Sequence[Fact]) -> Iterator[str]:
    """Compare facts of the same quantity with the first of them."""
    known: dict[tuple[str, str, str], Fact] = {}
    for fact in facts:
        first = known.setdefault(fact[:3], fact)
        if first is fact:
            continue
        pairs = list(zip(first.texts, fact.texts, strict=False))
        same = all(agree(one, two) for one, two in pairs)
        words = f"{fact[:3]}: {fact.where} {fact.texts}, {first.where} {first.texts}"
        yield "" if same else words


def read_facts(answers: Answers) -> Iterator[Fact]:
    """Read the numbers that stand in several places."""
    yield from _read_areas(answers)
    yield from _read_gaps(answers)
    yield from _read_rates(answers)
    for statement in answers.statements:
        of = re.sub(r" \(\w+\)$|\[\d+\]$", "", statement.where)  # each function has its own
        for count in re.findall(r"rows count like ([\d.]*\d)", join(statement.text)):
            if statement.where != "page":
                yield Fact("effective rows", statement.model or "", of, (count,), statement.where)


def _read_areas(answers: Answers) -> Iterator[Fact]:
    """AUCs, each alone and of the one that was chosen."""
    rows = answers.rows
    for name, area in answers.areas.items():
        numbers = tuple(f"{x:.12f}" for x in (area.estimate, area.low, area.high))
        yield Fact("AUC", name, "alone", numbers, "auc_interval")
    for name, cells in answers.summary.values.items():
        if "AUC" in cells:
            numbers = tuple(f"{x:.12f}" for x in cells["AUC"][:3])
            yield Fact("AUC", name, "alone", numbers, "summary (table)")
    for row in answers.page[1]:
        if "AUC" in row and "95% interval" in row and row[""].strip() in rows.sample.models:
            yield Fact("AUC", row[""].strip(), "alone", (row["AUC"],), "page (table)")
    advice = answers.advice
    if advice is not None:
        chosen = tuple(f"{x:.12f}" for x in (advice.auc, advice.auc_low, advice.auc_high))
        scope = "chosen" if len(advice.models) > 1 else "alone"
        yield Fact("AUC", advice.model, scope, chosen, "recommendation")
    own = rf"({rows.names})(?:, is| has the highest AUC,| has an AUC of) ({NUMBER}) \(({NUMBER}) to ({NUMBER})"
    for statement in answers.statements:
        text = join(statement.text)
        for name, *numbers in re.findall(rf"of {own}, allowing for the choice", text):
            yield Fact("AUC", rows.models[name], "chosen", tuple(numbers), statement.where)
        largest = rf"({rows.names}) has the largest AUC, ({NUMBER}) \(95% interval ({NUMBER}) to ({NUMBER}), which allows"
        for name, *numbers in re.findall(largest, text):
            yield Fact("AUC", rows.models[name], "chosen", tuple(numbers), statement.where)
        if statement.where.startswith("auc_interval") and statement.model:
            for numbers in re.findall(
                rf"AUC ({NUMBER}) \(95% interval ({NUMBER}) to ({NUMBER})", text
            ):
                yield Fact("AUC", statement.model, "alone", tuple(numbers), statement.where)


def _read_gaps(answers: Answers) -> Iterator[Fact]:
    """Differences of AUC with limits for all pairs."""
    compared, rows = answers.compared, answers.rows
    if compared is None:
        return
    pairs = {}
    columns = compared.differences, compared.lower, compared.upper
    for (i, j), *numbers in zip(compared.pairs, *columns, strict=True):
        one, two = compared.names[i], compared.names[j]
        pairs[one, two] = numbers
        pairs[two, one] = [-numbers[0], -numbers[2], -numbers[1]]
    for (one, two), numbers in pairs.items():
        texts = tuple(f"{x:.12f}" for x in numbers)
        yield Fact("difference of AUC", f"{one}, {two}", "all pairs", texts, "compare_many")
    names = rows.names
    use = rf"Use ({names}), which ranks cases better than (?:({names})|each of the \d+ others) \(AUC {NUMBER}; (?:next )?({names}) {NUMBER}; difference ({NUMBER}) to ({NUMBER})\)"
    pair = rf"The AUC of ({names}) is higher than that of ({names}) by ({NUMBER}) \(95% interval ({NUMBER}) to ({NUMBER})"
    over = rf"({names}) ranks cases best \(AUC higher than that of ({names}) by ({NUMBER}), ({NUMBER}) to ({NUMBER})"
    for statement in answers.statements:
        text = join(statement.text)
        for one, _, two, low, high in re.findall(use, text):
            who = f"{rows.models[one]}, {rows.models[two]}"
            value = f"{pairs[rows.models[one], rows.models[two]][0]:.8f}"
            yield Fact("difference of AUC", who, "all pairs", (value, low, high), statement.where)
        for one, two, *numbers in re.findall(f"{pair}|{over}", text):
            found = [one, two, *numbers]
            found = found[:5] if found[0] else found[5:]
            who = f"{rows.models[found[0]]}, {rows.models[found[1]]}"
            yield Fact("difference of AUC", who, "all pairs", tuple(found[2:]), statement.where)
    if answers.report is not None and answers.report.payload["comparison"]:
        for one in answers.report.payload["comparison"]["pairs"]:
            texts = tuple(f"{one[key]:.8f}" for key in ("difference", "low", "high"))
            who = f"{one['first']}, {one['second']}"
            same = np.allclose(
                [float(t) for t in texts], pairs[one["first"], one["second"]], atol=2e-6
            )
            texts = (
                tuple(f"{x:.12f}" for x in pairs[one["first"], one["second"]]) if same else texts
            )
            yield Fact("difference of AUC", who, "all pairs", texts, "payload")


def _read_rates(answers: Answers) -> Iterator[Fact]:
    """What is found at an alert rate, by functions, section and differences."""
    rows = answers.rows
    alone = rf"At an alert rate of ({NUMBER})% \([^)]*?\) we find ({NUMBER}) of 100 positives \(({NUMBER}) to ({NUMBER})\)"
    both = rf"At an alert rate of ({NUMBER})% ({rows.names}) finds ({NUMBER}) of 100 positives and ({rows.names}) ({NUMBER})"
    for statement in answers.statements:
        text, model = join(statement.text), statement.model
        of_model = re.fullmatch(r"page, payload\.models\[(\d+)\]\.rates\.sentence", statement.where)
        if of_model and answers.report is not None:
            model = answers.report.payload["models"][int(of_model[1])]["name"]
        for rate, *numbers in re.findall(alone, text) if model else ():
            yield Fact("found", model or "", f"alert rate {rate}%", tuple(numbers), statement.where)
        for rate, one, first, two, second in re.findall(both, text):
            for name, number in ((one, first), (two, second)):
                scope = f"alert rate {rate}%"
                yield Fact("found", rows.models[name], scope, (number,), statement.where)


def match_costs(answers: Answers) -> Iterator[str]:
    """Compare the cost of the first sentence with that of the section on costs."""
    advice, report = answers.advice, answers.report
    if report is None or advice is None or advice.cost is None:
        return
    c_fn, c_fp = advice.point.rule.at
    pi = report.payload["preset"]["prevalence"]
    unit = pi * c_fn + (1.0 - pi) * c_fp
    w = pi * c_fn / unit
    model = next(m for m in report.payload["models"] if m["name"] == advice.model)["cost"]
    if model is None or model["cost"] is None:
        return
    at = int(np.argmin(np.abs(np.asarray(model["w"]) - w)))
    cost = 1000.0 * unit * model["cost"][at]
    cut = model["threshold"][at], advice.point.threshold
    same = np.isclose(cost, advice.cost, rtol=1e-4) and (cut[0] == cut[1] or cut[1] is None)
    yield "" if same else f"cost {advice.cost:.5g} at {cut[1]}, section {cost:.5g} at {cut[0]}"


# --------------------------------------------------------------------------- S13: sound words


def check_words(answers: Answers) -> Iterator[str]:
    """S13: no plural of one, no minus zero; limits contain the estimate as printed."""
    for statement in answers.statements:
        yield from find_wrong_words(statement)


def find_wrong_words(statement: Statement) -> Iterator[str]:
    """Tell what is wrong with the words and the limits of a text."""
    text = join(statement.text)
    for what, pattern in _WRONG.items():
        hit = pattern.search(text)
        near = text[max(hit.start() - 60, 0) : hit.end() + 30] if hit else ""
        yield f"{statement.where}: {what} in {near!r}" if hit else ""
    for estimate, low, high in re.findall(_LIMITS, join(re.sub(" {2,}", " | ", statement.text))):
        inside = span(low)[0] <= span(estimate)[1] and span(estimate)[0] <= span(high)[1]
        yield "" if inside else f"{statement.where}: {estimate} is not in {low} to {high}"


# ------------------------------------------------------------------ S14: limits and their words


def check_limits(answers: Answers) -> Iterator[str]:
    """S14: a limit above 0 is not printed as 0; "shown" where printed limits exclude 0."""
    for statement in answers.statements:
        yield from match_claims(statement)
    advice = answers.advice
    of_summary = [one for one in answers.statements if one.where.startswith("summary")]
    printed = [said for one in of_summary for said in answers.rows.read_points(one)]
    for point in () if advice is None else advice.points:
        values = [point.tpr, point.tpr_low, point.tpr_high]
        values += [point.fpr, point.fpr_low, point.fpr_high]
        for said in printed:
            if (said.model, said.cut) != (point.model, point.text) or not said.found_limits:
                continue
            texts = [said.found, *said.found_limits, said.alarms, *(said.alarms_limits or ())]
            yield from find_whole(texts, [100.0 * x for x in values], 100.0)
    for name, cells in answers.summary.values.items():
        table = " ".join(
            line for line in answers.summary.to_markdown().splitlines() if f"| {name} |" in line
        )
        if "AUC" in cells:
            hit = re.search(rf"({NUMBER}) \(({NUMBER}), ({NUMBER})\)", table)
            if hit:
                yield from find_whole(hit.groups(), cells["AUC"][:3], 1.0)
    yield from find_whole_facts(list(read_facts(answers)))


def find_whole_facts(facts: Sequence[Fact]) -> Iterator[str]:
    """Tell which AUC or difference is printed as 0 or 1, and is not.

    The first fact has the number exactly, or says that it is more or less than another.
    """
    known: dict[tuple[str, str, str], Fact] = {}
    for fact in facts:
        first = known.setdefault(fact[:3], fact)
        if "AUC" in fact.quantity:
            values = [float(text.split()[-1]) for text in first.texts]
            for one in find_whole(fact.texts, values, 1.0):
                yield f"{fact.where}: {one}" if one else ""


def find_whole(texts: Sequence[str], values: Sequence[float], one: float) -> Iterator[str]:
    """Tell which number is printed as 0 or as the whole, and is not."""
    for text, value in zip(texts, values, strict=False):
        number = float(text.replace(",", "").split()[-1])
        if " " in text or number not in (0.0, one):
            yield ""
            continue
        exact = abs(value - number) < 1e-9 * one
        yield "" if exact else f"{value!r} is printed as {text}"


_SHOWN = (
    r"more than chance|is higher than that of|is shown|has a higher|ranks cases better than|"
    r"is better than both"
)
_CHANCE = r"be chance|guessing|not significant|not differ|cannot be told|[Nn]o difference|not shown"
_GAP = (
    rf"difference ({NUMBER}) \(95% interval ({NUMBER}) to ({NUMBER})",
    rf"(?:by|differ by|is|more|fewer|less) ({NUMBER}) \((?:95% interval )?({NUMBER}) to ({NUMBER})",
    rf"({NUMBER}) (?:points? )?(?:more|fewer|less|higher|lower)(?: than [\w ]+)? \(({NUMBER}) to ({NUMBER})",
    rf"()difference ({NUMBER}) to ({NUMBER})",
)


def match_claims(statement: Statement) -> Iterator[str]:
    """Tell which claims of a text its own limits contradict."""
    for sentence in re.split(r"(?<=[.;]) ", join(statement.text)):
        for pattern in _GAP:
            for _, low, high in re.findall(pattern, sentence):
                ends = [
                    float(end.replace(",", "").replace("−", "-").split()[-1]) for end in (low, high)
                ]
                null = 0.5 if "guessing" in sentence else 0.0
                outside = ends[0] > null or ends[1] < null
                chance = re.search(_CHANCE, sentence)
                words = re.sub(r"(?:less|more) than (?=[-−]?\d)", "", sentence)
                if chance is None and not re.search(rf"{_SHOWN}|more|fewer|less", words):
                    continue
                wrong = outside == bool(chance)
                claim = "chance" if chance else "shown"
                yield (
                    f"{statement.where}: {claim}, {low} to {high} in {sentence!r}" if wrong else ""
                )
