"""The machine that numbers were measured on, in a sentence."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path

__all__ = ["description"]

_PACKAGES = ("numpy", "scipy", "scikit-learn", "rocci", "pauc", "confidenceinterval", "MLstatkit")


def description() -> str:
    """Say what the processor is, how many there are, and which versions were used."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"Measured on {platform.system()}, {_processor()}, {os.cpu_count()} cores, "
        f"{memory:.0f} GB; Python {platform.python_version()}, {', '.join(_versions())}."
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def _versions() -> list[str]:
    found = []
    for name in _PACKAGES:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
