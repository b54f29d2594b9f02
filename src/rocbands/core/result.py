"""Base class of all results: text, data frame, tables, JSON and plots.

A result is described once. Its docstring explains each attribute, its annotations give the types,
`FACTS` and `COLUMNS` list the attributes of the record; the text, the table, JSON and its schema
are made from these. Imports inside the methods are late: `io` and `plot` are loaded only on use.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import wraps
from inspect import get_annotations, getdoc, signature
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, TypeVar, cast, overload

import numpy as np

from rocbands.core.arguments import explain_constructor, find_style, suggest_name
from rocbands.core.attributes import Axes
from rocbands.core.checks import FrozenState, check_choice, check_flag, frozen
from rocbands.core.phrases import put_first
from rocbands.core.randomness import Simulation
from rocbands.errors import ArgumentError, InputError, ResultError

if TYPE_CHECKING:
    import os


# Descriptions of parameters that several `plot` methods share.
_KWARGS = "mapping, optional\n    Properties of the {}, as matplotlib's {} takes them."
_PLOT_PARAMETERS = {
    "ax": "matplotlib Axes, optional\n    Where to draw; by default on a new figure.",
    "x": "{'fpr', 'specificity'}\n    Name of the axis; 'specificity' falls from 1 to 0, and the "
    "other is then the\n    sensitivity.",
    "log": "bool, default False\n    Whether the axis of false positive rates is logarithmic, for "
    "rare positives.",
    "label": "str, optional\n    The name of the model or of the row.",
    "color": "color, optional\n    By default one of the palette.",
    "prevalence": "float, optional\n    Share of positives at which the upper axis turns w into a "
    "ratio of costs; by default\n    that of the data.",
    "legend": "bool or str, default True\n    Whether there is a legend, where it covers no data: "
    "inside the axes, or else below them.\n    'outside' is always below; a `loc` of matplotlib, "
    "such as 'upper left', always inside.",
    "curve_kwargs": _KWARGS.format("line", "Line2D"),
    "line_kwargs": _KWARGS.format("line", "Line2D"),
    "band_kwargs": _KWARGS.format("band", "Polygon"),
    "point_kwargs": _KWARGS.format("markers", "Line2D"),
}
_LONGEST_NAME = 20  # characters of a model's name as column title
_MOST_DIGITS = 16  # significant digits of a float
_LINE_WIDTH = 96  # of printed text that is not for a terminal
RocAxis: TypeAlias = Literal["fpr", "specificity"]
Words: TypeAlias = Literal["rates", "medical", "learning"]  # for fpr and tpr
Plot = TypeVar("Plot", bound=Callable[..., Any])


def percent(level: float) -> str:
    """Write a level in percent.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * level:.10g}%"


def bound(error: float) -> str:
    """Write an error bound, rounded upwards, without powers of ten.

    Examples
    --------
    >>> bound(0.00016), bound(5.5e-6), bound(3e-12)
    ('0.00016', '0.0000055', '0.0000010')
    """
    error = max(error, 1e-6)
    digits = 1 - math.floor(math.log10(error))
    return f"{math.ceil(error * 10**digits - 1e-9) / 10**digits:.{digits}f}"


def document_plot(plot: Plot) -> Plot:
    """Complete the sections Parameters and Returns in the docstring of a `plot` method.

    Parameters that only this plot has are in the method's own Parameters section. Unknown arguments
    raise an error that lists the known ones.
    """
    title, _, own = (getdoc(plot) or "").partition("\n\nParameters\n----------\n")
    shared = [
        f"{name} : {_PLOT_PARAMETERS[name]}"
        for name in signature(plot).parameters
        if name in _PLOT_PARAMETERS
    ]
    entries = "\n".join([*shared, *filter(None, [own])])
    returns = "Returns\n-------\nAxes\n    The axes."
    plot.__doc__ = f"{title}\n\nParameters\n----------\n{entries}\n\n{returns}"

    @wraps(plot)
    def draw(self: Any, *args: Any, **given: Any) -> Any:
        check_style(plot, given)
        return plot(self, *args, **given)

    return cast(Plot, draw)


