"""All methods of all questions, with what each promises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

from rocbands.core.checks import check_choice
from rocbands.core.method import Coverage, Method
from rocbands.core.result import Result

__all__ = ["QUESTIONS", "Methods", "known_methods", "methods"]

# The packages of the questions; each lists its methods in METHODS, the default first.
QUESTIONS = ("bands", "auc", "points", "comparison", "cost", "rates")


def known_methods(question: str, table: str = "METHODS") -> dict[str, type[Method]]:
    """Return the methods of a question by their names.

    Parameters
    ----------
    question : str
        One of `QUESTIONS`.
    table : str
        The table in its package, where it has several.
    """
    found: dict[str, type[Method]] = getattr(import_module(f"rocbands.{question}"), table)
    return found


@dataclass(frozen=True, eq=False, repr=False)
class Methods(Result):
    """Methods and what each promises.

    Attributes
    ----------
    kinds : tuple of Method
        The methods, with their default parameters.
    """

    schema: ClassVar[str] = "rocbands.methods/2"
    COLUMNS: ClassVar[Mapping[str, Any]] = {
        "question": str,
        "method": str,
        "default": bool,
        "coverage": Coverage,
        "handles": str,
        "guarantee": str,
        "idea": str,
        "parameters": str,
        "references": str,
    }

    kinds: tuple[Method, ...]

    def columns(self) -> Mapping[str, Any]:
        firsts = {one.question: one for one in reversed(self.kinds)}
        return {
            "question": [one.question for one in self.kinds],
            "method": [one.name for one in self.kinds],
            "default": [firsts[one.question] is one for one in self.kinds],
            "coverage": [one.coverage for one in self.kinds],
            "handles": [", ".join(one.handles) or "-" for one in self.kinds],
            "guarantee": [one.guarantee for one in self.kinds],
            "idea": [one.idea for one in self.kinds],
            "parameters": [_parameters(one) for one in self.kinds],
            "references": ["; ".join(one.references) or "-" for one in self.kinds],
        }

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        columns = dict(self.columns())
        names = [
            name for name, first in zip(columns["method"], columns["default"], strict=True) if first
        ]
        for wide in ("default", "references"):
            columns.pop(wide)
        sentence = f"{len(self.kinds)} methods; the default is the first of its question: "
        return f"{sentence}{', '.join(names)}.", columns


def _parameters(method: Method) -> str:
    """Return the parameters of a method with their usual values, as they are written."""
    return ", ".join(f"{name}={value}" for name, value in method.parameters.items()) or "-"


def methods(question: str | None = None) -> Methods:
    """List all methods, or those of one question, with their facts.

    Parameters
    ----------
    question : {'bands', 'auc', 'points', 'comparison', 'cost', 'rates'}, optional
        What the methods are for; by default all of them.

    Examples
    --------
    >>> import rocbands as rb
    >>> "joint-region" in rb.methods("bands").columns()["method"]
    True
    """
    if question is not None:
        check_choice(question, QUESTIONS, "question")
    wanted = QUESTIONS if question is None else (question,)
    return Methods(tuple(kind() for one in wanted for kind in known_methods(one).values()))
