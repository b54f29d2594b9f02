"""Conversion of any column of values to a one-dimensional NumPy array, with checks.

No other module has to handle frames, missing values, masks, strings or shapes.
"""

from __future__ import annotations

import importlib
import math
import numbers
import re
import sys
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.arguments import FROM_FRAME, suggest
from rocbands.core.checks import check_flag
from rocbands.core.tensors import to_host
from rocbands.errors import InputError, Message, arg, call, in_python, join, part


class ArrayColumn(Protocol):
    """A column of any library: an array, a series, an Arrow column."""

    def __len__(self) -> int: ...
    def __array__(self) -> npt.NDArray[Any]: ...


class Frame(Protocol):
    """A table of any library with named columns."""

    @property
    def columns(self) -> Iterable[Any]: ...


# Arguments of public functions. `ArrayLike` would also accept single numbers and text.
Column: TypeAlias = ArrayColumn | Sequence[float]
Labels: TypeAlias = ArrayColumn | list[Any] | tuple[Any, ...]
Numbers: TypeAlias = float | Column  # one, or several
ColumnName: TypeAlias = str | float | tuple[Any, ...]  # pandas has names other than text
ScoreTable: TypeAlias = ArrayColumn | Sequence[Sequence[float]] | Mapping[Any, Column]  # by class

_FRAMES = ("pandas", "polars", "pyarrow")


def frame_kind(values: object) -> str | None:
    """Name of the frame library that `values` belongs to, or None for plain arrays and lists."""
    library = type(values).__module__.partition(".")[0]
    return library if library in _FRAMES and library in sys.modules else None


def to_column(values: Any, name: str) -> npt.NDArray[Any]:
    """Turn any array-like, Series or column into a one-dimensional array.

    It is not copied if that can be avoided. Masked and null values are refused; NaN is not checked.
    `name`: for error messages.
    """
    if type(values) is np.ndarray and values.ndim == 1 and values.size:
        return values
    values = to_host(values)
    if isinstance(values, np.ma.MaskedArray):
        _refuse(np.ma.getmaskarray(values).ravel(), name, "masked")
        values = values.data
    elif frame_kind(values) is not None:
        values = _from_frame(values, name)
    elif isinstance(values, (str, bytes, dict, set)) or np.ndim(_peek(values)) == 0:
        raise InputError(
            Message("{} must be a column of values", mention(name)),
            f"it is {_article(values)}",
            "Pass a list, an array or a column of a data frame.",
        )
    array = _to_array(values, name)
    _one_dimensional(array, name)
    if array.dtype.kind == "U" and isinstance(values, (list, tuple)):
        _refuse(
            find_missing(values), name, values
        )  # NumPy would convert them to the strings 'nan' and 'None'
    if array.size == 0:
        raise InputError(
            Message("{} must not be empty", mention(name)),
            "it has 0 rows",
            "Check the step that made it.",
        )
    return array


def _to_array(values: Any, name: str) -> npt.NDArray[Any]:
    try:
        return np.asarray(values)
    except (ValueError, TypeError) as problem:
        raise InputError(
            Message("{} must be one-dimensional", mention(name)),
            "its rows have different shapes",
            "Pass one value for each row.",
        ) from problem


class MissingError(InputError):
    """A column has missing values; `first` is the first one found."""

    first: str | None = None


def find_missing(values: Any) -> npt.NDArray[np.bool_]:
    """Tell for each value of any column whether it is missing: None, NaN, null or masked."""
    if isinstance(values, np.ma.MaskedArray):
        return np.ma.getmaskarray(values) | find_missing(values.data)
    if (series := _to_series(values)) is not None:
        null = series.is_null()
        if series.dtype.is_float():
            null = null | series.is_nan().fill_null(True)
        return np.asarray(null.to_numpy(), dtype=np.bool_)
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths: not a column; reading it raises an error
        array = np.zeros(len(values), np.bool_)
    if array.dtype.kind == "U" and isinstance(values, (list, tuple)):
        array = np.array([*values, None], dtype=object)[:-1]
    if array.dtype.kind in "fc":
        return np.asarray(np.isnan(array))
    if array.dtype.kind in "mM":
        return np.asarray(np.isnat(array))
    if array.dtype != object or array.ndim == 0:
        return np.zeros(array.shape, np.bool_)
    return np.array([_is_missing(value) for value in array], dtype=np.bool_)


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # not equal to themselves
        return True
    return isinstance(value, (float, np.floating)) and math.isnan(value)


