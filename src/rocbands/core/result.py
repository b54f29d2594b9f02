"""What every result can do: show itself, become a frame, a table or JSON, be drawn.

A result is described once. Its docstring says what each attribute means, its annotations say of
which type it is, `FACTS` and `COLUMNS` say which attributes belong to the record; the text, the
table, JSON and its schema are made from these. Imports inside the methods are late: a result knows
how it is shown, but `io` and `plot` are loaded only when somebody asks.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import wraps
from inspect import get_annotations, getdoc, signature
from textwrap import wrap
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, TypeVar, cast, overload

import numpy as np

from rocbands.core.attributes import Axes
from rocbands.core.checks import FrozenState, check_choice, check_flag, frozen
from rocbands.core.randomness import Simulation
from rocbands.errors import ArgumentError, InputError, ResultError, arg

if TYPE_CHECKING:
    import os


# What a parameter of `plot` means in every picture that has it.
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
    "curve_kwargs": _KWARGS.format("line", "Line2D"),
    "line_kwargs": _KWARGS.format("line", "Line2D"),
    "band_kwargs": _KWARGS.format("band", "Polygon"),
    "point_kwargs": _KWARGS.format("markers", "Line2D"),
}
_LONGEST_NAME = 20  # of a model at the head of a column
_MOST_DIGITS = 16  # a float has no more
_LINE_WIDTH = 96  # of text that is printed where the width of the terminal is not asked for
RocAxis: TypeAlias = Literal["fpr", "specificity"]
Words: TypeAlias = Literal["rates", "medical", "learning"]  # for fpr and tpr
Plot = TypeVar("Plot", bound=Callable[..., Any])


def percent(level: float) -> str:
    """Write a level as it is spoken of.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * level:.10g}%"


def bound(error: float) -> str:
    """Write how far a number is known at most, rounded upwards, without powers of ten.

    Examples
    --------
    >>> bound(0.00016), bound(5.5e-6), bound(3e-12)
    ('0.00016', '0.0000055', '0.0000010')
    """
    error = max(error, 1e-6)
    digits = 1 - math.floor(math.log10(error))
    return f"{math.ceil(error * 10**digits - 1e-9) / 10**digits:.{digits}f}"


def document_plot(plot: Plot) -> Plot:
    """Complete the docstring of a `plot`: its sections Parameters and Returns.

    What only this picture has stands in the method's own Parameters section. Arguments that it does
    not have are refused with those that it has.
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


_OF_AXES = ("title", "xlabel", "ylabel", "xlim", "ylim", "xscale", "yscale")


def check_style(draw: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Refuse arguments that a picture does not have, and say which it has."""
    known = list(signature(draw).parameters)[1:]
    for name, value in given.items():
        if name in known or "style" in known:
            continue
        close = get_close_matches(name, known, n=1)
        remedy = f"Did you mean {arg(close[0])}? " if close else ""
        if name in _OF_AXES:
            remedy = f"Set it on the axes that are returned: result.plot().set_{name}({value!r}). "
        elif name in ("figsize", "fig", "axes"):
            remedy = f"Make the axes yourself and pass them as {arg('ax')}. "
        listed = f"It has {', '.join(known)}."
        raise ArgumentError(f"plot() has no argument {name!r}", "", remedy + listed)


def name_columns(quantity: str, names: tuple[str, str]) -> tuple[str, str]:
    """Name the columns of two models, by the models unless their names are long."""
    if max(map(len, names)) > _LONGEST_NAME:
        return f"{quantity}_1", f"{quantity}_2"
    return f"{quantity} {names[0]}", f"{quantity} {names[1]}"


def require(holds: object, promise: str) -> None:
    """Refuse to make a result that breaks a promise.

    Parameters
    ----------
    holds : bool
        Whether the promise is kept. A comparison with NaN is false, so NaN breaks it.
    promise : str
        What must hold, as a sentence.
    """
    if not holds:
        raise ResultError(promise)


