"""How results declare their attributes: types of values, columns, and derived attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Generic, Self, TypeAlias, TypeVar, overload

if TYPE_CHECKING:
    from matplotlib import axes

T = TypeVar("T")
Axes: TypeAlias = "axes.Axes"  # a string at run time: matplotlib is imported only for drawing

# Types of single values in a record, and of the cells of a column; JSON schemas are made from them.
Rate: TypeAlias = Annotated[float, "from 0 to 1"]
Level: TypeAlias = Annotated[float, "strictly between 0 and 1"]
Number: TypeAlias = Annotated[float, "may be infinite: 'inf' or '-inf' in JSON"]
Count: TypeAlias = Annotated[int, "at least 0"]


def type_columns(*parts: tuple[Any, str]) -> dict[str, Any]:
    """Return the type of each column: pairs of a type and the names that have it."""
    return {name: kind for kind, names in parts for name in names.split()}


class Derived(property, Generic[T]):
    """A property in one line, for attributes that are derived from others.

    Examples
    --------
    >>> class Cut:
    ...     w = (0.0, 0.3, 1.0)
    ...     w_from = Derived[tuple[float, ...]](lambda cut: cut.w[:-1], "Where pieces begin.")
    >>> Cut().w_from
    (0.0, 0.3)
    """

    def __init__(self, compute: Callable[[Any], T], doc: str) -> None:
        super().__init__(compute)
        self.__doc__ = doc  # not by `super`: the docstring of this class would hide it

    if TYPE_CHECKING:  # a plain property assigned to a name has the type Any

        @overload
        def __get__(self, result: None, kind: type | None = None, /) -> Self: ...
        @overload
        def __get__(self, result: object, kind: type | None = None, /) -> T: ...
        def __get__(self, result: object, kind: type | None = None, /) -> Any: ...
