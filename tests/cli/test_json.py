"""Every command's JSON is strict, and is what its schema says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result as Answer
from jsonschema import Draft202012Validator, ValidationError
from referencing import Registry, Resource

import rocbands
from rocbands.cli.documents import all_schemas
from rocbands.core.result import Result
from tests.cli.files import write_files

Run = Callable[..., Answer]

# A command line, and the schema of what it prints.
COMMANDS = {
    "summary --example": "summary",
    "summary scores.csv --folds fold --clusters patient": "summary",
    "summary endless.csv --metric auc --metric brier": "summary",
    "summary counts.parquet": "summary",
    "band --example": "bands",
    "band scores.csv --folds fold --clusters patient --resamples 99 --seed 1": "bands",
    "band scores.csv --future 30,40": "bands",
    "band one.csv --method vertical": "bands",
    "auc --example": "aucs",
    "auc scores.csv --folds fold --alternative greater": "aucs",
    "auc scores.csv --fpr-range 0,0.1 --corrected": "aucs",
    "auc one.csv": "aucs",
    "roc scores.csv": "roc-curves",
    "roc endless.csv": "roc-curves",
    "points scores.csv --fpr 0 --fpr 0.1 --fpr 1": "points",
    "points endless.csv --best youden": "points",
    "points scores.csv --best youden --choice": "best-thresholds",
    "points endless.csv --best corner --choice": "best-thresholds",
    "cost scores.csv --h-measure --severity-ratio 2": "h-measures",
    "rate scores.csv --rate 0.05 --rate 0.5": "rates",
    "rate scores.csv --folds fold --score score_new": "rates",
    "rate scores.csv --score score_new --future 30,40": "rates",
    "cost --example": "costs",
    "cost endless.csv --w 0 --w 0.5 --w 1": "costs",
    "cost scores.csv --split --simultaneous --seed 1": "costs",
    "cost scores.csv --calibrated 0.5 --sampling full --c-fn 9 --c-fp 1": "costs",
    "compare --example": "comparison",
    "compare scores.csv --at-fpr 0.1": "comparison",
    "compare scores.csv --fpr-range 0,0.2": "comparison",
    "compare scores.csv --threshold 0.5 --of sensitivity": "comparison",
    "compare scores.csv --score score_new --unpaired later.csv": "comparison",
    "compare scores.csv --score score_new --score score_old --score fold": "comparisons",
    "difference --example --seed 1": "difference-band",
    "readers --example": "reader-study",
    "readers --example --algorithm A --metric sensitivity --threshold 50": "reader-study",
    "readers --example --table readers": "reader-table",
    "readers --example --table inferences": "reader-table",
    "cost --condition --w 0.5 --prevalence 0.1": "condition",
    "cost --condition --costs 1 0 --prevalence 0.1": "condition",
    "net-benefit --example": "net-benefits",
    "net-benefit scores.csv --threshold 0.5 --pointwise": "net-benefits",
    "ap --example": "average-precisions",
    "subgroups people.csv --by sex --threshold 0.5": "group-bands",
    "classes iris.csv --score setosa --score versicolor --score virginica": "classes",
    "plan --auc 0.8 --width 0.1": "plan",
    "plan --auc 0.8 --other 0.75": "plan",
    "methods": "methods",
    "count scores.csv -o x.parquet": "counted",
    "count scores.csv --by fold --exact -o x.parquet": "counted",
    "merge monday.parquet tuesday.parquet -o x.parquet": "counted",
    "roc counts.parquet": "roc-curves",
    "band counts.parquet": "bands",
    "auc week.parquet --only north": "aucs",
    "points counts.parquet --fpr 0.1 --test week.parquet": "points",
    "rate counts.parquet --rate 0.1": "rates",
    "cost counts.parquet --w 0.5": "costs",
    "cost counts.parquet --validation week.parquet": "costs",
}


SCHEMAS = all_schemas()
REGISTRY: Registry[Any] = Registry().with_resources(
    (one["$id"], Resource.from_contents(one)) for one in SCHEMAS.values()
)


def judge(name: str) -> Draft202012Validator:
    return Draft202012Validator(SCHEMAS[name], registry=REGISTRY)


def lay_out() -> None:
    write_files()
    Path("one.csv").write_text("label,score\n1,2\n0,1\n", encoding="utf-8")
    Path("endless.csv").write_text(
        "label,score\n1,inf\n0,-inf\n1,3\n0,2\n1,-inf\n", encoding="utf-8"
    )


@pytest.mark.parametrize("line", COMMANDS)
def test_what_is_printed_is_what_the_schema_says(run: Run, line: str) -> None:
    lay_out()
    result = run(*line.split(), "--json")
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout, parse_constant=pytest.fail)
    assert document["schema"].rpartition("/")[0] == f"rocbands.{COMMANDS[line]}"
    judge(document["schema"]).validate(document)
    assert run(*line.split(), "--format", "json").stdout.count("\n") == 1


def test_tables_and_counts_are_what_their_schemas_say() -> None:
    import rocbands as rb

    sample = rb.load_example()
    areas = sample.each(rb.auc_interval)
    fold, models = sample.kept["fold"], {name: sample[name].values for name in sample}
    counted = [
        rb.ScoreCounts.from_arrays(sample.is_positive, models, exact=exact, by=by)
        for exact, by in ((False, None), (True, fold))
    ]
    for result in (areas, *counted):
        judge(result.schema).validate(json.loads(result.to_json(), parse_constant=pytest.fail))


def test_every_result_has_a_schema() -> None:
    def kinds(of: type) -> set[type]:
        return {of}.union(*(kinds(kind) for kind in of.__subclasses__()))

    for name in (*rocbands.__all__, "results"):
        getattr(rocbands, name)
    shown = {
        kind.schema
        for kind in kinds(Result)
        if kind.__module__.startswith("rocbands.") and "schema" in vars(kind)
    }
    assert shown <= set(SCHEMAS)
    assert set(COMMANDS.values()) <= {name[9:].partition("/")[0] for name in SCHEMAS}


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_schemas_and_are_printed(run: Run, name: str) -> None:
    schema = json.loads(run("schema", name).stdout)
    Draft202012Validator.check_schema(schema)
    assert schema["properties"]["schema"] == {"const": name}
    assert name in run("schema").stdout.split()


def test_what_is_wrong_is_refused(run: Run) -> None:
    document = json.loads(run("band", "--example", "--score", "logistic", "--json").stdout)
    band = document["models"]["logistic"]
    for name, value in (("level", 1.5), ("coverage", "some"), ("n_pos", "212"), ("surprise", 1)):
        spoilt = {**document, "models": {"logistic": {**band, name: value}}}
        with pytest.raises(ValidationError):
            judge("rocbands.bands/1").validate(spoilt)
    without = {name: value for name, value in band.items() if name != "auc"}
    with pytest.raises(ValidationError):
        judge("rocbands.band/1").validate(without)
