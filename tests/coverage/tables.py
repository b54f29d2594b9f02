"""The study's figures as pages of documentation."""

from pathlib import Path


def write_tables(results: Path) -> None:
    pass
