"""Classes and groups on the command line: the library's numbers, pictures, pages, mistakes."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

import rocbands as rb
from rocbands.cli.documents import all_schemas
from tests.cli.files import write_files

Run = Callable[..., Result]
NAMES = ["setosa", "versicolor", "virginica"]
CLASSES = ",".join(NAMES)


@pytest.fixture(autouse=True)
def _files(run: Run) -> None:
    write_files()


def read(path: str) -> dict[str, np.ndarray]:
    with open(path, newline="") as file:
        header, *rows = csv.reader(file)
    return {
        name: np.array(cells) for name, cells in zip(header, zip(*rows, strict=True), strict=True)
    }


def iris() -> rb.RocBands:
    table = read("iris.csv")
    return rb.roc_bands(table["outcome"], {name: table[name].astype(float) for name in NAMES})


def people() -> rb.Subgroups:
    table = read("people.csv")
    return rb.subgroups(
        table["outcome"].astype(int), table["score"].astype(float), by=table["sex"], rng=1
    )


@pytest.mark.parametrize(
    ("words", "make", "schema"),
    [
        (("iris.csv", "--classes", CLASSES), iris, "rocbands.class-bands/1"),
        (("people.csv", "--by", "sex", "--seed", "1"), people, "rocbands.group-bands/1"),
    ],
)
def test_the_numbers_are_the_librarys(run: Run, words, make, schema) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    referencing = pytest.importorskip("referencing")
    found = json.loads(run("band", *words, "--json").stdout)
    assert found["together"] == json.loads(make().to_json())
    assert found["schema"] == schema
    schemas = all_schemas()
    known = referencing.Registry().with_resources(
        (one["$id"], referencing.Resource.from_contents(one)) for one in schemas.values()
    )
    jsonschema.Draft202012Validator(schemas[schema], registry=known).validate(found)
    plain = run("band", *words, "--plot", "many.png")
    assert plain.exit_code == 0
    assert " ".join(plain.stdout.split()).startswith(" ".join(str(make()).split())[:80])
    assert Path("many.png").stat().st_size > 0


def test_pages_by_class_and_by_group(run: Run) -> None:
    assert run("report", "iris.csv", "--classes", CLASSES, "-o", "i.html").exit_code == 0
    assert run("report", "people.csv", "--by", "sex", "-o", "p.html", "--seed", "1").exit_code == 0
    page = Path("i.html").read_text()
    assert page.count("<svg") == 3
    assert "versicolor: 80 positives" in page
    assert Path("p.html").read_text().count("<svg") == 4 + 6
    printed = json.loads(run("report", "people.csv", "--by", "sex", "--seed", "1", "--json").stdout)
    assert printed["result"] == json.loads(people().to_json())


def test_one_class_against_the_rest(run: Run) -> None:
    words = ("iris.csv", "--score", "setosa", "--positive", "setosa")
    found = json.loads(run("auc", *words, "--rest", "--json").stdout)
    table = read("iris.csv")
    one = rb.auc_interval(table["outcome"] == "setosa", table["setosa"].astype(float))
    assert found["models"]["setosa"]["low"] == pytest.approx(one.low, abs=1e-12)
    counted = run("count", *words, "--rest", "-o", "i.parquet", "--json")
    assert json.loads(counted.stdout)["negative"] == "the rest"
    refused = run("auc", *words)
    assert refused.exit_code == 2
    assert "--positive virginica and --rest" in refused.stderr


def test_rates_at_one_fpr_of_two_files(run: Run) -> None:
    words = ("scores.csv", "--unpaired", "later.csv", "--score", "score_new", "--at-fpr", "0.2")
    found = json.loads(run("compare", *words, "--json").stdout)
    one, two = read("scores.csv"), read("later.csv")
    own = rb.compare_tpr(rb.Sample(one["outcome"].astype(int), one["score_new"].astype(float)), rb.Sample(two["outcome"].astype(int), two["score_new"].astype(float)), fpr=0.2)  # fmt: skip
    assert (found["low"], found["high"]) == pytest.approx((own.low, own.high), abs=1e-12)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("iris.csv", "--classes", CLASSES, "--by", "x"), "--classes does not go with --by"),
        (("people.csv", "--by", "sex", "--view", "pr"), "--by does not go with --view"),
        (("people.csv", "--pairs"), "--pairs goes with --classes"),
        (("people.csv", "--threshold", "1"), "--threshold goes with --by"),
        (("iris.csv", "--classes", CLASSES, "--positive", "setosa"), "has no positive label"),
        (("iris.csv", "--classes", "setosa,versicolor"), "one column of scores for each class"),
        (("scores.csv", "--by", "fold"), "there are 2. Name it by --score"),
        (("iris.csv", "--score", "setosa", "--rest"), "Name it by --positive"),
    ],
)
def test_mistakes(run: Run, words, said) -> None:
    result = run("band", *words)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
