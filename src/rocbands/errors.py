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

A mention is stored in the text between characters of Unicode's private use area, which no other
text contains (`repr` escapes them), and is replaced when the text is rendered.

>>> message = Message(f"For 95% pass {arg('level', 0.95)}.")
>>> str(message)
'For 95% pass level=0.95.'
>>> message.render(lambda mention: f"--{mention.name} {mention.value}")
'For 95% pass --level 0.95.'
"""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, NamedTuple

_OPEN, _BETWEEN, _CLOSE = "\ue000", "\ue001", "\ue002"
_MENTION = re.compile(
    f"{_OPEN}([^{_BETWEEN}]*){_BETWEEN}([^{_BETWEEN}]*){_BETWEEN}([^{_CLOSE}]*){_CLOSE}"
)
_NOTHING = object()


class Mention(NamedTuple):
    """An argument, a function or Python-only text that a message mentions."""

    # 'argument': an argument. 'value': an argument with a value to pass. 'function': a function of
    # the library. 'python': text for Python users only.
    kind: Literal["argument", "value", "function", "python"]
    name: str  # in Python; for 'python' the topic, by which other front ends find theirs
    value: str = ""  # as Python writes it; the arguments of a function; or the text

    def in_python(self) -> str:
        """Spell it as Python does."""
        if self.kind == "argument":
            return f"`{self.name}`"
        if self.kind == "value":
            return f"{self.name}={self.value}"
        if self.kind == "python":
            return self.value
        return f"rb.{self.name}({self.value})"


def arg(name: str, value: object = _NOTHING) -> str:
    """Mention the argument `name` in a message; with `value`, the argument set to that value.

    Examples
    --------
    >>> str(Message(f"{arg('level')} must be a number. Try {arg('level', 0.95)}."))
    '`level` must be a number. Try level=0.95.'
    """
    if value is _NOTHING:
        return _encode("argument", name)
    return _encode("value", name, repr(value))


def call(function: str, arguments: str = "") -> str:
    """Mention a function of the library in a message.

    Examples
    --------
    >>> str(Message(f"See {call('methods')}."))
    'See rb.methods().'
    """
    return _encode("function", function, arguments)


def in_python(words: str, topic: str = "") -> str:
    """Mention Python-only text; other front ends have their own text for `topic`, or none.

    Examples
    --------
    >>> message = Message(f"Leave it out{in_python(' of the sample')}.")
    >>> str(message), message.render(lambda mention: "")
    ('Leave it out of the sample.', 'Leave it out.')
    """
    return _encode("python", topic, words)


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


def _encode(kind: str, name: str, value: str = "") -> str:
    """Write a mention into a text."""
    return f"{_OPEN}{kind}{_BETWEEN}{name}{_BETWEEN}{value}{_CLOSE}"


class Message(str):
    """Text for the user: a string as Python shows it, which other front ends render differently."""

    raw: str  # with its mentions unrendered
    __slots__ = ("raw",)

    def __new__(cls, text: str) -> Message:
        """Take text that may mention arguments; a Message keeps its mentions."""
        raw = text.raw if isinstance(text, Message) else text
        message = super().__new__(cls, _replace(raw, Mention.in_python))
        message.raw = raw
        return message

    def render(self, spell: Callable[[Mention], str]) -> str:
        """Return the text with each mention spelled by `spell`."""
        return _replace(self.raw, spell)


def _replace(raw: str, spell: Callable[[Mention], str]) -> str:
    def spelled(found: re.Match[str]) -> str:
        kind, name, value = found.groups()
        return spell(Mention(kind, name, value))  # type: ignore[arg-type]

    return _MENTION.sub(spelled, raw)


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
    ...     "must lie strictly between 0 and 1", "got 95", f"Pass {arg('level', 0.95)}.",
    ...     argument="level",
    ... )
    >>> print(problem)
    `level` must lie strictly between 0 and 1; got 95. Pass level=0.95.
    """

    extra: str = ""

    def __init__(
        self, must: str, found: str = "", remedy: str = "", *, argument: str | None = None
    ) -> None:
        self.must, self.found, self.remedy = (_raw(part) for part in (must, found, remedy))
        self.argument = argument
        sentence = self.must if argument is None else f"{arg(argument)} {self.must}"
        if self.found:
            sentence += f"; {self.found}"
        if (self.found or self.remedy) and not sentence.endswith((".", "?", "!")):
            sentence += "."
        if self.remedy:
            sentence += f" {self.remedy}"
        self.message = Message(sentence)
        super().__init__(str(self.message))

    def rename(self, names: Mapping[str, str]) -> InputError:
        """Return the same error with renamed arguments.

        `names` maps old to new names. If `fpr` becomes `specificity`, its value or range is
        subtracted from 1.

        Examples
        --------
        >>> problem = InputError(f"must be as long as {arg('y_score')}", argument="y_true")
        >>> print(problem.rename({"y_true": "y_valid", "y_score": "score_valid"}))
        `y_valid` must be as long as `score_valid`
        """

        def renamed(raw: str) -> str:
            def spell(mention: Mention) -> str:
                name, value = mention.name, mention.value
                if mention.kind in ("argument", "value"):
                    name = names.get(name, name)
                if name == "specificity" != mention.name and mention.kind == "value":
                    value = _complement(value)
                return _encode(mention.kind, name, value)

            return _replace(raw, spell)

        parts = (renamed(part) for part in (self.must, self.found, self.remedy))
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


def _complement(text: str) -> str:
    """Write one minus a rate, or a range of rates, as Python code."""
    value = ast.literal_eval(text)
    if not isinstance(value, (tuple, list)):
        return f"{1.0 - float(value):.12g}"
    turned = [f"{1.0 - float(rate):.12g}" for rate in reversed(value)]
    return f"({', '.join(turned)})" if isinstance(value, tuple) else f"[{', '.join(turned)}]"


def _rebuild(
    kind: type[InputError], must: str, found: str, remedy: str, argument: str | None
) -> InputError:
    return kind(must, found, remedy, argument=argument)


def _raw(text: str) -> str:
    return text.raw if isinstance(text, Message) else text


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
