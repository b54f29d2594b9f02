"""The base class of all methods.

A method is a frozen dataclass. Its fields are its parameters; its class attributes are its name,
its question and what is known about its level. Each question (bands, auc, points, comparison,
cost, rates) derives one base class from :class:`Method`. Its `__call__` checks the request by
:meth:`Method.check_request` and passes it to the function that subclasses define. Methods of users
derive from the same base class and get the same checks: designs not in `handles` are refused.
"""

from __future__ import annotations

import dataclasses
import math
import reprlib
from abc import ABC
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from inspect import cleandoc
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeAlias, TypeVar, cast

import numpy as np

from rocbands.core.arguments import TWO_MEANINGS, check_arguments, say_both_meanings, suggest
from rocbands.core.checks import check_choice, check_future, check_level, check_resamples, check_rng
from rocbands.core.randomness import Rng, Simulation, Source, resolve_rng
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError, Message, arg, call, in_python, join

Coverage: TypeAlias = Literal["simultaneous", "pointwise"]
Alternative: TypeAlias = Literal["two-sided", "less", "greater"]

# Designs and options that a method may or may not handle. The first six are found in the data or
# given by an argument of the same name, the others are options.
Extra: TypeAlias = Literal[
    "future",
    "clusters",
    "folds",
    "repeats",
    "bins",
    "weights",
    "class weights",
    "strata",
    "one-sided",
    "paired",
    "unpaired",
    "unpaired clusters",
    "unpaired folds",
    "common clusters",
    "full sampling",
    "share law",
    "simultaneous",
]

# Rows that depend on each other, count unequally, or were drawn from strata.
DESIGNED: tuple[Extra, ...] = ("clusters", "weights", "strata")


class _Refusal(NamedTuple):
    """The parts of the sentence that refuses a design or an option."""

    which: str  # what a method without it is for
    found: str  # what was found
    remedy: str
    unless: str = ""  # when it may be left out, if nothing else can use it
    of_data: bool = False  # whether the data have it, which the remedy then says


def _refuse_design(name: str, which: str, equal: str, found: str = "") -> _Refusal:
    """Word the refusal of a design; {has} is 'the sample has' or 'the curve carries'."""
    remedy = Message("Leave {} out", arg(name))
    return _Refusal(which, found or f"{{has}} {name}", remedy, f" only if {equal}", of_data=True)


_REFUSALS: dict[str, _Refusal] = {
    "future": _Refusal(
        "is for the true curve only",
        Message("{} was given", arg("future")),
        Message("Leave {} out", arg("future")),
    ),
    "clusters": _refuse_design(
        "clusters",
        "is for rows that are independent of each other",
        "rows may count as independent",
    ),
    "folds": _refuse_design(
        "folds", "is for one test set scored by one model", "one model scored all rows"
    ),
    "unpaired folds": _refuse_design(
        "folds", "is for one test set scored by one model", "one model scored all rows"
    ),
    "repeats": _Refusal(
        "is for rows that were cut into folds once",
        "{has} repetitions",
        "Take the folds of one repetition",
    ),
    "bins": _Refusal("is for counts of single scores", "the curve has bins", "Count every score"),
    "weights": _refuse_design(
        "weights", "is for rows that count equally", "rows may count equally"
    ),
    "class weights": _refuse_design(
        "weights",
        "depends on the share of positives among rows that count equally",
        "the rows have the share that matters",
        "{data} weighs its classes differently",
    ),
    "strata": _refuse_design(
        "strata", "is for rows sampled without strata", "rows may count as sampled without them"
    ),
    "one-sided": _Refusal(
        "has no direction",
        Message("{} was given", arg("alternative")),
        Message("Leave {} out", arg("alternative")),
    ),
    "paired": _Refusal("does not compare on the same rows", "", "Compare on different rows"),
    "unpaired": _Refusal("does not compare on different rows", "", "Compare on the same rows"),
    "unpaired clusters": _refuse_design(
        "clusters",
        "does not compare two test sets of dependent rows",
        "rows may count as independent",
        "a sample has clusters",
    ),
    "common clusters": _Refusal(
        "is for test sets without common clusters",
        "rows of one cluster are in both",
        "Rows of a cluster depend on each other: split the rows by cluster",
    ),
    "full sampling": _Refusal(
        Message("takes class sizes as fixed and has no form for {}", arg("sampling", "full")),
        "",
        Message("Use {}", arg("sampling", "stratified")),
    ),
    "share law": _Refusal(
        "has no form for a share of positives that varies",
        "",
        Message("Use {}", arg("sampling", "stratified")),
    ),
    "simultaneous": _Refusal(
        "has limits for each number on its own",
        Message("{} was given", arg("simultaneous", True)),
        Message("Leave {} out", arg("simultaneous")),
    ),
}
# Options that may be for independent rows that count equally only, and why.
_ALONE = {"future": (arg("future"), ", because a future test set has a design of its own")}


