"""Comparing two classifiers on the same rows, against pauc and MLstatkit, with the same answer."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import rocbands as rb
from benchmarks.clock import seconds

__all__ = ["TITLE", "rows"]

TITLE = "Paired DeLong test and interval (2000 draws for the others) against pauc and MLstatkit"


def _ours(method: str, labels: Any, one: Any, two: Any) -> float:
    return rb.compare(labels, one, two, method=method, rng=1).pvalue


def _pauc(peer: Any, labels: Any, one: Any, two: Any) -> float:
    return float(peer.compare(peer.ROC(labels, one), peer.ROC(labels, two)).p_value)


def _mlstatkit(peer: Any, *data: Any) -> float:
    return float(peer.Delong_test(*data)[1])


def _peers(*data: Any) -> dict[str, Callable[[], float]]:
    """Return calls of the peers that are installed."""
    known = {"pauc": _pauc, "MLstatkit": _mlstatkit}
    return {
        name: partial(call, importlib.import_module(name), *data)
        for name, call in known.items()
        if importlib.util.find_spec(name)
    }


def rows(sizes: tuple[int, ...] = (10**3, 10**4, 10**5, 10**6)) -> Iterator[dict[str, object]]:
    """One row for each size, untied scores; peers that are not installed are left out."""
    for size in sizes:
        rng = np.random.default_rng(size)
        labels = (rng.random(size) < 0.5).astype(np.int64)
        one, two = rng.normal(size=(2, size)) + rng.normal(size=size) + labels
        data = (labels, one, two)
        peers = _peers(*data)
        delong = partial(_ours, "delong", *data)
        for peer in peers.values():
            assert abs(peer() - delong()) < 1e-6, "we and our peers compute the same test"
        sorts = partial(lambda *columns: [np.argsort(c) for c in columns], one, two)
        times = seconds(delong, sorts, *peers.values(), repeats=3 if size >= 10**5 else 9)
        drawn = [0.0, 0.0, 0.0]
        if size <= 10**4:
            calls = [partial(_ours, name, *data) for name in ("bootstrap", "bootstrap-t")]
            drawn = seconds(*calls, partial(_ours, "venkatraman", *data), repeats=2)
        theirs = dict(zip(peers, times[2:], strict=True))
        yield {
            "rows": size,
            "delong, ms": round(1e3 * times[0], 2),
            "two argsorts, ms": round(1e3 * times[1], 2),
            **{
                f"{name}, ms": round(1e3 * theirs[name], 1) if name in theirs else ""
                for name in ("pauc", "MLstatkit")
            },
            "bootstrap, ms": round(1e3 * drawn[0]) or "",
            "bootstrap-t, ms": round(1e3 * drawn[1]) or "",
            "venkatraman, ms": round(1e3 * drawn[2]) or "",
        }
