"""One server for the tests of a module."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.client import Server


@pytest.fixture
def base() -> Iterator[Path]:
    """A folder for temporary files of servers; with a short name, as sockets need."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as name, Server(Path(name)) as running:
        yield running
