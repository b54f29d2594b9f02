"""Broken, mixed and hostile files through the command line, in this process.

A case takes a valid file, or one that `make` builds from random parts, damages it or not, and runs
a command that reads it and perhaps writes. Whatever the file is: exit code 0 or 2; if 2, one line
on stderr and nothing on stdout; the file itself is as before; nothing else is in the folder but an
output that was asked for, and that only after success.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from rocbands.cli import main
from rocbands_studies.campaigns.invariants import PATIENCE, BrokenError, check_sentence, time_limit

TOKENS = (
    b"\0", b"\xff", b"\xe9", b'"', b",", b";", b"\t", b"\n", b"\r", b"nan", b"inf", b"-", b"{", b"}",
    b"[" * 200, b"1e999", b"9" * 30, b"0x1", b"\xef\xbb\xbf", b"PAR1", b"\x1f\x8b", b"''", b"=1+1",
    b"$x_$", "\u202e".encode(), b" ", b"#", b"null", b"true",
)  # fmt: skip
CELLS = (
    "0",
    "1",
    "",
    "nan",
    "inf",
    "-inf",
    "1e999",
    "x",
    "0.5",
    "1_0",
    " 1",
    '"a"',
    "9" * 25,
    "=1",
    "-0",
)
NAMES = ("label", "score", "score_b", "y", "$x_$", "=cmd", "fold", "bin", "positives", "", "score ")

COMMANDS = (
    "auc F", "auc F --score score", "auc F --json", "band F", "band F --method joint-region",
    "band F --level 0.5 --format csv", "roc F --format safe-csv", "points F --fpr 0.1",
    "cost F", "rate F", "report F -o out.html", "report F -o F", "auc F --plot out.png",
    "auc F --plot F", "count F -o out.parquet", "count F -o F", "count F -o out.parquet --exact",
    "merge F -o out.parquet", "count F F -o out.parquet", "auc F --clusters fold", "band F --folds fold", "compare F",
    "difference F --resamples 50", "study own F --replicates 20 --workers 1 --store out.store",
    "auc F --label label --positive 1", "auc F --method bootstrap --resamples 99 --seed 1",
    "auc F --format latex", "cost F --w 0.5 --format markdown", "cost F --validation good.csv",
    "cost good.csv --validation F --w 0.5", "points F --threshold 0.5", "band F --future 20,30",
)  # fmt: skip
STORE = "study own good.csv --score score --replicates 20 --workers 1 --store F"
WEIGHTS = [1 if "study" in line or "report" in line else 4 for line in COMMANDS]
GOOD = b"label,score,score_b,fold\n" + b"".join(
    b"%d,%d,%d,%d\n" % (i % 2, i * 7 % 11, i * 5 % 13, i % 3) for i in range(24)
)


def build_rows(r: random.Random) -> bytes:
    """Delimited text of random names and cells."""
    comma = r.choice((",",) * 12 + ("\t", ";"))
    names = r.sample(NAMES, r.randint(1, 4))
    if r.random() < 0.9:
        names = ["label", "score", *r.sample(NAMES[2:7], r.randint(0, 2))]
    odd = r.random() < 0.4
    lines = [comma.join(names)]
    for _ in range(r.choice((0, 1, 2, 20, 20, 40, 60, 60, 90))):
        cells = [str(r.randint(0, 1)), *(f"{r.gauss(0, 1):.2f}" for _ in names[1:])]
        if odd and r.random() < 0.05:
            cells[r.randrange(len(cells))] = r.choice(CELLS)
        lines.append(comma.join(cells[: None if r.random() < 0.999 else -1]))
    end = r.choice(("\n", "\n", "\r\n", "\r"))
    text = end.join([*lines, ""] if r.random() < 0.9 else lines)
    return text.encode(r.choice(("utf-8",) * 8 + ("utf-16", "latin-1")))


def build_lines(r: random.Random) -> bytes:
    """JSON lines, of which some may be something else."""
    rows: list[Any] = [
        {"label": i % 2, "score": r.gauss(0, 1), "fold": i % 3}
        for i in range(r.choice((1, 20, 60)))
    ]
    if r.random() < 0.3:
        odd = ({}, [], None, {"label": 1}, {"label": {}, "score": []}, {"score": float("nan")}, 7)
        rows[r.randrange(len(rows))] = r.choice(odd)
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def build_parquet(r: random.Random) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    size = r.choice((1, 20, 60))
    columns = {
        "label": r.choice(([i % 2 for i in range(size)], [str(i % 2) for i in range(size)])),
        "score": r.choice(
            (
                [r.gauss(0, 1) for _ in range(size)],
                [r.gauss(0, 1) for _ in range(size)],
                [i * 7 % 11 for i in range(size)],
                [None] * size,
            )
        ),
        r.choice(NAMES[2:]) or "z": [i % 3 for i in range(size)],
    }
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer, row_group_size=r.choice((7, 100)))
    return buffer.getvalue()


def build_counts(r: random.Random) -> bytes:
    most = r.choice((3, 1000, 1000, 10**9, 10**12, 10**14, 10**16, 2**63))
    rows = (f"a,{i},{r.randint(0, most)},{r.randint(0, most)}\n" for i in range(r.randint(1, 8)))
    return ("model,bin,positives,negatives\n" + "".join(rows)).encode()


def build_store(r: random.Random) -> bytes:
    """A study's store, with right checksums around contents that may be wrong."""
    import zlib

    def sealed(fields: Any) -> str:
        text = json.dumps(fields)
        return f"{zlib.crc32(text.encode()):08x} {text}\n"

    head = r.choice(({"format": "rocbands.study/1", "seed": 1}, {"format": "rocbands.study/1"}, []))
    odd = (float("nan"), "x", None, [], {}, -1, True, 10**400, [1, float("inf")])
    lines = [sealed(head)]
    for start in range(0, 60, 20):
        fields = {
            "cell": "a", "start": start, "stop": start + 20, "total": {"holds": 19.0},
            "squares": {"holds": 19.0}, "seconds": 0.1,
        }  # fmt: skip
        if r.random() < 0.4:
            fields[r.choice(list(fields))] = r.choice(odd)
        lines.append(sealed(fields))
    return "".join(lines).encode()


