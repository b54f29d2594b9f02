"""Exceptions and warnings of rocbands.

::

    Exception
    └── RocBandsError
        ├── InputError            (also a ValueError) what was passed in cannot be used
        │   └── ArgumentError     (also a TypeError) there is no such argument
        └── ResultError           (also a ValueError) a result violates its invariants

    Warning
    └── RocBandsWarning           (also a UserWarning) the result is valid, with a caveat

Every message says what must hold, what was found and where, and what to do about it.

A message mentions arguments by :func:`arg`, functions by :func:`call`, and Python-only text such as
``sample["a"]`` by :func:`in_python`. The front end spells them: Python writes ``level=0.95``, the
command line ``--level 0.95``, a scikit-learn display ``random_state`` for ``rng``. All other text,
such as the user's labels, is shown unchanged.

A :class:`Message` is a template with fields, which keep what they mention until it is shown; text
of the user is a field, too, and never read as a template.

>>> message = Message("For 95% pass {}.", arg("level", 0.95))
>>> str(message)
'For 95% pass level=0.95.'
>>> message.render(lambda mention: f"--{mention.name} {mention.value}")
'For 95% pass --level 0.95.'
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal, NamedTuple

_NOTHING = object()


class Mention(NamedTuple):
    """An argument, a function or Python-only text that a message mentions."""

    # 'argument': an argument. 'value': an argument with a value to pass. 'function': a function of
    # the library. 'python': text for Python users only. 'part': text that has a topic.
    kind: Literal["argument", "value", "function", "python", "part"]
    name: str  # in Python; for 'python' and 'part' the topic, by which front ends have other text
    value: Any = ""  # the value; the arguments of a function as text; or the text

    def in_python(self) -> str:
        """Spell it as Python does."""
        if self.kind == "argument":
            return f"`{self.name}`"
        if self.kind == "value":
            return f"{self.name}={self.value!r}"
        if self.kind == "function":
            return f"rb.{self.name}({self.value})"
        return str(self.value)


class Message(str):
    """Text for the user: a string as Python shows it, which other front ends render differently.

    Without fields the text stands as it is; with fields it is a template of :meth:`str.format`.

    Examples
    --------
    >>> message = Message("{!r} is not one of {}.", "a{}", arg("models"))
    >>> str(message), message.render(lambda mention: f"--{mention.name}")
    ("'a{}' is not one of `models`.", "'a{}' is not one of --models.")
    """

    template: str
    fields: tuple[object, ...]
    __slots__ = ("fields", "template")

    def __new__(cls, template: str, *fields: object) -> Message:
        """Take a template and its fields; a Message alone stays what it is."""
        if isinstance(template, Message) and not fields:
            return template
        shown = _write(template, fields, Mention.in_python)
        message = super().__new__(cls, shown)
        message.template, message.fields = template, fields
        return message

    def __add__(self, other: str) -> Message:
        return Message("{}{}", self, other)

    def __radd__(self, other: str) -> Message:
        return Message("{}{}", other, self)

    def render(self, spell: Callable[[Mention], str]) -> str:
        """Return the text with each mention spelled by `spell`."""
        return _write(self.template, self.fields, spell)

    def change(self, change: Callable[[Mention], Mention]) -> Message:
        """Return the same message with each mention changed."""
        fields = (
            change(field)
            if isinstance(field, Mention)
            else field.change(change)
            if isinstance(field, Message)
            else field
            for field in self.fields
        )
        return Message(self.template, *fields)


def _write(template: str, fields: tuple[object, ...], spell: Callable[[Mention], str]) -> str:
    shown = (
        spell(field)
        if isinstance(field, Mention)
        else field.render(spell)
        if isinstance(field, Message)
        else field
        for field in fields
    )
    return template.format(*shown) if fields else str(template)


def join(between: str, parts: Iterable[str]) -> Message:
    """Join parts that may be messages, as :meth:`str.join` does with text."""
    listed = tuple(parts)
    return Message(between.join(["{}"] * len(listed)), *listed)


def arg(name: str, value: object = _NOTHING) -> Message:
    """Mention the argument `name` in a message; with `value`, the argument set to that value.

    Examples
    --------
    >>> print(Message("{} must be a number. Try {}.", arg("level"), arg("level", 0.95)))
    `level` must be a number. Try level=0.95.
    """
    if value is _NOTHING:
        return Message("{}", Mention("argument", name))
    return Message("{}", Mention("value", name, value))


def call(function: str, arguments: str = "") -> Message:
    """Mention a function of the library in a message.

    Examples
    --------
    >>> print(Message("See {}.", call("methods")))
    See rb.methods().
    """
    return Message("{}", Mention("function", function, arguments))


def in_python(words: str, topic: str = "") -> Message:
    """Mention Python-only text; other front ends have their own text for `topic`, or none.

    Examples
    --------
    >>> message = Message("Leave it out{}.", in_python(" of the sample"))
    >>> str(message), message.render(lambda mention: "")
    ('Leave it out of the sample.', 'Leave it out.')
    """
    return Message("{}", Mention("python", topic, words))


def part(text: Message, topic: str) -> Message:
    """Give a part of a message a topic, for which a front end may have another text."""
    return Message("{}", Mention("part", topic, text))


def say_install(extra: str) -> str:
    """Write the line that installs the libraries of an extra, by their own names.

    It works however rocbands itself was installed, from a checkout or a wheel.

    Examples
    --------
    >>> print(say_install("excel"))
    pip install "openpyxl>=3.1"
    """
    from importlib.metadata import PackageNotFoundError, requires

    def list_needed(extra: str) -> Iterator[str]:
        for line in requires("rocbands") or ():
            needed, _, condition = line.partition(";")
            if re.search(rf"extra == ['\"]{extra}['\"]", condition):
                inner = re.fullmatch(r"rocbands\[(\w+)\]", needed.strip())
                yield from list_needed(inner[1]) if inner else [needed.strip()]

    try:
        return " ".join(["pip install", *(f'"{needed}"' for needed in list_needed(extra))])
    except PackageNotFoundError:  # run from its folder
        return f'pip install ".[{extra}]"'


class RocBandsError(Exception):
    """Base of all errors that rocbands raises on purpose."""


class InputError(RocBandsError, ValueError):
    """The input cannot be used as it is; the message says what to do.

    Parameters
    ----------
    must : str
        What must hold, such as 'must lie strictly between 0 and 1'; or a whole sentence.
    found : str, optional
        What was found instead, such as 'got 95'.
    remedy : str, optional
        What to do, as one or more sentences.
    argument : str, optional
        The argument that the error is about; the message then begins with it.

    Attributes
    ----------
    message : Message
        The whole sentence, which front ends render.
    extra : str
        The design or option that a method does not handle, such as 'clusters'; else empty.

    Examples
    --------
    >>> problem = InputError(
    ...     "must lie strictly between 0 and 1", "got 95", Message("Pass {}.", arg("level", 0.95)),
    ...     argument="level",
    ... )
    >>> print(problem)
    `level` must lie strictly between 0 and 1; got 95. Pass level=0.95.
    """

    extra: str = ""

    def __init__(
        self, must: str, found: str = "", remedy: str = "", *, argument: str | None = None
    ) -> None:
        self.must, self.found, self.remedy, self.argument = must, found, remedy, argument
        sentence = must if argument is None else arg(argument) + " " + must
        if found:
            sentence = sentence + "; " + found
        if (found or remedy) and not sentence.endswith((".", "?", "!")):
            sentence = sentence + "."
        if remedy:
            sentence = sentence + " " + remedy
        self.message = Message(sentence)
        super().__init__(str(self.message))

    def rename(self, names: Mapping[str, str]) -> InputError:
        """Return the same error with renamed arguments.

        `names` maps old to new names. If `fpr` becomes `specificity`, its value or range is
        subtracted from 1.

        Examples
        --------
        >>> must = Message("must be as long as {}", arg("y_score"))
        >>> problem = InputError(must, argument="y_true")
        >>> print(problem.rename({"y_true": "y_valid", "y_score": "score_valid"}))
        `y_valid` must be as long as `score_valid`
        """

        def renamed(mention: Mention) -> Mention:
            kind, name, value = mention
            if kind == "part":
                return Mention(kind, name, value.change(renamed))
            if kind not in ("argument", "value"):
                return mention
            new = names.get(name, name)
            turned = kind == "value" and new == "specificity" != name
            return Mention(kind, new, _complement(value) if turned else value)

        parts = (Message(part).change(renamed) for part in (self.must, self.found, self.remedy))
        argument = None if self.argument is None else names.get(self.argument, self.argument)
        return type(self)(*parts, argument=argument)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.must, self.found, self.remedy, self.argument)


class ArgumentError(InputError, TypeError):
    """A function has no argument of this name; the message suggests the right one."""


class ResultError(RocBandsError, ValueError):
    """A result would violate its invariants, for example lower <= upper.

    It is raised when the result is created, also under ``python -O``. From a method of this package
    it is a defect; from your own method, it says what is wrong with that method.
    """


def _complement(value: Any) -> Any:
    """Return one minus a rate, or a range of rates."""
    if isinstance(value, (tuple, list)):
        return type(value)(_complement(rate) for rate in reversed(value))
    rate = float(f"{1.0 - float(value):.12g}")
    return int(rate) if rate.is_integer() else rate


def _rebuild(
    kind: type[InputError], must: str, found: str, remedy: str, argument: str | None
) -> InputError:
    return kind(must, found, remedy, argument=argument)


class RocBandsWarning(UserWarning):
    """The result is valid, with a caveat; `message` is the text that front ends render."""

    def __init__(self, message: str) -> None:
        self.message = Message(message)
        super().__init__(str(self.message))


_collected: ContextVar[list[str] | None] = ContextVar("_collected", default=None)


@contextmanager
def collect_warnings() -> Iterator[list[str]]:
    """Collect the texts of :func:`warn` instead of warning.

    Unlike `warnings.catch_warnings`, this is thread-safe.

    Examples
    --------
    >>> with collect_warnings() as said:
    ...     warn("Few rows.")
    >>> said
    ['Few rows.']
    """
    said: list[str] = []
    token = _collected.set(said)
    try:
        yield said
    finally:
        _collected.reset(token)


def warn(text: str) -> None:
    """Warn, with the location of the call from outside this package."""
    collected = _collected.get()
    if collected is not None:
        collected.append(text)
        return
    level, frame = 2, sys._getframe(1).f_back
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "rocbands":
        level, frame = level + 1, frame.f_back
    warnings.warn(RocBandsWarning(text), stacklevel=level + 1)
