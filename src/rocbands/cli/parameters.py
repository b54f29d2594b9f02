"""Parameters of a band method, as --set NAME=VALUE."""

from __future__ import annotations

import dataclasses
import re
from difflib import get_close_matches
from typing import Any

from rocbands.errors import InputError

__all__ = ["with_parameters"]

_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def with_parameters(maker: Any, given: tuple[str, ...]) -> Any:
    """Return a method with other parameters than its usual ones.

    Examples
    --------
    >>> from rocbands.bands.joint_region import JointRegion
    >>> with_parameters(JointRegion(), ("boxes=berk-jones",))
    JointRegion(boxes='berk-jones')
    """
    known = {field.name: getattr(maker, field.name) for field in dataclasses.fields(maker)}
    changed = dict(_read(text, maker.name, known) for text in given)
    try:
        return dataclasses.replace(maker, **changed)
    except InputError as problem:
        said = re.sub(r"`(\w+)`", lambda found: f"--set {found[1]}", str(problem))
        raise InputError(said) from problem


def _read(text: str, method: str, known: dict[str, Any]) -> tuple[str, Any]:
    name, sign, value = (part.strip() for part in text.partition("="))
    name = name.replace("-", "_")
    if not sign or not name:
        raise InputError(
            f"--set must be a parameter and its value; got {text!r}. Write --set NAME=VALUE; "
            "'rocbands methods' lists the parameters."
        )
    if name not in known:
        close = get_close_matches(name, known, n=1)
        hint = f"Did you mean {close[0]!r}? " if close else ""
        listed = f"Its parameters are {', '.join(known)}." if known else "It has none."
        raise InputError(f"The {method} band has no parameter {name!r}. {hint}{listed}")
    return name, _value(name, value, known[name])


def _value(name: str, text: str, usual: Any) -> Any:
    """Read a value as what the usual one is."""
    if isinstance(usual, bool):
        if text.casefold() not in _FLAGS:
            raise InputError(f"--set {name} must be yes or no; got {text!r}. Write {name}=yes.")
        return _FLAGS[text.casefold()]
    if isinstance(usual, int):
        try:
            return int(text)
        except ValueError:
            raise InputError(
                f"--set {name} must be a whole number; got {text!r}. Write, say, {name}={usual}."
            ) from None
    return text
