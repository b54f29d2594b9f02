"""Make the JSON Schemas of what commands print: `python -m tools.make_schemas`.

One file for each name that stands in a document's "schema". Every property is required unless it
is marked, and there are no others; numbers that may be infinite are the strings "inf" and "-inf".
"""

from __future__ import annotations

import json
from pathlib import Path

from tools.schema_parts import (
    CASES,
    COUNT,
    COVERAGE,
    FLAG,
    GAP,
    LEVEL,
    NUMBER,
    PLACE,
    RATE,
    SAMPLING,
    SIDE,
    SIZES,
    TEXT,
    Schema,
    any_table,
    array,
    by_model,
    maybe,
    reference,
    table,
    thing,
    urn,
)

HOME = Path(__file__).parents[1] / "src" / "rocbands" / "cli" / "schemas"

NOTES = array(TEXT)
NAMES = array(TEXT, size=2)
INTERVAL: dict[str, Schema] = {
    "quantity": TEXT,
    "estimate": NUMBER,
    "low": NUMBER,
    "high": NUMBER,
    "standard_error": maybe(NUMBER),
    "level": LEVEL,
    "method": TEXT,
    "alternative": SIDE,
    "null": maybe(NUMBER),
    "pvalue": maybe(RATE),
    "target": TEXT,
    **SIZES,
    "notes": NOTES,
    "columns": table(
        quantity=TEXT, estimate=NUMBER, low=NUMBER, high=NUMBER,
        standard_error=maybe(NUMBER), level=LEVEL, method=TEXT,
    ),
}  # fmt: skip
COUNTED: dict[str, Schema] = {
    "binned": FLAG,
    "models": array(TEXT),
    "positive": maybe(TEXT),
    "negative": maybe(TEXT),
    "certificate": {"type": "object", "additionalProperties": RATE},
}
CURVE_AT = table(w=RATE, cost=NUMBER, threshold=PLACE, cost_all_alike=NUMBER)

