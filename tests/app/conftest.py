"""One server for all tests that leave it as it is."""

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


# It starts a second process that loads the library: two seconds of work for each server.
@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as name, Server(Path(name)) as running:
        yield running
