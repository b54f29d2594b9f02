"""All methods of all questions, with their guarantees and the data they can use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, Literal

from rocbands.core.arguments import explain
from rocbands.core.checks import check_choice
from rocbands.core.method import DESIGNED, Coverage, Extra, Handling, Method
from rocbands.core.result import Result

# The packages of the questions; each lists its methods in METHODS, the default first.
QUESTIONS = ("bands", "auc", "points", "comparison", "cost", "rates", "smooth", "readers")
# Further tables of methods for a question, and their purpose.
_MORE_TABLES = {"auc": {"FOLD_METHODS": "auc, folds", "PARTIAL_METHODS": "auc, part of the area"}}

# The public function that uses the methods of a table.
_ANSWERS = {
    "bands": "roc_band",
    "auc": "auc_interval",
    "auc, folds": "fold_auc_interval",
    "auc, part of the area": "partial_auc_interval",
    "points": "operating_points",
    "comparison": "compare",
    "cost": "cost_interval",
    "rates": "rate_bounds",
    "smooth": "smooth_curve",
    "readers": "compare_readers",
}
# Kinds of data, as columns of a table, and what a method must handle for each.
_DESIGNS: dict[str, tuple[Extra, ...]] = {
    "rows": (),
    "clusters": ("clusters",),
    "weights": ("weights",),
    "strata": ("strata",),
    "folds": ("folds",),
    "bins": ("bins",),
    "weighted_bins": ("weights", "bins"),
    "two_sets": ("unpaired",),
    "one_sided": ("one-sided",),
}
# Functions without methods: the module, and its constant that says what they handle.
_FUNCTIONS = (
    ("comparison.compare_many", "HANDLING"),
    ("comparison.compare_tpr", "HANDLING"),
    ("comparison.difference_band", "HANDLING"),
    ("comparison.mcnemar", "HANDLING"),
    ("comparison.partial_auc_difference", "HANDLING"),
    ("cost.envelope", "HANDLING"),
    ("cost.h_measure", "HANDLING"),
    ("points.best_threshold", "HANDLING"),
    ("rates.difference", "HANDLING"),
    ("precision.average_precision", "HANDLING"),
    ("precision.average_precision", "DIFFERENCE_HANDLING"),
    ("calibration.brier_score", "HANDLING"),
    ("decision.net_benefit", "HANDLING"),
    ("decision.net_benefit", "DIFFERENCE_HANDLING"),
    ("two_sided.curve", "HANDLING"),
    ("views.average", "HANDLING"),
    ("multiclass", "HANDLING"),
    ("subgroup", "HANDLING"),
    ("overview", "HANDLING"),
    ("reporting", "HANDLING"),
)


def known_functions() -> list[Handling]:
    """Return the data that functions without methods can use."""
    return [getattr(import_module(f"rocbands.{module}"), name) for module, name in _FUNCTIONS]


def _list_tables(questions: tuple[str, ...] = QUESTIONS) -> dict[str, dict[str, type[Method]]]:
    """Return the tables of methods by purpose."""
    return {
        purpose: known_methods(question, table)
        for question in questions
        if question in QUESTIONS
        for table, purpose in {"METHODS": question, **_MORE_TABLES.get(question, {})}.items()
    }


def find_able(kind: type[Method], extra: Extra) -> list[str]:
    """Name the methods of the same table as `kind` that handle `extra`."""
    return [
        name
        for known in _list_tables().values()
        for name, one in known.items()
        if one.family is kind.family and extra in one.handles
    ]


def find_question(method: str, question: str) -> str | None:
    """Name the public function that has a method of this name, preferably for `question`."""
    tables = sorted(_list_tables().items(), key=lambda item: item[0] != question)
    return next((_ANSWERS[use] for use, known in tables if method in known), None)


def find_function(question: str) -> str | None:
    """Name the public function that answers a question with its methods."""
    return _ANSWERS.get(question)


def known_methods(question: str, table: str = "METHODS") -> dict[str, type[Method]]:
    """Return the methods of a question by their names, from a table of its package."""
    found: dict[str, type[Method]] = getattr(import_module(f"rocbands.{question}"), table)
    return found


@dataclass(frozen=True, eq=False, repr=False)
class Designs(Result):
    """Which data each function can use.

    Attributes
    ----------
    functions : mapping of (str, str) to mapping of str to str
        By question and function, the default method for each kind of data: 'rows' that are
        independent; samples with 'clusters', 'weights', 'strata' or 'folds'; counts in 'bins', also
        of weighted rows; 'two_sets' of rows to compare; and for a 'one_sided' limit or test. 'yes'
        for functions without methods; '-' for what is refused.
    """

    schema: ClassVar[str] = "rocbands.designs/2"
    COLUMNS: ClassVar[Mapping[str, Any]] = dict.fromkeys(("question", "function", *_DESIGNS), str)

    functions: Mapping[tuple[str, str], Mapping[str, str]]

    def columns(self) -> Mapping[str, Any]:
        rows = [(*names, *cells.values()) for names, cells in self.functions.items()]
        return dict(zip(self.COLUMNS, map(list, zip(*rows, strict=True)), strict=True))

    def _brief(self) -> str:
        return f"{len(self.functions)} functions, {len(_DESIGNS)} kinds of data"

    @property
    def sentence(self) -> str:
        """What the table shows."""
        return (
            "The default method of each function for each kind of data; 'yes' if it has no "
            "choice of methods, '-' where the data are refused."
        )

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        columns = dict(self.columns())
        uses = [use.partition(", fixed ")[2] for use in columns.pop("question")]
        names = zip(columns["function"], uses, strict=True)
        return "", columns | {"function": [", ".join(filter(None, name)) for name in names]}


@dataclass(frozen=True, eq=False, repr=False)
class Methods(Result):
    """Methods and their guarantees; functions without methods and the data they can use.

    Attributes
    ----------
    tables : mapping of str to tuple of Method
        The methods with their default parameters, by purpose; the default method first.
    functions : tuple of Handling
        The functions that have no methods to choose from.
    question : str or None
        The question; None for all, of which only the recommended methods are printed.
    """

    schema: ClassVar[str] = "rocbands.methods/4"
    COLUMNS: ClassVar[Mapping[str, Any]] = {
        "question": str,
        "function": str,
        "method": str,
        "default": bool,
        "coverage": Coverage | Literal["-"],
        "handles": str,
        "guarantee": str,
        "idea": str,
        "parameters": str,
        "references": str,
    }

    tables: Mapping[str, tuple[Method, ...]]
    functions: tuple[Handling, ...] = ()
    question: str | None = None

    def columns(self) -> Mapping[str, Any]:
        rows: list[tuple[object, ...]] = [
            (
                question,
                _ANSWERS[question],
                method.name,
                method is kinds[0],
                method.coverage,
                ", ".join(method.handles) or "-",
                method.guarantee,
                method.idea,
                ", ".join(f"{name}={value}" for name, value in method.parameters.items()) or "-",
                "; ".join(method.references) or "-",
            )
            for question, kinds in self.tables.items()
            for method in kinds
        ]
        rows += [
            (
                one.question,
                one.function,
                *("-", False, "-"),
                ", ".join(one.handles) or "-",
                *("-", one.idea, "-", "-"),
            )
            for one in self.functions
        ]
        return dict(zip(self.COLUMNS, map(list, zip(*rows, strict=True)), strict=True))

    def _brief(self) -> str:
        return f"{sum(map(len, self.tables.values()))} methods"

    @property
    def sentence(self) -> str:
        """How many methods there are, and which are used by default."""
        count = sum(map(len, self.tables.values()))
        if self.question is None:
            good = len(self.recommended())
            return f"Recommended are {good} of {count} methods, each the default for its data."
        parts = [f"{count} methods; the first for each question is the default."] if count else []
        if self.functions:
            parts.append(f"{len(self.functions)} functions have no methods to choose from.")
        return " ".join(parts)

    def recommended(self) -> set[tuple[str, str]]:
        """Return the methods that are the default for some kind of data, with their questions."""
        return {
            (purpose, name)
            for purpose, kinds in self.tables.items()
            for known in _order(purpose, kinds).values()
            for name in _find_defaults(known, purpose).values()
            if name != "-"
        }

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        columns = self.columns()
        if self.question is None:
            chosen = self.recommended()
            rows = [
                pair in chosen for pair in zip(columns["question"], columns["method"], strict=True)
            ]
            shown = {
                name: [cell for cell, keep in zip(columns[name], rows, strict=True) if keep]
                for name in ("question", "function", "method", "idea")
            }
            count: dict[str, int] = {}
            for purpose, kinds in self.tables.items():
                use = purpose.partition(",")[0]
                count[use] = count.get(use, 0) + len(kinds)
            listed = ", ".join(f"{use} ({number})" for use, number in count.items())
            return f"Name a question to see all of its methods: {listed}.", shown
        names = [name for name in columns if name not in ("default", "references")]
        return "", {name: columns[name] for name in names}

    def designs(self) -> Designs:
        """Tell which data each function can use, and which method it then chooses.

        Returns
        -------
        Designs
            A row for each function, a column for each kind of data.

        Examples
        --------
        >>> import rocbands as rb
        >>> found = rb.methods("bands").designs()
        >>> found.columns()["folds"], found.columns()["weights"]
        (['fold-average'], ['likelihood'])
        """
        found: dict[tuple[str, str], dict[str, str]] = {}
        for purpose, kinds in self.tables.items():
            for use, known in _order(purpose, kinds).items():
                found[use, _ANSWERS[purpose]] = cells = _find_defaults(known, purpose)
                if purpose == "points":
                    usual = import_module("rocbands.points").DESIGN_DEFAULT
                    cells |= {
                        name: usual for name, needs in _DESIGNS.items() if {*DESIGNED} & {*needs}
                    }
            if purpose == "cost":  # two models: limits of single thresholds, combined
                paired = [method for method in kinds if "paired" in method.handles]
                cells = _find_defaults(paired, purpose)
                cells |= {"two_sets": paired[0].name, "bins": "-", "weighted_bins": "-"}
                found[purpose, "cost_difference"] = cells
        for one in self.functions:
            found[one.question, one.function] = {
                name: "yes" if set(needs) <= set(one.handles) else "-"
                for name, needs in _DESIGNS.items()
            } | ({"rows": "-"} if one.needs else {})
        order = list(dict.fromkeys(use.partition(",")[0] for use, _ in found))
        ordered = sorted(found.items(), key=lambda row: order.index(row[0][0].partition(",")[0]))
        return Designs(dict(ordered))


def _order(purpose: str, kinds: tuple[Method, ...]) -> dict[str, list[Method]]:
    """Return the methods by purpose, in the order in which a default is chosen."""
    if purpose == "bands":
        package = import_module("rocbands.bands")
        usual = (package.DEFAULT, package.FOLDS_DEFAULT)
        return {purpose: sorted(kinds, key=lambda method: method.name not in usual)}
    if purpose == "points":
        found = {}
        for fixed, name in import_module("rocbands.points").DEFAULT.items():
            able = [method for method in kinds if fixed in getattr(method, "fixed", ())]
            first = [method for method in able if method.name == name]
            found[f"{purpose}, fixed {fixed}"] = [*first, *(m for m in able if m not in first)]
        return found
    return {purpose: list(kinds)}


def _find_defaults(known: Sequence[Method], purpose: str) -> dict[str, str]:
    """Name the first method that can use each kind of data."""
    found = {}
    for name, needs in _DESIGNS.items():
        wanted = ("folds", *needs) if purpose == "auc, folds" else needs
        able = [method.name for method in known if set(wanted) <= set(method.handles)]
        found[name] = able[0] if able else "-"
    if purpose == "auc, folds":
        found["rows"] = "-"
    return found


@explain
def methods(question: str | None = None) -> Methods:
    """List the recommended methods, or all those of one question, with their facts.

    Frames, CSV and JSON have all methods. ``methods().designs()`` says which data each function
    can use.

    Parameters
    ----------
    question : {'bands', 'auc', 'points', 'comparison', 'cost', 'rates', 'smooth', ...}, optional
        Question of the methods; by default the recommended ones of all questions. 'precision',
        'calibration', 'decision', 'two_sided', 'views', 'multiclass', 'subgroup', 'overview' and
        'reporting' have functions only.

    Examples
    --------
    >>> import rocbands as rb
    >>> "joint-region" in rb.methods("bands").columns()["method"]
    True
    """
    functions = known_functions()
    if question is not None:
        named = (*QUESTIONS, *(one.question for one in functions))
        check_choice(question, tuple(dict.fromkeys(named)), "question")
        functions = [one for one in functions if one.question == question]
    tables = {
        purpose: tuple(kind() for kind in known.values())
        for purpose, known in _list_tables(QUESTIONS if question is None else (question,)).items()
    }
    return Methods(tables, tuple(functions), question)
