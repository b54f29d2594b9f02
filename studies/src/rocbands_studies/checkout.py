"""Where a checkout of the repository has pages, stores and results of studies."""

from __future__ import annotations

import gzip
from pathlib import Path

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "studies" / "docs"
STORES = ROOT / "studies" / "stores"
RESULTS = ROOT / "studies" / "results"
GOLDEN = ROOT / "tests" / "golden"


def find_store(name: str) -> Path:
    """Return the store of a page: that of a run in progress, or else the compressed one."""
    path = STORES / f"{name}.store"
    return path if path.exists() else path.with_suffix(".store.gz")


def unpack_store(name: str) -> Path:
    """Return the store of a page as a file to which a run can append."""
    path, packed = STORES / f"{name}.store", STORES / f"{name}.store.gz"
    if packed.exists() and not path.exists():
        path.write_bytes(gzip.decompress(packed.read_bytes()))
    return path


def pack_store(name: str) -> None:
    """Compress the store of a page after a run; the same content gives the same bytes."""
    path = STORES / f"{name}.store"
    if path.exists():
        packed = gzip.compress(path.read_bytes(), mtime=0)
        path.with_suffix(".store.gz").write_bytes(packed)
        path.unlink()
