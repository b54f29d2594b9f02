"""What only the command line prints: documents with a result for each model, and conditions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, ClassVar

from rocbands.core.attributes import Count, Level, Rate
from rocbands.core.result import Result
from rocbands.io.records import (
    any_table,
    describe_array,
    describe_object,
    describe_type,
    document,
    reference,
    result_schema,
)


@dataclass(frozen=True, eq=False, repr=False)
class Condition(Result):
    """Costs, prevalence and the operating condition that they make.

    Attributes
    ----------
    w : float
        Operating condition: the share of missed positives in the cost of getting all rows wrong.
    c_fn, c_fp : float
        Cost of a missed positive, and of a false alarm.
    prevalence : float
        Share of positives.
    """

    schema: ClassVar[str] = "rocbands.condition/2"
    FACTS: ClassVar[tuple[str, ...]] = ("w", "c_fn", "c_fp", "prevalence")
    COLUMNS: ClassVar[Mapping[str, Any]] = {
        "w": Rate,
        "c_fn": float,
        "c_fp": float,
        "prevalence": Level,
    }

    w: Rate
    c_fn: float
    c_fp: float
    prevalence: Level

    def _brief(self) -> str:
        return f"w = {self.w:.6g}"

    def columns(self) -> Mapping[str, Any]:
        return {name: [value] for name, value in self.facts().items()}

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        costs = "something, a false alarm nothing"
        if self.c_fp > 0:
            costs = f"{self.c_fn / self.c_fp:.6g} times a false alarm"
        sentence = f"Operating condition w = {self.w:.6g}: a missed positive costs {costs}."
        return sentence, self.columns()


@dataclass(frozen=True)
class _Document:
    """A JSON object with a result for each model; besides, perhaps, results of two models."""

    title: str
    models: tuple[str, ...]  # classes of results, by name
    others: Mapping[str, str] = field(default_factory=dict)  # property: class


_DOCUMENTS = {
    "rocbands.roc-curves/1": _Document("ROC curves of all models", ("RocCurve",)),
    "rocbands.bands/1": _Document("Bands of all models", ("Band",)),
    "rocbands.class-bands/1": _Document(
        "Bands of several classes, which are simultaneous", ("Band",), {"together": "RocBands"}
    ),
    "rocbands.group-bands/1": _Document(
        "Bands of groups of people, and how they differ", ("Band",), {"together": "Subgroups"}
    ),
    "rocbands.views/1": _Document("Bands of all models in other coordinates", ("View",)),
    "rocbands.average-precisions/2": _Document(
        "Average precisions of all models, and the difference of two",
        ("Interval",),
        {"difference": "Comparison"},
    ),
    "rocbands.aucs/1": _Document("Areas of all models", ("Interval", "FoldInterval")),
    "rocbands.points/1": _Document("Operating points of all models", ("OperatingPoints",)),
    "rocbands.rates/1": _Document(
        "Recall of all models at fixed rates, and the difference of two",
        ("RateBounds",),
        {"difference": "RateDifference"},
    ),
    "rocbands.net-benefits/1": _Document(
        "Net benefit of all models, and the difference of two",
        ("NetBenefit",),
        {"difference": "NetBenefitDifference"},
    ),
    "rocbands.costs/2": _Document(
        "Costs of all models, the best thresholds at given w, and the difference of two",
        ("CostCurve", "CostIntervals"),
        {"difference": "CostDifference", "best": ""},
    ),
    "rocbands.own-studies/1": _Document(
        "Measured coverage of bands, for each model", ("OwnDataResult",)
    ),
}


def all_schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON Schemas of all that commands print and results write, by their names."""
    import json
    from importlib.resources import files

    kinds = _find_result_classes()
    found = {kind.schema: result_schema(kind) for kind in kinds.values()}
    for name, one in _DOCUMENTS.items():
        each = [reference(kinds[kind].schema) for kind in one.models]
        models = _describe_models(each[0] if len(each) == 1 else {"anyOf": each})
        others = {
            part: reference(kinds[kind].schema) if kind else _describe_models(any_table())
            for part, kind in one.others.items()
        }
        found[name] = document(name, one.title, {"models": models}, others)
    found |= {schema["properties"]["schema"]["const"]: schema for schema in _describe_lists()}
    report = files("rocbands.reporting").joinpath("schema.json").read_text(encoding="utf-8")
    found["rocbands.report/3"] = json.loads(report)
    return dict(sorted(found.items()))


def _describe_models(each: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": each, "minProperties": 1}


def _describe_lists() -> list[dict[str, Any]]:
    """Return the schemas of documents that are no results."""
    text, texts = describe_type(str), describe_type(tuple[str, ...])
    counted = {
        "binned": describe_type(bool),
        "models": texts,
        "positive": describe_type(str | None),
        "negative": describe_type(str | None),
        "certificate": describe_type(dict[str, Rate]),
        "positives": describe_type(Count),
        "negatives": describe_type(Count),
    }
    parts = {"by": describe_type(str | None), "parts": texts}
    seconds = describe_type(dict[str, float])
    study = {"name": text, "title": text, "paper": text, "needs": texts, "seconds": seconds}
    return [
        document("rocbands.counted/1", "What was counted into a file", counted, parts),
        document(
            "rocbands.studies/1",
            "The papers' tables and figures that can be measured again",
            {"studies": describe_array(describe_object(study))},
        ),
    ]


# Modules with results that are not among the public names.
_OTHER_MODULES = ("rocbands.study.own_data",)


def _find_result_classes() -> dict[str, type[Result]]:
    """Return all classes of results, by name: the public ones and those of studies."""
    import rocbands
    from rocbands.study.catalog import load_study_packages

    # Pictures and reports have no results of their own, and are slow to load.
    for name in rocbands.__all__:
        if not (name.startswith(("Report", "report")) or name.endswith("Display")):
            getattr(rocbands, name)
    for module in _OTHER_MODULES:
        import_module(module)
    packages = ("rocbands", *load_study_packages())

    def below(kind: Any) -> list[type[Result]]:
        return [one for own in kind.__subclasses__() for one in (own, *below(own))]

    return {
        kind.__name__: kind
        for kind in below(Result)
        if kind.__module__.partition(".")[0] in packages and "schema" in vars(kind)
    }