def take_rows(values: Any, keep: npt.NDArray[np.bool_]) -> Any:
    """Return the rows of a column that are kept, as the same kind of column."""
    if frame_kind(values) is not None:
        kind = getattr(values, "dtype", None)
        if isinstance(kind, np.dtype) and not kind.isnative:  # pandas cannot take rows of these
            return np.asarray(values)[keep]
        if (series := _to_series(values)) is not None:
            return series.filter(keep.tolist()).to_native()
    if isinstance(values, np.ndarray):
        return values[keep]
    kept = [value for value, stays in zip(values, keep.tolist(), strict=True) if stays]
    return type(values)(kept) if isinstance(values, (list, tuple)) else kept


def split_frame(values: Any) -> list[tuple[Any, Any]] | None:
    """Return the names and columns of a frame, in its own library; None for anything else.

    By position: names of pandas may be numbers, tuples or None, and names may be repeated.
    """
    kind = frame_kind(values)
    if kind == "pandas" and getattr(values, "ndim", 1) == 2:
        return [(name, values.iloc[:, at]) for at, name in enumerate(values.columns)]
    if kind == "polars" and hasattr(values, "collect_schema"):
        frame = values.collect() if hasattr(values, "collect") else values
        return list(zip(frame.columns, frame.get_columns(), strict=True))
    if kind == "pyarrow" and hasattr(values, "column_names"):
        return list(zip(values.column_names, values.columns, strict=True))
    return None


def column_text(name: Any) -> str:
    """Write the name of a column as text: 1 is '1', and ('a', 'b') is 'a_b'."""
    if isinstance(name, tuple):  # pandas has them where columns have several levels
        return "_".join(column_text(part) for part in name if part != "")
    return as_text(name)


def as_text(value: object) -> str:
    """Write a value as text, what UTF-8 cannot encode as escapes.

    Names from a file system may contain lone surrogates, which no frame and no picture can show.
    """
    return str(value).encode(errors="backslashreplace").decode()


def name_by_text(
    columns: Iterable[tuple[Any, Any]], wanted: Container[str] | None = None
) -> dict[str, Any]:
    """Return columns by the text of their names; refuse names that are repeated.

    `wanted`: the columns that are used; the names of others may be repeated.
    """
    pairs = [(column_text(name), column) for name, column in columns]
    for name, times in Counter(name for name, _ in pairs).items():
        if times > 1 and (wanted is None or name in wanted):
            raise InputError(
                "The columns must have names that differ as text",
                f"{name!r} occurs {times} times",
                "Rename all but one of them.",
            )
    return dict(pairs)


def plain_array(values: Any, name: str) -> npt.NDArray[Any]:
    """Turn a column into a one-dimensional array; missing values stay as they are."""
    if (series := _to_series(values)) is not None:
        return np.asarray(series.to_numpy())
    array = _to_array(values, name)
    if array.dtype.kind == "U" and isinstance(values, (list, tuple)):
        array = np.array([*values, None], dtype=object)[:-1]  # None would become 'None'
    _one_dimensional(array, name)
    return array


def pick_column(columns: Mapping[str, Any], name: str, argument: str) -> Any:
    """Return a column by its name; for an unknown name, suggest a similar one."""
    if name in columns:
        return columns[name]
    raise InputError(
        "must be the name of a column",
        f"got {name!r}",
        suggest(name, columns, f"There are {_listing(list(columns), 8)}."),
        argument=argument,
    )


def is_name(value: object) -> bool:
    """Tell whether a value is a name of a column on one level, and not a column."""
    return isinstance(value, (str, int, float, np.generic, date))


def name_column(name: Any, argument: str) -> str:
    """Return the text of a column's name; refuse what is no name, such as the column itself."""
    if is_name(name):
        return column_text(name)
    if isinstance(name, tuple) and name:
        return column_text(tuple(name_column(part, argument) for part in name))
    shown = repr(name) if name is None or isinstance(name, bytes) else type(name).__name__
    raise InputError(
        "must be the name of a column",
        f"got {shown}",
        "Pass the name that the column has in the data.",
        argument=argument,
    )


def name_each(**names: Any) -> dict[str, str]:
    """Return the text of each name that is given, by the argument that gives it."""
    return {use: name_column(name, use) for use, name in names.items() if name is not None}


