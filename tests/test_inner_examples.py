"""The worked examples in inner_examples.txt give what they say."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

TEXT = (Path(__file__).parent / "inner_examples.txt").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^(rocbands\S*) (\S+)\n((?:    .*\n|\n)+)", TEXT + "\n", re.MULTILINE)


def test_every_example_is_found() -> None:
    assert len(EXAMPLES) == len(re.findall(r"^rocbands", TEXT, re.MULTILINE))


@pytest.mark.parametrize(
    ("module", "name", "text"), EXAMPLES, ids=[f"{m}.{n}" for m, n, _ in EXAMPLES]
)
def test_inner_example(module: str, name: str, text: str) -> None:
    names = dict(vars(import_module(module)))
    assert name.partition(".")[0] in names
    example = doctest.DocTestParser().get_doctest(text, names, name, None, None)
    assert example.examples
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example)
    assert result.failed == 0
