"""Every result answers in a sentence first, in words without statistics."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

from tests.core.test_results import MAKE, make

STATISTICS = re.compile(
    r"\bp [=<]|simultaneous|pointwise|delong|wilson|mover|\bnan\b|\binf\b", re.I
)


@pytest.mark.parametrize("name", MAKE)
def test_the_answer_comes_first_everywhere(name: str) -> None:
    result = make(name)
    said = result.sentence
    assert said.endswith("."), said
    assert 10 < len(said) < 500
    assert (
        said[0].isupper()
        or said[0].isdigit()
        or said.partition(" ")[0].rstrip(":,") in {"a", "b", "model", "own"}
    ), said
    if name not in {"Methods", "Designs"}:
        assert not STATISTICS.search(said), said
    plain = " ".join(said.split())
    assert " ".join(str(result).split()).startswith(plain)
    record = json.loads(result.to_json())
    assert list(record)[:2] == ["schema", "sentence"]
    assert record["sentence"] == said
    shown = " ".join(unescape(re.sub(r"<[^>]+>", " ", result._repr_html_())).split())
    assert plain.replace(" ", "") in shown.replace(" ", "")
