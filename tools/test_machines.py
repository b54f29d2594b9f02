"""Run the tests as other machines would: ``make test-machines``.

Kernels of OpenBLAS and vector instructions of NumPy are chosen by environment variables, so that
one processor stands for several; what it does not have is said and left out. Other machines have
another locale, other temporary folders, no home, or a checkout in a folder with an umlaut. At the
end the numbers of all calls of `tests.pins` are compared between the kernels.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from tests.pins.__main__ import compare_all
from tests.pins.records import Difference

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = (
    "_math auc bands calibration comparison core cost decision design likelihood multiclass "
    "overview planning points precision rates readers resample smooth subgroup two_sided views"
)
NUMERIC = [f"tests/{name}" for name in FOLDERS.split()]
FILES = ["tests/io", "tests/cli", "studies/tests/engine", "tests/test_first_steps.py"]
TOLERANCE = 1e-9
# A Monte Carlo standard error is a difference of neighbouring quantiles, times the odds of a
# threshold in net benefit: rounding errors are up to a thousand times those of a limit. Two of its
# digits are shown.
OF_ERRORS = 1e-6
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")

# What NumPy and OpenBLAS use in a process: kernels, features that are on, those that can be off.
LOOK = """
import json, numpy, scipy.linalg, threadpoolctl
from numpy._core._multiarray_umath import __cpu_dispatch__ as can, __cpu_features__ as has
kernels = {one.get("architecture", "?") for one in threadpoolctl.threadpool_info()}
print(json.dumps([sorted(kernels), *([k for k in names if has[k]] for names in (has, can))]))
"""
RECORD = """
import json, sys
from tests.pins.__main__ import record_all
json.dump(record_all(), open(sys.argv[1], "w", encoding="utf-8"))
"""


class Machine(NamedTuple):
    """Environment of a run; None removes a variable."""

    name: str
    tests: list[str]
    kernel: str = ""  # OPENBLAS_CORETYPE
    needs: str = ""  # feature of the processor that the kernel needs
    off: str = ""  # features of NumPy that are off: a pattern
    threads: int = 1  # of OpenBLAS
    place: str = ""  # folder in which the checkout is cloned, and the temporary folder lies
    more: Mapping[str, str | None] = MappingProxyType({})


AVX512 = r"AVX512|X86_V4"
MACHINES = [
    Machine("Haswell", NUMERIC, "Haswell", "AVX2"),
    Machine("SkylakeX", NUMERIC, "SkylakeX", "AVX512_SKX"),
    Machine("Nehalem, no AVX2", NUMERIC, "Nehalem", "SSE42", off="."),
    Machine("Sandybridge, no AVX-512, 2 threads", NUMERIC, "Sandybridge", "AVX", AVX512, 2),
    Machine("Zen", NUMERIC, "Zen", "AVX2"),
    Machine("locale C", FILES, more={"LC_ALL": "C", "PYTHONUTF8": "0", "LANG": None}),
    Machine("no HOME, folders 'Öd Pfad ü'", FILES, place="Öd Pfad ü", more={"HOME": None}),
]


def main() -> int:
    """Run all machines; return 1 if a test failed or a number differs."""
    parser = argparse.ArgumentParser(prog="python -m tools.test_machines", description=__doc__)
    parser.add_argument("--only", default="", help="only machines whose name contains this")
    asked = parser.parse_args()
    failed, seen, records = False, dict[tuple[str, ...], str](), dict[str, Any]()
    _, has, can = look({**os.environ})
    with tempfile.TemporaryDirectory() as folder:
        for machine in MACHINES:
            if asked.only not in machine.name:
                continue
            if machine.needs and machine.needs not in has:
                print(f"{machine.name}: left out, the processor has no {machine.needs}", flush=True)
                continue
            environment = set_environment(machine, can)
            kernels, on, _ = look(environment)
            used = *kernels, *on, str(machine.threads), machine.place, *map(str, machine.more)
            if used in seen:
                print(f"{machine.name}: left out, the same as {seen[used]}", flush=True)
                continue
            seen[used] = machine.name
            print(f"{machine.name} ({', '.join(kernels)}): ", end="", flush=True)
            failed |= not run_tests(machine, environment, Path(folder))
            if machine.kernel:
                records[machine.name] = record(environment, Path(folder, "record.json"))
    return int(compare_records(records) or failed)


def look(environment: dict[str, str]) -> list[list[str]]:
    """Return kernels of OpenBLAS, features of the processor, and those that NumPy can leave."""
    found = subprocess.run(
        [sys.executable, "-c", LOOK], env=environment, check=True, capture_output=True, text=True
    )
    kinds: list[list[str]] = json.loads(found.stdout)
    return kinds


def set_environment(machine: Machine, can: list[str]) -> dict[str, str]:
    """Return the environment of a machine; `can`: features that NumPy can leave."""
    kept = {k: v for k, v in os.environ.items() if machine.more.get(k, "") is not None}
    made = kept | {k: v for k, v in machine.more.items() if v is not None}
    made |= dict.fromkeys(THREADS, str(machine.threads))
    if machine.kernel:
        made["OPENBLAS_CORETYPE"] = machine.kernel
    if machine.off:  # NumPy warns about features that it cannot switch off
        made["NPY_DISABLE_CPU_FEATURES"] = " ".join(k for k in can if re.match(machine.off, k))
    return made


def run_tests(machine: Machine, environment: dict[str, str], folder: Path) -> bool:
    """Run the tests of a machine and print their numbers, and the names of those that fail."""
    here = ROOT
    if machine.place:
        here, temporary = folder / machine.place / "checkout", folder / machine.place / "tmp"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(here)], check=True)
        temporary.mkdir()
        paths = os.pathsep.join(map(str, (here / "src", here / "studies/src", here)))
        environment = environment | {"TMPDIR": str(temporary), "PYTHONPATH": paths}
    began = time.monotonic()
    command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "--dist", "worksteal"]
    command += ["-p", "no:cacheprovider", "-m", "not simulation", *machine.tests]
    done = subprocess.run(command, cwd=here, env=environment, capture_output=True, check=False)
    lines = done.stdout.decode("utf-8", "replace").splitlines() or [done.stderr.decode()]
    print(f"{lines[-1].strip('= ')} ({time.monotonic() - began:.0f} s)", flush=True)
    for line in lines:
        if line.startswith(("FAILED", "ERROR")):
            print(f"  {line}", flush=True)
    return done.returncode == 0


def record(environment: dict[str, str], path: Path) -> Any:
    """Return the results of all pinned calls on a machine."""
    subprocess.run([sys.executable, "-c", RECORD, str(path)], cwd=ROOT, env=environment, check=True)
    return json.loads(path.read_text(encoding="utf-8"))


def compare_records(records: dict[str, Any]) -> bool:
    """Print what differs from the first kernel; return whether anything does."""
    if len(records) < 2:
        print("Numbers of kernels were not compared: there are no two records")
        return False
    differs = False
    first, *others = records
    for name in others:
        found = compare_all(records[first], records[name], TOLERANCE)
        large = {
            key: gaps
            for key, every in found.items()
            if (gaps := [gap for gap in every if not is_error(gap) or gap.size > OF_ERRORS])
        }
        differs |= bool(large)
        print(f"{name}, {first}: {len(large)} of {len(records[first])} calls differ by {TOLERANCE}")
        for key, gaps in large.items():
            for gap in gaps[:3]:
                print(f"  {key} {gap.place}: {gap.stored} and {gap.present}")
    return differs


def is_error(gap: Difference) -> bool:
    """Whether a number that differs is a Monte Carlo standard error."""
    return gap.kind == "number" and gap.place.endswith(("simulation.error", "pvalue_error"))


if __name__ == "__main__":
    sys.exit(main())