def check_style(draw: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Refuse arguments that a plot does not have, and list those that it has."""
    known = list(signature(draw).parameters)[1:]
    for name, value in given.items():
        if name in known or "style" in known:
            continue
        close = get_close_matches(name, known, n=1)
        remedy = f"Did you mean `{close[0]}`?" if close else ""
        remedy = find_style(name, value, known, "result.plot()") or remedy
        listed = f"It has {', '.join(known)}."
        raise ArgumentError(f"plot() has no argument {name!r}", "", f"{remedy} {listed}".lstrip())


def title_columns(quantity: str, names: tuple[str, str]) -> tuple[str, str]:
    """Name the columns of two models after the models, unless their names are long."""
    if max(map(len, names)) > _LONGEST_NAME:
        return f"{quantity}_1", f"{quantity}_2"
    return f"{quantity} {names[0]}", f"{quantity} {names[1]}"


def require(holds: object, promise: str) -> None:
    """Raise an error if an invariant of a result is violated.

    Parameters
    ----------
    holds : bool
        Whether the invariant holds. Comparisons with NaN are False, so NaN violates it.
    promise : str
        The invariant, as a sentence.
    """
    if not holds:
        raise ResultError(promise)


class Result(FrozenState, ABC):
    """Base class of all results, which are frozen dataclasses.

    A subclass names the attributes of its record in `FACTS`, the columns of its table with the type
    of their cells in `COLUMNS`, answers in :attr:`sentence`, and describes itself in
    :meth:`describe`. :meth:`_check` raises
    :class:`rocbands.ResultError` if an invariant is violated; it runs when the result is made,
    after its arrays were frozen. :meth:`_brief` is the text of `repr`: a few words from stored
    attributes, without any computation.
    """

    schema: ClassVar[str]
    FACTS: ClassVar[str | tuple[str, ...]] = ()  # names, in one string as for a namedtuple
    COLUMNS: ClassVar[Mapping[str, Any]] = {}
    MORE: ClassVar[Mapping[str, Any]] = {}  # columns that only some results have
    ONE_ROW: ClassVar[bool] = False  # whether all columns are facts, which JSON has once
    # Columns of the small plot in notebooks: abscissa, lower, centre, upper.
    SKETCH: ClassVar[tuple[str, str, str, str] | None] = None
    # Attributes that users of other libraries expect as parts of a tuple.
    UNPACKED: ClassVar[tuple[str, ...]] = ("estimate", "low", "high")
    frame: str | None = None
    simulation: Simulation | None = None  # if random numbers were used

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        names = cls.FACTS.split() if isinstance(cls.FACTS, str) else cls.FACTS
        cls.FACTS = ("sentence", *(name for name in names if name != "sentence"))
        if "simulation" in get_annotations(cls):
            cls.FACTS = (*cls.FACTS, "simulation")

    def __post_init__(self) -> None:
        fields = self.__dict__  # contains only the fields at this point
        for name, value in fields.items():
            if isinstance(value, np.ndarray):
                fields[name] = frozen(value)
        simulation = self.simulation
        if simulation is not None and simulation.note not in fields["notes"]:
            fields["notes"] = (*fields["notes"], simulation.note)
        if "notes" in fields:
            fields["notes"] = put_first(fields["notes"])
        level, pvalue = fields.get("level"), fields.get("pvalue")
        if isinstance(level, (int, float)) and not 0.0 < level < 1.0:
            raise ResultError(f"A level must lie strictly between 0 and 1; it is {level}.")
        if isinstance(pvalue, (int, float)) and not 0.0 <= pvalue <= 1.0:
            raise ResultError(f"A p-value must lie between 0 and 1; it is {pvalue}.")
        self._check()

    def _check(self) -> None:
        """Raise an error if an invariant, such as low <= estimate <= high, is violated."""

    def facts(self) -> Mapping[str, object]:
        """Return the single values: what the result is, and its headline numbers."""
        return {name: getattr(self, name) for name in self.FACTS}

    def columns(self) -> Mapping[str, Any]:
        """Return the columns of the result's table, of equal length; None is an empty column."""
        if self.ONE_ROW:
            return {name: [getattr(self, name)] for name in self.COLUMNS}
        own, more = ({name: getattr(self, name) for name in of} for of in (self.COLUMNS, self.MORE))
        rows = max(len(column) for column in own.values() if column is not None)
        own = {name: [None] * rows if part is None else part for name, part in own.items()}
        return own | {name: column for name, column in more.items() if column is not None}

    @property
    def sentence(self) -> str:
        """The answer in words that a person can act on; statistics follow in :meth:`describe`."""
        return ""

    @abstractmethod
    def describe(self) -> tuple[str, Mapping[str, Any]]:
        """Return the statistics behind the answer, one line per sentence, and the rows to print."""

    def arrange(self) -> tuple[str, Mapping[str, Any], str]:
        """Return the text above the table, its rows, and the text below it."""
        said, rows = self.describe()
        return (self.sentence, rows, said) if self.sentence else (said, rows, "")

    @explain_constructor
    def to_frame(self, kind: str | None = None) -> Any:
        """Return the result as a data frame.

        Parameters
        ----------
        kind : {'pandas', 'polars', 'pyarrow'}, optional
            The library; by default the one the data came from, else the first that is installed.
        """
        from rocbands.io.records import frame_of

        return frame_of(self.columns(), kind or self.frame)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain Python values, with the name of its schema."""
        from rocbands.io.records import dict_of

        return dict_of(self.schema, self.facts(), None if self.ONE_ROW else self.columns())

    @explain_constructor
    def to_json(self, *, indent: int | None = None) -> str:
        """Return the result as strict JSON; infinite numbers become 'inf' and '-inf', NaN null."""
        from rocbands.io.records import json_of

        return json_of(self.to_dict(), indent=indent)

    def to_metrics(self, prefix: str = "") -> dict[str, float]:
        """Return the headline numbers under names that experiment trackers take.

        Booleans become 1 and 0; text, infinite and missing values are omitted. A table of one row
        adds its numbers; write longer tables to files (:meth:`to_csv`).

        Parameters
        ----------
        prefix : str
            Prefix of each name, for example ``"test/"``.

        Examples
        --------
        >>> import rocbands as rb
        >>> sample = rb.load_example()
        >>> auc = rb.auc_interval(sample["logistic"])
        >>> round(auc.to_metrics("test_auc/")["test_auc/estimate"], 4)
        0.8995
        """
        from rocbands.io.records import metrics_of

        return metrics_of(self.facts(), self.columns(), prefix)

    @overload
    def to_csv(self, path: None = None, *, escape_formulas: bool = False) -> str: ...
    @overload
    def to_csv(self, path: str | os.PathLike[str], *, escape_formulas: bool = False) -> None: ...
    @explain_constructor
    def to_csv(
        self, path: str | os.PathLike[str] | None = None, *, escape_formulas: bool = False
    ) -> str | None:
        """Return the whole table as CSV with all digits, or write it to a file.

        Parameters
        ----------
        path : str or path-like, optional
            The file, which is written atomically and replaced if it exists.
        escape_formulas : bool, default False
            Put an apostrophe before text that begins like a formula (``=``, ``+``, ``-``, ``@``),
            to protect readers who open the file in a spreadsheet.

        Returns
        -------
        str or None
            The text, if there is no `path`.
        """
        from rocbands.io.tables import csv_table
        from rocbands.io.writing import write_text

        check_flag(escape_formulas, "escape_formulas")
        text = csv_table(self.columns(), escape_formulas=escape_formulas)
        if path is None:
            return text
        write_text(path, text)
        return None

    @explain_constructor
    def to_markdown(self, *, sentence: bool = True) -> str:
        """Return the rows that fit a page as a table in Markdown.

        Parameters
        ----------
        sentence : bool, default True
            Whether to put the answer above the table, and its statistics below.
        """
        from rocbands.io.tables import markdown_page, markdown_table

        if not sentence:
            return markdown_table(self.arrange()[1])
        return "\n\n".join(markdown_page(*part) for part in self.list_parts())

    @explain_constructor
    def to_latex(
        self,
        *,
        caption: str | None = None,
        label: str | None = None,
        digits: int | None = None,
        style: str | None = None,
        columns: Sequence[str] | None = None,
    ) -> str:
        r"""Return the rows that fit a page as a LaTeX table; it needs the package booktabs.

        A note below the table has the level and the method.

        Parameters
        ----------
        caption, label : str, optional
            With either, the table is a float with caption and label; otherwise a bare tabular.
        digits : int, optional
            Decimals of all numbers; by default 4, or as many as the smallest of a column needs.
        style : {'columns', 'estimate (low, high)'}, optional
            Whether limits have their own columns, or follow the estimate. By default a table has
            at most eight columns: of more, limits follow the estimates, and if there still are too
            many, each column becomes a row, or with as many rows the last columns are left out.
        columns : sequence of str, optional
            The columns to show, by their names in ``describe()[1]``.

        Examples
        --------
        >>> import rocbands as rb
        >>> sample = rb.load_example()
        >>> auc = rb.auc_interval(sample["logistic"])
        >>> print(auc.to_latex(digits=2, style="estimate (low, high)").splitlines()[-4])
          0.90 (0.87, 0.92) \\
        """
        from rocbands.io.latex import LATEX_STYLES, latex_table

        if style is not None:
            check_choice(style, LATEX_STYLES, "style")
        if digits is not None and digits not in range(_MOST_DIGITS):
            must = f"must be a whole number from 0 to {_MOST_DIGITS - 1}"
            raise InputError(must, f"got {digits!r}", argument="digits")
        said, _ = self.describe()
        return latex_table(
            self._latex_rows(digits),
            answer=self.sentence,
            note=said,
            caption=caption,
            label=label,
            digits=digits,
            style=style,
            shown=columns,
        )

    def _latex_rows(self, digits: int | None) -> Mapping[str, Any]:
        """Return the rows of a LaTeX table; `digits` is for numbers that are text already."""
        return self.describe()[1]

    def _draw(self, ax: Axes | None, **style: Any) -> Axes:
        """Draw the result with the arguments of its `plot`."""
        from rocbands.plot import draw

        return draw(self, ax, **style)

    if not TYPE_CHECKING:  # type checkers know which attributes and items there are

        def __getattr__(self, name: str) -> Any:
            """Explain an attribute that the result does not have."""
            if hasattr(type(self), name):  # a property that failed: raise its own error
                return object.__getattribute__(self, name)
            problem = f"{type(self).__name__!r} object has no attribute {name!r}"
            if name[:1] != "_" and (
                remedy := suggest_name(name, {*dir(type(self)), *vars(self)}, "")
            ):
                problem += f". {remedy}"
            raise AttributeError(problem)

        def __getitem__(self, item: Any) -> Any:
            """Explain that the result is not a tuple, as those of other libraries are."""
            names = ", ".join(f".{name}" for name in self.UNPACKED if hasattr(self, name))
            raise ArgumentError(
                f"{type(self).__name__} is one object, not a tuple",
                "it was unpacked or indexed",
                f"Use its attributes{', such as ' * bool(names)}{names}.",
            )

    def __repr__(self) -> str:
        brief = " ".join(self._brief().split())
        return f"<{type(self).__name__}: {brief}>" if brief else f"<{type(self).__name__}>"

    def _brief(self) -> str:
        """Describe the result in a few words, from stored attributes only."""
        return ""

    def _lead(self) -> tuple[Mapping[str, Any], str]:
        """Return rows that stand between the sentence and the table, with a note; or no rows."""
        return {}, ""

    def list_parts(self) -> list[tuple[str, Mapping[str, Any], str]]:
        """Return all tables that are printed, each with the text above and below it."""
        (above, rows, below), (lead, note) = self.arrange(), self._lead()
        return [(above, lead, note), ("", rows, below)] if lead else [(above, rows, below)]

    def __str__(self) -> str:
        from rocbands.io.layout import find_width, lay_out

        width = find_width(_LINE_WIDTH)
        return "\n\n".join(lay_out(*part, width=width) for part in self.list_parts())

    def _repr_html_(self) -> str:
        from rocbands.io.tables import html_table

        first, *more = self.list_parts()
        pages = [html_table(*first, self._sketch()), *(html_table(*part) for part in more)]
        return "".join(pages)

    def _sketch(self) -> str:
        """Draw the small picture for notebooks, if the result has one."""
        from rocbands.io.sketch import sketch_svg

        curves = self._sketched()
        return sketch_svg(self._brief(), *curves) if curves else ""

    def _sketched(self) -> tuple[dict[str, list[Any]], tuple[str, str]] | None:
        """Return the curves of the small picture by name, and what its axes are called."""
        if self.SKETCH is None:
            return None
        columns, (across, _, up, _) = self.columns(), self.SKETCH
        heads = getattr(self, "abscissa", across), getattr(self, "ordinate", up)
        return {"": [columns[name] for name in self.SKETCH]}, heads
