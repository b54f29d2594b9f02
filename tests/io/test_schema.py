"""JSON Schemas say what a class of results says of itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import pytest
from jsonschema import Draft202012Validator, ValidationError

from rocbands.core.attributes import Count, Level, Number, Rate
from rocbands.core.checks import FloatArray
from rocbands.core.result import Result
from rocbands.io.records import describe_type, result_schema


class Span(NamedTuple):
    low: Rate
    name: str


@dataclass(frozen=True)
class Part:
    size: Count
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Own(Result):
    """A result with a value of every kind.

    More about it.
    """

    schema: ClassVar[str] = "rocbands.own/3"
    FACTS: ClassVar[tuple[str, ...]] = (
        "kind", "level", "limit", "pair", "part", "weights", "by_name", "values", "total",
    )  # fmt: skip
    COLUMNS: ClassVar[Mapping[str, Any]] = {"values": Rate, "names": str}

    level: Level
    limit: Number | None
    pair: tuple[int, int]
    part: Part
    weights: FloatArray
    by_name: Mapping[str, Rate]
    values: FloatArray
    names: tuple[str, ...]
    kind: Literal["a", "b"] = "a"

    @property
    def total(self) -> float:
        """Sum of the values."""
        return float(self.values.sum())

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        return "Own.", self.columns()


def own(**changed: Any) -> Own:
    usual: dict[str, Any] = {
        "level": 0.9,
        "limit": np.inf,
        "pair": (1, 2),
        "part": Part(3, (Span(0.5, "x"),)),
        "weights": np.array([1.0, 2.0]),
        "by_name": {"old": 0.5},
        "values": np.array([0.25, 0.5]),
        "names": ("p", "q"),
    }
    return Own(**(usual | changed))


def test_a_record_is_what_its_schema_says() -> None:
    schema = result_schema(Own)
    Draft202012Validator.check_schema(schema)
    assert schema["title"] == "A result with a value of every kind"
    assert schema["$id"] == "urn:rocbands:own:3"
    assert schema["required"] == ["schema", *Own.FACTS, "columns"]
    for result in (own(), own(limit=None), own(kind="b"), own(limit=-np.inf)):
        Draft202012Validator(schema).validate(json.loads(result.to_json()))
    record = own().to_dict()
    assert record["part"] == {"size": 3, "spans": [{"low": 0.5, "name": "x"}]}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("level", 1.0),
        ("limit", "nan"),
        ("pair", [1, 2, 3]),
        ("part", {"size": -1, "spans": []}),
        ("by_name", {"old": 2}),
        ("kind", "c"),
        ("total", "1"),
        ("columns", {"values": [2.0], "names": ["p"]}),
        ("columns", {"values": [0.5]}),
        ("surprise", 1),
    ],
)
def test_what_is_wrong_is_refused(name: str, value: Any) -> None:
    record = {**json.loads(own().to_json()), name: value}
    with pytest.raises(ValidationError):
        Draft202012Validator(result_schema(Own)).validate(record)


def test_what_has_no_form_in_json_is_our_own_mistake() -> None:
    with pytest.raises(TypeError, match="has no form in JSON"):
        describe_type(bytes)