def refuse_extras(
    subject: str,
    handles: Iterable[Extra],
    found: Iterable[Extra],
    others: Mapping[Extra, str],
    *,
    alone: Mapping[Extra, str] | None = None,
    counted: bool = False,
) -> None:
    """Refuse designs and options that are not handled, or not handled together.

    `subject`: the method or function, for the message. `others`: by extra, methods that handle it.
    `alone`: options for independent rows that count equally, and what else can use other rows.
    `counted`: whether the data are a curve that was counted elsewhere, not a sample.
    """
    found = tuple(found)
    here = {"data": "the sample", "has": "the sample has", "of": in_python(" of the sample")}
    if counted and not {"clusters", "strata", "folds"} & {*found}:  # which counts never have
        here = {"data": "the curve", "has": "the curve carries", "of": " of the counts"}
    for extra in found:
        if extra not in handles:
            refusal, other = _REFUSALS[extra], others.get(extra)
            given, of = refusal.found, here["of"] if refusal.of_data else ""
            if not isinstance(given, Message):
                given = given.format_map(here)
            end = Message("{} (see {})", refusal.unless, call("methods"))
            end = Message(", or use {}", other) if other else end
            problem = InputError(
                Message("{} {}", subject, refusal.which),
                given,
                Message("{}{}{}.", refusal.remedy, of, end),
            )
            problem.extra = extra
            raise problem
    for option, other in (alone or {}).items():
        if option in found:
            name, why = _ALONE[option]
            # Weights that are equal in each class matter to the prevalence only.
            rows = [extra for extra in found if extra != "class weights"]
            refuse_with_design(name, rows, why, other, has=here["has"])


def refuse_with_design(
    option: str,
    design: Iterable[Extra],
    why: str = "",
    other: str = "",
    has: str = "the sample has",
) -> None:
    """Refuse an option for independent rows of equal weight if rows have a design.

    `other`: what else can use such rows.
    """
    kinds = (*DESIGNED, "class weights")
    found = next((extra.removeprefix("class ") for extra in design if extra in kinds), None)
    if found is not None:
        raise InputError(
            Message("{} is for independent rows that count equally{}", option, why),
            f"{has} {found}",
            Message("Leave it out, or {}.", other) if other else "Leave one of them out.",
        )


@dataclass(frozen=True)
class Handling:
    """Designs that a public function without methods handles, as in :class:`Method`."""

    function: str
    question: str  # the package it belongs to
    idea: str  # what it computes, in half a sentence
    # What it handles besides independent rows and a two-sided request; others are refused.
    handles: tuple[Extra, ...] = ()
    elsewhere: Mapping[Extra, str] = field(default_factory=dict)  # functions for what it cannot use
    # Options for independent rows that count equally, and what else can use other rows.
    alone: Mapping[Extra, str] = field(default_factory=dict)
    needs: tuple[Extra, ...] = ()  # what the data must have

    def check(self, data: RocCurve | Iterable[Extra], *asked: Extra) -> None:
        """Refuse data that the function cannot use: a curve, or a design. `asked`: options."""
        counted = _is_counted(data)
        found = (*(data.design if isinstance(data, RocCurve) else data), *asked)
        name, others = call(self.function), self.elsewhere
        refuse_extras(name, self.handles, found, others, alone=self.alone, counted=counted)


def _is_counted(data: object) -> bool:
    """Tell whether data are a curve that was made from counts, not from the rows of a sample."""
    return isinstance(data, RocCurve) and (data.binned or data.origin is None)