def mention(name: str) -> str:
    """Refer to a column by its argument, unless it is one of several ('y_score of ...')."""
    return arg(name) if name.isidentifier() else f"`{name}`"


def _peek(values: Any) -> Any:
    """Return a substitute for `values` with the same number of dimensions."""
    return values if hasattr(values, "ndim") or not hasattr(values, "__len__") else [0]


def _article(values: object) -> str:
    word = type(values).__name__
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def _to_series(values: Any) -> Any:
    """Convert a column of a frame library to narwhals; return None for anything else."""
    kind = frame_kind(values)
    if kind is None:
        return None
    import narwhals as nw

    if kind == "pyarrow" and hasattr(values, "buffers"):
        # narwhals takes chunked Arrow arrays only; wrapping does not copy.
        values = importlib.import_module("pyarrow").chunked_array([values])
    series = nw.from_native(values, pass_through=True, series_only=True)
    return series if isinstance(series, nw.Series) else None


def _from_frame(values: Any, name: str) -> npt.NDArray[Any]:
    pairs = split_frame(values)
    if pairs is not None:
        columns = [each for each, _ in pairs]
        remedy = f"Pass one of them, for example frame[{columns[-1]!r}]." if columns else ""
        if name == "y_true":
            remedy = f"Pass one of them; or several as {FROM_FRAME}."
        raise InputError(
            Message("{} must be one column", mention(name)),
            f"it is a frame with the columns {_listing(columns)}",
            remedy,
        )
    series = _to_series(values)
    if series is None:
        return np.asarray(values)
    _refuse(series.is_null().to_numpy(), name, "missing")
    try:
        return np.asarray(series.to_numpy())
    except MemoryError:
        raise
    except Exception as problem:  # depends on the library; for example 128-bit integers
        raise InputError(
            Message("{} must be a column that NumPy can hold", mention(name)),
            f"{problem}".rstrip("."),
        ) from problem


def _one_dimensional(array: npt.NDArray[Any], name: str) -> None:
    if array.ndim == 1:
        return
    shape = f"it has shape {array.shape}"
    if array.ndim == 2 and array.shape[1] == 2 and name.startswith("y_score"):
        advice = (
            f"Pass the positive class's column: {name}[:, 1] for scikit-learn's predict_proba. Two "
            "models are a mapping from names to columns."
        )
    elif array.ndim == 2 and array.shape[1] == 1:
        advice = f"Pass {name}[:, 0]."
    elif array.ndim == 2:
        advice = Message(
            "Pass one column, a mapping from models' names to columns, or all classes to {}.",
            call("class_bands", "..."),
        )
    else:
        advice = "Pass one value for each row."
    raise InputError(Message("{} must be one-dimensional", mention(name)), shape, advice)


def score_column(values: Any, name: str = "y_score") -> npt.NDArray[Any]:
    """Turn a column into real numbers, in their original precision."""
    array = to_column(values, name)
    if array.dtype.kind == "O":
        array = numbers_from_objects(array, name)
    if array.dtype.kind not in "fiub":
        must, found = "must be numbers", f"its type is {array.dtype}"
        remedy = "Pass the column that ranks the rows, as floats."
        if array.dtype.kind in "US":
            found = f"{name}[0] is the string {str(array[0])!r}"
            remedy = _convert_text(array.astype(str).tolist())
        elif array.dtype.kind == "c":
            must, found = "must be real numbers, which can be ordered", "it is complex"
            remedy = f"Pass {name}.real or the quantity that ranks the rows."
        raise InputError(Message("{} {}", mention(name), must), found, remedy)
    refuse_missing(array, name)
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        finite = array[np.isfinite(array)]
        if finite.size and np.abs(finite).max() > np.finfo(np.float64).max:
            raise _too_large(name)
    return array


_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")


def _convert_text(texts: Sequence[str]) -> str:
    """Say how to make numbers of a column of text."""
    how = "Convert the column before calling: "
    if _are_numbers(texts):
        return f"{how}numpy.asarray(column, dtype=float)."
    if _are_numbers(text.strip().removesuffix("%") for text in texts):
        alike = all("%" in text for text in texts)
        mixed = "Some are percentages and some are not: make all of them shares, as floats."
        return f"{how}[float(text.rstrip(' %')) for text in column]." if alike else mixed
    if _are_numbers(text.replace(",", "") for text in texts):
        if not all(_GROUPED.fullmatch(text.strip()) for text in texts if "," in text):
            return f"{how}[float(text.replace(',', '.')) for text in column]."
        said = (
            f"{how}[float(text.replace(',', '')) for text in column], if commas separate thousands."
        )
        return (
            said if "." in "".join(texts) else f"{said} If they are decimal signs, put '.' there."
        )
    words = [row for row, text in enumerate(texts) if not _are_numbers([text])]
    if len(words) < len(texts):
        first = f"row {words[0]} is {texts[words[0]]!r}"
        return f"Convert the column to floats before calling; {first}, which is no number."
    return "Convert the column to floats before calling, words by their order."


