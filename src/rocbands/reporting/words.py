"""Headings and sentences of a report, from one file: words.toml."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

_WORDS = tomllib.loads(files("rocbands.reporting").joinpath("words.toml").read_text("utf-8"))
HEADINGS: dict[str, str] = _WORDS["headings"]
QUANTITIES: dict[str, str] = _WORDS["group"]["quantities"]  # by which groups are compared
SECTIONS: dict[str, str] = _WORDS["sections"]  # that may be missing
PARTS: dict[str, str] = _WORDS["parts"]  # what a method is for
COMPONENTS: dict[str, str] = _WORDS["readers"]["components"]  # of variance
MENU: dict[str, str] = _WORDS["menu"]  # sections in the order of the page


def name_kinds(kind: str) -> str:
    """Return the word for several models, groups or classes."""
    return {"model": "models", "group": "groups", "class": "classes"}[kind]


def find_headings(kind: str) -> tuple[dict[str, str], dict[str, str]]:
    """Headings and menu entries of a report on models, groups, classes or readers."""
    own = _WORDS.get(kind, {})
    menu = own.get("menu", {})
    if kind != "readers":  # whose page has sections of its own
        menu = {key: menu.get(key, MENU[key]) for key in MENU}
    return HEADINGS | own.get("headings", {}), menu


def name_section(section: str) -> str:
    """Return what a missing part of the report is called; a detail may follow after a colon.

    Examples
    --------
    >>> name_section("points"), name_section("bands: fixed-width")
    ('True positive rates at fixed false positive rates', 'Bands: fixed-width')
    """
    part, colon, detail = section.partition(": ")
    return f"{SECTIONS.get(part, part)}{colon}{detail}"


def say(part: str, key: str, **values: Any) -> str:
    """Return a sentence, filled in.

    Examples
    --------
    >>> say("trust", "strata", strata=1200)
    'Rows were sampled in 1,200 strata.'
    """
    sentence: str = _WORDS[part][key].format(headings=HEADINGS, **values)
    return sentence
