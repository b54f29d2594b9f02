"""Run the command line as ``python -m rocbands``."""

from __future__ import annotations

from rocbands.cli import main

main()
