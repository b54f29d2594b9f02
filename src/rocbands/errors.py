"""Everything rocbands raises or warns about.

::

    Exception
    └── RocBandsError
        └── InputError            (also a ValueError) what was passed in cannot be used

    Warning
    └── RocBandsWarning           (also a UserWarning) the answer stands, with a caveat

Every message says what must hold, what was found and where, and what to do about it.
"""

from __future__ import annotations

__all__ = ["InputError", "RocBandsError", "RocBandsWarning"]


class RocBandsError(Exception):
    """Base of all errors that rocbands raises on purpose."""


class InputError(RocBandsError, ValueError):
    """The input cannot be used as it is; the message says what to do."""


class RocBandsWarning(UserWarning):
    """The result stands, but the caller should know something about it."""
