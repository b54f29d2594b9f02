"""All numbers of the report on a reader study, as one JSON object.

Schema ``rocbands.reader-report/2``; docs/report.md describes the keys. Numbers are as in
:mod:`rocbands.reporting.payload`; infinite ones are the strings 'inf' and '-inf'.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from rocbands._version import __version__
from rocbands.core.comparison import Comparison
from rocbands.core.curve import Curve
from rocbands.core.phrases import say_ends, write_shares
from rocbands.core.progress import Progress
from rocbands.core.randomness import Rng
from rocbands.core.references import SOFTWARE
from rocbands.core.result import percent
from rocbands.plot.shapes import curve_shape
from rocbands.readers import METHODS
from rocbands.readers.average import ReaderAverage, average_curve, split_curves
from rocbands.readers.result import SCOPE, Inference, ReaderStudy
from rocbands.reporting.cited import describe_method
from rocbands.reporting.formatting import (
    format_pvalue,
    format_rate,
    format_share,
    list_thresholds,
    round_column,
    round_number,
)
from rocbands.reporting.payload import find_date
from rocbands.reporting.request import Omitted, choose_seed
from rocbands.reporting.words import say

SCHEMA = "rocbands.reader-report/2"
MORE_READERS, MORE_CASES = 2, 50  # of the next study, for which the standard error is shown


def build_reader_payload(
    study: ReaderStudy,
    *,
    title: str | None = None,
    source: str = "arrays",
    command: str | None = None,
    rng: Rng = 0,
    progress: Progress = lambda done, total: None,
) -> dict[str, Any]:
    """Compute everything that the report on a reader study shows."""
    seed = choose_seed(rng)
    omitted = Omitted()
    tests = []
    for place, name in enumerate(study.tests):
        progress(place, len(study.tests))
        curves = _describe_curves(study, name, seed)
        if curves is None:
            omitted.add("curves", say("readers", "no_curves", test=name))
        tests.append({**_describe_test(study, place), "curves": curves})
    spread = find_spread(study)
    if spread is None:
        why = "no_parts" if study.components or study.algorithm else "no_components"
        omitted.add("components", say("readers", why))
    parts = None if spread is None else describe_spread(spread)
    if title is None:
        title = "Reader study" + f": {', '.join(study.tests)}" * (len(study.tests) <= 3)
    design = "design" if study.algorithm is None else "design_with"
    words = say("readers", design, design=study.design, algorithm=study.algorithm)
    methods = [describe_method("readers", kind) for kind in _find_methods(study)]
    sources = [source for row in methods for source in row["references"]]
    references = list(dict.fromkeys([f"{SOFTWARE}{__version__}.", *sources]))
    progress(len(study.tests), len(study.tests))
    return {
        "schema": SCHEMA,
        "sentence": study.sentence,
        "title": title,
        "version": __version__,
        "kind": "readers",
        "level": study.level,
        "made": {
            "date": find_date(),
            "seed": seed,
            "command": command or f"rb.report(..., rng={seed})",
        },
        "headline": [study.sentence, words, *(parts["sentences"] if parts else ())],
        "statistics": _write_statistics(study),
        "data": _describe_data(study, source),
        **{key: getattr(study, key) for key in ("metric", "quantity", "random", "method")},
        **{key: getattr(study, key) for key in ("algorithm", "alternative", "margin", "null")},
        "scope": SCOPE[study.random],
        "tests": tests,
        "differences": [
            {**_describe_difference(gap), "holm": round_number(adjusted)}
            for gap, adjusted in zip(study.differences, study.holm, strict=True)
        ],
        "joint": study.joint and _round(study.joint, *study.joint._fields),
        "by_reader": [
            {"reader": reader, **_describe_difference(gap)}
            for reader, gap in zip(study.reader_names, study.by_reader, strict=True)
        ],
        "inferences": [_describe_inference(one) for one in study.inferences],
        "components": {key: round_number(value) for key, value in study.components.items()} or None,
        "parts": parts,
        "notes": list(dict.fromkeys([*study.readings.notes, *study.notes])),
        "paragraph": _write_paragraph(study, methods, references),
        "methods": methods,
        "references": references,
        "omitted": omitted.to_list(),
    }


def _round(result: Any, *names: str) -> dict[str, Any]:
    """Round some numbers of a result."""
    return {name: _finite(getattr(result, name)) for name in names}


def _finite(value: float | None) -> float | str | None:
    """Round a number; infinite ones are text."""
    if value is None:
        return None
    found = list_thresholds(np.array([value]))[0]
    return found if isinstance(found, str) else round_number(found)


def _describe_data(study: ReaderStudy, source: str) -> dict[str, Any]:
    readings = study.readings
    return {
        "design": study.design,
        "source": source,
        "positive": str(readings.positive),
        "readers": list(study.readers),
        "n_cases": readings.n_cases,
        "n_pos": study.n_pos,
        "n_neg": study.n_neg,
        "n_readings": readings.n_readings,
        "complete": bool(readings.read.all()),
        "clusters": None if readings.clusters is None else int(readings.clusters.max()) + 1,
    }


def _describe_test(study: ReaderStudy, place: int) -> dict[str, Any]:
    """Describe the mean of a test, and the value of each reader who read it."""
    mean = study.means[place]
    alone = study.algorithm_areas[place] if study.algorithm_areas else None
    columns = zip(
        study.readers,
        study.areas[place].tolist(),
        study.area_errors[place].tolist(),
        study.cases_read[place].tolist(),
        strict=True,
    )
    return {
        "name": study.tests[place],
        **_round(mean, "estimate", "low", "high", "standard_error"),
        "df": _finite(study.columns()["df"][place]),
        "pvalue": _finite(mean.pvalue),
        "algorithm": alone and _round(alone, "estimate", "low", "high"),
        "readers": [
            {
                "name": reader,
                "estimate": round_number(value),
                "standard_error": round_number(error),
                "cases": cases,
            }
            for reader, value, error, cases in columns
            if cases
        ],
    }


def _describe_difference(gap: Comparison) -> dict[str, Any]:
    return {
        "first": gap.names[0],
        "second": gap.names[1],
        **_round(gap, "difference", "low", "high", "standard_error", "statistic", "pvalue"),
        "df": _finite(math.inf if gap.df is None else gap.df),
        "verdict": gap.verdict,
    }


def _describe_inference(one: Inference) -> dict[str, Any]:
    named = {"target": one.target, "random": one.random, "scope": SCOPE[one.random]}
    return named | _round(one, *Inference._fields[2:])


# ---------------------------------------------------------------------------------- curves


def _describe_curves(study: ReaderStudy, test: str, seed: int) -> dict[str, Any] | None:
    """Curves of all readers, their average with its band for these readers, and the algorithm's."""
    curves, algorithm = split_curves(study, test)
    if not curves:  # a sensitivity needs no negatives
        return None
    readings = study.readings.take(readers=list(curves), tests=test)
    band = average_curve(readings, level=study.level, rng=seed)
    assert band.centre is not None
    return {
        "readers": [{"name": reader, **_draw(roc.curve)} for reader, roc in curves.items()],
        "algorithm": algorithm and _draw(algorithm.curve),
        "average": _draw(band.centre),
        "lower": _draw(band.lower),
        "upper": _draw(band.upper),
    }