BUILDERS: tuple[tuple[Callable[[random.Random], bytes], str], ...] = (
    (build_rows, "csv"),
    (build_rows, "csv"),
    (build_lines, "jsonl"),
    (build_parquet, "parquet"),
    (build_counts, "csv"),
    (build_store, "store"),
)


def damage(r: random.Random, data: bytes) -> bytes:
    """Cut, repeat, flip or insert, a few times."""
    for _ in range(r.choice((1, 1, 2, 5))):
        at, end = sorted((r.randint(0, len(data)), r.randint(0, len(data))))
        how = r.randrange(5)
        if how == 0:
            data = data[:at] + r.choice(TOKENS) + data[at:]
        elif how == 1 and data:
            at = min(at, len(data) - 1)
            data = data[:at] + bytes([data[at] ^ (1 << r.randrange(8))]) + data[at + 1 :]
        elif how == 2:
            data = data[:at] + data[min(end, at + 40) :]
        elif how == 3:
            data = data[:at]
        else:
            data = data[:at] + data[at:end] * r.choice((2, 3)) + data[end:]
    return data


def try_one(seed: int) -> str:
    """Run the command of this seed, check what it left, and return 'result' or 'refused'."""
    r = random.Random(seed)
    build, suffix = r.choice(BUILDERS)
    data = damage(r, build(r)) if r.random() < 0.4 else build(r)
    if r.random() < 0.1:
        data, suffix = gzip.compress(data), f"{suffix}.gz"
        data = damage(r, data) if r.random() < 0.5 else data
    name = "f." + (
        suffix if r.random() < 0.9 else r.choice(("csv", "parquet", "txt", "html", "png"))
    )
    (line,) = r.choices(COMMANDS, WEIGHTS)
    line = STORE if suffix.startswith("store") else line
    words = [name if word == "F" else word for word in line.split()]
    with tempfile.TemporaryDirectory() as folder:
        before = os.getcwd()
        os.chdir(folder)
        try:
            Path(name).write_bytes(data)
            Path("good.csv").write_bytes(GOOD)
            return _run(words, name, data)
        except Exception as problem:
            problem.add_note(f"rocbands {' '.join(words)}, {name} being {data[:200]!r}")
            raise
        finally:
            os.chdir(before)


def _run(words: list[str], name: str, data: bytes) -> str:
    import matplotlib

    matplotlib.use("agg")
    with time_limit(PATIENCE):
        done = CliRunner().invoke(main, words, prog_name="rocbands")
    import matplotlib.pyplot as plt

    plt.close("all")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception.with_traceback(done.exc_info[2] if done.exc_info else None)
    if done.exit_code not in (0, 2):
        raise BrokenError(f"exit code {done.exit_code}: {done.stderr[:300]}")
    asked = {word for word in words if word.startswith("out.")}
    # Finished work of a study stays in its store: that is what it is for.
    kept = asked if "--store" in words or not done.exit_code else set()
    extra = set(os.listdir()) - {name, "good.csv"} - kept
    if extra:
        raise BrokenError(f"left behind: {sorted(extra)}")
    if "--store" not in words and Path(name).read_bytes() != data:
        raise BrokenError("the input was changed")
    if done.exit_code:
        if done.stdout or done.stderr.count("\n") != 1:
            raise BrokenError(f"more than one line: {done.stdout[:100]!r} {done.stderr[:300]!r}")
        check_sentence(done.stderr.rstrip().removesuffix("'") + ".")
    return "refused" if done.exit_code else "result"