class Result(FrozenState, ABC):
    """Base of all results, which are frozen dataclasses.

    A subclass names the attributes of its record in `FACTS`, the columns of its table with the type
    of their cells in `COLUMNS`, and says in :meth:`summary` what it is. :meth:`_check` raises
    :class:`rocbands.ResultError` where the result would break what it promises; it runs when the
    result is made, after its arrays were frozen. :meth:`_brief` is what `repr` shows: a few words
    from stored attributes, without any computation.
    """

    schema: ClassVar[str]
    FACTS: ClassVar[str | tuple[str, ...]] = ()  # names, in one text as for a namedtuple
    COLUMNS: ClassVar[Mapping[str, Any]] = {}
    MORE: ClassVar[Mapping[str, Any]] = {}  # columns that only some of its results have
    # Columns of the small picture that notebooks show: abscissa, lower, centre, upper.
    SKETCH: ClassVar[tuple[str, str, str, str] | None] = None
    frame: str | None = None
    simulation: Simulation | None = None  # how random numbers entered it

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if isinstance(cls.FACTS, str):
            cls.FACTS = tuple(cls.FACTS.split())
        if "simulation" in get_annotations(cls):
            cls.FACTS = (*cls.FACTS, "simulation")

    def __post_init__(self) -> None:
        fields = self.__dict__  # which has nothing else yet
        for name, value in fields.items():
            if isinstance(value, np.ndarray):
                fields[name] = frozen(value)
        simulation = self.simulation
        if simulation is not None and simulation.note not in fields["notes"]:
            fields["notes"] = (*fields["notes"], simulation.note)
        level, pvalue = fields.get("level"), fields.get("pvalue")
        if isinstance(level, (int, float)) and not 0.0 < level < 1.0:
            raise ResultError(f"A level must lie strictly between 0 and 1; it is {level}.")
        if isinstance(pvalue, (int, float)) and not 0.0 <= pvalue <= 1.0:
            raise ResultError(f"A p-value must lie between 0 and 1; it is {pvalue}.")
        self._check()

    def _check(self) -> None:
        """Raise where a promise is broken, such as low <= estimate <= high."""

    def facts(self) -> Mapping[str, object]:
        """Return the single values: what the result is, and its headline numbers."""
        return {name: getattr(self, name) for name in self.FACTS}

    def columns(self) -> Mapping[str, Any]:
        """Return the columns of the result as a table, equally long; one that is None is empty."""
        own, more = ({name: getattr(self, name) for name in of} for of in (self.COLUMNS, self.MORE))
        rows = max(len(column) for column in own.values() if column is not None)
        own = {name: [None] * rows if part is None else part for name, part in own.items()}
        return own | {name: column for name, column in more.items() if column is not None}

    def _record_columns(self) -> Mapping[str, Any]:
        """Return the columns of the record, which are always those of `COLUMNS` if it has any."""
        return self.columns()

    @abstractmethod
    def summary(self) -> tuple[str, Mapping[str, Any]]:
        """Say what the result is, a line for each sentence; pick the rows that fit a screen."""

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

        return dict_of(self.schema, self.facts(), self._record_columns())

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the result as strict JSON; infinite numbers become 'inf' and '-inf', NaN null."""
        from rocbands.io.records import json_of

        return json_of(self.to_dict(), indent=indent)

    def to_metrics(self, prefix: str = "") -> dict[str, float]:
        """Return the headline numbers under names that experiment trackers take.

        Yes and no become 1 and 0; words, infinite numbers and what is missing are left out. A
        table of one row adds its numbers; longer ones are files (:meth:`to_csv`).

        Parameters
        ----------
        prefix : str
            Stands before each name, for example ``"test/"``.

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
    def to_csv(
        self, path: str | os.PathLike[str] | None = None, *, escape_formulas: bool = False
    ) -> str | None:
        """Return the whole table as CSV with all digits, or write it to a file.

        Parameters
        ----------
        path : str or path-like, optional
            The file, written wholly or not at all, and replaced if it exists.
        escape_formulas : bool, default False
            Put an apostrophe before text that begins like a formula (``=``, ``+``, ``-``, ``@``),
            for names that you did not choose and readers who open the file in a spreadsheet.

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

    def to_markdown(self, *, sentence: bool = True) -> str:
        """Return the rows that fit a page as a table in Markdown.

        Parameters
        ----------
        sentence : bool, default True
            Whether to say above the table what it is.
        """
        from rocbands.io.tables import markdown_table, markdown_text

        said, rows = self.summary()
        above = "\n".join(markdown_text(line) for line in said.splitlines())
        return f"{above}\n\n{markdown_table(rows)}" if sentence else markdown_table(rows)

    def to_latex(
        self,
        *,
        caption: str | None = None,
        label: str | None = None,
        digits: int | None = None,
        style: str = "columns",
    ) -> str:
        r"""Return the rows that fit a page as a LaTeX table; it needs the package booktabs.

        Parameters
        ----------
        caption, label : str, optional
            With either, the table floats and carries them, for ``\ref``, and a note below it says
            what it is; otherwise it is a bare tabular, and comments before it say so.
        digits : int, optional
            Decimals of all numbers; by default 4, or as many as the smallest of a column needs.
        style : {'columns', 'estimate (low, high)'}
            Whether limits have columns of their own, or stand behind the estimate.

        Examples
        --------
        >>> import rocbands as rb
        >>> sample = rb.load_example()
        >>> auc = rb.auc_interval(sample["logistic"])
        >>> print(auc.to_latex(digits=2, style="estimate (low, high)").splitlines()[-3])
          0.90 (0.87, 0.92) \\
        """
        from rocbands.io.tables import LATEX_STYLES, latex_table

        check_choice(style, LATEX_STYLES, "style")
        if digits is not None and digits not in range(_MOST_DIGITS):
            must = f"must be a whole number from 0 to {_MOST_DIGITS - 1}"
            raise InputError(must, f"got {digits!r}", argument="digits")
        said, rows = self.summary()
        return latex_table(
            rows, comment=said, caption=caption, label=label, digits=digits, style=style
        )

    def _draw(self, given: Mapping[str, Any]) -> Axes:
        """Draw the result: what `plot` does with its arguments, which are its `locals()`."""
        from rocbands.plot import draw

        return draw(self, **{name: value for name, value in given.items() if name != "self"})

    def __repr__(self) -> str:
        brief = " ".join(self._brief().split())
        return f"<{type(self).__name__}: {brief}>" if brief else f"<{type(self).__name__}>"

    def _brief(self) -> str:
        """Say in a few words what the result is, from stored attributes alone."""
        return ""

    def __str__(self) -> str:
        from rocbands.io.tables import text_table

        sentence, rows = self.summary()
        lines = (wrap(line, _LINE_WIDTH) or [""] for line in sentence.splitlines())
        above = "\n".join(part for parts in lines for part in parts)
        return f"{above}\n\n{text_table(rows)}"

    def _repr_html_(self) -> str:
        from rocbands.io.tables import html_table, sketch_svg

        sentence, rows = self.summary()
        if self.SKETCH is None:
            return html_table(sentence, rows)
        columns, title = self.columns(), sentence.partition("\n")[0]
        across, _, up, _ = self.SKETCH
        heads = getattr(self, "abscissa", across), getattr(self, "ordinate", up)
        picture = sketch_svg(title, [columns[name] for name in self.SKETCH], heads)
        return html_table(sentence, rows, picture)
