"""Results of the version that stands, kept while the package is restructured.

`python -m tests.pins` calls the package as it is and compares numbers, notes, texts, warnings and
refusals with the store; it exits with 1 if anything differs. `--write` makes the store. On another
processor than the one that made it use `--tolerance 1e-6`; a few entries, such as the design effect
of a spread that is 0, then still differ.
"""

from __future__ import annotations

import argparse
import fnmatch
import gzip
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.pins.others import list_all
from tests.pins.records import Difference, compare, record_call

STORE = Path(__file__).parent / "pins.json.gz"


def read_store() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress(STORE.read_bytes()))
    return found


def write_store(pins: dict[str, Any]) -> None:
    text = json.dumps(dict(sorted(pins.items())), separators=(",", ":"), ensure_ascii=False)
    STORE.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def matches(key: str, pattern: str | None) -> bool:
    return pattern is None or fnmatch.fnmatch(key, f"*{pattern}*")


def record_all(pattern: str | None = None) -> dict[str, Any]:
    """Make every call whose key matches, and return the records as they are read from the store."""
    found: dict[str, Any] = {}
    for key, call in list_all():
        if matches(key, pattern) and key not in found:
            found[key] = record_call(call)
    read: dict[str, Any] = json.loads(json.dumps(found))
    return read


def compare_all(
    stored: dict[str, Any], present: dict[str, Any], tolerance: float
) -> dict[str, list[Difference]]:
    """Return the differences by key; an entry that is gone is one, a new one is not."""
    gone = Difference("gone", "", "stored", "no such call")
    found = {
        key: compare(record, present[key], tolerance) if key in present else [gone]
        for key, record in stored.items()
    }
    return {key: differences for key, differences in found.items() if differences}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.pins", description=__doc__)
    parser.add_argument("--only", metavar="PATTERN", help="only keys that contain this pattern")
    parser.add_argument("--write", action="store_true", help="make the store, or renew --only")
    parser.add_argument("--show", metavar="PATTERN", help="print stored and present values of keys")
    parser.add_argument("--tolerance", type=float, default=1e-12, help="absolute or relative")
    parser.add_argument("--lines", type=int, default=20, help="differences to print")
    asked = parser.parse_args()
    pattern = asked.show or asked.only
    began = time.process_time()
    present = record_all(pattern)
    took = time.process_time() - began
    refused = sum("refusal" in record for record in present.values())
    print(f"{len(present)} entries, {refused} refused, {took:.0f} s of processor time")
    if asked.write:
        kept = {} if pattern is None else read_store()
        write_store({k: v for k, v in kept.items() if not matches(k, pattern)} | present)
        print(f"written: {STORE.stat().st_size / 1e6:.2f} MB")
        return 0
    stored = {key: record for key, record in read_store().items() if matches(key, pattern)}
    if asked.show:
        for key in sorted({*stored, *present}):
            print(key)
            for name, record in {"stored": stored, "present": present}.items():
                print(f"  {name:8}", json.dumps(record.get(key), ensure_ascii=False))
    found = compare_all(stored, present, asked.tolerance)
    kinds = Counter(kind for ds in found.values() for kind in {d.kind for d in ds})
    listed = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
    print(
        f"{len(found)} of {len(stored)} stored entries differ by more than {asked.tolerance:g}",
        end="",
    )
    print(f" ({listed})" * bool(listed), f"; {len({*present} - {*stored})} are new", sep="")
    worst = {key: max(differences, key=lambda d: d.size) for key, differences in found.items()}
    for key, one in sorted(worst.items(), key=lambda item: -item[1].size)[: asked.lines]:
        print(f"{one.size:8.1e} {key}\n         {one.place}: {one.stored!r} -> {one.present!r}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
