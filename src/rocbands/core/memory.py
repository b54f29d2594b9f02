"""How much memory a process may take; without NumPy, so that it can be asked before that loads."""

from __future__ import annotations

import math


def limit_of_memory() -> float:
    """Return the bytes of address space that this process may take; infinite without a limit.

    Batch systems and `ulimit -v` set such a limit.
    """
    try:
        import resource
    except ImportError:  # not on this system
        return math.inf
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return math.inf if soft == resource.RLIM_INFINITY else soft
