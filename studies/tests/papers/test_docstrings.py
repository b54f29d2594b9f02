"""Examples in docstrings run, and no paper is loaded before its study is asked for."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import rocbands_studies.papers

MODULES = [
    module.name
    for module in pkgutil.walk_packages(
        rocbands_studies.papers.__path__, "rocbands_studies.papers."
    )
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0
