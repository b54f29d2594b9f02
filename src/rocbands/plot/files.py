"""Pictures as files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rocbands.errors import InputError
from rocbands.io.writing import check_place, whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["check_target", "save"]

# By suffix: what savefig is told. Without dates the same picture gives the same bytes.
_FORMATS: dict[str, dict[str, Any]] = {
    ".png": {"dpi": 200},
    ".pdf": {"metadata": {"CreationDate": None}},
    ".svg": {"metadata": {"Date": None}},
}


def save(ax: Axes, path: str | os.PathLike[str]) -> None:
    """Write the figure of `ax` to a PNG, PDF or SVG file, wholly or not at all.

    Parameters
    ----------
    ax : matplotlib Axes
        As :func:`draw` returns it; the whole figure is written.
    path : str or path-like
        The file, replaced if it exists; its suffix says the format.

    Examples
    --------
    >>> import tempfile
    >>> import rocbands as rb
    >>> from matplotlib.figure import Figure
    >>> ax = rb.roc_curve([1, 0, 1, 0], [4, 3, 2, 1]).plot(Figure().subplots())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(ax, f"{folder}/roc.svg")
    """
    target = check_target(path)
    with whole_file(target) as partial:
        _write(ax, partial, target.suffix.lower())


def check_target(path: str | os.PathLike[str]) -> Path:
    """Return `path` if a picture can be written there, as far as can be told beforehand."""
    target = Path(path)
    if target.suffix.lower() not in _FORMATS:
        raise InputError(
            f"A picture's file name must end in {', '.join(_FORMATS)}",
            f"got '{target.name}'",
            "Choose one of these endings.",
        )
    return check_place(target, "A picture")


def _write(ax: Axes, path: Path, suffix: str) -> None:
    from matplotlib import rc_context

    figure = ax.figure.canvas.figure  # also where the axes are part of a subfigure
    # Journals refuse Type 3 fonts; a fixed salt gives the names inside an SVG once and for all.
    with rc_context({"pdf.fonttype": 42, "svg.hashsalt": "rocbands"}), path.open("wb") as file:
        figure.savefig(file, format=suffix[1:], **_FORMATS[suffix])
