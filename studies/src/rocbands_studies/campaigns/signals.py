"""Signals at random moments of every command that takes a while.

However a command is ended: exit code 143 for SIGTERM and 130 for SIGINT, or 0 if it was done
before; no traceback; it ends within `GRACE` seconds; nothing is left beside the input but a whole
output or a store. SIGKILL, which nobody can answer, may leave a partial file beside the output
(its name begins with .rocbands-), but never a broken output: it is the old one or the new one.

``python -m rocbands_studies.campaigns.signals 200`` sends so many signals to exact counts alone, and counts the
exit codes.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from functools import cache
from pathlib import Path

from rocbands_studies.campaigns.invariants import BrokenError

GRACE = 20  # seconds
LINES = (
    "count rows.parquet -o out.parquet --exact",
    "count rows.parquet -o out.parquet",
    "band rows.csv --method fixed-width --resamples 20000 --plot out.png",
    "auc rows.csv --method bootstrap --resamples 100000",
    "report rows.csv -o out.html",
    "study own rows.csv --score score --replicates 2000 --workers 2 --store out.store",
)
OLD = b"what was there before"
SOURCE = str(Path(__file__).parents[2] / "src")


@cache
def make_rows() -> tuple[bytes, bytes]:
    """200,000 rows as Parquet, and 400 of them as CSV."""
    import io

    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 200_000)
    columns = {"label": y, "score": rng.normal(y), "score_b": rng.normal(y)}
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer, row_group_size=20_000)
    lines = (
        f"{a},{b:.6f},{c:.6f}\n" for a, b, c in list(zip(*columns.values(), strict=True))[:400]
    )
    return buffer.getvalue(), ("label,score,score_b\n" + "".join(lines)).encode()


def try_one(seed: int) -> str:
    """Start the command of this seed, end it, and return 'ended' or 'done'."""
    r = random.Random(seed)
    line = r.choice(LINES)
    number = r.choice((signal.SIGTERM, signal.SIGINT, signal.SIGKILL))
    return _try(line, number, r.uniform(0.0, 4.0))


def _try(line: str, number: signal.Signals, wait: float) -> str:
    with tempfile.TemporaryDirectory() as folder:
        for name, data in zip(("rows.parquet", "rows.csv"), make_rows(), strict=True):
            (Path(folder) / name).write_bytes(data)
        (Path(folder) / "tmp").mkdir()
        for word in line.split():
            if word.startswith("out.") and word != "out.store":
                (Path(folder) / word).write_bytes(OLD)
        try:
            return _run(line.split(), number, wait, folder)
        except Exception as problem:
            problem.add_note(f"rocbands {line}, {number.name} after {wait:.2f} s")
            raise


def check_output(path: Path, *, done: bool) -> None:
    """Refuse an output that is neither what was there before nor whole."""
    if path.suffix == ".store":
        return  # lines with checksums: the last one may be cut off
    data = path.read_bytes()
    ends = {".parquet": b"PAR1", ".svg": b"</svg>", ".png": b"IEND\xaeB`\x82", ".html": b"</html>"}
    if not (data == OLD and not done) and not data.rstrip().endswith(ends[path.suffix]):
        raise BrokenError(f"{path.name} is broken: {data[:50]!r} ... {data[-50:]!r}")


def _run(words: list[str], number: signal.Signals, wait: float, folder: str) -> str:
    env = {**os.environ, "TMPDIR": f"{folder}/tmp", "PYTHONPATH": SOURCE, "MPLBACKEND": "agg"}
    # The handlers stand once the command runs: a signal before that ends Python itself.
    start = (
        "import faulthandler, signal, sys; faulthandler.register(signal.SIGUSR1)\n"
        # A shell's background job ignores SIGINT, and hands that on.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from rocbands.cli import app; from rocbands.cli.app import end_on_signals\n"
        "with end_on_signals(): print('ready', file=sys.stderr, flush=True); app.main()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", start, *words],
        cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stderr is not None
        process.stderr.readline()
        time.sleep(wait)
        process.send_signal(number)
        try:
            _, said = process.communicate(timeout=GRACE)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGUSR1)  # it says where it is
            time.sleep(1)
            process.kill()
            _, said = process.communicate()
            raise BrokenError(f"{number.name} is ignored for {GRACE} s: {said}") from None
    # Before and after the command Python's own handler ends the process; shells say the same.
    if process.returncode not in (0, 128 + number, -number):
        raise BrokenError(f"exit code {process.returncode} after {number.name}: {said[-3000:]}")
    if "Traceback" in said and process.returncode != -number:
        raise BrokenError(f"a traceback: {said[-3000:]}")
    for word in words:
        if word.startswith("out."):
            check_output(Path(folder) / word, done=process.returncode == 0)
    if number == signal.SIGKILL:
        return "killed" if process.returncode else "done"
    known = {"rows.parquet", "rows.csv", "tmp"} | {word for word in words if word[:4] == "out."}
    left = [name for name in os.listdir(folder) if name not in known] + os.listdir(f"{folder}/tmp")
    if left:
        raise BrokenError(f"left behind: {left}")
    return "ended" if process.returncode else "done"


def main() -> None:
    """Send signals at 0 to 2 seconds into exact counts, SIGTERM and SIGINT in turn."""
    outcomes: Counter[str] = Counter()
    for case in range(int(sys.argv[1])):
        number = (signal.SIGTERM, signal.SIGINT)[case % 2]
        try:
            outcome = _try(LINES[0], number, random.Random(case).uniform(0.0, 2.0))
        except BrokenError as problem:
            outcome = f"broken: {problem}"
            print(f"case {case}: {outcome}", flush=True)
        outcomes[f"{number.name} {outcome}"] += 1
    print(*(f"{outcome}: {count}" for outcome, count in sorted(outcomes.items())), sep="\n")
    sys.exit(any("broken" in outcome for outcome in outcomes))


if __name__ == "__main__":
    main()
