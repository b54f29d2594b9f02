"""What holds of every result holds of those of studies: text, JSON and its schema, a picture."""

from __future__ import annotations

import json
import pickle
from functools import cache

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from referencing import Registry, Resource

import rocbands as rb
from rocbands.cli.documents import all_schemas
from rocbands.core.result import Result
from rocbands_studies import run
from rocbands_studies.own_data import OwnDataResult, plan_own_data

SCHEMAS = all_schemas()


@cache
def own() -> OwnDataResult:
    sample = rb.load_example()["logistic"]
    methods = [rb.bands.JointRegion(), rb.bands.FixedWidth()]
    return OwnDataResult(run(plan_own_data(sample.roc, methods, replicates=20), workers=1))


@pytest.mark.parametrize("result", [own(), own().found], ids=["own data", "study"])
def test_text_and_documents(result: Result) -> None:
    assert "\n" not in repr(result)
    assert result.sentence
    assert str(result).count("\n") > 1
    assert pickle.loads(pickle.dumps(result)).to_json() == result.to_json()
    resources = ((name, Resource.from_contents(one)) for name, one in SCHEMAS.items())
    registry: Registry = Registry().with_resources(resources)
    document = json.loads(result.to_json(), parse_constant=pytest.fail)
    Draft202012Validator(SCHEMAS[result.schema], registry=registry).validate(document)


def test_the_picture_has_a_row_for_each_method_and_the_level() -> None:
    ax = own().plot(Figure().subplots())
    assert [text.get_text() for text in ax.get_yticklabels()] == ["joint-region", "fixed-width"]
    assert any(
        np.array_equal(line.get_xdata(), [0.95, 0.95])
        for line in ax.get_children()
        if isinstance(line, Line2D)
    )


@pytest.mark.parametrize("name", ["rocbands.own-studies/1", "rocbands.studies/2"])
def test_documents_of_the_commands_have_schemas(name: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[name])
