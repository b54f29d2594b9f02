"""Results of several models in one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from rocbands.core.attributes import Axes
from rocbands.core.interval import Interval
from rocbands.core.phrases import count_classes, join_words
from rocbands.core.result import Result, percent
from rocbands.errors import InputError, Message

R = TypeVar("R", bound=Result)
_FEW = 3  # models of which a sentence says all


@dataclass(frozen=True, eq=False, repr=False)
class Table(Result, Generic[R]):
    """Results of one kind, such as intervals or bands, with the name of each model.

    Attributes
    ----------
    results : mapping of str to Result
        The results by the models' names; ``table["logistic"]`` is one of them.

    See Also
    --------
    rocbands.Sample.each : ask the same question for every model.

    Examples
    --------
    >>> import rocbands as rb
    >>> sample = rb.load_example()
    >>> table = rb.Table({m: rb.auc_interval(sample[m], method="delong") for m in sample})
    >>> print(table.to_markdown(sentence=False))
    | model | estimate | low | high | standard_error |
    |---|--:|--:|--:|--:|
    | logistic | 0.8995 | 0.8751 | 0.9240 | 0.0125 |
    | neighbours | 0.8000 | 0.7636 | 0.8364 | 0.0186 |
    """

    schema: ClassVar[str] = "rocbands.table/2"
    ONE_ROW: ClassVar[bool] = True  # the models' records have the columns
    FACTS: ClassVar[tuple[str, ...]] = ("models",)

    results: Mapping[str, R]

    def __post_init__(self) -> None:
        object.__setattr__(self, "results", _check_results(self.results))
        super().__post_init__()

    @property
    def names(self) -> tuple[str, ...]:
        """The models."""
        return tuple(self.results)

    @property
    def frame(self) -> str | None:  # type: ignore[override]
        """The kind of frame the data came from."""
        return next((result.frame for result in self.results.values() if result.frame), None)

    def plot(self, ax: Axes | None = None, **style: Any) -> Axes:
        """Draw the results on the same axes; intervals and comparisons become a forest plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.
        **style
            As for the `plot` of one of the results.

        Returns
        -------
        Axes
            The axes.
        """
        return self._draw(ax, **style)

    def _brief(self) -> str:
        first = next(iter(self.results.values()))
        kind = first.quantity if isinstance(first, Interval) else type(first).__name__
        listed = ", ".join(_name_short(name, one) for name, one in self.results.items())
        return f"{len(self)} models, {kind}: {listed}"

    def __getitem__(self, name: str) -> R:
        return self.results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def to_metrics(self, prefix: str = "") -> dict[str, float]:
        """Return the headline numbers of each model, under ``prefix + model + "/" + number``."""
        from rocbands.io.records import name_metrics

        found: dict[str, float] = {}
        for name, result in zip(name_metrics(self.results), self.results.values(), strict=True):
            found |= result.to_metrics(f"{prefix}{name}/")
        return found

    @property
    def models(self) -> Mapping[str, Mapping[str, Any]]:
        """The record of each model's result, as of its `to_dict`."""
        return {name: result.to_dict() for name, result in self.results.items()}

    def columns(self) -> Mapping[str, Any]:
        return stack_tables({name: result.columns() for name, result in self.results.items()})

    def _sketched(self) -> tuple[dict[str, list[Any]], tuple[str, str]] | None:
        found = {name: result._sketched() for name, result in self.results.items()}
        drawn = {name: one for name, one in found.items() if one is not None}
        if len(drawn) < len(found):
            return None
        heads = next(iter(drawn.values()))[1]
        return {name: curves[""] for name, (curves, _) in drawn.items()}, heads

    @property
    def sentence(self) -> str:
        """The intervals of all models, or the answer of each; of many models the range.

        No model is called the best: limits would have to allow for the choice.
        """
        every = list(self.results.values())
        if len(every) == 1:
            return every[0].sentence
        if _are_alike(every):
            return _say_intervals(self.results)
        if len(every) > _FEW:
            return f"Answers for {len(every)} models, a part of the table for each."
        return "\n".join(f"{name}: {one.sentence}" for name, one in self.results.items())

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        parts = {name: result.describe() for name, result in self.results.items()}
        rows = stack_tables({name: part[1] for name, part in parts.items()})
        every = list(self.results.values())
        notes = {name: getattr(one, "notes", ()) for name, one in self.results.items()}
        if not _are_alike(every):
            first = {name: part[0].splitlines()[:1] for name, part in parts.items()}
            return "\n".join([*list_notes(first), *list_notes(notes)]), rows
        sizes = {kind: [getattr(one, kind) for one in every] for kind in ("n_pos", "n_neg")}
        same = all(len(set(column)) == 1 for column in sizes.values())
        if not same:
            rows = {"model": rows.pop("model"), **sizes, **rows}
        return "\n".join([_intervals_sentence(every[0], same), *list_notes(notes)]), rows


