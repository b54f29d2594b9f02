"""Try random calls, relations, files and signals for some time: ``make fuzz SECONDS=600 SEED=1``.

Prints the seed of each case that breaks an invariant (campaigns/invariants.py) or a relation
(campaigns/relations.py), once for each kind of failure, then what was reached: results of each
function, and how often each argument was given with a result. The exit code is 1 if something
broke; or if a function gave no result, or never with one of its arguments, in a campaign of at
least `ENOUGH` calls. One case again::

    python -m rocbands_studies.campaigns calls --only 1234
"""

from __future__ import annotations

import argparse
import inspect
import sys
import time
import traceback
from collections import Counter
from importlib import import_module
from pathlib import Path

from rocbands_studies.campaigns.calls import list_functions
from rocbands_studies.campaigns.reach import Reach

KINDS = {
    "calls": 0.35,
    "relations": 0.2,
    "samples": 0.05,
    "files": 0.25,
    "signals": 0.1,
    "kills": 0.05,
}  # share of the time
ENOUGH = 10_000  # calls, after which every function and argument must have been reached


def place_of(problem: BaseException) -> str:
    """Where in rocbands an exception was raised: failures at the same place are one."""
    frames = traceback.extract_tb(problem.__traceback__)
    ours = [frame for frame in frames if "rocbands" in Path(frame.filename).parts] or frames
    where = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"
    return f"{type(problem).__name__} at {where}: {str(problem)[:150]}"


def fuzz(
    kind: str, first: int, seconds: float, reach: Reach
) -> tuple[Counter[str], dict[str, list[int]]]:
    """Try cases from seed `first` on until the time is over."""
    try_one = import_module(f"rocbands_studies.campaigns.{kind}").try_one
    more = {"reach": reach} if "reach" in inspect.signature(try_one).parameters else {}
    outcomes: Counter[str] = Counter()
    failures: dict[str, list[int]] = {}
    end, seed = time.monotonic() + seconds, first
    while time.monotonic() < end:
        try:
            outcomes[try_one(seed, **more)] += 1
        except Exception as problem:
            outcomes["broken"] += 1
            seeds = failures.setdefault(place_of(problem), [])
            if not seeds:
                words = " ".join(getattr(problem, "__notes__", []))
                print(f"{kind} --only {seed}: {place_of(problem)}\n    {words[:600]}", flush=True)
            seeds.append(seed)
        seed += 1
    return outcomes, failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0, help="of the first case")
    parser.add_argument("--only", type=int, help="try this case alone, and show its traceback")
    asked = parser.parse_args()
    kinds = asked.kinds or list(KINDS)
    if asked.only is not None:
        (kind,) = kinds
        print(import_module(f"rocbands_studies.campaigns.{kind}").try_one(asked.only))
        return 0
    total, broken, reach = sum(KINDS[kind] for kind in kinds), 0, Reach()
    for kind in kinds:
        outcomes, failures = fuzz(kind, asked.seed, asked.seconds * KINDS[kind] / total, reach)
        broken += len(failures)
        counts = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())
        print(f"{kind}: {sum(outcomes.values())} cases from seed {asked.seed} on: {counts}")
        for words, seeds in failures.items():
            print(f"  {len(seeds)} times, first --only {seeds[0]}: {words}")
    if "relations" in kinds:
        print(f"\n{reach.relations_table()}")
    if "calls" in kinds:
        gaps = reach.list_gaps(list_functions())
        print(f"\n{reach.table(list_functions())}", *gaps, sep="\n")
        broken += len(gaps) if reach.calls >= ENOUGH else 0
    return min(broken, 1)


if __name__ == "__main__":
    sys.exit(main())