@dataclass(frozen=True)
class Request:
    """The checked request of a method."""

    level: float
    source: Source = None  # of randomness; None: a new one, if it is needed
    # class sizes of the future test set that the result is for; None for the true curve.
    future: tuple[int, int] | None = None
    # {'two-sided', 'less', 'greater'} requested limits; 'greater' has a lower limit only.
    alternative: Alternative = "two-sided"

    @property
    def rng(self) -> np.random.Generator:
        """Source of randomness, made when it is first used."""
        return self._seeded[0]

    @property
    def seed(self) -> int | None:
        """The seed of :attr:`rng`, if it has one."""
        return self._seeded[1]

    @cached_property
    def _seeded(self) -> tuple[np.random.Generator, int | None]:
        return resolve_rng(self.source)

    def simulated(
        self, n_resamples: int, error: float | None = None, pvalue_error: float | None = None
    ) -> Simulation:
        """Describe the simulation; errors are Monte Carlo standard errors."""
        if error is not None and not math.isfinite(error):
            error = None
        found = Simulation(self.seed, n_resamples, error, pvalue_error)
        vars(self)["_simulation"] = found
        return found

    @property
    def simulation(self) -> Simulation | None:
        """The last result of :meth:`simulated`, or None where nothing was drawn."""
        return vars(self).get("_simulation")

    def find_pvalue_error(self, pvalue: float, n_resamples: int) -> float:
        """Monte Carlo standard error of a p-value that is a fraction of draws."""
        sides = 2.0 if self.alternative == "two-sided" else 1.0
        return sides * math.sqrt(pvalue / sides * (1.0 - pvalue / sides) / n_resamples)

    @property
    def tail(self) -> float:
        """Probability beyond each limit."""
        return (1.0 - self.level) / (2.0 if self.alternative == "two-sided" else 1.0)

    def combine_tails(self, below: float, above: float) -> float:
        """P-value from the probabilities of a statistic as low, and as high, as the observed."""
        two = min(1.0, 2.0 * min(below, above))
        return float({"less": below, "greater": above, "two-sided": two}[self.alternative])


