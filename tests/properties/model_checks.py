"""S3, S6 to S10: what the first sentence says of models is not contradicted on the same rows.

Each check yields, for each statement that it reads, what contradicts it, or an empty text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import rocbands as rb
from tests.properties.statements import NUMBER, Answers, Rows, join

_SETTLE = r"guessing|too few to choose|until (?:this|then)"


# ----------------------------------------------------------------------- S3: one first sentence


def check_first_sentence(answers: Answers) -> Iterator[str]:
    """S3: summary, report and page begin with the same sentence."""
    if answers.report is None or answers.advice is None:
        return
    payload = answers.report.payload
    said = {
        "report": answers.report.sentence,
        "headline": payload["headline"][0],
        "payload": payload["sentence"],
        "recommendation": payload["recommendation"]["sentence"],
        "print of the report": join(str(answers.report)),
        "page": join(answers.page[0]),
        "app": ask_app(answers.case.sample, answers.case.rule),
    }
    yield from match_sentences(answers.summary.sentence, said)


def ask_app(sample: rb.Sample, rule: Mapping[str, Any]) -> str:
    """Return the sentence of the summary that the app writes beside its report."""
    from rocbands.app.answers import list_model_results
    from rocbands.app.data import Asked

    asked = {("capacity" if name == "rate" else name): value for name, value in rule.items()}
    return str(list_model_results(Asked(asked), sample)["summary"]().sentence)


def match_sentences(first: str, said: Mapping[str, str]) -> Iterator[str]:
    """Tell which text does not begin with, or contain, the first sentence."""
    for where, text in said.items():
        whole = where in ("page", "print of the report")
        same = join(first) in text if whole else text == first
        yield "" if same else f"{where}: {text[:300]!r}, summary {first[:300]!r}"


# --------------------------------------------------------------------------- S6, S7, S8: "Use"


def find_used(text: str, rows: Rows) -> str | None:
    """Return the model that a sentence recommends."""
    hit = re.search(rf"(?:^|[.] )Use ({rows.names})(?:\.|,| )", join(text))
    return rows.models[hit[1]] if hit else None


def check_use(answers: Answers) -> Iterator[str]:
    """S6: no other model is shown to be better than the one to use."""
    used = find_used(answers.summary.sentence, answers.rows)
    if used is None:
        return
    if answers.case.rule:
        yield from match_use_by_rule(answers, used)
        return
    yield from match_areas(used, answers.compared)
    yield from match_rates(answers.case.sample, used, [rule.at for rule in answers.advice.rules])


def match_areas(used: str, compared: Any) -> Iterator[str]:
    """Tell which AUC is shown to be higher than that of the model to use, or is not lower."""
    for (i, j), low, high in zip(compared.pairs, compared.lower, compared.upper, strict=True):
        one, two = compared.names[i], compared.names[j]
        if used not in (one, two):
            continue
        other = two if used == one else one
        lower = low if used == one else -high
        yield "" if lower > 0.0 else f"Use {used}: its AUC is not shown higher than that of {other}"


def match_rates(sample: rb.Sample, used: str, rates: Sequence[float]) -> Iterator[str]:
    """Tell which model is shown to find more than the one to use, at a usual rate."""
    others = [name for name in sample.models if name != used]
    level = 1.0 - 0.05 / (len(rates) * len(others))
    for rate in rates:
        for other in others:
            gap = rb.compare_tpr(sample[[other, used]], fpr=rate, level=level)
            found = [find_most(sample[name].roc, rate) for name in (other, used)]
            more = gap.low > 0.0 and found[0] >= found[1]
            yield f"Use {used}: {other} finds more at {rate} ({gap.low:.3f})" if more else ""


def find_most(roc: rb.RocCurve, rate: float) -> float:
    """Return the most that a threshold finds with at most a false positive rate."""
    kept = [tpr for fpr, tpr in zip(roc.fpr, roc.tpr, strict=True) if fpr <= rate + 1e-9]
    return float(max(kept))


def match_use_by_rule(answers: Answers, used: str) -> Iterator[str]:
    """Tell of which model it is not shown that it finds less, or costs more, for a rule."""
    advice = answers.advice
    others = [name for name in advice.models if name != used]
    for other in others:
        pair, rule = answers.case.sample[[used, other]], advice.point.rule
        level = 1.0 - 0.05 / len(others)
        if rule.name == "fpr":
            low = rb.compare_tpr(pair, fpr=rule.at, level=level).low
        elif rule.name == "rate":
            low = float(rb.rate_difference(pair, rate=rule.at, level=level).lower[0])
        else:
            low = advice.difference_low if other == advice.rival else None
            low = 1.0 if low is None else low  # not said
        yield "" if low > 0.0 else f"Use {used}: not shown to be better than {other} ({low:.4f})"


def check_elsewhere(answers: Answers) -> Iterator[str]:
    """S7: where another model is better than the named one, the findings say so."""
    if answers.report is None or answers.advice is None or answers.advice.point is None:
        return
    payload = answers.report.payload
    if payload["comparison"] is not None:
        yield from match_ranges(
            answers.advice.model, payload["comparison"]["pairs"], payload["headline"][1:]
        )


def match_ranges(named: str, pairs: Sequence[Any], further: Sequence[str]) -> Iterator[str]:
    """Tell which range, in which another model is better, the further findings leave out."""
    for pair in pairs:
        if named not in (pair["first"], pair["second"]):
            continue
        for part in pair["better"]:
            if part["model"] == named:
                continue
            said = any(f"{part['model']} finds more at" in one for one in further)
            yield "" if said else f"{part} is not in the findings on {named}"


def check_fit_to_use(answers: Answers) -> Iterator[str]:
    """S8: nothing is recommended among reversed scores, hard predictions or too few cases."""
    used = find_used(answers.summary.sentence, answers.rows)
    if used is not None:
        yield from find_unfit(used, answers.case.sample, answers.areas)


def find_unfit(used: str, sample: rb.Sample, areas: Mapping[str, Any]) -> Iterator[str]:
    """Tell why no model of a sample may be recommended yet."""
    turned = [name for name, area in areas.items() if area.high < 0.5]
    sizes = {name: sample[name].roc.thresholds.size for name in sample.models}
    hard = [name for name, size in sizes.items() if size == 2]
    hard = hard if any(size > 2 for size in sizes.values()) else []
    why = [f"{name} is reversed" for name in turned] + [f"{name} has two values" for name in hard]
    why += ["fewer than 10 of a class"] * (min(sample.n_pos, sample.n_neg) < 10)
    yield f"Use {used}: {'; '.join(why)}" if why else ""


# ----------------------------------------------------------------- S9: what must be settled first


def check_settled(answers: Answers) -> Iterator[str]:
    """S9: a sentence that something must be settled gives no threshold, and recommends nothing."""
    sentence = answers.summary.sentence
    if not re.search(_SETTLE, sentence):
        return
    yield from find_premature("summary", sentence)
    advice = answers.advice
    yield "" if (advice.point, advice.points) == (None, ()) else "summary: it has points"
    for statement in answers.statements:
        if statement.where.startswith(("report", "page")):
            yield from find_recommended(statement.where, statement.text)


def find_premature(where: str, text: str) -> Iterator[str]:
    """Tell what a sentence says too early."""
    text = join(text)
    early = [
        *re.findall(rf"threshold {NUMBER}", text),
        *re.findall(rf"{NUMBER} (?:more|fewer)\b", text),
        *re.findall(r"\bUse \S+", text),
        *re.findall(rf" finds {NUMBER}", text),
    ]
    if not re.search(_SETTLE, text):
        yield f"{where}: nothing is to be settled in {text!r}"
        return
    yield f"{where}: {early} in {text!r}" if early else ""


def find_recommended(where: str, text: str) -> Iterator[str]:
    """Tell where a page speaks of a recommended model although there is none."""
    hit = re.search(r"[^.]*\brecommended model\b[^.]*", join(text))
    yield f"{where}: {hit[0]!r}, but none is recommended" if hit else ""


# ------------------------------------------------------------------------- S10: not told apart


def check_alike(answers: Answers) -> Iterator[str]:
    """S10: models that "cannot be told apart by AUC" are not told apart by compare_many."""
    if answers.compared is not None and "told apart" in answers.summary.sentence:
        areas = {name: area.estimate for name, area in answers.areas.items()}
        yield from match_alike(answers.summary.sentence, answers.rows, areas, answers.compared)


def match_alike(text: str, rows: Rows, areas: Mapping[str, float], compared: Any) -> Iterator[str]:
    """Compare what a sentence says of AUCs with the comparison of all of them."""
    names = rows.names
    text = join(text)
    alike = re.search(rf"((?:{names})(?:(?:, | and )(?:{names}|\d+ others))*) cannot be told", text)
    if alike is None:
        yield f"no names in {text!r}"
        return
    if "by AUC" not in text:
        return
    listed, more = _read_names(alike[1], rows)
    named = re.search(rf"At threshold \S+ ({names}) ", text) or re.search(
        rf"(?:{names}) cannot be told apart [^;]*; ({names}) has the highest", text
    )
    lower = {}
    for (i, j), low, high in zip(compared.pairs, compared.lower, compared.upper, strict=True):
        one, two = compared.names[i], compared.names[j]
        lower[one, two], lower[two, one] = low, -high
    model = rows.models[named[1]] if named else listed[0]
    top = max(areas.values())
    yield (
        "" if areas[model] >= top - 1e-12 else f"{model} has the AUC {areas[model]}, another {top}"
    )
    for other in listed:
        apart = other != model and max(lower[model, other], lower[other, model]) > 0.0
        yield f"{model} and {other} are told apart by AUC" if apart else ""
    shown = re.search(r"shown to be higher than that of (.*?)\. ", text)
    below, rest = _read_names(shown[1], rows) if shown else ([], 0)
    for other in below:
        yield "" if lower[model, other] > 0.0 else f"{other} is not shown to be lower than {model}"
    count = len(listed) + more + len(below) + rest
    yield "" if count == len(areas) else f"{count} of {len(areas)} models in {text!r}"


def _read_names(text: str, rows: Rows) -> tuple[list[str], int]:
    found = [rows.models[name] for name in re.findall(rf"(?<!\w)(?:{rows.names})(?!\w)", text)]
    more = re.search(r"(\d+) others", text)
    return found, int(more[1]) if more else 0
