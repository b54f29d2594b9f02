"""JSON Schemas of results, made from the classes themselves.

A class says in `FACTS` and `COLUMNS` what its record has; annotations say of which type that is.
Every property is required and there are no others. Numbers that may be infinite are the strings
"inf" and "-inf" (the type `Number`), as :func:`rocbands.io.records.json_of` writes them.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import inspect
import sys
import types
from collections.abc import Mapping
from typing import Any, ClassVar, ForwardRef, Literal, Union, get_args, get_origin

import numpy as np

from rocbands.core.method import Method
from rocbands.core.result import Count, Level, Number, Rate, Result

__all__ = ["any_table", "describe_object", "describe_type", "reference", "result_schema"]

Schema = dict[str, Any]

_NUMBER: Schema = {"type": "number"}
_TEXT: Schema = {"type": "string"}
_KNOWN: dict[Any, Schema] = {
    Rate: {"type": "number", "minimum": 0, "maximum": 1},
    Level: {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    Number: {"anyOf": [_NUMBER, {"enum": ["inf", "-inf"]}]},
    Count: {"type": "integer", "minimum": 0},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: _NUMBER,
    str: _TEXT,
    type(None): {"type": "null"},
    Any: {},
    object: {},
}
_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def result_schema(kind: type[Result]) -> Schema:
    """Return the JSON Schema of what ``to_dict`` of a class of results gives.

    Examples
    --------
    >>> from rocbands.core.roc import RocCurve
    >>> result_schema(RocCurve)["properties"]["schema"]
    {'const': 'rocbands.roc-curve/1'}
    """
    facts = {name: describe_type(_annotation(kind, name)) for name in kind.FACTS}
    cells = {name: array_of(describe_type(cell)) for name, cell in kind.COLUMNS.items()}
    columns = describe_object(cells) if cells else any_table()
    found = {**facts, "columns": columns}
    title = (inspect.getdoc(kind) or kind.__name__).partition("\n")[0].rstrip(".")
    schema = document(kind.schema, title, found)
    if not kind.FACTS and kind.facts is not Result.facts:  # they depend on what was asked
        schema["additionalProperties"] = True
    return schema


def document(
    name: str, title: str, parts: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None
) -> Schema:
    """Return the schema called `name` of an object with these properties, besides "schema"."""
    head = {"$schema": _DRAFT, "$id": identifier(name), "title": title}
    return {**head, **describe_object({"schema": {"const": name}, **parts}, optional)}


def describe_object(
    parts: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None
) -> Schema:
    """Describe an object with these properties, some of which may be missing, and no others."""
    return {
        "type": "object",
        "properties": {**parts, **(optional or {})},
        "required": list(parts),
        "additionalProperties": False,
    }


def describe_type(hint: Any) -> Schema:
    """Describe the values of a type, as they stand in JSON.

    Examples
    --------
    >>> describe_type(tuple[str, ...])
    {'type': 'array', 'items': {'type': 'string'}}
    >>> describe_type(Rate | None)["anyOf"][1]
    {'type': 'null'}
    """
    if hint in _KNOWN:
        return _KNOWN[hint]
    origin, args = get_origin(hint), get_args(hint)
    if origin is ClassVar:
        found = describe_type(args[0])
    elif origin is Literal:
        found = {"enum": list(args)}
    elif origin in (Union, types.UnionType):
        found = {"anyOf": [describe_type(arg) for arg in args]}
    elif origin in (tuple, list, collections.abc.Sequence, np.ndarray):
        found = _describe_list(origin, args)
    elif origin in (dict, collections.abc.Mapping):
        found = {"type": "object", "additionalProperties": describe_type(args[1])}
    else:
        found = _describe_class(hint)
    return found


def _describe_list(origin: Any, args: tuple[Any, ...]) -> Schema:
    if origin is np.ndarray:
        return {"type": "array"}
    if origin is not tuple or args[-1] is Ellipsis:
        return array_of(describe_type(args[0]))
    kinds = [describe_type(arg) for arg in args]
    each = kinds[0] if all(kind == kinds[0] for kind in kinds) else {"anyOf": kinds}
    return {**array_of(each), "minItems": len(args), "maxItems": len(args)}


def _describe_class(kind: Any) -> Schema:
    if isinstance(kind, type) and issubclass(kind, Method):  # its name and its parameters
        return {"type": "object", "properties": {"name": _TEXT}, "required": ["name"]}
    if isinstance(kind, type) and issubclass(kind, str):
        return _TEXT
    names = getattr(kind, "_fields", None)  # of a named tuple
    if dataclasses.is_dataclass(kind):
        names = [field.name for field in dataclasses.fields(kind)]
    assert names, f"{kind} has no form in JSON"
    return describe_object({name: describe_type(_annotation(kind, name)) for name in names})


def _annotation(kind: Any, name: str) -> Any:
    """Return the type of an attribute: as annotated, or as its property returns it."""
    for owner in kind.__mro__:
        if name in vars(owner).get("__annotations__", {}):
            return _evaluate(vars(owner)["__annotations__"][name], owner.__module__)
        if name in vars(owner):
            getter = vars(owner)[name]
            function = getattr(getter, "fget", None) or getter.func  # a (cached) property
            return _evaluate(function.__annotations__["return"], function.__module__)
    raise AssertionError(f"{kind.__name__} has no attribute {name}")


def _evaluate(annotation: Any, module: str) -> Any:
    # Only what a record has is looked at: annotations of other attributes may be of names that are
    # there for type checkers alone.
    if isinstance(annotation, ForwardRef):  # of a named tuple
        annotation = annotation.__forward_arg__
    if not isinstance(annotation, str):
        return annotation
    return eval(annotation, vars(sys.modules[module]))


def array_of(cell: Schema) -> Schema:
    """Describe a list of alike values."""
    return {"type": "array", "items": cell}


def any_table() -> Schema:
    """Describe columns whose names depend on what was asked."""
    cell = {"type": ["string", "number", "boolean", "null"]}
    return {"type": "object", "additionalProperties": array_of(cell), "minProperties": 1}


def reference(name: str) -> Schema:
    """Describe a document of another schema."""
    return {"$ref": identifier(name)}


def identifier(name: str) -> str:
    """Return the identifier of a schema: 'rocbands.band/1' is urn:rocbands:band:1."""
    title, version = name.removeprefix("rocbands.").split("/")
    return f"urn:rocbands:{title}:{version}"
