"""What every result can do: show itself, become a frame or JSON, be drawn.

The imports inside the methods are the package's one sanctioned back edge: a result knows how it is
shown, but `io` and `plot` are loaded only when somebody asks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
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
        """Return the result as strict JSON; infinite numbers become 'inf' and '-inf'."""
        from rocbands.io.records import json_of

        return json_of(self.to_dict(), indent=indent)

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
