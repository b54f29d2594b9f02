"""What is computed once for each object, and forgotten with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

_Owner = TypeVar("_Owner")
_Found = TypeVar("_Found")


def once_for_each(function: Callable[[_Owner], _Found]) -> Callable[[_Owner], _Found]:
    """Let a function of a frozen object compute its result once.

    The result must not refer to the object, which would otherwise live as long as the process.

    Examples
    --------
    >>> class Rows: ...
    >>> count = once_for_each(lambda rows: [rows.__class__.__name__])
    >>> rows = Rows()
    >>> count(rows) is count(rows)
    True
    """
    known: WeakKeyDictionary[_Owner, _Found] = WeakKeyDictionary()

    @wraps(function)
    def find(owner: _Owner) -> _Found:
        found = known.get(owner)
        if found is None:
            found = known[owner] = function(owner)
        return found

    return find
