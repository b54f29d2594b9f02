"""Times and memory of `rocbands app`, as a browser sees them."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from tests.app.client import Server

TIMES = 5
ROWS = 10**6
MINUTES = float(os.environ.get("MINUTES", "10"))  # of clicking
MODELS = {"label": "diagnosis", "positive": "malignant", "scores": ["logistic", "neighbours"]}
TITLE = (
    f"The app: seconds (medians of {TIMES}), memory with {ROWS:,} rows of two models, and growth "
    f"in {MINUTES:g} minutes of clicking; Linux only"
)


def rows() -> Iterator[dict[str, Any]]:
    """Measure each of them."""
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        starts = [_start(base) for _ in range(TIMES)]
        yield _show("from 'rocbands app' to the page, s", median(each[0] for each in starts))
        yield _show("from then on, the example to its report, s", median(e[1] for e in starts))
        with Server(base) as server:
            server.result("plan", auc=0.8, width=0.1)  # everything is loaded
            again = median(_time(lambda: _show_example(server)) for _ in range(TIMES))
            yield _show("the example to its report once all is loaded, s", again)
        yield from _take_many(base)
        yield from _click(base)


def _show(what: str, value: float) -> dict[str, Any]:
    return {"what": what, "value": f"{value:.3g}" if value < 100 else f"{value:.0f}"}


def _time(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _start(base: Path) -> tuple[float, float]:
    """Seconds to the page, and from there to the report on the example."""
    start = time.perf_counter()
    with Server(base) as server:
        for path in ("/", "/page/app.css", "/page/main.js", "/api/state"):
            assert server.ask("GET", path)[0] == 200, path
        shown = time.perf_counter()
        _show_example(server)
        return shown - start, time.perf_counter() - shown


def _show_example(server: Server) -> None:
    """Ask for what the page asks for when the example is chosen and analysed."""
    upload = server.example()
    server.result("preview", upload=upload)
    server.result("labels", upload=upload, label="diagnosis")
    found = server.result("analyse", upload=upload, **MODELS)
    assert server.ask("GET", f"/api/jobs/{found['id']}/report")[0] == 200


def _take_many(base: Path) -> Iterator[dict[str, Any]]:
    """Upload many rows, and make the report."""
    rng = np.random.default_rng(1)
    y = rng.random(ROWS) < 0.1
    scores = rng.normal(size=(ROWS, 2)) + y[:, None]
    lines = (f"{own:d},{one:.6f},{two:.6f}" for own, (one, two) in zip(y, scores, strict=True))
    data = ("outcome,score_a,score_b\n" + "\n".join(lines)).encode()
    with Server(base) as server, _watch(server) as peaks:
        key: list[str] = []
        upload = _time(lambda: key.append(server.upload(data)))
        yield _show(f"upload of {len(data) / 1e6:.0f} MB, s", upload)
        yield _show("preview, s", _time(lambda: server.result("preview", upload=key[0])))
        asked: dict[str, Any] = {"upload": key[0], "label": "outcome"}
        yield _show("labels of all rows, s", _time(lambda: server.result("labels", **asked)))
        asked |= {"positive": "1", "scores": ["score_a", "score_b"]}
        yield _show("report, s", _time(lambda: server.result("analyse", **asked)))
    for kind, peak in peaks.items():
        yield _show(f"peak memory of the {kind}, MB", peak)


def _click(base: Path) -> Iterator[dict[str, Any]]:
    """Upload, preview, compare, plan, download and cancel again and again."""
    data = Path(__file__).parents[1].joinpath("src/rocbands/io/example.csv").read_bytes()
    end, rounds, after = time.monotonic() + 60 * MINUTES, 0, 0.0
    with Server(base) as server:
        while time.monotonic() < end:
            upload = server.upload(data)
            server.result("preview", upload=upload)
            found = server.result("compare", upload=upload, **MODELS)
            server.download(found["id"], "comparison.csv")
            running = server.start("analyse", upload=upload, **MODELS)
            server.wait(running, "running", "done")
            server.ask("DELETE", f"/api/jobs/{running}")
            server.result("plan", auc=0.8, width=0.1)
            rounds += 1
            if rounds == 20:  # by when 20 uploads and 40 jobs are kept
                after = sum(_held(server).values())
        yield _show("rounds of clicking", rounds)
        yield _show("memory of the server's processes after 20 rounds, MB", after)
        yield _show("at the end, MB", sum(_held(server).values()))
        size = sum(path.stat().st_size for path in base.rglob("*") if path.is_file())
        yield _show("its folder at the end, MB", size / 1e6)


def _held(server: Server, key: str = "VmRSS") -> dict[str, float]:
    """MB of the server, of the process that others are copies of, and of the largest job."""
    own = server.process.pid
    parents = {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal():
                stat = (entry / "stat").read_text(encoding="utf-8")
                parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
        except OSError:  # it has ended
            continue
    children = [pid for pid, above in parents.items() if above == own]
    jobs = [pid for pid, above in parents.items() if above in children]
    kinds = {"server": [own], "process with all loaded": children, "job": jobs}
    return {kind: max(_read(pid, key) for pid in [*pids, 0]) for kind, pids in kinds.items()}


def _read(pid: int, key: str) -> float:
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    return float(text.partition(f"{key}:")[2].split()[0]) / 1e3 if f"{key}:" in text else 0.0


@contextmanager
def _watch(server: Server) -> Iterator[dict[str, float]]:
    """Note the peaks of all processes."""
    peaks: dict[str, float] = {}
    ended = threading.Event()

    def follow() -> None:
        while not ended.wait(0.02):
            for kind, peak in _held(server, "VmHWM").items():
                peaks[kind] = max(peak, peaks.get(kind, 0.0))

    watcher = threading.Thread(target=follow)
    watcher.start()
    try:
        yield peaks
    finally:
        ended.set()
        watcher.join()