def _are_numbers(texts: Iterable[str]) -> bool:
    try:
        return not any(math.isnan(float(text)) for text in texts)
    except ValueError:
        return False


def negated(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return scores multiplied by -1, in a type that holds them."""
    if column.dtype.kind not in "iub":
        return -column
    low, high = (int(end) for end in (column.min(), column.max()))
    if high > np.iinfo(np.int64).max or low == np.iinfo(np.int64).min:
        raise InputError(
            "Scores to reverse must be floats, or whole numbers below 2**63 in size",
            f"found {high if high > 0 else low}",
            "Convert them to floats first.",
        )
    return -column.astype(np.int64)


def _too_large(name: str) -> InputError:
    return InputError(
        Message("{} must be numbers that fit 64 bits", mention(name)),
        "one of them is larger",
        "Divide the column by a large number: only the order of scores counts.",
    )


def numbers_from_objects(array: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    """Turn a column of objects into numbers; text stays text, and missing values are refused."""
    _refuse(find_missing(array), name, array)
    if any(isinstance(value, (str, bytes)) for value in array):
        return array.astype(str)
    try:
        if any(isinstance(value, complex) for value in array):
            return array.astype(complex)
        if all(type(value) is int for value in array):
            # Integers stay integers: as floats, 2**53 and 2**53 + 1 would be tied.
            return np.asarray(array.tolist())
        with np.errstate(over="raise"):  # of numbers wider than 64 bits
            return array.astype(np.float64)
    except (OverflowError, FloatingPointError) as problem:
        raise _too_large(name) from problem
    except (TypeError, ValueError) as problem:
        raise InputError(
            Message("{} must be numbers, one for each row", mention(name)),
            f"{name}[0] is {array[0]!r}",
            "Convert the column to floats before calling.",
        ) from problem


def refuse_missing(array: npt.NDArray[Any], name: str) -> None:
    """Refuse None, NaN and NaT in a column of labels or numbers."""
    # The minimum is NaN if any value is, so the usual case takes one pass and no temporary array.
    if not array.size or (array.dtype.kind == "f" and not math.isnan(np.minimum.reduce(array))):
        return
    if array.dtype.kind in "fcmMO":
        _refuse(find_missing(array), name, array)


def _refuse(missing: npt.NDArray[np.bool_], name: str, what: Any) -> None:
    """Refuse a column with missing values; `what`: the column, or the name of the values."""
    if missing.any():
        row = int(np.argmax(missing))
        where = f"{name}[{row}]" if name.isidentifier() else f"row {row}"
        raise MissingError(
            Message("{} must not contain missing values", mention(name)),
            f"{where} is {what if isinstance(what, str) else what[row]} "
            f"({np.count_nonzero(missing)} of {missing.size} rows)",
            "Drop or impute such rows before calling.",
        )


class AgainstRest(NamedTuple):
    """A positive label that is compared with all other labels."""

    label: object


def against_rest(positive: object, rest: bool) -> object:
    """Return the positive label, marked if it is compared with all others.

    :func:`two_classes` reads the mark, so that `rest` is passed on with `positive`.
    """
    check_flag(rest, "rest")
    if not rest:
        return positive
    if positive is None:
        raise InputError(
            Message(
                "{} compares one class with all others, and needs to know which. Name it by {}.",
                arg("rest", True),
                arg("positive"),
            )
        )
    if isinstance(positive, list) or getattr(positive, "ndim", 0) > 0:
        raise InputError("must be one label", f"got {positive!r}", argument="positive")
    return AgainstRest(positive)


class TwoClasses(NamedTuple):
    """Labels of two classes."""

    is_positive: npt.NDArray[np.bool_]  # of each row
    positive: object  # the labels
    negative: object  # None for all others


def two_classes(values: Any, positive: object = None, name: str = "y_true") -> TwoClasses:
    """Tell which rows are positive, and what the labels are.

    Only {0, 1}, {-1, 1} and booleans have an obvious positive label.
    """
    array = _read_labels(values, name)
    labels = _distinct(array, name, positive)
    rest = isinstance(positive, AgainstRest)
    if isinstance(positive, AgainstRest):
        positive = positive.label
    if isinstance(positive, _SCALARS):
        positive = positive.item()
    if positive is None:
        positive = _obvious_positive(labels, name)
    elif not any(is_same_label(positive, label) for label in labels):
        raise InputError(
            Message("must be one of the labels in {}", mention(name)),
            f"{positive!r} is not one of {_listing(labels)}",
            suggest(positive, labels, "Name one of them."),
            argument="positive",
        )
    if len(labels) == 1:
        raise InputError(
            Message("{} must contain both classes", mention(name)),
            f"every one of its {array.size} labels is {labels[0]!r}",
            "An ROC curve needs at least one positive and one negative row.",
        )
    is_positive = np.asarray(array == positive, dtype=np.bool_)
    negative = None if rest else labels[is_same_label(positive, labels[0])]
    return TwoClasses(is_positive, positive, negative)


_SMALL = 1 << 20


def label_codes(values: Any, name: str) -> tuple[tuple[Any, ...], npt.NDArray[np.int64]]:
    """Return the sorted distinct labels of a column, and the code of each row."""
    array = _read_labels(values, name)
    if array.dtype.kind in "iu" and -_SMALL < int(array.min()) <= int(array.max()) < _SMALL:
        least = int(array.min())  # counted: sorting numbers takes several times as long
        codes = np.subtract(array, least, dtype=np.int64)
        seen = np.bincount(codes) > 0
        labels = np.flatnonzero(seen) + least
        return tuple(labels.tolist()), codes if seen.all() else (np.cumsum(seen) - 1)[codes]
    try:
        labels, codes = np.unique(array, return_inverse=True)
    except TypeError:
        raise InputError(
            Message("{} must contain labels of one kind", mention(name)),
            "it mixes types",
            "Number them.",
        ) from None
    return tuple(_plain(labels)), codes.astype(np.int64)


def score_columns(values: Any, name: str) -> tuple[list[Any] | None, list[npt.NDArray[Any]]]:
    """Take several columns of scores and their names, if they have any.

    `values`: an array of shape (n, k), a data frame, or a mapping of names to columns.
    """
    pairs = list(values.items()) if isinstance(values, Mapping) else split_frame(values)
    if pairs is not None:
        columns = [score_column(one, f"{name} of {key!r}") for key, one in pairs]
        return [key for key, _ in pairs], columns
    try:
        array = np.asarray(values)
        found = f"it has {array.ndim} dimension{'s' * (array.ndim != 1)}"
    except ValueError:
        array, found = np.array(0.0), "its rows have different lengths"
    if array.ndim != 2:
        raise InputError(
            Message("{} must have one column of scores for each class", mention(name)),
            found,
            "Pass an array of shape (rows, classes), a data frame, or a mapping from class to "
            "column.",
        )
    return None, [score_column(one, f"{name}[:, {place}]") for place, one in enumerate(array.T)]


_SCALARS = (np.number, np.bool_, np.str_)


def _plain(labels: npt.NDArray[Any]) -> list[Any]:
    """Return labels as Python's own numbers and text, also from a column of objects."""
    values = labels.tolist()
    if labels.dtype != object:
        return list(values)
    return [one.item() if isinstance(one, _SCALARS) else one for one in values]


def _read_labels(values: Any, name: str) -> npt.NDArray[Any]:
    """Read a column of labels; objects are Python's own numbers, which compare with any other."""
    array = to_column(values, name)
    refuse_missing(array, name)
    if array.dtype == object:
        array, found = np.empty(array.size, dtype=object), _plain(array)
        array[:] = found
    return array


def is_same_label(positive: object, label: object) -> bool:
    """Tell whether two labels are equal; False for values such as arrays."""
    if getattr(positive, "ndim", 0):
        return False
    try:
        return bool(positive == label)
    except (TypeError, ValueError):
        return False


def _distinct(array: npt.NDArray[Any], name: str, positive: object) -> list[Any]:
    """One or two labels, smallest first; more are refused, except for one against the rest."""
    if array.dtype.kind in "biuf":
        # Two passes instead of a sort: check that every value is the minimum or the maximum.
        low, high = np.minimum.reduce(array), np.maximum.reduce(array)
        if low == high:
            return [low.item()]
        if array.dtype.kind in "bi" and int(high) == int(low) + 1:  # nothing fits in between
            return [low.item(), high.item()]
        if np.count_nonzero(array == low) + np.count_nonzero(array == high) == array.size:
            return [low.item(), high.item()]
    try:
        labels = _plain(np.unique(array))
    except TypeError:
        try:
            labels = list(dict.fromkeys(_plain(array)))
        except TypeError:
            raise InputError(
                Message("{} must contain two labels", mention(name)),
                f"{name}[0] is {_article(array[0])}, which is not a label",
                "Pass numbers, strings or booleans.",
            ) from None
    alike = find_alike(labels) if len(labels) > 2 else []
    if isinstance(positive, AgainstRest) and not alike:
        return labels
    codes = _find_codes(labels)
    if len(labels) > 2 and array.dtype.kind == "f" and not codes:
        raise InputError(
            Message("{} must contain two labels", mention(name)),
            f"it has {len(labels)} different numbers",
            "It looks like a column of scores: are labels and scores exchanged?",
        )
    if alike:
        listed = " and ".join(map(repr, alike))
        raise InputError(
            Message("{} must contain two labels", mention(name)),
            f"{listed} differ only in case or blanks, and look like one label",
            "Write them alike.",
        )
    if len(labels) > 2:
        rare = codes or _find_rare(array, labels)
        usual = [label for label in labels if label not in rare]
        named = next((one for one in labels if is_same_label(positive, one)), usual[-1])
        before = "Correct such rows if they are mistakes. " if rare else ""
        if codes:
            meant = " and ".join(map(repr, codes))
            before = f"Does {meant} mean missing or unknown? If so, leave those cells empty, and "
            before += Message("pass {}. ", arg("missing", "drop"))
        start = "Else compare" if before else "Compare"
        listed = _listing(labels)
        for one in rare:
            listed += f"; {one!r} is in {np.count_nonzero(array == one)} of {array.size} rows"
        compared = Message(
            "{} one class with the rest, for example by {}{} and {}; or all classes by {}.",
            start,
            in_python("a sample with "),
            arg("positive", named),
            arg("rest", True),
            call("class_bands", "..."),
        )
        raise InputError(
            Message("{} must contain two labels", mention(name)),
            f"it has {len(labels)}: {listed}",
            before + part(compared, "rest"),
        )
    return labels


_CODE = re.compile(r"-?(9+|8+|7+)(\.0)?|unk|unknown|not known|missing|none|\?|\.", re.IGNORECASE)


def _find_codes(labels: list[Any]) -> list[Any]:
    """Find labels that often mean missing, such as 9, besides two others."""
    codes = [label for label in labels if _CODE.fullmatch(str(label).strip())]
    return codes if len(labels) == len(codes) + 2 else []


def _find_rare(array: npt.NDArray[Any], labels: list[Any]) -> list[Any]:
    """Find a label besides two much more frequent ones: it may be a mistake."""
    counts = [int(np.count_nonzero(array == label)) for label in labels]
    *rest, second, _ = sorted(counts)
    if sum(rest) > max(second // 20, 1) or second < 10 or not rest[0]:
        return []
    return [labels[counts.index(rest[0])]]


def find_alike(labels: Iterable[Any]) -> list[str]:
    """Find the first labels that are equal but for case and blanks."""
    seen: dict[str, list[str]] = {}
    for label in labels:
        if isinstance(label, str):
            seen.setdefault(" ".join(label.split()).casefold(), []).append(label)
    return next((same for same in seen.values() if len(same) > 1), [])


def _obvious_positive(labels: list[Any], name: str) -> object:
    known = {label for label in labels if isinstance(label, numbers.Number)}
    if len(known) == len(labels) and (known <= {0, 1} or known <= {-1, 1}):
        return type(labels[0])(1)
    raise InputError(
        Message(
            "Which label of {} is positive is not clear: it has {}", mention(name), _listing(labels)
        ),
        "",
        Message("Pass {}.", join(" or ", (arg("positive", label) for label in labels))),
    )


def _listing(labels: list[Any], most: int = 5) -> str:
    shown = ", ".join(repr(label) for label in labels[:most])
    return shown if len(labels) <= most else f"{shown}, ... ({len(labels) - most} more)"
