"""Payloads of reports, checked against the schema that the documentation ships."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import rocbands as rb

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "src/rocbands/reporting/schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.validators.validator_for(SCHEMA)(SCHEMA)
VALIDATOR.check_schema(SCHEMA)


DESIGN = ("positive", "rest", "clusters", "weights", "strata", "folds")


def numbers(value: Any) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from numbers(part)


def shorten(value: Any) -> Any:
    """Keep the ends and the extremes of long lists of numbers: their schema is the same."""
    if isinstance(value, dict):
        return {name: shorten(part) for name, part in value.items()}
    if not isinstance(value, list):
        return value
    if len(value) > 20 and {type(part) for part in value} <= {int, float}:
        return [*value[:3], min(value), max(value), *value[-3:]]
    return [shorten(part) for part in value]


def payload_of(y: Any, models: dict[str, Any], **asked: Any) -> dict[str, Any]:
    """Make a report, and check what holds for every one of them."""
    design = {name: asked.pop(name) for name in DESIGN if name in asked}
    return checked(rb.report(rb.Sample(y, models, **design), path=None, **{"rng": 1} | asked))


def checked(report: rb.results.Report) -> dict[str, Any]:
    """Check what holds for the payload of every report."""
    payload = dict(report.payload)
    VALIDATOR.validate(shorten(payload))
    assert all(map(math.isfinite, numbers(payload)))
    assert json.loads(json.dumps(payload, allow_nan=False)) == payload
    for model in payload["models"]:
        columns = [(band["fpr"], band["lower"], band["upper"]) for band in model["bands"]]
        columns += [(model["roc"]["fpr"], model["roc"]["tpr"])]
        for x, *sides in columns:
            assert x == sorted(x)
            assert (x[0], x[-1]) == (0, 1)
            assert {len(side) for side in sides} == {len(x)}
        for band in model["bands"]:
            assert all(
                low <= up + 1e-6 for low, up in zip(band["lower"], band["upper"], strict=True)
            )
    return payload


@pytest.fixture(scope="session")
def example() -> dict[str, Any]:
    return checked(rb.report(rb.load_example(), path=None, rng=1))
