"""Documents that only the command line prints: a result for each model, and conditions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from rocbands.core.attributes import Count, Level, Rate
from rocbands.core.result import Result
from rocbands.io.records import (
    any_table,
    describe_array,
    describe_type,
    document,
    reference,
    result_schema,
)


@dataclass(frozen=True, eq=False, repr=False)
class Condition(Result):
    """Costs, prevalence and the resulting operating condition."""

    schema: ClassVar[str] = "rocbands.condition/3"
    ONE_ROW: ClassVar[bool] = True
    FACTS: ClassVar[tuple[str, ...]] = ("w", "c_fn", "c_fp", "prevalence")
    COLUMNS: ClassVar[Mapping[str, Any]] = dict(
        zip(FACTS, (Rate, float, float, Level), strict=True)
    )

    w: Rate  # the share of missed positives in the cost of getting all rows wrong
    c_fn: float  # cost of a missed positive
    c_fp: float  # cost of a false alarm
    prevalence: Level

    def _brief(self) -> str:
        return f"w = {self.w:.6g}"

    @property
    def sentence(self) -> str:
        """The condition, as a ratio of costs."""
        costs = "something, a false alarm nothing"
        if self.c_fp > 0:
            costs = f"{self.c_fn / self.c_fp:.6g} times a false alarm"
        return f"Operating condition w = {self.w:.6g}: a missed positive costs {costs}."

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        return "", self.columns()


# Documents with a result for each model: a title, the classes of these results, and those of other
# properties, which a document need not have; "" is a table for each model.
Documents: TypeAlias = dict[str, tuple[str, tuple[str, ...], dict[str, str]]]
_DOCUMENTS: Documents = {
    "roc-curves/1": ("ROC curves of all models", ("RocCurve",), {}),
    "bands/1": ("Bands of all models", ("Band",), {}),
    "classes/1": ("Simultaneous bands of several classes", ("Band",), {"together": "ClassBands"}),
    "group-bands/1": (
        "Bands of groups of people, and their differences",
        ("Band",),
        {"together": "Subgroups"},
    ),
    "smooth-curves/1": ("Smooth curves of all models", ("SmoothCurve",), {}),
    "views/1": ("Bands of all models in other coordinates", ("View",), {}),
    "average-curves/1": ("Averages of the folds' curves of all models", ("AverageCurve",), {}),
    "average-precisions/2": (
        "Average precisions of all models, and the difference of two",
        ("Interval",),
        {"difference": "Comparison"},
    ),
    "aucs/1": ("Areas of all models", ("Interval", "FoldInterval"), {}),
    "points/1": ("Operating points of all models", ("OperatingPoints",), {}),
    "best-thresholds/1": ("Best thresholds of all models", ("BestThreshold",), {}),
    "h-measures/1": ("H measures of all models", ("Interval",), {}),
    "rates/1": (
        "Recall of all models at fixed rates, and the difference of two",
        ("RateBounds", "RateRange", "Interval"),
        {"difference": "RateDifference"},
    ),
    "net-benefits/1": (
        "Net benefit of all models, and the difference of two",
        ("NetBenefit",),
        {"difference": "NetBenefitDifference"},
    ),
    "costs/2": (
        "Costs of all models, the best thresholds at given w, and the difference of two",
        ("CostCurve", "CostIntervals"),
        {"difference": "CostDifference", "best": ""},
    ),
    "two-sided-curves/1": ("Two-sided curves of all models", ("TwoSidedCurve",), {}),
}


def all_schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON Schemas of all output of commands and results, by name."""
    import json
    from importlib.metadata import entry_points
    from importlib.resources import files

    # Documents of other distributions: a module that imports their results, and has two lists.
    others_of = [point.load() for point in entry_points(group="rocbands.documents")]
    packages = ["rocbands", *(module.__name__.partition(".")[0] for module in others_of)]
    kinds = _find_result_classes(packages)
    found = {kind.schema: result_schema(kind) for kind in kinds.values()}
    documents = dict(
        item for each in (_DOCUMENTS, *(m.DOCUMENTS for m in others_of)) for item in each.items()
    )
    lists = [
        schema
        for each in (_describe_lists, *(m.describe_lists for m in others_of))
        for schema in each()
    ]
    for name, (title, classes, others) in documents.items():
        each = [reference(kinds[kind].schema) for kind in classes]
        models = _describe_models(each[0] if len(each) == 1 else {"anyOf": each})
        optional = {
            part: reference(kinds[kind].schema) if kind else _describe_models(any_table())
            for part, kind in others.items()
        }
        schema = f"rocbands.{name}"
        found[schema] = document(schema, title, {"models": models}, optional)
    found |= {schema["properties"]["schema"]["const"]: schema for schema in lists}
    for name in ("schema.json", "reader_schema.json"):  # of reports
        schema = json.loads(files("rocbands.reporting").joinpath(name).read_text(encoding="utf-8"))
        found[schema["properties"]["schema"]["const"]] = schema
    return dict(sorted(found.items()))


# Commands whose document has another name than the command, or than it with an s.
_OF_COMMANDS = {
    "ap": "average-precisions",
    "compare": "comparison",
    "difference": "difference-band",
    "readers": "reader-study",
    "roc": "roc-curves",
    "smooth": "smooth-curves",
    "subgroups": "group-bands",
}


def find_schema(name: str, known: Mapping[str, Any]) -> str:
    """Return the schema that a command's name or a schema's name without its version means."""
    short = _OF_COMMANDS.get(name, name).removeprefix("rocbands.")
    wanted = (short, f"{short}s")
    found = (one for one in known if one.removeprefix("rocbands.").partition("/")[0] in wanted)
    return (
        name if name in known else max(found, key=lambda one: one.partition("/")[0], default=name)
    )


def _describe_models(each: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": each, "minProperties": 1}


def _describe_lists() -> list[dict[str, Any]]:
    """Return the schemas of documents that are not results."""
    text, texts = describe_type(str), describe_type(tuple[str, ...])
    counted = {
        "sentence": text,
        "binned": describe_type(bool),
        "models": texts,
        "positive": describe_type(str | None),
        "negative": describe_type(str | None),
        "certificate": describe_type(dict[str, Rate]),
        "positives": describe_type(Count),
        "negatives": describe_type(Count),
    }
    parts = {"by": describe_type(str | None), "parts": texts}
    return [
        document("rocbands.counted/1", "Summary of a file of counts", counted, parts),
        document(
            "rocbands.group-points/1",
            "Rates of groups of people at common thresholds, and their differences",
            {"thresholds": describe_array(reference("rocbands.subgroups/3"))},
        ),
    ]


def _find_result_classes(packages: Iterable[str]) -> dict[str, type[Result]]:
    """Return all classes of results of some packages, by name."""
    import rocbands
    import rocbands.results

    for name in rocbands.__all__:
        if not name.endswith("Display"):  # pictures have no results, and are slow to load
            getattr(rocbands, name)

    def below(kind: Any) -> list[type[Result]]:
        return [one for own in kind.__subclasses__() for one in (own, *below(own))]

    return {
        kind.__name__: kind
        for kind in below(Result)
        if kind.__module__.partition(".")[0] in packages and "schema" in vars(kind)
    }
