"""Kill every command that writes with SIGKILL, start it again, and compare with a calm run.

Nobody can answer SIGKILL. A command is killed one to three times at random moments and then runs
to its end. After each kill the output is the old one or the new one, never a part; at the end it
has the same bytes as the output of a run that was left alone, and so has the standard output of a
study, which goes on from its store.

``python -m rocbands_studies.campaigns kills --seconds 600`` tries this for ten minutes.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

from rocbands_studies.campaigns.invariants import BrokenError
from rocbands_studies.campaigns.signals import OLD, SOURCE, check_output, make_rows

LINES = (
    "count rows.parquet -o out.parquet --exact",
    "count rows.parquet -o out.parquet",
    "merge rows-1.parquet rows-2.parquet -o out.parquet",
    "band rows.csv --seed 1 --plot out.png",
    "band rows.csv --method fixed-width --resamples 20000 --seed 1 --plot out.png",
    "auc rows.csv --method bootstrap --resamples 100000 --seed 1 --plot out.png",
    "points rows.csv --fpr 0.1 --seed 1 --plot out.png",
    "difference rows.csv --seed 1 --plot out.svg",
    "report rows.csv --seed 1 -o out.html",
    "study own rows.csv --score score --replicates 300 --seed 1 --store out.store",
    "study own rows.csv --score score --replicates 300 --seed 1 --workers 2 --store out.store",
)


def _start(words: list[str], folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "rocbands", *words],
        cwd=folder,
        # The date of pictures and reports is that of SOURCE_DATE_EPOCH.
        env={**os.environ, "PYTHONPATH": SOURCE, "MPLBACKEND": "agg", "SOURCE_DATE_EPOCH": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _run_to_end(words: list[str], folder: Path) -> tuple[str, bytes]:
    process = _start(words, folder)
    printed, said = process.communicate(timeout=300)
    if process.returncode:
        raise BrokenError(f"exit code {process.returncode}: {said[-2000:]}")
    output = _find_output(words, folder)
    # Lines of a store come in the order in which workers end; the printed table is compared.
    return (printed, b"") if output.suffix == ".store" else ("", output.read_bytes())


def _find_output(words: list[str], folder: Path) -> Path:
    return next(folder / word for word in words if word.startswith("out."))


def _fill(folder: Path) -> None:
    """Write the inputs: rows, and two files of counts for `merge`."""
    for name, data in zip(("rows.parquet", "rows.csv"), make_rows(), strict=True):
        (folder / name).write_bytes(data)
    for number in (1, 2):
        shutil.copy(_count_rows(), folder / f"rows-{number}.parquet")


@cache
def _count_rows() -> Path:
    folder = Path(tempfile.mkdtemp())
    (folder / "rows.parquet").write_bytes(make_rows()[0])
    process = _start(["count", "rows.parquet", "-o", "out.parquet"], folder)
    _, said = process.communicate()
    if process.returncode:
        raise BrokenError(said)
    return folder / "out.parquet"


@cache
def _run_undisturbed(line: str) -> tuple[tuple[str, bytes], float]:
    """What a run that is left alone prints or writes, and how many seconds it takes."""
    with tempfile.TemporaryDirectory() as name:
        _fill(Path(name))
        start = time.monotonic()
        return _run_to_end(line.split(), Path(name)), time.monotonic() - start


def try_one(seed: int) -> str:
    """Kill the command of this seed, run it again, and return how often it was killed."""
    r = random.Random(seed)
    line = r.choice(LINES)
    wanted, seconds = _run_undisturbed(line)
    words, killed = line.split(), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _fill(folder)
        output = _find_output(words, folder)
        if output.suffix != ".store":
            output.write_bytes(OLD)
        for _ in range(r.randint(1, 3)):
            process = _start(words, folder)
            time.sleep(r.uniform(0.0, 1.05 * seconds))
            os.killpg(process.pid, 9) if process.poll() is None else None
            process.communicate()
            killed += process.returncode == -9
            check_output(output, done=process.returncode == 0)
        if _run_to_end(words, folder) != wanted:
            raise BrokenError(f"another result after {killed} kills: rocbands {line}")
    return f"killed {killed} times"
