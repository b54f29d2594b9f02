"""Tensors of JAX and CuPy: the counts of NumPy's arrays, bit for bit."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands.errors import InputError
from tests.scale.nasty import assert_same, labels_for, nasty_scores


@pytest.fixture(params=["jax", "cupy"])
def send(request: pytest.FixtureRequest) -> Any:
    """Copy an array to a tensor of a library, on its default device."""
    library = pytest.importorskip(request.param, reason=f"needs {request.param}")
    return library.numpy.asarray if request.param == "jax" else library.asarray


def scores_of(kind: str) -> np.ndarray:
    with np.errstate(over="ignore"):
        found = nasty_scores().astype(kind)
    every = np.arange(2**16, dtype=np.uint16).view(np.float16)
    return np.concatenate([found, every[~np.isnan(every)].astype(kind)])


@pytest.mark.parametrize("kind", ["float16", "float32"])
def test_floats(kind: str, send: Any) -> None:
    scores = scores_of(kind)
    y = labels_for(scores)
    found = rb.ScoreCounts.from_arrays(send(y), send(scores))
    assert_same(found, rb.ScoreCounts.from_arrays(y, scores))


def test_jax_has_bfloat16() -> None:
    jax = pytest.importorskip("jax", reason="needs jax")
    bits = np.arange(2**16, dtype=np.uint16)
    short = jax.lax.bitcast_convert_type(jax.numpy.asarray(bits), "bfloat16")
    wide = (bits.astype(np.uint32) << 16).view(np.float32)
    keep = ~np.isnan(wide)
    y = np.arange(2**16) % 3 == 0
    found = rb.ScoreCounts.from_arrays(jax.numpy.asarray(y), short, mask=jax.numpy.asarray(keep))
    assert_same(found, rb.ScoreCounts.from_arrays(y[keep], wide[keep]))


@pytest.mark.parametrize("kind", ["bool", "int8", "uint8", "int16", "int32"])
def test_whole_numbers(kind: str, send: Any) -> None:
    ends = np.array([0, 1]) if kind == "bool" else np.array([*map(int, _ends(kind))])
    scores = np.array([*ends, 0, 1, *ends]).astype(kind)
    y = np.array([0, 1, 1, 0, 0, 1])
    found = rb.ScoreCounts.from_arrays(send(y), send(scores))
    assert_same(found, rb.ScoreCounts.from_arrays(y, scores))


def _ends(kind: str) -> tuple[int, int]:
    return np.iinfo(kind).min, np.iinfo(kind).max


def test_several_models_a_mask_and_a_sample(send: Any) -> None:
    rng = np.random.default_rng(2)
    y, keep = rng.integers(0, 2, 300), rng.uniform(size=300) < 0.5
    scores = {name: rng.normal(size=300).astype(np.float32) for name in "ab"}
    there = {name: send(column) for name, column in scores.items()}
    assert_same(
        rb.ScoreCounts.from_arrays(send(y), there, mask=send(keep)),
        rb.ScoreCounts.from_arrays(y, scores, mask=keep),
    )
    sample = rb.Sample(send(y), there)
    assert np.array_equal(sample["b"].values, scores["b"])


def test_bad_tensors(send: Any) -> None:
    y = np.array([0, 1])
    for scores, words in (
        (np.array([0.5, np.nan], dtype=np.float32), "must not be NaN; NaN in 1 row of 2"),
        (np.zeros(3, dtype=np.float32), r"has shape \(2,\)"),
        (np.zeros((2, 2), dtype=np.float32), "one-dimensional"),
    ):
        with pytest.raises(InputError, match=words):
            rb.ScoreCounts.from_arrays(send(y), send(scores))


def test_jax_arrays_on_two_devices_and_in_compiled_functions() -> None:
    """In a process of its own, in which the processor counts as two devices."""
    pytest.importorskip("jax", reason="needs jax")
    flag = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, "-c", _TWO_DEVICES],
        env={**os.environ, **flag},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    alone, apart, traced = done.stdout.splitlines()
    assert alone == "True"
    assert "must be on one device" in apart
    assert "Call this outside" in traced


_TWO_DEVICES = """
import jax, numpy as np, rocbands as rb
from jax.sharding import Mesh, NamedSharding, PartitionSpec

rng = np.random.default_rng(1)
y, x = rng.integers(0, 2, 64), rng.normal(size=64).astype(np.float32)
split = NamedSharding(Mesh(np.array(jax.devices()), ("rows",)), PartitionSpec("rows"))
both = [jax.device_put(column, split) for column in (y, x)]
print(rb.ScoreCounts.from_arrays(*both).to_dict() == rb.ScoreCounts.from_arrays(y, x).to_dict())
first, second = jax.devices()
try:
    rb.ScoreCounts.from_arrays(jax.device_put(y, first), jax.device_put(x, second))
except rb.InputError as problem:
    print(problem)
try:
    jax.jit(lambda scores: rb.ScoreCounts.from_arrays(y, scores).roc.auc)(x)
except rb.InputError as problem:
    print(problem)
"""