def _name_short(name: str, result: Result) -> str:
    """Name a model, with its numbers where it has an interval."""
    if isinstance(result, Interval):
        return f"{name} {result.estimate:.4f} ({result.low:.4f} to {result.high:.4f})"
    return name


def _are_alike(results: Sequence[Result]) -> bool:
    """Tell whether all are intervals of the same kind, so that one sentence suffices."""
    kinds = {
        (one.quantity, one.level, one.method, one.alternative, one.target)
        for one in results
        if isinstance(one, Interval)
    }
    return len(kinds) == 1 and all(isinstance(one, Interval) for one in results)


def _say_intervals(results: Mapping[str, Any]) -> str:
    """Say the estimates and limits of a few models, or the lowest and the highest of many."""
    said = {
        name: f"{one.estimate:.3f} ({one.low:.3f} to {one.high:.3f}) for {name}"
        for name, one in results.items()
    }
    first = next(iter(results.values()))
    start = f"{first.quantity[0].upper()}{first.quantity[1:]}"
    listed = join_words(list(said.values()))
    if len(said) > _FEW:
        low, *_, high = sorted(results, key=lambda name: float(results[name].estimate))
        listed = f"from {said[low]} to {said[high]}"
    return f"{start} {listed}, with {percent(first.level)} limits."


_SIDES = {"two-sided": "", "greater": ", lower limits only", "less": ", upper limits only"}


def _intervals_sentence(one: Any, with_sizes: bool) -> str:
    target = f", for the {one.target}" if one.target else ""
    sizes = f"; {count_classes(one.n_pos, one.n_neg)}" if with_sizes else ""
    method = f"{one.method}{_SIDES[one.alternative]}"
    kind = f"{percent(one.level)} confidence intervals ({method}){target}"
    return f"{kind}{sizes}."


def list_notes(notes: Mapping[str, Sequence[str]]) -> list[str]:
    """List each note once, with the models that it applies to, unless it applies to all."""
    owners: dict[str, list[str]] = {}
    for name, said in notes.items():
        for note in said:
            owners.setdefault(note, []).append(name)
    return [
        note if len(names) == len(notes) else Message("{}: {}", ", ".join(names), note)
        for note, names in owners.items()
    ]


def stack_tables(parts: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Concatenate tables vertically; missing columns are empty."""
    sizes = {name: len(next(iter(columns.values()))) for name, columns in parts.items()}
    titles = dict.fromkeys(title for columns in parts.values() for title in columns)
    table: dict[str, Any] = {"model": [name for name in parts for _ in range(sizes[name])]}
    for title in titles:
        pieces = [columns.get(title, [None] * sizes[name]) for name, columns in parts.items()]
        whole = all(isinstance(piece, np.ndarray) for piece in pieces)
        table[title] = (
            np.concatenate(pieces) if whole else [value for piece in pieces for value in piece]
        )
    return table


def _check_results(results: Mapping[str, R]) -> dict[str, R]:
    """Refuse mappings that do not have results of one kind under different names."""
    if not isinstance(results, Mapping) or not results:
        raise InputError(
            "must map at least one model's name to its result",
            f"got {'none' if isinstance(results, Mapping) else type(results).__name__}",
            "Pass a dict such as {'logistic': interval}.",
            argument="results",
        )
    kinds = {type(result).__name__ for result in results.values()}
    if len(kinds) > 1 or not all(isinstance(result, Result) for result in results.values()):
        raise InputError(
            "A table must contain results of one kind",
            f"got {', '.join(sorted(kinds))}",
            "Make a table for each kind.",
        )
    if Table.__name__ in kinds:
        raise InputError(
            "A table must contain results, not other tables",
            "got tables",
            "Pass their results, for example {**one.results, **two.results}.",
        )
    named = {str(name): result for name, result in results.items()}
    if len(named) < len(results):
        raise InputError(
            "Models must have different names also as text",
            f"they are {', '.join(map(repr, results))}",
            "Rename one.",
        )
    return named
