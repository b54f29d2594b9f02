"""Results as plain values: dictionaries, JSON and data frames."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import json
import math
import posixpath
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from rocbands.errors import InputError, arg

__all__ = ["dict_of", "frame_of", "json_of", "metric_name", "metrics_of"]

_KINDS = ("pandas", "polars", "pyarrow")


def dict_of(schema: str, facts: Mapping[str, object], columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``{"schema": ..., facts ..., "columns": {name: list}}`` in plain Python values."""
    return {
        "schema": schema,
        **{name: _plain(value) for name, value in facts.items()},
        "columns": {name: _plain(column) for name, column in columns.items()},
    }


def _plain(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        wide = value.dtype.kind == "f" and value.dtype.itemsize > 8  # JSON has no wider numbers
        return value.astype(np.float64).tolist() if wide else value.tolist()
    if isinstance(value, str):
        return str(value)  # a message becomes plain text
    if hasattr(value, "record"):  # a method: its name and its parameters
        value = value.record
    elif hasattr(value, "_asdict"):  # a named tuple
        value = value._asdict()
    elif dataclasses.is_dataclass(value):
        value = {part.name: getattr(value, part.name) for part in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value


def json_of(record: Mapping[str, Any], *, indent: int | None = None) -> str:
    """Write `record` as strict JSON; infinite numbers become 'inf' and '-inf', NaN becomes null."""
    return json.dumps(_finite(record), indent=indent, allow_nan=False, ensure_ascii=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, Mapping):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_finite(part) for part in value]
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
    data = {name: _cells(column) for name, column in columns.items()}
    return nw.from_dict(data, backend=importlib.import_module(kind)).to_native()


def _cells(column: Any) -> Any:
    """Return a column as frames take it: of one type, with None where a value is missing."""
    # A copy, because frames would otherwise share memory with a result that must not change.
    values = np.array(column)
    if values.dtype != object:
        return values
    known = [value for value in column if value is not None]
    numbers = all(isinstance(value, (int, float, np.number)) for value in known)
    whole = all(isinstance(value, (int, np.integer)) for value in known)
    truths = all(isinstance(value, (bool, np.bool_)) for value in known)
    kind: Any = bool if truths else int if whole else float if numbers else str
    return [None if value is None else kind(value) for value in column]


_NOT_IN_NAMES = re.compile(r"[^\w .\-]")  # what names of metrics in MLflow may not hold, or a slash
_PREFIX = re.compile(r"[\w .\-/]*")


def metrics_of(
    facts: Mapping[str, object], columns: Mapping[str, Any], prefix: str = ""
) -> dict[str, float]:
    """Return the numbers among `facts`, and among `columns` if these are of one row.

    Examples
    --------
    >>> metrics_of({"auc": 0.9, "method": "delong"}, {"tpr": [0.8], "n": [3]}, "test/")
    {'test/auc': 0.9, 'test/tpr': 0.8, 'test/n': 3.0}
    """
    if not isinstance(prefix, str) or not _PREFIX.fullmatch(prefix) or _is_other_path(prefix):
        raise InputError(
            "must hold letters, digits, spaces and _ - . only, in parts parted by single slashes, "
            "as names of metrics do",
            f"got {prefix!r}",
            f"Write, for example, {arg('prefix', 'test/')}.",
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
    """Tell whether a name that begins so would be another one as a path; MLflow refuses those."""
    path = f"{prefix}x"
    return posixpath.normpath(path) != path or path.startswith(("/", ".."))


def metric_name(name: str) -> str:
    """Write a name so that trackers take it as one part of a metric's name."""
    return _NOT_IN_NAMES.sub("_", name).strip(" .") or "_"
