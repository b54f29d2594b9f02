"""The command line: one short module for each command, loaded when it is called."""

from __future__ import annotations

from rocbands.cli.app import main

__all__ = ["main"]