@dataclass(frozen=True)
class Method(ABC):
    """Base class of all methods.

    Attributes
    ----------
    name : str
        As in ``method="joint-region"``; the method's file has the same name.
    question : str
        The package it belongs to: 'bands', 'auc', 'points', 'comparison', 'cost' or 'rates'.
    coverage : {'simultaneous', 'pointwise'}
        Whether the level is for a whole curve, or pointwise.
    guarantee : str
        What is known about the level: a theorem, or a measurement.
    idea : str
        The method in half a sentence.
    references : tuple of str
        Where it comes from.
    handles : tuple of str
        What it handles besides independent rows and a two-sided request; others are refused.
    elsewhere : mapping
        For designs that no method of the question handles, the function that does.
    """

    name: ClassVar[str]
    question: ClassVar[str]
    coverage: ClassVar[Coverage] = "pointwise"
    guarantee: ClassVar[str] = ""
    idea: ClassVar[str] = ""
    references: ClassVar[tuple[str, ...]] = ()
    handles: ClassVar[tuple[Extra, ...]] = ()
    elsewhere: ClassVar[Mapping[Extra, str]] = {}
    # Options for independent rows that count equally, and what else can use other rows.
    alone: ClassVar[Mapping[Extra, str]] = {"future": ""}
    # Whether results depend on the prevalence of the rows, which class weights change.
    uses_share: ClassVar[bool] = False

    # The question's base class, which derives from Method itself.
    family: ClassVar[type[Method]]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if Method in cls.__bases__:
            cls.family = cls
        if any(word in TWO_MEANINGS for extra in cls.handles for word in extra.split()):
            raise InputError(
                "must name designs and options that exist",
                f"{cls.__name__} has {', '.join(map(repr, cls.handles))}",
                say_both_meanings(),
                argument="handles",
            )
        if cls.references and cls.__dict__.get("__doc__"):  # append the references
            listed = "\n\n".join(cls.references)
            cls.__doc__ = f"{cleandoc(cls.__doc__ or '')}\n\nReferences\n----------\n{listed}"

    def __new__(cls, *args: Any, **parameters: Any) -> Self:
        if args or parameters:  # not where a copy is made
            check_arguments(cls, args, parameters)
        return super().__new__(cls)

    @property
    def parameters(self) -> dict[str, Any]:
        """The fields and their values."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    @property
    def record(self) -> dict[str, Any]:
        """Name and parameters, as stored in results."""
        return {"name": self.name, **self.parameters}

    def check_request(
        self,
        data: RocCurve | None = None,
        *,
        level: Any,
        rng: Rng = None,
        future: Any = None,
        alternative: Any = "two-sided",
        asked: tuple[Extra, ...] = (),
    ) -> Request:
        """Check the request, and refuse what the method does not handle.

        `data`: the curve, whose design the method must handle. `asked`: further options, such as
        'paired'.
        """
        request = Request(
            check_level(level), check_rng(rng), check_future(future), check_alternative(alternative)
        )
        found: list[Extra] = [] if request.future is None else ["future"]
        found += () if data is None else data.design
        if request.alternative != "two-sided":
            found.append("one-sided")
        able = self.handles if self.uses_share else (*self.handles, "class weights")
        asks = (*found, *asked)
        if len(asks) > 1 or not set(asks) <= set(able):
            others = {extra: self._find_able(extra) for extra in asks if extra not in able}
            name, counted = f"Method {self.name!r}", _is_counted(data)
            refuse_extras(name, able, asks, others, alone=self.alone, counted=counted)
        return request

    def _find_able(self, extra: Extra) -> str:
        """Name the methods of the same question that handle `extra`."""
        from rocbands._methods import find_able

        able = [arg("method", name) for name in find_able(type(self), extra)[:2]]
        return join(" or ", able) or self.elsewhere.get(extra, "")


@dataclass(frozen=True)
class Resampling:
    """Mixin of methods that draw `n_resamples` test sets, tables or swaps.

    It comes before the question's base class.
    """

    n_resamples: int = 2000

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)


def check_alternative(alternative: Any) -> Alternative:
    """Return `alternative` if it is one of the three."""
    check_choice(alternative, ("two-sided", "less", "greater"), "alternative")
    return cast(Alternative, alternative)


M = TypeVar("M", bound=Method)


def resolve_method(
    method: Any, known: Mapping[str, type[M]], base: type[Any], default: str, **shorthands: Any
) -> M:
    """Return the method that the user named or constructed.

    `method`: a name from `known`, an instance of `base`, or None for the default. `known`: the
    question's METHODS. `base`: the question's base class. `shorthands`: parameters given with the
    method, such as n_resamples; None where they were not given.
    """
    if method is None:
        method = default
    if isinstance(method, str):
        if method not in known:
            hint = _find_elsewhere(method, getattr(base, "question", ""))
            hint = hint or suggest(method, known, "Choose one of these.")
            raise InputError(
                f"must be one of {', '.join(known)}", f"got {method!r}", hint, argument="method"
            )
        chosen: M = known[method]()
    elif isinstance(method, base):
        chosen = cast(M, method)
    else:
        raise InputError(
            f"must be one of {', '.join(known)}, or an instance of such a method",
            f"got {reprlib.repr(method)}",
            Message(
                "Pass, for example, {}. A method of your own derives from {}.{}.",
                arg("method", default),
                base.__module__,
                base.__name__,
            ),
            argument="method",
        )
    for name, value in shorthands.items():
        if value is None:
            continue
        if name not in chosen.parameters:
            able = [kind for kind, cls in known.items() if name in cls.__dataclass_fields__]
            raise InputError(
                f"Method {chosen.name!r} has no parameter {name!r}",
                "",
                Message(
                    "Leave {} out, or use one of {} by {}.",
                    arg(name),
                    ", ".join(able),
                    arg("method"),
                )
                if able
                else Message("Leave {} out.", arg(name)),
            )
        chosen = dataclasses.replace(chosen, **{name: value})
    return chosen


def _find_elsewhere(method: str, question: str) -> str:
    """Explain which function a method belongs to, if not to this one."""
    from rocbands._methods import find_function, find_question

    function = find_question(method, question)
    if function is None:
        return ""
    if function == find_function(question):
        return f"{method!r} is for another form of this question."
    return Message("{!r} is a method of {}.", method, call(function))
