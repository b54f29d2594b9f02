"""What a campaign reached: results of each function, and the arguments that were given to it."""

from __future__ import annotations

import inspect
from collections import Counter
from typing import Any

import numpy as np

from rocbands_studies.campaigns.data import Call

OUTCOMES = ("result", "refused", "broken")

# Arguments that no result needs to have been given.
NOT_GIVEN: dict[str, str] = {
    "ScoreCounts.from_arrays(mask)": "of single rows, which relations reorder; tests/scale asks"
}


class Reach:
    """Counts of calls by function and outcome, and of arguments in calls that gave a result."""

    def __init__(self) -> None:
        self.outcomes: Counter[tuple[str, str]] = Counter()
        self.given: Counter[tuple[str, str]] = Counter()
        self.relations: Counter[tuple[str, str]] = Counter()
        self.calls = 0

    def count_relation(self, relation: str, outcome: str) -> None:
        """Count a relation that was checked (campaigns/relations.py)."""
        self.relations[relation, outcome] += 1

    def count(self, call: Call, outcome: str) -> None:
        """Count a call; those in its arguments gave a result if the whole did."""
        self.calls += 1
        for one in call.walk():
            if one is call or outcome == "result":
                self.outcomes[one.name, outcome] += 1
            if outcome != "result":
                continue
            parameters = inspect.signature(one.function).parameters
            for name, value in one.given.items():
                parameter = parameters.get(name)
                if parameter is None or _is_other(value, parameter.default):
                    self.given[one.name, name] += 1

    def list_gaps(self, functions: dict[str, Any]) -> list[str]:
        """Name functions without a result, and arguments that no result was given."""
        gaps = []
        for name, function in functions.items():
            if not self.outcomes[name, "result"]:
                gaps.append(f"rb.{name} gave no result")
                continue
            gaps += [
                f"rb.{name} gave no result with `{argument}`"
                for argument in list_arguments(function)
                if not self.given[name, argument] and f"{name}({argument})" not in NOT_GIVEN
            ]
        return gaps

    def table(self, functions: dict[str, Any]) -> str:
        """Results, refusals and faults by function, and how often each argument was given."""
        lines = [f"{'function':30} {'result':>7} {'refused':>7} {'broken':>7}  given with a result"]
        for name, function in functions.items():
            counts = " ".join(f"{self.outcomes[name, outcome]:7}" for outcome in OUTCOMES)
            given = ", ".join(
                f"{argument} {self.given[name, argument]}" for argument in list_arguments(function)
            )
            lines.append(f"{name:30} {counts}  {given}")
        return "\n".join(lines)

    def relations_table(self) -> str:
        """How often each relation held, and how often it said nothing."""
        kinds = ("held", "broken", "refused", "excepted", "not asked")
        lines = [" ".join([f"{'relation':12}", *(f"{kind:>9}" for kind in kinds)])]
        for relation in sorted({name for name, _ in self.relations}):
            counts = (f"{self.relations[relation, kind]:9}" for kind in kinds)
            lines.append(" ".join([f"{relation:12}", *counts]))
        return "\n".join(lines)


def list_arguments(function: Any) -> list[str]:
    """Return the names of the arguments that a function declares."""
    return [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        and name != "self"
    ]


def _is_other(value: Any, default: Any) -> bool:
    """Tell whether a value is not the default."""
    if value is default:
        return False
    if isinstance(value, np.ndarray | Call) or type(value) is not type(default):
        return True
    return bool(value != default)
