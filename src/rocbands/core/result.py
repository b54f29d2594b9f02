"""What every result can do: show itself, become a frame, a table or JSON, be drawn.

The imports inside the methods are the package's one sanctioned back edge: a result knows how it is
shown, but `io` and `plot` are loaded only when somebody asks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, overload

if TYPE_CHECKING:
    import os

    from matplotlib.axes import Axes

__all__ = ["Result"]


class Result(ABC):
    """Base of all results; a subclass says what its facts and its columns are."""

    schema: ClassVar[str]
    frame: str | None = None

    @abstractmethod
    def _facts(self) -> Mapping[str, object]:
        """Name the single values: what the result is, and its headline numbers."""

    @abstractmethod
    def _columns(self) -> Mapping[str, Any]:
        """Name the columns, equally long: the result as a table."""

    @abstractmethod
    def _summary(self) -> tuple[str, Mapping[str, Any]]:
        """Say in a sentence what the result is, and pick the few rows that fit a screen."""

    def to_frame(self, kind: str | None = None) -> Any:
        """Return the result as a data frame.

        Parameters
        ----------
        kind : {'pandas', 'polars', 'pyarrow'}, optional
            The library; by default the one the data came from, else the first that is installed.
        """
        from rocbands.io.records import frame_of

        return frame_of(self._columns(), kind or self.frame)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain Python values, with the name of its schema."""
        from rocbands.io.records import dict_of

        return dict_of(self.schema, self._facts(), self._columns())

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
        >>> y, models = rb.load_example()
        >>> auc = rb.auc_interval(y, models["logistic"], positive="malignant")
        >>> round(auc.to_metrics("test_auc/")["test_auc/estimate"], 4)
        0.8995
        """
        from rocbands.io.records import metrics_of

        return metrics_of(self._facts(), self._columns(), prefix)

    @overload
    def to_csv(self, path: None = None) -> str: ...
    @overload
    def to_csv(self, path: str | os.PathLike[str]) -> None: ...
    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Return the whole table as CSV with all digits, or write it to a file.

        Parameters
        ----------
        path : str or path-like, optional
            The file, written wholly or not at all, and replaced if it exists.

        Returns
        -------
        str or None
            The text, if there is no `path`.
        """
        from rocbands.io.tables import csv_table
        from rocbands.io.writing import write_text

        text = csv_table(self._columns())
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

        said, rows = self._summary()
        above = "\n".join(markdown_text(line) for line in said.splitlines())
        return f"{above}\n\n{markdown_table(rows)}" if sentence else markdown_table(rows)

    def to_latex(self, *, caption: str | None = None, label: str | None = None) -> str:
        r"""Return the rows that fit a page as a LaTeX table; it needs the package booktabs.

        What the table is stands before it in comments.

        Parameters
        ----------
        caption, label : str, optional
            With either, the table floats and carries them, for ``\ref``; otherwise it is a bare
            tabular.
        """
        from rocbands.io.latex import latex_table

        said, rows = self._summary()
        return latex_table(rows, comment=said, caption=caption, label=label)

    def plot(self, ax: Axes | None = None, **style: Any) -> Axes:
        """Draw the result on `ax`, or on a new figure, and return the axes."""
        from rocbands.plot import draw

        return draw(self, ax, **style)

    def __repr__(self) -> str:
        from rocbands.io.tables import text_table

        sentence, rows = self._summary()
        return f"{sentence}\n\n{text_table(rows)}"

    def _repr_html_(self) -> str:
        from rocbands.io.tables import html_table

        return html_table(*self._summary())