def _draw(curve: Curve) -> dict[str, list[float]]:
    shape = curve_shape(curve)
    return {"fpr": round_column(shape.x), "tpr": round_column(shape.y)}


# --------------------------------------------------------------- what limits the precision


class Spread(NamedTuple):
    """Parts of the variance of a mean or difference, as Hillis, Obuchowski and Berbaum (2011).

    With r readers and f times fewer cases it is (readers + f error) / r + f shared.
    """

    target: str
    readers: float  # between readers, which only more readers reduce
    error: float  # of one reader, from the cases
    shared: float  # covariance of readers, who read the same cases
    n_readers: int
    n_cases: int

    def find_error(self, more_readers: int = 0, more_cases: int = 0) -> float:
        """Find the standard error in a study with more readers, or more cases of the same kind."""
        share = self.n_cases / (self.n_cases + more_cases)
        alone = (self.readers + share * self.error) / (self.n_readers + more_readers)
        return math.sqrt(max(alone + share * self.shared, 0.0))


def find_spread(study: ReaderStudy) -> Spread | None:
    """Find the parts of the variance of the first difference, or of one mean; None if unknown.

    With V both, s readers, and F cases as random, readers = r (V - F), which is 2 Var(TR) where no
    component is negative. For tests, `shared` and `error` come from the components: 2 (Cov2 - Cov3)
    and 2 (Var - Cov1) - shared. For an algorithm, shared = V - s and error = r (F - shared). Pairs
    of three tests or more share the components of all of them.
    """
    found, r, n = study.components, len(study.readers), study.readings.n_cases
    gap = next(iter(study.differences), None)
    name = study.tests[0] if gap is None else " minus ".join(gap.names)
    each = {one.random: one.standard_error**2 for one in study.inferences if one.target == name}
    excess = r * max(each["both"] - each["cases"], 0.0) if "both" in each else None
    if study.algorithm is None and found:
        several = len(study.tests) > 1
        times = 2.0 if several else 1.0
        shared = times * (found["cov2"] - found["cov3"])
        error = times * (found["var"] - found["cov1"]) - shared
        between = times * max(found["var_tr" if several else "var_r"], 0.0)
        if excess is not None and len(study.tests) <= 2:
            between = excess
        target = say("readers", "difference" if several else "mean")
        spread = Spread(target, between, error, shared, r, n)
        return spread if spread.find_error() > 0.0 else None
    if study.algorithm is None or not excess or "readers" not in each:
        return None
    shared = max(each["both"] - each["readers"], 0.0)
    return Spread(name, excess, r * (each["cases"] - shared), shared, r, n)