# What stands in a document besides its "schema": what must, and what may.
Parts = tuple[str, dict[str, Schema], dict[str, Schema]]
RESULTS: dict[str, Parts] = {
    "rocbands.roc-curve/1": (
        "ROC curve: counts and rates at each distinct score, the highest first",
        {
            **SIZES,
            "auc": RATE,
            "binned": FLAG,
            "certificate": RATE,
            "columns": table(threshold=PLACE, fp=COUNT, tp=COUNT, fpr=RATE, tpr=RATE),
        },
        {},
    ),
    "rocbands.band/1": (
        "Confidence band around an ROC curve",
        {
            "method": {"type": "object", "properties": {"name": TEXT}, "required": ["name"]},
            "level": LEVEL,
            "coverage": COVERAGE,
            "target": TEXT,
            "future": maybe(array(CASES, size=2)),
            "guarantee": TEXT,
            "notes": NOTES,
            **SIZES,
            "auc": RATE,
            "area": RATE,
            "degenerate": FLAG,
            "columns": table(fpr=RATE, lower=RATE, tpr=RATE, upper=RATE),
        },
        {},
    ),
    "rocbands.interval/1": ("An estimate with its confidence limits", INTERVAL, {}),
    "rocbands.fold-interval/1": (
        "An estimate with confidence limits, made from folds",
        {**INTERVAL, "fold_estimates": array(RATE), "unclipped": array(PLACE, size=2)},
        {},
    ),
    "rocbands.operating-points/1": (
        "Thresholds, and what they achieve",
        {
            "asked": TEXT,
            "level": LEVEL,
            "method": TEXT,
            "joint": FLAG,
            **SIZES,
            "auc": RATE,
            "notes": NOTES,
            "columns": table(
                threshold=PLACE, fpr=RATE, fpr_low=RATE, fpr_high=RATE,
                tpr=RATE, tpr_low=RATE, tpr_high=RATE,
            ),
        },
        {},
    ),
    "rocbands.rate-bounds/2": (
        "What is found when a fixed share of cases is acted on",
        {
            "level": LEVEL,
            "method": TEXT,
            "parameters": {"type": "object"},
            "coverage": COVERAGE,
            "target": TEXT,
            "sampling": {"enum": ["full", "stratified"]},
            "future": maybe(array(CASES, size=2)),
            "scheme": {"enum": ["counts", "reference"]},
            "prevalence": maybe(RATE),
            "n_folds": CASES,
            **SIZES,
            "heterogeneity": maybe(NUMBER),
            "notes": NOTES,
            "columns": table(
                rate=RATE, tpr=RATE, lower=RATE, upper=RATE,
                fpr=RATE, fpr_lower=RATE, fpr_upper=RATE,
            ),
        },
        {},
    ),
    "rocbands.rate-difference/2": (
        "Difference of what two models find at the same rates",
        {
            "names": NAMES,
            "level": LEVEL,
            "method": TEXT,
            "coverage": COVERAGE,
            "target": TEXT,
            "sampling": {"enum": ["full", "stratified"]},
            "n_folds": CASES,
            **SIZES,
            "notes": NOTES,
            "columns": table(
                rate=RATE, tpr_1=RATE, tpr_2=RATE, difference=GAP, lower=GAP, upper=GAP,
                pvalue=maybe(RATE), standard_error=maybe(NUMBER),
            ),
        },
        {},
    ),
    "rocbands.cost-curve/1": (
        "The least cost that any threshold has on these rows, along w",
        {
            "area": NUMBER,
            "hull_auc": RATE,
            "ks": RATE,
            "minimum_error_rate": RATE,
            "beats_trivial": maybe(array(RATE, size=2)),
            **SIZES,
            "auc": RATE,
            "certificate": RATE,
            "notes": NOTES,
            "columns": table(
                w_from=RATE, w_to=RATE, cost_from=NUMBER, cost_to=NUMBER, threshold=PLACE
            ),
        },
        {"best": CURVE_AT},
    ),
    "rocbands.cost-intervals/2": (
        "Cost of thresholds that were chosen beforehand",
        {
            "level": LEVEL,
            "method": TEXT,
            "parameters": {"type": "object"},
            "sampling": SAMPLING,
            "normaliser": TEXT,
            "prevalence": RATE,
            **SIZES,
            "notes": NOTES,
            "columns": table(
                w=RATE, cost=RATE, lower=RATE, upper=RATE, threshold=PLACE,
                fn=COUNT, fp=COUNT, reliable=TEXT, inside=FLAG,
            ),
        },
        {},
    ),
    "rocbands.cost-difference/2": (
        "Cost of the first model minus cost of the second",
        {
            "names": NAMES,
            "level": LEVEL,
            "coverage": COVERAGE,
            "critical_value": NUMBER,
            "method": TEXT,
            "parameters": {"type": "object"},
            "sampling": SAMPLING,
            "normaliser": TEXT,
            "prevalence": RATE,
            "cheaper": array(thing({"model": {"enum": [1, 2]}, "low": RATE, "high": RATE})),
            **SIZES,
            "notes": NOTES,
            "columns": table(
                w=RATE, difference=GAP, lower=GAP, upper=GAP, cost_1=RATE, cost_2=RATE,
                threshold_1=PLACE, threshold_2=PLACE,
                only_1_pos=COUNT, only_2_pos=COUNT, only_1_neg=COUNT, only_2_neg=COUNT,
            ),
        },
        {},
    ),
    "rocbands.comparison/2": (
        "Two models side by side; differences are the first minus the second",
        {
            "names": NAMES,
            "quantity": TEXT,
            "estimates": array(RATE, size=2),
            "difference": GAP,
            "low": GAP,
            "high": GAP,
            "standard_error": maybe(NUMBER),
            "level": LEVEL,
            "statistic": PLACE,
            "df": maybe(NUMBER),
            "pvalue": RATE,
            "method": TEXT,
            "parameters": {"type": "object", "additionalProperties": NUMBER},
            "interval_method": TEXT,
            "hypothesis": TEXT,
            "paired": FLAG,
            "alternative": SIDE,
            "margin": maybe(RATE),
            "verdict": TEXT,
            "notes": NOTES,
            "columns": table(
                model_1=TEXT, model_2=TEXT, estimate_1=RATE, estimate_2=RATE,
                difference=GAP, low=GAP, high=GAP, statistic=PLACE, pvalue=RATE,
            ),
        },
        {},
    ),
    "rocbands.comparisons/1": (
        "Many models, pair by pair",
        {
            "names": array(TEXT),
            "estimates": array(RATE),
            "covariance": array(array(NUMBER)),
            "statistic": PLACE,
            "df": COUNT,
            "pvalue": RATE,
            "critical_value": NUMBER,
            "level": LEVEL,
            "method": TEXT,
            **SIZES,
            "notes": NOTES,
            "columns": table(
                model_1=TEXT, model_2=TEXT, difference=GAP, low=GAP, high=GAP,
                standard_error=NUMBER, pvalue=RATE, raw_pvalue=RATE,
            ),
        },
        {},
    ),
    "rocbands.difference-band/1": (
        "Band for the difference of two ROC curves, the first minus the second",
        {
            "level": LEVEL,
            "coverage": COVERAGE,
            "names": NAMES,
            "target": TEXT,
            "fpr_range": array(RATE, size=2),
            "critical_value": NUMBER,
            "mean_width": NUMBER,
            "better": array(thing({"model": {"enum": [1, 2]}, "low": RATE, "high": RATE})),
            "notes": NOTES,
            **SIZES,
            "columns": table(fpr=RATE, lower=GAP, difference=GAP, upper=GAP),
        },
        {},
    ),
    "rocbands.plan/2": (
        "Class sizes that a study needs",
        {
            "question": TEXT,
            **SIZES,
            "width": maybe(NUMBER),
            "power": maybe(RATE),
            "exact_n_pos": NUMBER,
            "formula": TEXT,
            "level": LEVEL,
            "guess": {"type": "object", "additionalProperties": NUMBER},
            "notes": NOTES,
            "columns": table(
                n_pos=COUNT, n_neg=COUNT, width=maybe(NUMBER), power=maybe(RATE)
            ),
        },
        {},
    ),
    "rocbands.counts/1": (
        "Positives and negatives of each model at each score, or in each bin of scores",
        {**COUNTED, "columns": any_table()},
        {"groups": array(TEXT)},
    ),
    "rocbands.counted/1": (
        "What was counted into a file",
        {**COUNTED, "positives": COUNT, "negatives": COUNT},
        {"groups": array(TEXT)},
    ),
    "rocbands.methods/1": (
        "All band methods and what each promises",
        {
            "default": TEXT,
            "columns": table(
                method=TEXT, coverage=COVERAGE, handles=TEXT, guarantee=TEXT, idea=TEXT,
                parameters=TEXT,
            ),
        },
        {},
    ),
    "rocbands.trust/1": (
        "Which band holds on data like mine",
        {
            "study": TEXT,
            "seed": COUNT,
            "cells": COUNT,
            "level": LEVEL,
            "best": maybe(TEXT),
            "columns": table(
                method=TEXT, holds=RATE, low=RATE, high=RATE, area=maybe(NUMBER), verdict=TEXT
            ),
        },
        {},
    ),
    "rocbands.study/1": (
        "Figures of a study, one row each",
        {"study": TEXT, "seed": COUNT, "cells": COUNT, "columns": any_table()},
        {},
    ),
    "rocbands.paper/1": (
        "A paper's numbers beside ours",
        {
            "name": TEXT,
            "title": TEXT,
            "paper": TEXT,
            "scale": {"enum": ["quick", "full"]},
            "seed": COUNT,
            "command": TEXT,
            "notes": NOTES,
            "claims": array(thing({"text": TEXT, "finding": TEXT, "verdict": TEXT})),
            "columns": any_table(),
        },
        {},
    ),
    "rocbands.table/1": (
        "Results of several models in one table",
        {"models": {"type": "object"}, "columns": any_table()},
        {},
    ),
    "rocbands.condition/1": (
        "Costs, prevalence and the operating condition that they make",
        {"w": RATE, "c_fn": NUMBER, "c_fp": NUMBER, "prevalence": LEVEL},
        {},
    ),
    "rocbands.studies/1": (
        "The papers' tables and figures that can be measured again",
        {
            "studies": array(
                thing({"name": TEXT, "title": TEXT, "paper": TEXT, "needs": array(TEXT)})
            )
        },
        {},
    ),
    "rocbands.roc-curves/1": (
        "ROC curves of all models",
        {"models": by_model("rocbands.roc-curve/1")},
        {},
    ),
    "rocbands.bands/1": ("Bands of all models", {"models": by_model("rocbands.band/1")}, {}),
    "rocbands.aucs/1": (
        "Areas of all models",
        {"models": by_model("rocbands.interval/1", "rocbands.fold-interval/1")},
        {},
    ),
    "rocbands.points/1": (
        "Operating points of all models",
        {"models": by_model("rocbands.operating-points/1")},
        {},
    ),
    "rocbands.rates/1": (
        "Recall of all models at fixed rates, and the difference of two",
        {"models": by_model("rocbands.rate-bounds/2")},
        {"difference": reference("rocbands.rate-difference/2")},
    ),
    "rocbands.costs/2": (
        "Costs of all models, and the difference of two",
        {"models": by_model("rocbands.cost-curve/1", "rocbands.cost-intervals/2")},
        {"difference": reference("rocbands.cost-difference/2")},
    ),
    "rocbands.trusts/1": (
        "Which band holds, for each model",
        {"models": by_model("rocbands.trust/1")},
        {},
    ),
}  # fmt: skip


def documents() -> dict[str, Schema]:
    """All schemas, by the names of their files."""
    found = {}
    for name, (title, parts, optional) in RESULTS.items():
        head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": urn(name)}
        body = thing({"schema": {"const": name}, **parts}, optional)
        found[file_name(name)] = {**head, "title": title, **body}
    return found


def file_name(name: str) -> str:
    """Return the name of a schema's file: 'rocbands.band/1' is in band-1.json."""
    return name.removeprefix("rocbands.").replace("/", "-") + ".json"


def main() -> None:
    """Write all files."""
    HOME.mkdir(exist_ok=True)
    for name, schema in documents().items():
        (HOME / name).write_text(json.dumps(schema, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
