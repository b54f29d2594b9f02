"""All methods of all questions, with what each promises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

from rocbands.core.arguments import explain
from rocbands.core.checks import check_choice
from rocbands.core.method import Coverage, Extra, Handling, Method
from rocbands.core.result import Result

# The packages of the questions; each lists its methods in METHODS, the default first.
QUESTIONS = ("bands", "auc", "points", "comparison", "cost", "rates")
# Tables of other methods for a question: what they are for.
_MORE_TABLES = {"auc": {"FOLD_METHODS": "auc, folds", "PARTIAL_METHODS": "auc, part of the area"}}

# The public function that answers with the methods of a table.
_ANSWERS = {
    "bands": "roc_band",
    "auc": "auc_interval",
    "auc, folds": "fold_auc_interval",
    "auc, part of the area": "partial_auc_interval",
    "points": "operating_points",
    "comparison": "compare",
    "cost": "cost_interval",
    "rates": "rate_bounds",
}
# Functions without methods: the module, and its constant that says what they handle.
_FUNCTIONS = (
    ("comparison.compare_many", "HANDLING"),
    ("comparison.compare_tpr", "HANDLING"),
    ("comparison.difference_band", "HANDLING"),
    ("comparison.mcnemar", "HANDLING"),
    ("cost.envelope", "HANDLING"),
    ("rates.difference", "HANDLING"),
    ("precision.average_precision", "HANDLING"),
    ("precision.average_precision", "DIFFERENCE_HANDLING"),
    ("decision.net_benefit", "HANDLING"),
    ("decision.net_benefit", "DIFFERENCE_HANDLING"),
    ("multiclass", "HANDLING"),
    ("subgroup", "HANDLING"),
)


def known_functions() -> list[Handling]:
    """Return what functions without methods can use."""
    return [getattr(import_module(f"rocbands.{module}"), name) for module, name in _FUNCTIONS]


def _list_tables() -> dict[str, dict[str, type[Method]]]:
    """Return all tables of methods by what they are for."""
    return {
        purpose: known_methods(question, table)
        for question in QUESTIONS
        for table, purpose in {"METHODS": question, **_MORE_TABLES.get(question, {})}.items()
    }


def find_able(kind: type[Method], extra: Extra) -> list[str]:
    """Name the methods of the same table as `kind` that handle something."""
    kinds = kind.__mro__
    base = kinds[kinds.index(Method) - 1]  # of this table, such as that of partial areas
    for known in _list_tables().values():
        if all(issubclass(one, base) for one in known.values()):
            return [name for name, one in known.items() if extra in one.handles]
    return []


def find_question(method: str) -> str | None:
    """Name the public function that has a method of this name."""
    return next((_ANSWERS[use] for use, known in _list_tables().items() if method in known), None)


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
    tables : mapping of str to tuple of Method
        The methods with their default parameters, the default first, by what they are for.
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

    tables: Mapping[str, tuple[Method, ...]]

    def columns(self) -> Mapping[str, Any]:
        rows = [
            (
                question,
                method.name,
                method is kinds[0],
                method.coverage,
                ", ".join(method.handles) or "-",
                method.guarantee,
                method.idea,
                _parameters(method),
                "; ".join(method.references) or "-",
            )
            for question, kinds in self.tables.items()
            for method in kinds
        ]
        return dict(zip(self.COLUMNS, map(list, zip(*rows, strict=True)), strict=True))

    def _brief(self) -> str:
        return f"{sum(map(len, self.tables.values()))} methods"

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        columns = self.columns()
        sentence = f"{len(columns['method'])} methods; the first for each question is the default."
        shown = [name for name in columns if name not in ("default", "references")]
        return sentence, {name: columns[name] for name in shown}


def _parameters(method: Method) -> str:
    """Return the parameters of a method with their usual values, as they are written."""
    return ", ".join(f"{name}={value}" for name, value in method.parameters.items()) or "-"


@explain
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
    tables = {}
    for one in QUESTIONS if question is None else (question,):
        for table, purpose in {"METHODS": one, **_MORE_TABLES.get(one, {})}.items():
            tables[purpose] = tuple(kind() for kind in known_methods(one, table).values())
    return Methods(tables)
