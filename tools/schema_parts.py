"""Pieces that JSON Schemas are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

NUMBER: Schema = {"type": "number"}
RATE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
GAP: Schema = {"type": "number", "minimum": -1, "maximum": 1}
LEVEL: Schema = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}
COUNT: Schema = {"type": "integer", "minimum": 0}
CASES: Schema = {"type": "integer", "minimum": 1}
TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
PLACE: Schema = {"anyOf": [NUMBER, {"enum": ["inf", "-inf"]}]}
SIZES = {"n_pos": CASES, "n_neg": CASES}
COVERAGE: Schema = {"enum": ["simultaneous", "pointwise"]}
SIDE: Schema = {"enum": ["two-sided", "less", "greater"]}
SAMPLING: Schema = {"enum": ["stratified", "full"]}


def array(of: Schema, *, size: int | None = None) -> Schema:
    """List of alike values."""
    return {"type": "array", "items": of} | (
        {} if size is None else {"minItems": size, "maxItems": size}
    )


def maybe(of: Schema) -> Schema:
    """Value that may be missing."""
    return {"anyOf": [of, {"type": "null"}]}


def thing(
    parts: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None, **more: Any
) -> Schema:
    """Object with these properties and no others."""
    extra = optional or {}
    return {
        "type": "object",
        "properties": {**parts, **extra},
        "required": list(parts),
        "additionalProperties": False,
        **more,
    }


def table(**columns: Schema) -> Schema:
    """Columns of one length."""
    return thing({name: array(of) for name, of in columns.items()})


def any_table() -> Schema:
    """Columns whose names depend on what was asked."""
    cell = {"type": ["string", "number", "boolean", "null"]}
    return {"type": "object", "additionalProperties": array(cell), "minProperties": 1}


def reference(name: str) -> Schema:
    """Document of another schema."""
    return {"$ref": urn(name)}


def urn(name: str) -> str:
    """Return the identity of a schema: 'rocbands.band/1' is urn:rocbands:band:1."""
    title, version = name.removeprefix("rocbands.").split("/")
    return f"urn:rocbands:{title}:{version}"


def by_model(*names: str) -> Schema:
    """Object with one document for each model, by the model's name."""
    each = [reference(name) for name in names]
    one = each[0] if len(each) == 1 else {"anyOf": each}
    return {"type": "object", "additionalProperties": one, "minProperties": 1}