def describe_spread(spread: Spread) -> dict[str, Any]:
    """Say which part of the variance dominates, and what a larger study would do."""
    of_readers = spread.readers / spread.n_readers / spread.find_error() ** 2
    key = "mostly_readers" if of_readers > 0.5 else "mostly_cases" if of_readers else "only_cases"
    plans = [
        {
            "readers": spread.n_readers + readers,
            "cases": spread.n_cases + cases,
            "standard_error": round_number(spread.find_error(readers, cases)),
        }
        for readers, cases in ((0, 0), (MORE_READERS, 0), (0, MORE_CASES))
    ]
    shares = {"of_readers": format_share(of_readers), "of_cases": format_share(1.0 - of_readers)}
    now, more_readers, more_cases = (f"{plan['standard_error']:.3g}" for plan in plans)
    larger = {"more_readers": more_readers, "more_cases": more_cases, "now": now}
    numbers = {"readers": MORE_READERS, "cases": MORE_CASES}
    sentences = [
        say("readers", key, target=spread.target, **shares),
        say("readers", "next", target=spread.target, **larger, **numbers),
    ]
    return {
        "target": spread.target,
        "readers": round_number(of_readers),
        "cases": round_number(1.0 - of_readers),
        "plans": plans,
        "sentences": sentences,
    }


# ----------------------------------------------------------------------------------- words


def _write_statistics(study: ReaderStudy) -> list[str]:
    """Write means, differences and p-values, as a paper has them."""
    level = percent(study.level)
    sentences = [
        say(
            "readers",
            "mean_of",
            name=name,
            quantity=study.quantity,
            level=level,
            estimate=format_rate(mean.estimate),
            limits=say_ends([format_rate(mean.low), format_rate(mean.high)], mean.alternative),
        )
        for name, mean in zip(study.tests, study.means, strict=True)
    ]
    if study.joint is not None:
        p = _write_pvalue(study.joint.pvalue)
        sentences.append(say("readers", "joint", quantity=study.quantity, p=p))
    for gap, adjusted in zip(study.differences, study.holm, strict=True):
        p = _write_pvalue(gap.pvalue)
        if len(study.differences) > 1:
            p += f", Holm {_write_pvalue(adjusted)}"
        names = dict(zip(("first", "second"), gap.names, strict=True))
        size, *ends = write_shares(gap.difference, gap.low, gap.high)
        numbers = {"difference": size, "limits": say_ends(ends, gap.alternative)}
        sentences.append(say("readers", "difference_of", p=p, level=level, **names, **numbers))
    return sentences


def _write_pvalue(value: float) -> str:
    text = format_pvalue(value)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def _find_methods(study: ReaderStudy) -> list[Any]:
    """Return the methods behind the page; one of the user's own has no words here."""
    return [kind for kind in (METHODS.get(study.method), ReaderAverage) if kind is not None]


def _write_paragraph(
    study: ReaderStudy, methods: list[dict[str, Any]], references: list[str]
) -> str:
    """Write the paragraph for the methods section of a paper; numbers mean the references."""

    def mark(row: Mapping[str, Any]) -> str:
        return "".join(f"[{references.index(source) + 1}]" for source in row["references"])

    how = f"method '{study.method}'"
    if methods[0]["name"] == study.method:
        how += f": {methods[0]['idea']} {mark(methods[0])}"
    key = "paragraph_algorithm" if study.algorithm else "paragraph"
    return say(
        "readers",
        key if study.differences else "paragraph_means",
        quantity=study.quantity,
        scope=SCOPE[study.random],
        level=percent(study.level),
        how=how,
        average=mark(methods[-1]),
        version=__version__,
    )
