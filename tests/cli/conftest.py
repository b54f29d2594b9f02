"""A command line that runs in this process, in an empty folder."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rocbands.cli import main

Run = Callable[..., Result]

FILES = {
    "good.csv": b"label,score\n1,0.9\n0,0.4\n1,0.3\n0,0.1\n",
    "text.csv": b"who,score_a,score_b\nill,0.9,4\nwell,0.4,3\nill,0.3,2\nwell,0.1,1\n",
    "three_models.csv": b"label,score_a,score_b,score_c\n1,9,4,1\n0,4,3,2\n1,3,2,3\n0,1,1,4\n",
    "signs.csv": b"label,score\n1,0.9\n-1,0.4\n",
    "truth.csv": b"label,score\nTRUE,0.9\nFALSE,0.4\n",
    "bad.csv": b"label,score\n1,0.9\n0,n/a\n",
    "one.csv": b"label,score\n1,0.9\n1,0.4\n",
    "three.csv": b"label,score\na,0.9\nb,0.4\nc,0.3\n",
    "header.csv": b"label,score\n",
    "empty.csv": b"",
    "numbers.csv": b"1,0.9\n0,0.4\n",
    "ragged.csv": b"label,score\n1,0.9,7\n",
    "latin.csv": b"label,score\ncaf\x81,0.9\n",
    "many.csv": b"label,a,b\n1,0.9,7\n",
    "nameless.csv": b"a,b\n1,0.9\n",
    "semicolons.csv": b"label;score\n1;0.9\n",
    "cut.parquet": b"PAR1 and no more",
    "cut.csv.gz": b"\x1f\x8b and no more",
    "array.json": b'[{"label": 1}]',
    "mixed.jsonl": b'{"label": 1, "score": 1}\n{"label": "0", "score": 1}\n',
    "nan.csv": b"label,score\n1,0.9\n0,nan\n",
    "utf16.csv": "label,score\n1,0.9\n0,0.1\n".encode("utf-16")[:-1],
    "twice.csv": b"label,score,score\n1,1,2\n0,0,1\n",
    "endless.csv": b"label,score\ninf,1\n0,0\n",
    "huge.csv": b"label,score\n99999999999999999999999,1\n0,0\n",
    "short.csv": b"label,score\n1\n0,1\n",
    "folds.csv": b"label,score,fold\n1,3,1\n1,2,1\n0,1,2\n0,4,2\n",
    "torn.csv.gz": gzip.compress(b"label,score\n1,0.9\n0,0.4\n" * 500)[:-30],
    "broken.jsonl": b'{"label": 1, "score": 1}\n{"label": 0,\n',
    "not.store": b"hello\n",
    "pairs.csv": b"label,score_a,score_b,patient,fold\n1,9,4,a,1\n0,4,3,a,1\n1,3,2,b,2\n0,1,1,b,2\n",
    "counted.csv": b"model,score,positives,negatives\nold,3,2,0\nold,2,1,1\nold,1,0,2\n"
    b"new,3,3,1\nnew,1,0,2\n",
    "clustered.csv": b"part,bin,positives,negatives\nnorth,3,2,0\nnorth,2,1,1\nsouth,1,0,2\n",
    "lost.csv": b"bin,positives,negatives\n1,2,many\n",
    "sided.csv": b"bin,positives,negatives\n1,2,0\n",
    "y_true.csv": b"y_true,level\n1,0.9\n0,x\n",
    "readings.csv": b"who,case,test,truth,rating\n"
    + b"".join(
        f"{who},{case},{test},{case % 2},{(7 * case + 3 * len(test)) % 5 + case % 2}\n".encode()
        for who in "AB"
        for test in ("old", "newer")
        for case in range(1, 9)
    ),
}
FILES["again.csv"] = FILES["readings.csv"] + b"A,3,old,1,5\n"
FILES["unsure.csv"] = FILES["readings.csv"] + b"A,3,older,0,5\n"
FILES["unread.csv"] = FILES["readings.csv"] + b"A,9,old,1,\n"
FILES["alone.csv"] = b"\n".join(
    line for line in FILES["readings.csv"].splitlines() if not line.startswith(b"B")
)
FILES["sick.csv"] = FILES["readings.csv"] + b"C,1,old,1,3\nC,3,old,1,4\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command line; what it says is in .stdout and .stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")  # without it a pipe has no limit
    for name, data in FILES.items():
        Path(name).write_bytes(data)
    Path("folder").mkdir()

    def call(*args: str, stdin: bytes | None = None) -> Result:
        return CliRunner().invoke(main, args, input=stdin, prog_name="rocbands")

    return call
