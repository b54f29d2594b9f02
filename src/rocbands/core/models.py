"""Base class of samples and counted scores: models by name, and the curve of each."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, ParamSpec, Self, TypeVar

import numpy as np

from rocbands.core.arguments import suggest, suggest_name
from rocbands.core.columns import column_text, name_column
from rocbands.core.result import Result
from rocbands.core.roc import RocCurve
from rocbands.core.table import Table
from rocbands.errors import InputError, in_python

P = ParamSpec("P")
R = TypeVar("R", bound=Result)


class _Explaining(ABCMeta):
    """Explains the names of other ways to make a sample, such as from_csv."""

    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Any:
            problem = f"type object {cls.__name__!r} has no attribute {name!r}"
            if name[:1] != "_":  # other programs ask for such names, users do not
                problem += f". {suggest_name(name, dir(cls), cls.__name__)}"
            raise AttributeError(problem)


class Models(metaclass=_Explaining):
    """Scores of one or several models; ``data["a"]`` selects one of them.

    Iterating goes over the models' names.
    """

    models: tuple[str, ...]
    positive: object  # the positive label; None where it is not known
    negative: object  # the other label; None where it is not known, or there are several
    _called: ClassVar[str] = "sample"  # what such an object is called in messages

    @abstractmethod
    def _choose(self, names: tuple[str, ...]) -> Self:
        """Return the same for some of the models, whose names are checked."""

    @abstractmethod
    def _build_roc(self) -> RocCurve:
        """Count the curve of the only model."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Explain an attribute that the sample does not have."""
            problem = f"{type(self).__name__!r} object has no attribute {name!r}"
            if name[:1] != "_":
                known = {*dir(type(self)), *vars(self)}
                is_model = name in self.__dict__.get("models", ())
                remedy = (
                    f"Use sample[{name!r}]." if is_model else suggest_name(name, known, "sample")
                )
                problem += f". {remedy}"
            raise AttributeError(problem)

    @cached_property
    def roc(self) -> RocCurve:
        """The ROC curve of the only model; counted once."""
        self.check_one_model()
        return self._build_roc()

    @cached_property
    def _single(self) -> dict[str, Self]:
        """The data of each model that was chosen, so that its curve is counted once."""
        return {}

    def refuse_classes(self) -> None:
        """Refuse data of several classes where two are needed."""

    def check_one_model(self) -> None:
        """Refuse several models, or classes, if one is needed."""
        if len(self.models) != 1:
            self.refuse_classes()
            name = self.models[0] if self.models else "name"
            raise InputError(
                "This function is for one model",
                f"there are {len(self.models)}: {list_names(self.models)}",
                in_python(
                    f"Choose one, as {self._called}[{name!r}], or ask for each: "
                    f"{self._called}.each(function).",
                    "one model",
                ),
            )

    def __getitem__(self, name: str | Sequence[str]) -> Self:
        if isinstance(name, tuple):
            raise InputError(
                "Several models are chosen by a list of names",
                f"got the tuple {name!r}",
                in_python(f"Write {self._called}[{list(name)!r}]."),
            )
        given: Any = name
        whole = isinstance(given, list) and all(isinstance(one, str) for one in given)
        if not (whole or isinstance(given, str) or getattr(given, "ndim", 0) == 1):
            raise InputError(
                "A model is chosen by its name",
                f"got {name!r}",
                in_python(f"The models are {list_names(self.models)}; rows are chosen by take()."),
            )
        names = [column_text(one) if isinstance(one, str) else one for one in list_given(name)]
        if not names:
            raise InputError("At least one model must be chosen", "the list is empty")
        for each in names:
            if not isinstance(each, str) or each not in self.models:
                raise InputError(
                    f"There must be a model named {each!r}",
                    f"there are {list_names(self.models)}",
                    suggest(each, self.models, "Name one of them."),
                )
        if len(set(names)) < len(names):
            raise InputError("Each model may be chosen once", f"got {names!r}")
        if len(names) > 1:
            return self._choose(tuple(names))
        if names[0] not in self._single:
            self._single[names[0]] = self._choose((names[0],))
        return self._single[names[0]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.models)

    def __contains__(self, name: object) -> bool:
        return name in self.models

    def each(
        self, function: Callable[Concatenate[Self, P], R], /, *args: P.args, **kwargs: P.kwargs
    ) -> Table[R]:
        """Call the same function for every model.

        Parameters
        ----------
        function : callable
            A function of this package whose first argument is the data of one model.
        *args, **kwargs
            Its other arguments. A sample among the keywords goes to each model by name. A Generator
            or SeedSequence as `rng` is split into one stream for each model, in their order, so the
            draws of a model depend on its position.

        Returns
        -------
        Table
            The results by model.

        Examples
        --------
        >>> import rocbands as rb
        >>> areas = rb.load_example().each(rb.auc_interval, level=0.9)
        >>> print(f"{areas['logistic'].low:.2f}")
        0.88
        """
        if not callable(function):
            raise InputError(
                in_python("must be a function, such as rb.auc_interval"),
                f"got {type(function).__name__}",
                "Pass the function itself, and its arguments by name.",
                argument="function",
            )
        rng: Any = kwargs.get("rng")
        spawns = isinstance(rng, (np.random.Generator, np.random.SeedSequence))
        streams = rng.spawn(len(self.models)) if spawns else None
        found: dict[str, R] = {}
        for place, name in enumerate(self.models):
            own: dict[str, Any] = {
                key: value[name] if isinstance(value, Models) else value
                for key, value in kwargs.items()
            }
            if streams is not None:
                own["rng"] = streams[place]
            try:
                found[name] = function(self[name], *args, **own)
            except InputError as problem:
                if len(self.models) > 1:
                    problem.add_note(f"The model was {name!r}.")
                raise
        return Table(found)


def list_given(names: Any) -> list[Any]:
    """Return one or several given names as a list, without checking them."""
    one = isinstance(names, (str, bytes)) or not isinstance(names, Iterable)
    return [names] if one or getattr(names, "ndim", 1) == 0 else list(names)


def name_columns(names: Any, argument: str, known: Iterable[Any] = ()) -> tuple[str, ...]:
    """Return the names of one or several columns, each once and as text.

    `known`: the names of a frame. A tuple among them is one name, otherwise it is several.
    """
    levels = {column_text(name) for name in known if isinstance(name, tuple)}
    one = isinstance(names, tuple) and column_text(names) in levels
    given = [names] if one else list_given(names)
    found = tuple(name_column(name, argument) for name in given)
    if len(set(found)) < len(found):
        raise InputError(
            "must name different columns",
            f"got {list(found)!r}",
            "Name each of them once.",
            argument=argument,
        )
    return found


def plural(count: int, noun: str) -> str:
    """Write a count with its noun: '1 row', '2 rows'."""
    return f"{count} {noun}{'s' * (count != 1)}"


def count_label(count: int, label: object, kind: str = "row") -> str:
    """Write the number of rows of a class: '212 malignant', '212 of class 1', '212 positives'."""
    if label is None:
        return plural(count, kind)
    named = isinstance(label, str) and not label.lstrip("-").replace(".", "", 1).isdigit()
    return f"{count} {label}" if named else f"{count} of class {label}"


def list_names(names: Sequence[Any], most: int = 8) -> str:
    """List names in quotes, shortened if there are many."""
    shown = [repr(name) for name in names]
    return ", ".join(shown[:most]) + (f", ... ({len(shown) - most} more)" * (len(shown) > most))
