"""Results as plain values: dictionaries, JSON and data frames; and the JSON Schemas of results.

Schemas are made from the classes: `FACTS` and `COLUMNS` list the properties of a record,
annotations their types. Every property is required and there are no others. Infinite numbers are
the strings "inf" and "-inf" (type `Number`), as :func:`json_of` writes them.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import importlib
import importlib.util
import inspect
import json
import math
import posixpath
import re
import sys
import types
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, ForwardRef, Literal, Union, get_args, get_origin

import numpy as np

from rocbands.core.attributes import Count, Derived, Level, Number, Rate
from rocbands.core.columns import as_text
from rocbands.core.method import Method
from rocbands.core.result import Result
from rocbands.errors import InputError, Message, arg

_KINDS = ("pandas", "polars", "pyarrow")


def dict_of(
    schema: str, facts: Mapping[str, object], columns: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return ``{"schema": ..., facts ..., "columns": {name: list}}`` in plain Python values."""
    table = {} if columns is None else {"columns": columns}
    return {
        "schema": schema,
        **{name: _to_plain(value) for name, value in {**facts, **table}.items()},
    }


def _to_plain(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        wide = value.dtype.kind == "f" and value.dtype.itemsize > 8  # JSON has no wider numbers
        return value.astype(np.float64).tolist() if wide else value.tolist()
    if isinstance(value, str):
        return str(value)  # a message becomes plain text
    if isinstance(value, Result):
        return value.to_dict()
    if hasattr(value, "record"):  # a method: its name and its parameters
        value = value.record
    elif hasattr(value, "_asdict"):  # a named tuple
        value = value._asdict()
    elif dataclasses.is_dataclass(value):
        value = {part.name: getattr(value, part.name) for part in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(name): _to_plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_to_plain(part) for part in value]
    return value


def json_of(record: Mapping[str, Any], *, indent: int | None = None) -> str:
    """Write `record` as strict JSON; infinite numbers become 'inf' and '-inf', NaN becomes null."""
    return json.dumps(_to_finite(record), indent=indent, allow_nan=False, ensure_ascii=False)


def _to_finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, Mapping):
        return {name: _to_finite(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_to_finite(part) for part in value]
    return value


def frame_of(columns: Mapping[str, Any], kind: str | None) -> Any:
    """Return `columns` as a frame of the given kind, or of the first kind that is installed."""
    import narwhals as nw

    if kind is None:
        kind = next((name for name in _KINDS if importlib.util.find_spec(name)), None)
    if kind is None:
        raise InputError(
            "A data frame needs pandas, Polars or PyArrow",
            "none is installed",
            "Install one, for example pandas, or use to_dict().",
        )
    if kind not in _KINDS:
        raise InputError(f"must be one of {', '.join(_KINDS)}", f"got {kind!r}", argument="kind")
    if importlib.util.find_spec(kind) is None:
        raise InputError(
            f"A {kind} frame was asked for, but {kind} is not installed", remedy="Install it."
        )
    data = {as_text(name): _to_cells(column) for name, column in columns.items()}
    return nw.from_dict(data, backend=importlib.import_module(kind)).to_native()


def _to_cells(column: Any) -> Any:
    """Return a column for frames: of one type, with None for missing values."""
    # A copy, because frames would otherwise share memory with a result that must not change.
    values = np.array(column)
    if values.dtype.kind == "f" and values.dtype.itemsize > 8:
        return values.astype(np.float64)  # Arrow has no wider floats,
    if values.dtype.kind == "U":
        return [as_text(text) for text in values.tolist()]
    if values.dtype != object:
        return values.astype(values.dtype.newbyteorder("="), copy=False)  # and one order of bytes
    known = [value for value in column if value is not None]
    numbers = all(isinstance(value, (int, float, np.number)) for value in known)
    whole = all(isinstance(value, (int, np.integer)) for value in known)
    truths = all(isinstance(value, (bool, np.bool_)) for value in known)
    kind: Any = bool if truths else int if whole else float if numbers else as_text
    return [None if value is None else kind(value) for value in column]


_NOT_IN_NAMES = re.compile(r"[^\w .\-]")  # not allowed in names of MLflow metrics, or a slash
_PREFIX = re.compile(r"[\w .\-/]*")


def metrics_of(
    facts: Mapping[str, object], columns: Mapping[str, Any], prefix: str = ""
) -> dict[str, float]:
    """Return the numbers among `facts`, and among `columns` if they have one row.

    Examples
    --------
    >>> metrics_of({"auc": 0.9, "method": "delong"}, {"tpr": [0.8], "n": [3]}, "test/")
    {'test/auc': 0.9, 'test/tpr': 0.8, 'test/n': 3.0}
    """
    if not isinstance(prefix, str) or not _PREFIX.fullmatch(prefix) or _is_other_path(prefix):
        raise InputError(
            "must contain letters, digits, spaces and _ - . only, in parts separated by single "
            "slashes, as names of metrics do",
            f"got {prefix!r}",
            Message("Write, for example, {}.", arg("prefix", "test/")),
            argument="prefix",
        )
    row = {name: column[0] for name, column in columns.items() if len(column) == 1}
    found = {**facts, **row}
    return {
        prefix + metric_name(name): float(value)
        for name, value in found.items()
        if isinstance(value, (bool, int, float, np.number, np.bool_)) and math.isfinite(value)
    }


def _is_other_path(prefix: str) -> bool:
    """Tell whether the prefix is not a normalised path, which MLflow refuses."""
    path = f"{prefix}x"
    return posixpath.normpath(path) != path or path.startswith(("/", ".."))


def metric_name(name: str) -> str:
    """Escape a name so that trackers accept it as one part of a metric's name."""
    return _NOT_IN_NAMES.sub("_", name).strip(" .") or "_"


def name_metrics(models: Iterable[str]) -> list[str]:
    """Escape the names of models; refuse those that are then the same."""
    models = list(models)
    names = [metric_name(name) for name in models]
    if len(set(names)) < len(names):
        raise InputError(
            "Names of models must also differ without special characters, which trackers do not "
            "accept",
            f"they are {', '.join(map(repr, models))}",
            "Rename one.",
        )
    return names


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
    cells = {name: describe_array(describe_type(cell)) for name, cell in kind.COLUMNS.items()}
    more = {name: describe_array(describe_type(cell)) for name, cell in kind.MORE.items()}
    columns = describe_object(cells, more) if cells else any_table()
    found = facts if kind.ONE_ROW else {**facts, "columns": columns}
    title = (inspect.getdoc(kind) or kind.__name__).partition("\n")[0].rstrip(".")
    schema = document(kind.schema, title, found)
    if kind.FACTS == ("sentence",) and kind.facts is not Result.facts:  # they depend on the request
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
    """Describe the JSON form of a type.

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
        return describe_array(describe_type(args[0]))
    kinds = [describe_type(arg) for arg in args]
    each = kinds[0] if all(kind == kinds[0] for kind in kinds) else {"anyOf": kinds}
    return {**describe_array(each), "minItems": len(args), "maxItems": len(args)}


def _describe_class(kind: Any) -> Schema:
    if isinstance(kind, type) and issubclass(kind, Method):  # its name and its parameters
        return {"type": "object", "properties": {"name": _TEXT}, "required": ["name"]}
    if isinstance(kind, type) and issubclass(kind, str):
        return _TEXT
    if isinstance(kind, type) and issubclass(kind, Result):
        return result_schema(kind)
    names = getattr(kind, "_fields", None)  # of a named tuple
    if dataclasses.is_dataclass(kind):
        names = [field.name for field in dataclasses.fields(kind)]
    if not names:
        raise TypeError(f"{kind} has no form in JSON")
    return describe_object({name: describe_type(_annotation(kind, name)) for name in names})


def _annotation(kind: Any, name: str) -> Any:
    """Return the type of an attribute: as annotated, or as its property returns it."""
    for owner in kind.__mro__:
        if name in vars(owner).get("__annotations__", {}):
            return _evaluate(vars(owner)["__annotations__"][name], owner.__module__)
        if name in vars(owner):
            getter = vars(owner)[name]
            if isinstance(getter, Derived):
                return get_args(vars(getter)["__orig_class__"])[0]
            function = getattr(getter, "fget", None) or getter.func  # a (cached) property
            return _evaluate(function.__annotations__["return"], function.__module__)
    raise AttributeError(f"{kind.__name__} has no attribute {name}")


def _evaluate(annotation: Any, module: str) -> Any:
    # Only annotations of recorded attributes are evaluated: others may use names that exist for
    # type checkers only.
    if isinstance(annotation, ForwardRef):  # of a named tuple
        annotation = annotation.__forward_arg__
    if not isinstance(annotation, str):
        return annotation
    return eval(annotation, vars(sys.modules[module]))


def describe_array(cell: Schema) -> Schema:
    """Describe a list of values of one type."""
    return {"type": "array", "items": cell}


def any_table() -> Schema:
    """Describe columns whose names depend on the request."""
    cell = {"type": ["string", "number", "boolean", "null"]}
    return {"type": "object", "additionalProperties": describe_array(cell), "minProperties": 1}


def reference(name: str) -> Schema:
    """Describe a document of another schema."""
    return {"$ref": identifier(name)}


def identifier(name: str) -> str:
    """Return the identifier of a schema: 'rocbands.band/1' is urn:rocbands:band:1."""
    title, version = name.removeprefix("rocbands.").split("/")
    return f"urn:rocbands:{title}:{version}"
